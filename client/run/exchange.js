// Makes one transfer on one connection with the engine, as a leg does: the same request, TLS, transport, socket options
// and source address. Its result says whether a server can be measured, and if not, why.

import { createEngine, names } from '../engine/index.js';
import { EnvironmentError } from '../errors.js';
import { ERRORS, REJECTS } from '../measure/causes.js';
import { errorCauses, rejectCauses } from '../measure/fields.js';
import { engineTls } from '../scenario/keys/tls.js';
import { formatEndpoint } from '../words/endpoint.js';
import { counted, duration } from '../words/format.js';
import { protocolOf } from '../protocols/index.js';
import { allSecrets } from '../protocols/kept-secrets.js';
import { escaped, QUOTE_BYTES } from '../measure/quotes.js';
import { masked } from '../words/secrets.js';
import { tlsFailureRemedy, tlsFailureText } from '../words/tls-failure.js';
import { adviceText } from '../words/warnings.js';
import { assign, endpointsOf } from './cluster/assignment.js';
import { engineSettingsOf } from './cluster/engine-settings.js';
import { payloadOf } from './payload.js';

/**
 * @import { Tapped } from '../engine/index.js'
 * @import { Cause } from '../measure/causes.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { TlsOptions } from '../scenario/keys/tls.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { TlsFailure } from '../words/tls-failure.js'
 * @import { Endpoint } from './cluster/assignment.js'
 */

/** How often the engine reports its counters. */
const INTERVAL_NS = 10e6;
/** From the last timeout to the end of the leg. */
const MARGIN_NS = 1e9;
/** Longer than any exchange: there is no second attempt. */
const NEVER_NS = 86_400e9;
/** The reason where the server denied the request; any other reason is a cause of rejects or errors. */
const DENIED = 'denied';

/**
 * @typedef {object} Exchange
 * @property {Scenario} settings of the leg
 * @property {Pick<Leg, 'transport' | 'sources'>} leg  sources: the first is used
 * @property {Endpoint} server
 * @property {TlsOptions | null} tls
 * @property {number} [timeoutNs]  of the connect and of the reply, each; absent: the scenario's timeouts
 *
 * @typedef {{ counters: Record<string, number>, tlsFailure?: TlsFailure, said?: string,
 *   tapped?: Tapped | null }} Outcome  said: the first bytes of a wrong reply or an error reply, one character a byte
 */

/**
 * @param {Pick<Scenario, 'workload' | 'heartbeatNs'>} settings
 * @returns {boolean} whether connections carry requests; false: they are only held open
 */
export const sendsRequests = ({ workload, heartbeatNs }) => workload !== 'hold' || heartbeatNs > 0;

/**
 * Makes one transfer; opens one connection where the scenario only holds connections.
 * @param {Exchange} wanted
 * @returns {Promise<void>} rejects with EnvironmentError EEXCHANGE. Its data: `endpoint`, `reason` (`refused`,
 *   `unreachable`, ...: a cause of rejects or errors), `step`, `received` (number of bytes), `said` (the first of them,
 *   escaped), `isOfProtocol` (the received bytes are of the requested protocol), `tlsFailure`, `denied` (the key of the
 *   scenario that is missing or wrong, and the remedy)
 */
export async function exchange(wanted) {
  const error = errorOf(wanted, await runExchange(wanted));
  if (error !== null) throw error;
}

/**
 * Makes an exchange as exchange() does, and also rejects a redirect or a client error of HTTP.
 * @param {Exchange} wanted
 * @returns {Promise<void>} rejects as exchange(), or with EnvironmentError ETURNEDAWAY. Its data: `endpoint`, `status`,
 *   `said`, `remedy`
 */
