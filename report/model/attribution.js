/** Who was the limit, and which process used how much: over the steady state, from its samples. Pure. */

/** @typedef {import('../types.js').Sample} Sample */

/** @param {Sample} sample @returns {number} */
const nsOf = (sample) => sample.toNs - sample.fromNs;

/**
 * For a leg that left no summary.
 * @param {Sample[]} steady
 * @returns {Record<string, number> | undefined} the part of the time that each side was the limit
 */
export function limitSharesOf(steady) {
  const total = steady.reduce((sum, sample) => sum + nsOf(sample), 0);
  if (total === 0) return undefined;
  /** @type {Record<string, number>} */
  const shares = { machine: 0, client: 0, server: 0, none: 0 };
  for (const sample of steady) shares[sample.limitedBy ?? 'none'] += nsOf(sample) / total;
  return shares;
}

/**
 * For a leg that left no summary.
 * @param {Sample[]} steady
 * @returns {import('../types.js').Engine[] | undefined} each engine thread over the time it has reported
 */
export function enginesOf(steady) {
  /** @type {Map<number, { ns: number, cpu: number, wait: number, spun: number }>} */
  const sums = new Map();
  for (const sample of steady) {
    for (const { worker, cpu, wait, idlePoll: spun = 0 } of sample.client?.engines ?? []) {
      const sum = sums.get(worker) ?? { ns: 0, cpu: 0, wait: 0, spun: 0 };
      const ns = nsOf(sample);
      sums.set(worker, {
        ns: sum.ns + ns,
        cpu: sum.cpu + cpu * ns,
        wait: sum.wait + wait * ns,
        spun: sum.spun + spun * ns,
      });
    }
  }
  const engines = [...sums].filter(([, { ns }]) => ns > 0);
  return engines.length
    ? engines.map(([worker, { ns, cpu, wait, spun }]) => ({
        worker,
        cpu: cpu / ns,
        wait: wait / ns,
        ...(spun > 0 ? { idlePoll: spun / ns } : {}),
      }))
    : undefined;
}

/**
 * @param {Sample[]} steady
 * @returns {number[] | undefined} what the busiest process of the server used on average, what the next, ..., as shares
 *   of a core; undefined when the server's processes are not known
 */
export function processCpuOf(steady) {
  const known = steady.filter((sample) => sample.server?.processCpu?.length);
  const total = known.reduce((sum, sample) => sum + nsOf(sample), 0);
  if (total === 0) return undefined;
  /** @type {number[]} */
  const means = [];
  for (const sample of known) {
    (sample.server?.processCpu ?? []).forEach((share, i) => {
      means[i] = (means[i] ?? 0) + (share * nsOf(sample)) / total;
    });
  }
  return means;
}
