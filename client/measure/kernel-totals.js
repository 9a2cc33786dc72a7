// Totals of kernel counters over the samples of a leg.

/** Counters whose readings are states. Other counters are increases since the previous sample. */
export const STATE_COUNTERS = Object.freeze(['TcpMemPages', 'TcpTimeWait', 'TcpOrphans']);

/**
 * @param {Record<string, number>[]} readings of the samples
 * @returns {Record<string, number>} the sum of each counter; for a state, its highest reading
 */
export function kernelSum(readings) {
  /** @type {Record<string, number>} */
  const sum = {};
  for (const reading of readings) {
    for (const [name, value] of Object.entries(reading)) {
      sum[name] = STATE_COUNTERS.includes(name) ? Math.max(sum[name] ?? 0, value) : (sum[name] ?? 0) + value;
    }
  }
  return sum;
}
