// Whether a limit of the server was why connections failed: of descriptors, of connections, of idle time, or its accept
// queue. Pure. A limit that was reached is a finding only where connections failed or waited as well; and where the
// descriptors were used up first, a full accept queue follows from that.

import { quoteText } from '../../words/quotes.js';
import { finding } from './finding.js';

/**
 * @import { Finding, Quote, Sample, Times } from '../../../config/types.js'
 * @import { Account } from '../../measure/account.js'
 * @import { ServerLimits } from '../../measure/server-use.js'
 */

/**
 * @typedef {object} Outcome  of a leg
 * @property {ServerLimits} [serverLimits]
 * @property {Account} [account]
 * @property {Record<string, number>} rejects  by cause, with a total
 * @property {Record<string, number>} errors   by cause, with a total
 * @property {{ connections: number }[]} [connectSteps]
 * @property {boolean} [churns]
 * @property {Quote[]} [quotes]
 * @property {Times} [idleTimeNs]
 */
/** One connection may fail for any reason. */
const MIN_FAILED = 2;
/** At its end the server serves at least this share of what it ever did: it has not failed, it takes no more. */
const KEPT = 0.95;
/** Sooner than this a server closes for another reason than an idle timeout. */
const MIN_IDLE_NS = 50e6;
/** How servers name their limit: redis, memcached, NATS, MySQL's and HTTP's usual texts. */
const LIMIT_NAMED =
  /\b(max(imum)?|too many)\b[ -]*(number of )?(open )?(concurrent )?(clients|connections)|connection limit/i;
/** A connection may need several descriptors: with so few left, the next one may fail. */
const MOST_LEFT = 3;

/** @param {Outcome} leg @returns {Finding[]} one at most */
function descriptorFindings({ serverLimits, account, rejects, errors }) {
  const { descriptors } = serverLimits ?? {};
  if (descriptors === undefined || descriptors.fullProcesses === 0) return [];
  const { unanswered = 0, connecting = 0 } = account ?? {};
  // closed by the server at once, or not accepted; what failed on the client's side has another cause
  const failed =
    unanswered + connecting + rejects.total - rejects.local + errors.reset + errors.closed + errors.timeout;
  const { served = 0, requested = 0 } = account ?? {};
  const left = descriptors.limit - descriptors.peakUsed;
  if (failed < MIN_FAILED || (left > MOST_LEFT && requested - served <= left)) return [];
  const reached = left <= MOST_LEFT;
  return [finding('descriptor-limit', { ...descriptors, reached, failed, ...(account ? { served, requested } : {}) })];
}

/** @param {Outcome} leg @returns {Finding[]} one at most */
function idleFindings({ idleTimeNs }) {
  if (idleTimeNs === undefined || idleTimeNs.count < MIN_FAILED || idleTimeNs.p50 < MIN_IDLE_NS) return [];
  const { count, min, p50, max } = idleTimeNs;
  return [finding('idle-closed', { count, minNs: min, p50Ns: p50, maxNs: max })];
}

/** @param {Outcome} leg @returns {Finding[]} one at most */
function queueFindings({ serverLimits, account, rejects, connectSteps = [] }) {
  const { listen } = serverLimits ?? {};
  if (listen === undefined || (listen.dropsBeforeFull ?? listen.drops) === 0) return [];
  const { unanswered = 0, connecting = 0 } = account ?? {};
  const delayed = connectSteps.reduce((sum, { connections }) => sum + connections, 0);
  const timedOut = rejects.timeout;
  if (delayed + timedOut + connecting + unanswered < MIN_FAILED) return [];
  return [finding('backlog-full', { ...listen, delayed, timedOut, connecting, unanswered })];
}

/**
 * A server that closes the same connections again and again before any reply, and goes on serving the others.
 * @param {Outcome} leg @param {Sample[]} samples of it, while connections are open @returns {Finding[]} one at most
 */
function connectionFindings({ account, errors, rejects, churns, quotes = [] }, samples) {
  // in the drain the places become free
  const { neverAnswered = 0 } = samples.at(-1)?.gauges ?? {};
  const most = Math.max(0, ...samples.map(({ gauges }) => gauges.answered ?? 0));
  const closed = errors.closed + errors.reset + (rejects.greeting ?? 0);
  const said = quotes.find(({ text }) => LIMIT_NAMED.test(text));
  if (account && said !== undefined) {
    const { requested } = account;
    return [finding('connection-limit', { served: most, requested, closed, neverAnswered, said: quoteText(said) })];
  }
  if (!account || churns || most === 0 || account.served < KEPT * most) return [];
  if (neverAnswered < MIN_FAILED || closed < neverAnswered) return [];
  return [finding('connection-limit', { served: most, requested: account.requested, closed, neverAnswered })];
}

/**
 * @param {Outcome} leg @param {Sample[]} samples of a leg, in order
 * @param {{ workload?: string, connectionsProfile?: unknown[] | null }} load what the scenario says of it
 * @returns {Finding[]} where the descriptors were used up, connections are closed because of that
 */
export function serverLimitFindings(leg, samples, { workload, connectionsProfile = null }) {
  const byDescriptors = descriptorFindings(leg);
  const isSteady = workload !== 'once' && connectionsProfile === null && byDescriptors.length === 0;
  const held = isSteady ? samples.filter(({ phase }) => phase !== 'drain') : [];
  return [...byDescriptors, ...connectionFindings(leg, held), ...idleFindings(leg), ...queueFindings(leg)];
}
