// How near the server came to its limit of descriptors and to the end of its accept queues during a leg. Pure.

/** @typedef {import('./sample.js').Sample} Sample */
/**
 * @typedef {object} ServerLimits
 * @property {{ limit: number, hardLimit?: number, peakUsed: number, fullProcesses: number }} [descriptors]  of the process that
 *   had the fewest left, when it had; fullProcesses: the most that had none or few left at a time (machine/descriptors.js)
 * @property {{ sockets: number, backlog: number, peakQueue: number, drops: number, dropsBeforeFull?: number }} [listen]  backlog,
 *   peakQueue: of the socket whose queue was fullest, when it was; dropsBeforeFull: until the descriptors were used up
 */

/** @param {{ limit: number, used: number }} one @returns {number} */
const left = ({ limit, used }) => limit - used;

/** @param {{ backlog: number, queue: number }} one @returns {number} */
const fullness = ({ queue, backlog }) => queue / (backlog + 1);

/**
 * @param {Sample[]} samples of a leg, in order
 * @returns {ServerLimits | undefined} only what was read
 */
export function serverLimitsOf(samples) {
  const descriptors = samples.flatMap(({ server }) => server?.descriptors ?? []);
  const queues = samples.flatMap(({ listen }) => listen ?? []);
  if (descriptors.length === 0 && queues.length === 0) return undefined;
  const drops = (/** @type {Sample[]} */ some) => some.reduce((sum, { listen }) => sum + (listen?.drops ?? 0), 0);
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
