// What most likely limited a closed loop in which no side was at its limit: a closed loop is always limited by
// something. A thread had work while it was on a core, or waited for one. This covers only connections that are open
// and answered.

import { rejectCauses } from '../../measure/fields.js';
import { addUp } from '../../measure/sums.js';
import { percent } from '../../words/format.js';

/**
 * @import { Finding, Sample } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/**
 * @typedef {{ cpu: number, wait: number }} Use  of the busiest thread, as shares of the time. cpu: on a core; wait:
 *   ready to run, and waiting for a core
 * @typedef {object} LikelyLimit  causes: local: most connections were not open, because the client had no port,
 *   descriptor or memory; thread: the busiest thread had work most of the time; cores: it waited for a core longer than
 *   it was on one; turns: client and server worked in turn; replies: neither had much work; unmeasured: the server's
 *   CPU was not read
 * @property {'client' | 'server' | 'machine' | 'connections' | 'unknown'} limit
 * @property {'local' | 'thread' | 'cores' | 'turns' | 'replies' | 'unmeasured'} cause
 * @property {Use} client
 * @property {Use} [server]  absent if it is not known
 */

/** "Most": of the time in which a thread had work, and of the connections that were not open. */
const BUSY = 0.5;
/** Least time of load: the kernel's clocks have steps of 10 ms. */
const LEAST_SECONDS = 0.5;

/** @param {Use} use @returns {number} share of the time in which the thread had work */
const working = ({ cpu, wait }) => Math.min(1, cpu + wait);

/** @param {Sample} sample @returns {number} for how long the leg was loaded within the sample */
const loadedNs = ({ fromNs, toNs, slices }) => slices?.turnNs ?? toNs - fromNs;

/** @param {Sample} sample @returns {Use} of the engine with the most work, in seconds */
function clientUseIn({ client, fromNs, toNs }) {
  const seconds = (toNs - fromNs) / 1e9;
  const { cpu, wait } = client.engines.reduce((a, b) => (working(b) > working(a) ? b : a), { cpu: 0, wait: 0 });
  return { cpu: cpu * seconds, wait: wait * seconds };
}

/**
 * @param {Sample} sample
 * @returns {Use | null} cpu: of the server's busiest thread; wait: of all its threads; in seconds; null if they were
 *   not read
 */
function serverUseIn({ server, fromNs, toNs }) {
  if (server?.busiestThread === undefined || server.waitSeconds === undefined) return null;
  return { cpu: server.busiestThread * ((toNs - fromNs) / 1e9), wait: server.waitSeconds };
}

/** @param {Use[]} uses in seconds @param {number} seconds @returns {Use} shares, at most 1 together */
function shareOf(uses, seconds) {
  const cpu = Math.min(1, uses.reduce((sum, use) => sum + use.cpu, 0) / seconds);
  const wait = uses.reduce((sum, use) => sum + use.wait, 0) / seconds;
  return { cpu, wait: Math.min(1 - cpu, wait) };
}

/** @param {Sample[]} samples @returns {boolean} whether most connections waited for their next attempt */
function areMostBackingOff(samples) {
  const sum = (/** @type {'backingOff' | 'requested'} */ gauge) =>
    samples.reduce((total, { gauges }) => total + gauges[gauge], 0);
  return sum('backingOff') > BUSY * sum('requested');
}

/** @param {Sample[]} samples @returns {boolean} whether the client caused most rejects */
function areMostLocal(samples) {
  const { local, ...others } = addUp(samples, 'rejects', rejectCauses);
  return local > Object.values(others).reduce((sum, n) => sum + n, 0);
}

/**
 * @param {Sample[]} steady
 * @returns {LikelyLimit | null} null if there was too little time, if other rejects, losses or missing replies explain
 *   the limit, or if the server's threads were not read one by one
 */
export function likelyLimitOf(steady) {
  const timed = steady.filter((sample) => loadedNs(sample) > 0);
  const seconds = timed.reduce((sum, sample) => sum + loadedNs(sample), 0) / 1e9;
  if (seconds < LEAST_SECONDS) return null;
  const seen = timed.flatMap((sample) => serverUseIn(sample) ?? []);
  const client = shareOf(timed.map(clientUseIn), seconds);
  const uses = seen.length === timed.length ? { client, server: shareOf(seen, seconds) } : { client };
  if (areMostBackingOff(timed)) return areMostLocal(timed) ? { limit: 'client', cause: 'local', ...uses } : null;
  if (timed.every(({ counters }) => counters.transfers === 0)) return null;
  const { server } = uses;
  if (server === undefined) {
    if (working(client) >= BUSY && client.wait > client.cpu) return { limit: 'machine', cause: 'cores', ...uses };
    return timed.some((sample) => sample.server) ? null : { limit: 'unknown', cause: 'unmeasured', ...uses };
  }
  const [limit, busiest] = working(server) >= working(client) ? ['server', server] : ['client', client];
  if (working(busiest) >= BUSY) {
    if (busiest.wait > busiest.cpu) return { limit: 'machine', cause: 'cores', ...uses };
    return { limit: /** @type {'client' | 'server'} */ (limit), cause: 'thread', ...uses };
  }
  return working(client) + working(server) >= BUSY
    ? { limit: 'connections', cause: 'turns', ...uses }
    : { limit: 'server', cause: 'replies', ...uses };
}

