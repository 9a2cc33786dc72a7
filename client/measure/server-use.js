// The resources that the server used during a leg: memory, threads, processes, context switches; and how near it came
// to its limit of descriptors and to the end of its accept queues.

import { present } from './sums.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { Switches } from '../machine/usage.js'
 */

/** @param {Sample[]} samples */
export function serverUseOf(samples) {
  const uses = samples.flatMap(({ server }) => (server ? [server] : []));
  if (uses.length === 0) return undefined;
  return {
    peakRssBytes: Math.max(...uses.map(({ rssBytes }) => rssBytes)),
    ...present('startRssBytes', uses.find(({ startRssBytes }) => startRssBytes !== undefined)?.startRssBytes),
    threads: Math.max(...uses.map(({ threads }) => threads)),
    processes: Math.max(...uses.map(({ processes }) => processes)),
    ...present('contextSwitchesPerSecond', switchesOf(samples)),
  };
}

/**
 * Over the whole leg, because a reading belongs to the sample at whose end it is taken, and two short samples share it.
 * @param {Sample[]} samples
 * @returns {Switches | undefined} a second; undefined if a second has no reading
 */
function switchesOf(samples) {
  const timed = samples.filter(({ fromNs, toNs, phase }) => toNs > fromNs && phase !== 'drain');
  const switches = timed.flatMap(({ server }) => server?.contextSwitches ?? []);
  if (timed.length === 0 || switches.length < timed.length) return undefined;
  const seconds = timed.reduce((sum, { fromNs, toNs }) => sum + (toNs - fromNs) / 1e9, 0);
  return {
    voluntary: switches.reduce((sum, { voluntary }) => sum + voluntary, 0) / seconds,
    involuntary: switches.reduce((sum, { involuntary }) => sum + involuntary, 0) / seconds,
  };
}

/**
 * @typedef {object} ServerLimits
 * @property {{ limit: number, hardLimit?: number, peakUsed: number, fullProcesses: number }} [descriptors]  of the
 *   process that had the fewest left, at that time; fullProcesses: the most processes that had none or few left at a
 *   time (machine/descriptors.js)
 * @property {{ sockets: number, backlog: number, peakQueue: number, drops: number, dropsBeforeFull?: number }}
 *   [listen]  backlog, peakQueue: of the socket whose queue was fullest, at that time; dropsBeforeFull: until the
 *   descriptors were used up
 */

/** @param {{ limit: number, used: number }} descriptors @returns {number} */
const left = ({ limit, used }) => limit - used;

/** @param {{ backlog: number, queue: number }} listen @returns {number} */
const fullness = ({ queue, backlog }) => queue / (backlog + 1);

/**
 * @param {Sample[]} samples of a leg, in order
 * @returns {ServerLimits | undefined} undefined without a reading
 */
export function serverLimitsOf(samples) {
  const descriptors = samples.flatMap(({ server }) => server?.descriptors ?? []);
  const queues = samples.flatMap(({ listen }) => listen ?? []);
  if (descriptors.length === 0 && queues.length === 0) return undefined;
  const drops = (/** @type {Sample[]} */ list) => list.reduce((sum, { listen }) => sum + (listen?.drops ?? 0), 0);
  const fullFrom = samples.findIndex(({ server }) => (server?.descriptors?.full ?? 0) > 0);
  /** @type {ServerLimits} */
  const limits = {};
  if (descriptors.length > 0) {
    const { limit, hardLimit, used } = descriptors.reduce((a, b) => (left(b) < left(a) ? b : a));
    limits.descriptors = {
      limit,
      ...(hardLimit === undefined ? {} : { hardLimit }),
      peakUsed: used,
      fullProcesses: Math.max(...descriptors.map(({ full }) => full)),
    };
  }
  if (queues.length > 0) {
    const fullest = queues.reduce((a, b) => (fullness(b) > fullness(a) ? b : a));
    limits.listen = {
      sockets: Math.max(...queues.map(({ sockets }) => sockets)),
      backlog: fullest.backlog,
      peakQueue: fullest.queue,
      drops: drops(samples),
      ...(fullFrom < 0 ? {} : { dropsBeforeFull: drops(samples.slice(0, fullFrom)) }),
    };
  }
  return limits;
}
