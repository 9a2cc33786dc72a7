// Before a run: does something listen on the target, and does it speak the protocol? One exchange with each target. If it
// fails, the run is refused, with what was received and with what to try instead. `--force` measures all the same.

import { EnvironmentError } from '../errors.js';
import { exchangeOptions } from '../protocols/index.js';
import { familyOf, formatEndpoint } from '../words/endpoint.js';
import { reasonOf } from '../words/warnings.js';
import { nodeTls } from '../scenario/keys/tls.js';
import { isExchanged } from '../transports/index.js';

const CHECK_TIMEOUT_MS = 5000;
const TRY_TIMEOUT_MS = 1000;
/** Those that one exchange tells apart from all others, in the order in which they are suggested. */
const TRIED = ['http', 'redis', 'memcached', 'nats', 'echo'];
/** Of a URL that names the protocol. @type {Record<string, string>} */
const SCHEMES = { http: 'http', redis: 'redis', memcached: 'memcached', nats: 'nats', websocket: 'ws' };
/** @type {Record<string, string>} */
const SECURE_SCHEMES = { http: 'https', redis: 'rediss', websocket: 'wss' };
/** Reasons whose text quotes what was received. */
const QUOTING = new Set(['mismatch', 'unexpected-reply', 'timeout', 'stalled', 'closed']);
const UNREACHABLE = /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|ETIMEDOUT)$/;
/**
 * @typedef {Pick<import('./server-under-test.js').Launcher, 'verifyExchange'>} Exchanger
 * @typedef {{protocol?: string, tls?: boolean}} Suggestion  what is to be given instead
 * @typedef {import('../scenario/scenario.js').Scenario} Scenario
 */

/**
 * @param {Exchanger} launcher
 * @param {Scenario} scenario of the first leg
 * @returns {Promise<boolean>} whether all its targets answered; false: there is none, or it is measured whatever it says
 * @throws {EnvironmentError} ETARGETCHECK: nothing listens, or it does not speak the protocol
 */
export async function checkTargets(launcher, scenario) {
  const { target, targets = [target], force, transport } = scenario;
  if (target === undefined || force || !isExchanged(transport)) return false;
  const answers = await Promise.all(targets.map((one) => exchange(launcher, scenario, /** @type {any} */ (one))));
  const failed = answers.flatMap((error, i) =>
    error === null ? [] : [{ error, target: /** @type {any} */ (targets[i]) }],
  );
  if (failed.length === 0) return true;
  const refused = failed.find(({ error }) => !isToleratedBy(scenario, error));
  if (refused === undefined) return false;
  throw await refusal(launcher, scenario, refused);
}

/** @param {Exchanger} launcher @param {Scenario} scenario @param {import('../words/endpoint.js').Endpoint} target */
function exchange(launcher, { protocol, protocolOptions, tls, transferTimeoutNs, transport }, { host, port }) {
  return launcher
    .verifyExchange({
      ...{ host, port, transport, protocol, protocolOptions: exchangeOptions(protocol, protocolOptions) },
      ...{ tls: tls && nodeTls(tls, host), timeoutMs: Math.min(CHECK_TIMEOUT_MS, transferTimeoutNs / 1e6) },
    })
    .then(
      () => null,
      (error) => error,
    );
}

/** Connections that are only held need a server that accepts them, whatever it speaks. @param {Scenario} scenario @param {any} error */
const isToleratedBy = ({ workload, heartbeatNs }, error) =>
  workload === 'hold' && heartbeatNs === 0 && error.data?.reason !== 'not-listening';

/**
 * @param {Exchanger} launcher @param {Scenario} scenario
 * @param {{error: any, target: import('../words/endpoint.js').Endpoint}} failed
 * @returns {Promise<EnvironmentError>}
 */
