// Key `find`: the greatest rate, or number of connections, at which a condition holds, or each of several. The key that it varies
// gives the greatest value to try; without a rate that is the throughput in closed loop, which the search measures first. Pure.

/**
 * @typedef {import('../../judge/search/index.js').Find} Find
 */

/**
 * @param {import('../scenario.js').Written['find']} raw undefined: none
 * @param {{ rate: number | null, connections: number }} most
 * @returns {Find | null}
 */
export function findOf(raw, most) {
  if (raw === undefined) return null;
  const { maximise, confirm } = raw;
  const tolerance = Number(raw.tolerance.slice(0, -1)) / 100;
  return {
    maximise,
    goals: [raw.while].flat(),
    to: most[/** @type {'rate' | 'connections'} */ (maximise)],
    tolerance,
    confirm,
  };
}
