// Limits of the server that made connections fail: of descriptors, connections, idle time, or the accept queue. A limit
// that was reached is a finding only if connections also failed or waited. A full accept queue is no finding if it
// follows from used-up descriptors.

import { ERRORS, REJECTS } from '../../measure/causes.js';
import { count, counted, duration } from '../../words/format.js';
import { timesText } from '../../words/lists.js';
import { quoteText } from '../../words/quotes.js';
import { CONNECTIONS } from './finding.js';

/**
 * @import { Cause } from '../../measure/causes.js'
 * @import { MeasuredLeg } from '../../measure/leg-figures.js'
 * @import { Row } from './finding.js'
 * @import { Seen } from './steady-state.js'
 */

/** One connection may fail for any reason. */
const MIN_FAILED = 2;
/** A server that still serves this share of its largest number of connections has a limit; it did not fail. */
const KEPT = 0.95;
/** An idle timeout is at least this long: a server that closes sooner has another reason. */
const MIN_IDLE_NS = 50e6;
/** How servers name their limit: redis, memcached, NATS, MySQL's and HTTP's usual texts. */
const LIMIT_NAMED =
  /\b(max(imum)?|too many)\b[ -]*(number of )?(open )?(concurrent )?(clients|connections)|connection limit/i;
/** With so few descriptors left, the limit is reached: a connection may need several. */
const MAX_LEFT = 3;
/** Idle times that differ by at most this share come from a timer of the server. */
const TIMER_SPREAD = 0.25;

/**
 * @param {readonly Cause[]} causes @param {Record<string, number>} counts
 * @param {(cause: Cause) => boolean | undefined} isCounted
 * @returns {number} of those causes together
 */
const countOf = (causes, counts, isCounted) =>
  causes.filter(isCounted).reduce((sum, { name }) => sum + counts[name], 0);

/**
 * @typedef {{ limit: number, hardLimit?: number, peakUsed: number, fullProcesses: number, reached: boolean, failed:
 *   number, served?: number, requested?: number }} Descriptors  reached: false if the server stopped accepting before
 *   its limit; failed: connections that were rejected, lost or had no answer
 * @param {MeasuredLeg} leg
 * @returns {Descriptors | undefined} undefined unless the descriptors were used up and connections failed
 */
function descriptorsOf({ serverLimits, account, rejects, errors }) {
  const { descriptors } = serverLimits ?? {};
  if (descriptors === undefined || descriptors.fullProcesses === 0) return undefined;
  const { unanswered = 0, connecting = 0 } = account ?? {};
  // closed by the server at once, or not accepted; failures of the client have another cause
  const failed =
    unanswered +
    connecting +
    countOf(REJECTS, rejects, ({ byClient }) => !byClient) +
    countOf(ERRORS, errors, ({ incomplete }) => incomplete);
  const { served = 0, requested = 0 } = account ?? {};
  const left = descriptors.limit - descriptors.peakUsed;
  if (failed < MIN_FAILED || (left > MAX_LEFT && requested - served <= left)) return undefined;
  return { ...descriptors, reached: left <= MAX_LEFT, failed, ...(account ? { served, requested } : {}) };
}