async function refusal(launcher, scenario, { error, target }) {
  const { reason, errorCode, errorData = {} } = reasonOf(error);
  const isDead = errorData.reason === 'not-listening' || UNREACHABLE.test(errorData.errno ?? '');
  const suggestion = isDead ? null : await findSpoken(launcher, scenario, target, errorData);
  const { receivedStart } = errorData;
  const received = receivedStart && !QUOTING.has(errorData.reason) ? `; it sent ${receivedStart}` : '';
  const text = [
    `target: ${reason}${received}`,
    isDead ? 'Start the server, or check address and port' : remedyOf(scenario, target, suggestion, errorData),
    'To measure it all the same, give --force',
  ].join('. ');
  return new EnvironmentError(text, {
    code: 'ETARGETCHECK',
    data: { ...errorData, errorCode, protocol: scenario.protocol, suggestion },
    cause: error,
  });
}

/**
 * @param {Exchanger} launcher @param {Scenario} scenario
 * @param {import('../words/endpoint.js').Endpoint} target
 * @param {Record<string, any>} failure of the scenario's own exchange
 * @returns {Promise<Suggestion | null>}
 */
async function findSpoken(launcher, { protocol, tls }, { host, port }, { spoken }) {
  if (spoken !== undefined && spoken !== protocol) return { protocol: spoken, ...(tls && { tls: true }) };
  const others = TRIED.filter((name) => name !== protocol);
  /** @type {Suggestion[]} */
  const candidates =
    tls === null
      ? [...others.map((name) => ({ protocol: name })), { tls: true }, { protocol: 'http', tls: true }]
      : [
          { tls: false },
          ...others.map((name) => ({ protocol: name, tls: true })),
          ...others.map((name) => ({ protocol: name, tls: false })),
        ];
  const unchecked = { rejectUnauthorized: false };
  const answers = await Promise.all(
    candidates.map(({ protocol: tried = protocol, tls: secure = false }) =>
      launcher
        .verifyExchange({
          ...{ host, port, protocol: tried, tls: secure ? unchecked : null, timeoutMs: TRY_TIMEOUT_MS },
          protocolOptions: tried === 'http' ? { method: 'GET', path: '/' } : undefined,
        })
        .then(
          () => true,
          () => false,
        ),
    ),
  );
  return candidates[answers.indexOf(true)] ?? null;
}

/**
 * @param {Suggestion & {protocol: string}} spoken @param {import('../words/endpoint.js').Endpoint} target
 * @returns {string | null} the URL that says the same; null: there is none
 */
function urlOf({ protocol, tls = false }, target) {
  const scheme = (tls ? SECURE_SCHEMES : SCHEMES)[protocol];
  return scheme === undefined || familyOf(target.host) === 'unix' ? null : `${scheme}://${formatEndpoint(target)}`;
}

/**
 * @param {Scenario} scenario @param {import('../words/endpoint.js').Endpoint} target
 * @param {Suggestion | null} suggestion @param {Record<string, any>} failure
 */
function remedyOf({ protocol, tls }, target, suggestion, { reason }) {
  if (suggestion !== null) {
    const { protocol: spoken, tls: secure } = suggestion;
    const flags = [
      ...(spoken === undefined || spoken === protocol ? [] : [`--protocol ${spoken}`]),
      ...(secure === true && tls === null ? ['--tls'] : secure === false ? ['--no-tls'] : []),
    ];
    const url = urlOf({ protocol, ...suggestion }, target);
    const how = secure ? ' over TLS' : secure === false ? ' without TLS' : '';
    return `It speaks ${spoken ?? protocol}${how}: give ${flags.join(' ')}${url === null ? '' : `, or the target ${url}`}`;
  }
  if (tls !== null && (reason === 'tls' || reason === 'certificate-name' || reason === 'socket')) {
    return 'If its certificate is one of your own, name the authority with --tls.ca FILE, or give --no-tls.verify';
  }
  return 'Give the protocol that it speaks with --protocol (config/guides/protocols.md)';
}
