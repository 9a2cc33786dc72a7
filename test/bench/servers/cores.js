// How much CPU a server took in a window. Pure.

/** @typedef {{atNs: number, cpuSeconds: number}} Reading cpuSeconds: since the server's start */

/**
 * @param {readonly Reading[]} readings
 * @param {number} fromNs
 * @param {number} toNs
 * @returns {number} CPU seconds a second, between the first and the last reading within the window
 */
export function coresUsed(readings, fromNs, toNs) {
  const within = readings.filter(({ atNs }) => atNs >= fromNs && atNs <= toNs);
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last || last.atNs === first.atNs) {
    throw new Error(`the server's CPU was read ${within.length} times in the window: it takes two`);
  }
  return (last.cpuSeconds - first.cpuSeconds) / ((last.atNs - first.atNs) / 1e9);
}
