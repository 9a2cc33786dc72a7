// Checks each target before a run with one exchange: does something listen, and does it answer the run's request within
// the run's timeouts? If not, the run is refused with an error that quotes what was received and suggests a remedy.
// `--force` skips the check.

import { EnvironmentError } from '../errors.js';
import { protocolOf, recognisedNames, schemeOf } from '../protocols/index.js';
import { familyOf, formatEndpoint } from '../words/endpoint.js';
import { duration } from '../words/format.js';
import { causeOf, exchange, exchangeAsWanted } from './exchange.js';

/**
 * @import { Endpoint } from '../../config/types.js'
 * @import { Data } from '../errors.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { TlsOptions } from '../scenario/keys/tls.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Exchange } from './exchange.js'
 */

/** After this wait the console says what the run waits for. */
const NOTICE_MS = 5000;
const TRY_NS = 1e9;
const TRIED_BYTES = 64;
/** Accepts any certificate, to find out which protocol a server speaks. @type {TlsOptions} */
const UNVERIFIED = { ca: null, verify: false, serverName: null, certificate: null, key: null, resume: false };
/** Number of a TLS alert: RFC 8446, section 6. */
const CERTIFICATE_REQUIRED = '116';
/**
 * @typedef {{protocol?: string, tls?: boolean}} Suggestion  options to give instead
 * @typedef {Omit<Exchange, 'timeoutNs'>} Wanted
 */

/**
 * @param {Scenario} settings of the first leg
 * @param {Leg} leg
 * @param {(text: string) => void} notice
 * @returns {Promise<boolean>} whether all targets answered; false: there is no target, or `force` skips the check
 * @throws {EnvironmentError} ETARGETCHECK: nothing listens, or it does not answer the request
 */
export async function checkTargets(settings, leg, notice) {
  const { target, targets = [target], force, tls, transferTimeoutNs } = settings;
  if (target === undefined || force) return false;
  await Promise.all(
    targets.map(async (endpoint) => {
      const { host, port } = /** @type {Endpoint} */ (endpoint);
      const wanted = { settings, leg, server: { address: host, port }, tls };
      const awaited = `waiting for the first reply of ${formatEndpoint({ host, port })}, for up to ${duration(transferTimeoutNs)}`;
      const timer = setTimeout(() => notice(`${awaited} (transferTimeout)`), NOTICE_MS);
      try {
        await exchangeAsWanted(wanted);
      } catch (error) {
        const { message, data } = await withRemedy(error, wanted);
        const text = `target: ${sentence(message)} To measure it all the same, give --force`;
        throw new EnvironmentError(text, { code: 'ETARGETCHECK', data, cause: error });
      } finally {
        clearTimeout(timer);
      }
    }),
  );
  return true;
}

/** @param {Data} failure of an exchange @returns {boolean} whether nothing is there to ask */
const isUnreached = ({ step, reason }) => step === 'connect' && !causeOf({ step, reason })?.accepted;

/**
 * @param {unknown} caught of an exchange
 * @param {Wanted} wanted
 * @returns {Promise<EnvironmentError>} the error of the exchange with a remedy, and in its data the `protocol` and the
 *   `suggestion`; any other error unchanged
 */
export async function withRemedy(caught, wanted) {
  const error = /** @type {EnvironmentError} */ (caught);
  if (error?.code === 'ETURNEDAWAY') return withText(error, error.data.remedy, error.data);
  if (error?.code !== 'EEXCHANGE') return error;
  const { denied, isOfProtocol } = error.data;
  const suggestion = denied || isOfProtocol || isUnreached(error.data) ? null : await findSpoken(wanted, error.data);
  const data = { ...error.data, protocol: wanted.settings.protocol, suggestion };
  const remedy = denied?.remedy ?? remedyOf(wanted, suggestion, error.data);
  return withText(error, remedy, data);
}

/** @param {string} text @returns {string} with a full stop */
const sentence = (text) => (text.endsWith('.') ? text : `${text}.`);

/** @param {EnvironmentError} error @param {string | null} remedy @param {Data} data */
const withText = (error, remedy, data) =>
  new EnvironmentError(remedy === null ? error.message : `${sentence(error.message)} ${remedy}`, {
    ...{ code: error.code, data, cause: error },
  });