/** @type {Row<Descriptors>} */
export const descriptorLimit = {
  code: 'descriptor-limit',
  severity: 'problem',
  when:
    'a process of the server had no descriptors left, or as few as servers keep for themselves, and connections were ' +
    'rejected, lost or not answered',
  ofSamples: descriptorsOf,
  text: ({ limit, peakUsed, fullProcesses, reached, served, requested, failed }) =>
    `${
      reached
        ? `the server's limit of ${count(limit)} descriptors was reached`
        : `the server used ${count(peakUsed)} of its ${count(limit)} descriptors, and no more`
    }${fullProcesses > 1 ? ` in ${count(fullProcesses)} processes` : ''}: ${
      served === undefined
        ? `${count(failed)} connections failed or had no answer`
        : `${count(served)} of ${count(requested)} connections ${served === 1 ? 'was' : 'were'} served`
    }`,
  remedy:
    'Raise its hard limit where the server is started: /etc/security/limits.conf, LimitNOFILE= of its systemd unit, or ' +
    '--ulimit nofile= of its container.',
  charts: [...CONNECTIONS, 'rejects'],
  explains: 'descriptors',
};

/**
 * The server closes the same connections again and again before any reply, and serves the others. The finding is left
 * out if used-up descriptors are the reason.
 * @typedef {{ served: number, requested: number, closed: number, neverAnswered: number, said?: string }} Places
 *   served: the most at a time; closed: how often the server closed, reset or rejected a connection;
 *   neverAnswered: slots that never had a reply; said: the text in which the server names its limit
 * @param {MeasuredLeg} leg @param {Pick<Seen, 'samples' | 'load'>} seen
 * @returns {Places | undefined}
 */
export function placesOf(leg, { samples, load: { workload, connectionsProfile = null } }) {
  const { account, errors, rejects, churns, quotes = [] } = leg;
  if (account === undefined) return undefined;
  const isSteady = workload !== 'once' && connectionsProfile === null && descriptorsOf(leg) === undefined;
  // in the drain, the server has room for the others
  const held = isSteady ? samples.filter(({ phase }) => phase !== 'drain') : [];
  const { neverAnswered = 0 } = held.at(-1)?.gauges ?? {};
  const mostServed = Math.max(0, ...held.map(({ gauges }) => gauges.answered ?? 0));
  const closed =
    countOf(REJECTS, rejects, ({ byServer }) => byServer) + countOf(ERRORS, errors, ({ byServer }) => byServer);
  const data = { served: mostServed, requested: account.requested, closed, neverAnswered };
  const said = quotes.find(({ text }) => LIMIT_NAMED.test(text));
  if (said !== undefined) return { ...data, said: quoteText(said) };
  if (churns || mostServed === 0 || account.served < KEPT * mostServed) return undefined;
  return neverAnswered < MIN_FAILED || closed < neverAnswered ? undefined : data;
}

/** @type {Row<Places>} */
export const connectionLimit = {
  code: 'connection-limit',
  severity: 'problem',
  when:
    'the server named a limit of connections (`said`), such as `-ERR max number of clients reached`; or connections were ' +
    'closed or reset before any reply, again and again those of the same slots, while the server went on serving as many ' +
    'as ever: it may have a limit of connections',
  ofSamples: placesOf,
  text: ({ served, requested, closed, neverAnswered, said }) =>
    said !== undefined
      ? `the server has a limit of connections: ${said}; it closed connections ${timesText(closed)}`
      : `at most ${count(served)} of ${counted(requested, 'connection')} were served at once; the server closed some ${timesText(closed)}, ${count(neverAnswered)} had no reply`,
  remedy: "Raise the limit in the server's settings, or measure with as many connections as it takes.",
  charts: [...CONNECTIONS, 'errors'],
};

/** Beginning of the remedy for a server that closes idle connections. */
export const RAISE_IDLE_TIMEOUT = "Raise the idle timeout (keep-alive timeout) in the server's settings, or";

/**
 * @type {Row<{ count: number, minNs: number, p50Ns: number, maxNs: number }>} count: of connections; times: how long
 *   they were idle
 */
export const idleClosed = {
  code: 'idle-closed',
  severity: 'problem',
  when:
    'the server closed or reset connections that awaited no reply, after 50 ms or more (median). A message by which it ' +
    'says so, such as 408, is no error of the protocol',
  ofSamples: ({ idleTimeNs }) => {
    if (idleTimeNs === undefined || idleTimeNs.count < MIN_FAILED || idleTimeNs.p50 < MIN_IDLE_NS) return undefined;
    const { count: n, min, p50, max } = idleTimeNs;
    return { count: n, minNs: min, p50Ns: p50, maxNs: max };
  },
  text: ({ count: n, minNs, p50Ns, maxNs }) =>
    maxNs - minNs <= TIMER_SPREAD * p50Ns
      ? `the server closes connections that are idle for ${duration(p50Ns, 2)}: it closed ${count(n)}`
      : `the server closed ${counted(n, 'connection')} that had been idle for ${duration(minNs, 2)} to ${duration(maxNs, 2)} (median ${duration(p50Ns, 2)})`,
  remedy: `${RAISE_IDLE_TIMEOUT} use each connection more often: a shorter pause, a --heartbeat, a higher rate, or fewer connections.`,
  charts: [...CONNECTIONS, 'errors'],
  weight: ({ count: n }) => n,
};

/**
 * @type {Row<{ sockets: number, backlog: number, peakQueue: number, drops: number, delayed: number, timedOut: number,
 *   connecting: number, unanswered: number }>} drops: of SYNs and handshakes; the others are connections: delayed: that
 *   waited for another SYN; connecting, unanswered: at the end
 */
export const backlogFull = {
  code: 'backlog-full',
  severity: 'problem',
  when:
    'a listening socket of the server dropped SYNs or handshakes, because its accept queue was full, and connects took 1 s ' +
    'or more, timed out, or had no answer. With SYN cookies (`TcpExtSyncookiesSent`) more connections can be open without ' +
    'an answer than the queue holds',
  ofSamples: ({ serverLimits, account, rejects, connectSteps = [] }) => {
    const { listen } = serverLimits ?? {};
    if (listen === undefined || (listen.dropsBeforeFull ?? listen.drops) === 0) return undefined;
    const { unanswered = 0, connecting = 0 } = account ?? {};
    const delayed = connectSteps.reduce((sum, { connections }) => sum + connections, 0);
    const timedOut = rejects.timeout;
    if (delayed + timedOut + connecting + unanswered < MIN_FAILED) return undefined;
    return { ...listen, delayed, timedOut, connecting, unanswered };
  },
  text: ({ sockets, backlog, delayed, timedOut, connecting, unanswered }) =>
    `${sockets > 1 ? 'an accept queue' : 'the accept queue'} (of ${count(backlog)}) was full: ${[
      ...(delayed > 0 ? [`${counted(delayed, 'connect')} took 1 s`] : []),
      ...(timedOut > 0 ? [`${count(timedOut)} timed out`] : []),
      ...(connecting > 0 ? [`${count(connecting)} in progress`] : []),
      ...(unanswered > 0 ? [`${count(unanswered)} unanswered`] : []),
    ].join(', ')}`,
  remedy:
    'Make the server accept faster, or lengthen the queue: its length is the backlog that the server passes to listen(), at most net.core.somaxconn.',
  charts: ['connect', ...CONNECTIONS],
  explains: 'accept-queue',
};
