// One transfer on one connection, by the engine and as a leg makes it: the same request, TLS, transport, socket options
// and source address. It says whether a server can be measured, and if not, why.

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

/** How often the engine says what it has counted. */
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
 * @property {number} [timeoutNs]  of the connect and of the reply, each; absent: the scenario's own
 *
 * @typedef {{ counters: Record<string, number>, tlsFailure?: TlsFailure, said?: string,
 *   tapped?: Tapped | null }} Outcome  said:
 *   the first bytes of what the server sent where that was wrong or an error, one character each
 */

/**
 * @param {Pick<Scenario, 'workload' | 'heartbeatNs'>} settings
 * @returns {boolean} whether connections carry requests, and are not only held
 */
export const sendsRequests = ({ workload, heartbeatNs }) => workload !== 'hold' || heartbeatNs > 0;

/**
 * Of connections that are only held, one is opened.
 * @param {Exchange} wanted
 * @returns {Promise<void>} rejects with EnvironmentError EEXCHANGE. Its data: `endpoint`, `reason` (`refused`,
 *   `unreachable`, ...: a cause of rejects or errors), `step`, `received` (number of bytes), `said` (the first of them,
 *   escaped), `isOfProtocol` (what came is of the protocol that was asked for), `tlsFailure`, `denied` (the key of the
 *   scenario that is missing or wrong, and the remedy)
 */
export async function exchange(wanted) {
  const error = errorOf(wanted, await runOne(wanted));
  if (error !== null) throw error;
}

/**
 * The same, of which also the reply must be one that a run is to have: no redirect and no client error of HTTP.
 * @param {Exchange} wanted
 * @returns {Promise<void>} rejects as exchange(), or with EnvironmentError ETURNEDAWAY. Its data: `endpoint`, `status`,
 *   `said`, `remedy`
 */
export async function exchangeAsWanted(wanted) {
  const { settings, server } = wanted;
  const outcome = await runOne(wanted, true);
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
 * The same, looked at.
 * @param {Exchange} wanted
 * @returns {Promise<{ tapped: Tapped | null, error: EnvironmentError | null }>}
 */
export async function tapExchange(wanted) {
  const outcome = await runOne(wanted, true);
  return { tapped: outcome.tapped ?? null, error: errorOf(wanted, outcome) };
}

/** @param {Exchange} wanted @param {Outcome} outcome @returns {EnvironmentError | null} null: it has succeeded */
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
 * @returns {boolean} whether what came is of the protocol that was asked for: a reply that was right as far as it came,
 *   one that was whole, or one that begins as none of another protocol does
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
 * @returns {boolean} whether nothing has failed, not even behind the reply
 */
const hasSucceeded = (settings, counters) =>
  (sendsRequests(settings) ? counters.transfers : counters.opened) > 0 && failureOf(counters) === null;

/**
 * @param {Exchange} wanted
 * @param {boolean} [tap] whether what is exchanged is kept
 * @returns {Promise<Outcome>} when the transfer or the attempt is over, whatever became of it
 */
async function runOne(wanted, tap = false) {
  const { settings, leg, server, tls } = wanted;
  const timeouts = timeoutsOf(wanted);
  const endNs = timeouts.connectTimeoutNs + timeouts.transferTimeoutNs + MARGIN_NS;
  const { protocol, protocolOptions, payloadBytes, payloadMinBytes, payloadFile, seed, socket } = settings;
  // what else a scenario may say is of a load, and is left out
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

/** @param {Record<string, number>} counters @returns {{ step: Step, reason: string } | null} null: none so far */
function failureOf(counters) {
  const rejected = rejectCauses.find((cause) => counters[`rejects.${cause}`] > 0);
  if (rejected !== undefined) return { step: 'connect', reason: rejected };
  const lost = errorCauses.find((cause) => counters[`errors.${cause}`] > 0);
  if (lost === undefined) return null;
  return counters.transfers > 0 ? { step: 'surplus', reason: lost } : { step: 'reply', reason: lost };
}

/**
 * @typedef {'connect' | 'reply' | 'surplus'} Step  connect: before the connection counts as open; surplus: behind the
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
