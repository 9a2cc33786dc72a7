// Reads the log of the delaying server: percentiles of its own delays within the client's window. Pure.

const ROW_BYTES = 16;

/**
 * @param {Buffer} log rows of two uint64, little-endian: when a reply was sent, and after which delay, both ns
 * @param {{fromNs: number, toNs: number}} window CLOCK_MONOTONIC, of the sending
 * @param {number[]} percents
 * @returns {{count: number, percentilesNs: Record<string, number>}} exact, by nearest rank
 */
export function delaysIn(log, { fromNs, toNs }, percents) {
  /** @type {number[]} */
  const delays = [];
  for (let at = 0; at + ROW_BYTES <= log.length; at += ROW_BYTES) {
    const sentNs = Number(log.readBigUInt64LE(at));
    if (sentNs >= fromNs && sentNs < toNs) delays.push(Number(log.readBigUInt64LE(at + 8)));
  }
  delays.sort((a, b) => a - b);
  const valueAt = (/** @type {number} */ percent) =>
    delays[Math.max(0, Math.ceil((percent / 100) * delays.length) - 1)] ?? NaN;
  return { count: delays.length, percentilesNs: Object.fromEntries(percents.map((one) => [one, valueAt(one)])) };
}