export async function exchangeAsWanted(wanted) {
  const { settings, server } = wanted;
  const outcome = await runExchange(wanted, true);
  const error = errorOf(wanted, outcome);
  if (error !== null) throw error;
  const received = outcome.tapped?.received;
  const away = received && protocolOf(settings.protocol).turnedAway?.(received.first, settings.protocolOptions);
  if (!away) return;
  const endpoint = formatEndpoint({ host: server.address, port: server.port });
  const said = escaped(masked(away.said, allSecrets(), true));
  throw new EnvironmentError(`${endpoint} replies to the first request with ${said}`, {
    code: 'ETURNEDAWAY',
    data: { ...away, endpoint, said },
  });
}

/**
 * Makes an exchange as exchange() does, and returns its bytes.
 * @param {Exchange} wanted
 * @returns {Promise<{ tapped: Tapped | null, error: EnvironmentError | null }>}
 */
export async function tapExchange(wanted) {
  const outcome = await runExchange(wanted, true);
  return { tapped: outcome.tapped ?? null, error: errorOf(wanted, outcome) };
}

/** @param {Exchange} wanted @param {Outcome} outcome @returns {EnvironmentError | null} null: the exchange succeeded */
function errorOf(wanted, { counters, tlsFailure, said }) {
  const { settings, server, tls } = wanted;
  const denied =
    said === undefined ? null : (protocolOf(settings.protocol).denied?.(said, settings.protocolOptions) ?? null);
  if (hasSucceeded(settings, counters) && denied === null) return null;
  const endpoint = formatEndpoint({ host: server.address, port: server.port });
  const { step, reason } = failureOf(counters) ?? { step: 'reply', reason: denied === null ? 'timeout' : DENIED };
  const spoken = `${settings.protocol}${tls === null ? '' : ' over TLS'}`;
  const received = counters.bytesReceived ?? 0;
  const why = failureText({ step, reason, endpoint, spoken, received, ...timeoutsOf(wanted), tlsFailure });
  const shown = said && escaped(masked(said, allSecrets(), said.length === QUOTE_BYTES));
  const text = shown === undefined ? why : `${why}: "${shown}"`;
  const data = {
    ...{ endpoint, step, reason, received, ...(shown && { said: shown }) },
    isOfProtocol: isOfProtocol(settings, { step, reason, received, said }),
    ...(tlsFailure && { tlsFailure }),
    ...(denied && { denied }),
  };
  return new EnvironmentError(text, { code: 'EEXCHANGE', data });
}

/** @param {Exchange} wanted @returns {{ connectTimeoutNs: number, transferTimeoutNs: number }} */
const timeoutsOf = ({ settings, timeoutNs }) => ({
  connectTimeoutNs: timeoutNs ?? settings.connectTimeoutNs,
  transferTimeoutNs: timeoutNs ?? settings.transferTimeoutNs,
});

/**
 * @param {Scenario} settings
 * @param {{ step: Step, reason: string, received: number, said?: string }} failure
 * @returns {boolean} whether the received bytes are of the requested protocol: a reply without an error so far, a whole
 *   reply, or a beginning that only this protocol has
 */
function isOfProtocol({ protocol }, { step, reason, received, said }) {
  if (received === 0) return false;
  if (step === 'surplus') return true;
  if (step === 'reply' && (reason === DENIED || causeOf({ step, reason })?.incomplete)) return true;
  return said !== undefined && (protocolOf(protocol).begins?.test(said) ?? false);
}

/**
 * @param {Scenario} settings
 * @param {Record<string, number>} counters
 * @returns {boolean} whether the exchange succeeded, and no error followed the reply
 */
const hasSucceeded = (settings, counters) =>
  (sendsRequests(settings) ? counters.transfers : counters.opened) > 0 && failureOf(counters) === null;

/**
 * @param {Exchange} wanted
 * @param {boolean} [tap] whether the exchanged bytes are kept
 * @returns {Promise<Outcome>} resolves when the transfer or the attempt ends, successfully or not
 */