/**
 * @param {Wanted} wanted
 * @param {Data} failure of the exchange
 * @returns {Promise<Suggestion | null>}
 */
async function findSpoken({ settings, leg, server }, { tlsFailure }) {
  const { protocol, tls } = settings;
  if (leg.transport !== undefined) return null; // only over TCP are there servers of every protocol
  if (tlsFailure !== undefined && tlsFailure.cause !== 'not-tls' && tlsFailure.cause !== 'closed') return null;
  const protocols = recognisedNames.filter((name) => name !== protocol);
  /** @type {Suggestion[]} */
  const candidates =
    tls === null
      ? [...protocols.map((name) => ({ protocol: name })), { tls: true }, { protocol: 'http', tls: true }]
      : [
          { tls: false },
          ...protocols.map((name) => ({ protocol: name, tls: true })),
          ...protocols.map((name) => ({ protocol: name, tls: false })),
        ];
  const answers = await Promise.all(
    candidates.map(({ protocol: name = protocol, tls: secure = false }) =>
      exchange({
        ...{ settings: name === protocol ? settings : settingsToTry(settings, name), leg, server },
        ...{ tls: secure ? UNVERIFIED : null, timeoutNs: TRY_NS },
      }).then(
        () => true,
        ({ data }) => data?.denied !== undefined,
      ),
    ),
  );
  return candidates[answers.indexOf(true)] ?? null;
}

/** @param {Scenario} settings @param {string} name @returns {Scenario} with a request of this protocol */
const settingsToTry = (settings, name) => ({
  ...{ ...settings, workload: 'once', protocol: /** @type {Scenario['protocol']} */ (name) },
  protocolOptions: protocolOf(name).probe,
  ...{ payloadBytes: TRIED_BYTES, payloadMinBytes: null, payloadFile: null },
});

/**
 * @param {Suggestion & {protocol: string}} spoken @param {Endpoint} target
 * @returns {string | null} the target as a URL with this protocol; null: the protocol has no scheme
 */
function urlOf({ protocol, tls = false }, target) {
  const scheme = schemeOf(protocol, tls);
  return scheme === undefined || familyOf(target.host) === 'unix' ? null : `${scheme}://${formatEndpoint(target)}`;
}

/**
 * @param {Wanted} wanted @param {Suggestion | null} suggestion @param {Data} failure
 * @returns {string | null} null: the failure's message has the remedy
 */
function remedyOf({ settings: { protocol, tls, target }, server }, suggestion, failure) {
  const { step, reason, received, isOfProtocol, tlsFailure } = failure;
  if (suggestion !== null) {
    const { protocol: spoken, tls: secure } = suggestion;
    const flags = [
      ...(spoken === undefined || spoken === protocol ? [] : [`--protocol ${spoken}`]),
      ...(secure === true && tls === null ? ['--tls'] : secure === false ? ['--no-tls'] : []),
    ];
    const url = target && urlOf({ protocol, ...suggestion }, { host: server.address, port: server.port });
    const how = secure ? ' over TLS' : secure === false ? ' without TLS' : '';
    return `It speaks ${spoken ?? protocol}${how}: give ${flags.join(' ')}${url ? `, or the target ${url}` : ''}`;
  }
  if (causeOf({ step, reason })?.byClient) return 'See `broadside doctor`, and the keys sources and connections';
  if (isUnreached(failure)) {
    const longer = reason === 'timeout' ? '; if it needs longer, give a longer --connectTimeout' : '';
    return `Start the server, or check address and port${longer}`;
  }
  const { cause = null, reason: alert } = tlsFailure ?? {};
  if (cause === 'certificate' || (cause === 'alert' && alert === CERTIFICATE_REQUIRED)) return null;
  const longer = reason === 'timeout' ? ['If it needs longer, give a longer --transferTimeout'] : [];
  if (tls?.certificate === null && longer.length === 0 && (cause !== null || received === 0)) {
    return 'If the server asks for a client certificate, give --tls.certificate FILE and --tls.key FILE';
  }
  const other = `If it speaks a protocol other than ${protocol}, give that with --protocol (config/guides/protocols.md)`;
  return [...longer, ...(isOfProtocol ? [] : [other])].join('. ') || null;
}