/**
 * What limited a closed loop, and why that is likely, by cause.
 * @type {Readonly<Record<Exclude<LikelyLimit['cause'], 'unmeasured'>, (limit: string) => [what: string, why: string]>>}
 */
const LIKELY = {
  local: () => ['the client', ': no port, descriptor or memory'],
  thread: (limit) => [`the ${limit}`, ': it mostly had work'],
  cores: () => ['the machine', ': threads waited for a core'],
  turns: () => ['the connections', ': the sides worked in turn'],
  replies: () => ['a wait', ' (timer, lock, disk, other host)'],
};

/** Texts for a leg in which no side was the limit for half of the time. @type {Readonly<Record<string, string>>} */
const NO_SIDE = { none: 'none for most of the time', unknown: 'not known' };
/** The same for a column, with the shares of the time in the rows below. */
export const NO_SIDE_SHORT = { none: 'none', unknown: 'not known' };

/**
 * What limited a leg, in words.
 * @param {{ limitedBy?: string, findings?: Pick<Finding, 'code' | 'data'>[] }} leg
 * @param {Readonly<Record<string, string>>} [noSide]
 * @returns {string | undefined} such as "none for most of the time; most likely the server"; undefined if a side was
 *   the limit
 */
export function limitText({ limitedBy = '', findings = [] }, noSide = NO_SIDE) {
  const likely = findings.find(({ code }) => code === likelyLimit.code)?.data;
  const base = noSide[limitedBy];
  if (base === undefined || likely === undefined || likely.cause === 'unmeasured') return base;
  return `${base}; most likely ${LIKELY[/** @type {keyof typeof LIKELY} */ (likely.cause)](likely.limit)[0]}`;
}

/** @type {Row<LikelyLimit & { limitedBy?: 'unknown' }>} limitedBy: absent if no side was the limit */
export const likelyLimit = {
  code: 'likely-limit',
  severity: 'note',
  when:
    'in a closed loop without pauses no side was at its limit for half of the steady state: the limit was most likely the ' +
    'side whose busiest thread had work for half of the time or more; the machine, where that thread waited for a core ' +
    'longer than it was on one; the number of `connections`, where client and server worked in turn; or else what the ' +
    'server waited for. The client, where most connections waited for their next attempt because it had no port, ' +
    'descriptor or memory; nothing is said where other rejects or errors are why, nothing was answered, or the threads of ' +
    "the server were too many, or too short-lived, to be told apart. Where nothing of the server's CPU was measured, it " +
    'says that the limit is not known',
  ofSamples: ({ limitedBy }, { samples, load: { workload, rate = null, pauseNs = 0 } }) => {
    const isClosed = rate === null && pauseNs === 0 && (workload === 'continuous' || workload === 'reconnect');
    if (!isClosed || (limitedBy !== 'none' && limitedBy !== 'unknown')) return undefined;
    const likely = likelyLimitOf(samples.filter(({ phase }) => phase === 'steady')) ?? undefined;
    return likely && { ...likely, ...(limitedBy === 'unknown' ? { limitedBy } : {}) };
  },
  text: (data) => {
    const { limit, cause, client, server, limitedBy = 'none' } = data;
    const cpu = [...(server ? [`server ${percent(server.cpu, 2)}`] : []), `client ${percent(client.cpu, 2)}`].join(
      ', ',
    );
    if (cause === 'unmeasured') return `the limit is not known, since the server's CPU was not measured (CPU: ${cpu})`;
    const [what, why] = LIKELY[cause](limit);
    return `limit: ${NO_SIDE[limitedBy]}; most likely ${what}${why} (CPU: ${cpu})`;
  },
  remedy: ({ cause }) =>
    cause === 'unmeasured' ? 'If it is a target that runs on this machine, give --serverPid.' : undefined,
  charts: ['cpu', 'cores'],
};
