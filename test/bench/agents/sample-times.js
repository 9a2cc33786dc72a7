// How long the controller takes for each sample of a leg that runs: it puts a clock around the functions of merge and leg.

/**
 * @typedef {{ second: number, phase: string, mergeMs: number, sampleMs: number, delayMs: number }} SampleTimes  mergeMs: adding
 *   its intervals, and merging them; sampleMs: making its line, and writing it; delayMs: from the end of its second until it is
 *   written
 */

/** @param {import('../../../client/run/leg.js').LegRun} leg that has begun to measure @returns {SampleTimes[]} grows by one each second */
export function followSamples(leg) {
  /** @type {SampleTimes[]} */
  const times = [];
  const workers = /** @type {import('../../../client/run/cluster/primary.js').LegWorkers} */ (leg.workers);
  const { merge } = workers.reports;
  let mergeMs = 0;
  /** When the merge handed samples out, or the one before was written. */
  let readyAt = 0;
  for (const name of /** @type {const} */ (['add', 'take'])) {
    const whole = /** @type {(...words: any[]) => any} */ (merge[name].bind(merge));
    merge[name] = (/** @type {any[]} */ ...words) => {
      const begun = performance.now();
      const result = whole(...words);
      readyAt = performance.now();
      mergeMs += readyAt - begun;
      return result;
    };
  }
  const take = leg.take.bind(leg);
  leg.take = (merged, ...rest) => {
    take(merged, ...rest);
    const now = performance.now();
    const endedNs = (workers.clock.startNs ?? 0n) + BigInt(Math.round(merged.toNs));
    const delayMs = Number(process.hrtime.bigint() - endedNs) / 1e6;
    times.push({ second: merged.second, phase: merged.phase, mergeMs, sampleMs: now - readyAt, delayMs });
    readyAt = now;
    mergeMs = 0;
  };
  return times;
}
