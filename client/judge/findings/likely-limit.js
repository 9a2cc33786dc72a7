// What most likely limited a closed loop in which no side was at its limit: there something always does. Pure.
// A thread that has no core waits for one; together with its time on a core, that is when it had work. That
// tells only of connections that are open and answered.

import { rejectCauses } from '../../measure/fields.js';
import { addUp } from '../../measure/sums.js';
import { percent } from '../../words/format.js';

/**
 * @import { Finding, Sample } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/**
 * @typedef {{ cpu: number, wait: number }} Use  of the busiest thread, shares of the time: on a core, ready to run and
 *   waiting for one
 * @typedef {object} LikelyLimit  local: most connections were not open, since the client had no port, descriptor or
 *   memory for them; thread: it had work most of the time; cores: it waited for a core longer than it was on one;
 *   turns: client and server worked one after the other; replies: neither had much to do; unmeasured: nothing of the
 *   server's CPU was read
 * @property {'client' | 'server' | 'machine' | 'connections' | 'unknown'} limit
 * @property {'local' | 'thread' | 'cores' | 'turns' | 'replies' | 'unmeasured'} cause
 * @property {Use} client
 * @property {Use} [server]  absent where it is not known
 */

/** From this share of the time on, a thread had work; and from this share of the connections on, most were not open. */
const BUSY = 0.5;
/** In less time of load, clocks of the kernel with 10 ms say nothing. */
const LEAST_SECONDS = 0.5;

/** @param {Use} use @returns {number} share of the time in which it had work */
const working = ({ cpu, wait }) => Math.min(1, cpu + wait);

/** @param {Sample} sample @returns {number} for how long the leg was loaded in it */
const loadedNs = ({ fromNs, toNs, slices }) => slices?.turnNs ?? toNs - fromNs;

/** @param {Sample} sample @returns {Use} of the engine that had most work, in seconds */
function clientUseIn({ client, fromNs, toNs }) {
  const seconds = (toNs - fromNs) / 1e9;
  const { cpu, wait } = client.engines.reduce((a, b) => (working(b) > working(a) ? b : a), { cpu: 0, wait: 0 });
  return { cpu: cpu * seconds, wait: wait * seconds };
}

/**
 * @param {Sample} sample
 * @returns {Use | null} of the server's busiest thread, in seconds; waits are those of all its threads
 */
function serverUseIn({ server, fromNs, toNs }) {
  if (server?.busiestThread === undefined || server.waitSeconds === undefined) return null;
  return { cpu: server.busiestThread * ((toNs - fromNs) / 1e9), wait: server.waitSeconds };
}

/** @param {Use[]} uses in seconds @param {number} seconds @returns {Use} shares, together 1 at most */
function shareOf(uses, seconds) {
  const cpu = Math.min(1, uses.reduce((sum, one) => sum + one.cpu, 0) / seconds);
  const wait = uses.reduce((sum, one) => sum + one.wait, 0) / seconds;
  return { cpu, wait: Math.min(1 - cpu, wait) };
}

/** @param {Sample[]} samples @returns {boolean} whether most connections waited for their next attempt */
function areMostBackingOff(samples) {
  const sum = (/** @type {'backingOff' | 'requested'} */ gauge) =>
    samples.reduce((total, { gauges }) => total + gauges[gauge], 0);
  return sum('backingOff') > BUSY * sum('requested');
}

/** @param {Sample[]} samples @returns {boolean} whether most rejects were the client's own */
function areMostLocal(samples) {
  const { local, ...others } = addUp(samples, 'rejects', rejectCauses);
  return local > Object.values(others).reduce((sum, n) => sum + n, 0);
}

/**
 * @param {Sample[]} steady
 * @returns {LikelyLimit | null} null: too little time has passed, what was rejected, lost or never answered says why,
 *   or the threads of the server were not read one by one
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
  const [limit, most] = working(server) >= working(client) ? ['server', server] : ['client', client];
  if (working(most) >= BUSY) {
    if (most.wait > most.cpu) return { limit: 'machine', cause: 'cores', ...uses };
    return { limit: /** @type {'client' | 'server'} */ (limit), cause: 'thread', ...uses };
  }
  return working(client) + working(server) >= BUSY
    ? { limit: 'connections', cause: 'turns', ...uses }
    : { limit: 'server', cause: 'replies', ...uses };
}

/**
 * What limited a closed loop, by its cause, and why that is likely.
 * @type {Readonly<Record<Exclude<LikelyLimit['cause'], 'unmeasured'>, (limit: string) => [what: string, why: string]>>}
 */
const LIKELY = {
  local: () => ['the client', ': no port, descriptor or memory'],
  thread: (limit) => [`the ${limit}`, ': it mostly had work'],
  cores: () => ['the machine', ': threads waited for a core'],
  turns: () => ['the connections', ': the sides worked in turn'],
  replies: () => ['a wait', ' (timer, lock, disk, other host)'],
};

/** Of a leg, where no side was the limit for half of the time. @type {Readonly<Record<string, string>>} */
const NO_SIDE = { none: 'none for most of the time', unknown: 'not known' };
/** The same in a column, whose rows below have the shares of the time. */
export const NO_SIDE_SHORT = { none: 'none', unknown: 'not known' };

/**
 * What limited a leg, in the words of the finding.
 * @param {{ limitedBy?: string, findings?: Pick<Finding, 'code' | 'data'>[] }} leg
 * @param {Readonly<Record<string, string>>} [noSide]
 * @returns {string | undefined} such as "none for most of the time; most likely the server"; undefined where one side
 *   was, whose name is all
 */
export function limitText({ limitedBy = '', findings = [] }, noSide = NO_SIDE) {
  const found = findings.find(({ code }) => code === likelyLimit.code)?.data;
  const base = noSide[limitedBy];
  if (base === undefined || found === undefined || found.cause === 'unmeasured') return base;
  return `${base}; most likely ${LIKELY[/** @type {keyof typeof LIKELY} */ (found.cause)](found.limit)[0]}`;
}

/** @type {Row<LikelyLimit & { limitedBy?: 'unknown' }>} limitedBy: absent where it is none */
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
    const found = likelyLimitOf(samples.filter(({ phase }) => phase === 'steady')) ?? undefined;
    return found && { ...found, ...(limitedBy === 'unknown' ? { limitedBy } : {}) };
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