async function runExchange(wanted, tap = false) {
  const { settings, leg, server, tls } = wanted;
  const timeouts = timeoutsOf(wanted);
  const endNs = timeouts.connectTimeoutNs + timeouts.transferTimeoutNs + MARGIN_NS;
  const { protocol, protocolOptions, payloadBytes, payloadMinBytes, payloadFile, seed, socket } = settings;
  // the other keys of a scenario describe a load, and are left out
  const config = assign({
    settings: {
      ...{ protocol, protocolOptions, payloadBytes, payloadMinBytes, payloadFile, seed, socket, ...timeouts },
      ...{ connections: 1, transfers: 1, workload: sendsRequests(settings) ? 'once' : 'hold' },
      backoff: { baseNs: NEVER_NS, factor: 1, capNs: NEVER_NS },
    },
    leg: {
      ...{ workers: 1, pin: { client: null, server: null }, transport: leg.transport },
      schedule: [{ atNs: 0, slots: 1, line: false }],
      ...{ rampToNs: 0, steadyFromNs: 0, steadyToNs: endNs, drainTimeoutNs: 0 },
    },
    ...{ share: 0, generation: 0, log: null, t0Ns: process.hrtime.bigint() },
    endpoints: endpointsOf(server, leg.sources.slice(0, 1), 1),
    tls: tls && engineTls(tls, server.address),
  });
  /** @type {Outcome} */
  const outcome = { counters: {} };
  const { counters } = outcome;
  const engine = createEngine(
    { ...engineSettingsOf(config, payloadOf(settings)), firstNumber: 0, intervalNs: INTERVAL_NS, tap },
    (interval) => {
      names.counters.forEach((name, i) => (counters[name] = (counters[name] ?? 0) + interval.counters[i]));
      outcome.tlsFailure ??= interval.tlsFailure;
      outcome.said ??= interval.quotes?.find(({ kind }) => kind !== 'redirect')?.bytes;
      if (hasSucceeded(settings, counters) || failureOf(counters) !== null) engine.stop();
    },
  );
  engine.start(config.settings.t0Ns);
  await engine.done;
  return { ...outcome, tapped: engine.tapped() };
}

/** @param {Record<string, number>} counters @returns {{ step: Step, reason: string } | null} null: no failure so far */
function failureOf(counters) {
  const reject = rejectCauses.find((cause) => counters[`rejects.${cause}`] > 0);
  if (reject !== undefined) return { step: 'connect', reason: reject };
  const error = errorCauses.find((cause) => counters[`errors.${cause}`] > 0);
  if (error === undefined) return null;
  return counters.transfers > 0 ? { step: 'surplus', reason: error } : { step: 'reply', reason: error };
}

/**
 * @typedef {'connect' | 'reply' | 'surplus'} Step  connect: before the connection counts as open; surplus: after the
 *   reply
 * @typedef {{ step: Step, reason: string, endpoint: string, spoken: string, received: number, connectTimeoutNs: number,
 *   transferTimeoutNs: number, tlsFailure?: TlsFailure }} Failure
 */

/**
 * @param {{ step: Step, reason: string }} failure
 * @returns {Cause | undefined} undefined: it has none, since the server denied the request
 */
export const causeOf = ({ step, reason }) =>
  /** @type {readonly Cause[]} */ (step === 'connect' ? REJECTS : ERRORS).find(({ name }) => name === reason);

/** @param {Failure} failure @returns {string} why the exchange failed */
function failureText({ step, reason, endpoint, spoken, received, connectTimeoutNs, transferTimeoutNs, tlsFailure }) {
  if (step === 'surplus') return `${endpoint} sent more bytes behind a whole reply of ${spoken}`;
  const tls = tlsFailure
    ? adviceText({ text: tlsFailureText(tlsFailure), remedy: tlsFailureRemedy(tlsFailure) })
    : 'in the handshake';
  if (step === 'reply' && tlsFailure) return `${endpoint}: TLS failed ${tls}`;
  const bytes = counted(received, 'byte');
  const came = received === 0 ? 'before it sent anything' : `after ${bytes}, before a reply of ${spoken} was complete`;
  const within = duration(step === 'connect' ? connectTimeoutNs : transferTimeoutNs);
  const text = causeOf({ step, reason })?.failure({ endpoint, spoken, received, bytes, came, within, tls });
  return text ?? `${endpoint} does not permit the request`;
}
