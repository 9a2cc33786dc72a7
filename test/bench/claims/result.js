// What runs of a server against itself, and against itself with more work, have claimed. Pure.

/** The figures that a claim may be about, as summary.json names them. */
export const FIGURES = Object.freeze({ perSecond: 'throughput', serverCpuPerTransferNs: 'server CPU per transfer' });
/** The musts: of runs of a server against itself, those with a claim; and of runs with 2 % more work, those that find it. */
export const MOST_FALSE = 2 / 40;
export const LEAST_FOUND = 16 / 20;
/** More work, in percent, that must be found so often. */
export const MUST_FIND = 2;

/**
 * @typedef {{ percent: number, claims: Record<string, string>, ratios: Record<string, [median: number, low: number, high: number]>,
 *   otherCores: number }} Outcome  of a run. percent: more work; claims: by figure of the heavier server, its mark against the other
 * @typedef {{ percent: number, runs: number, claimed: number, found: number, wrong: number,
 *   ratios: Record<string, { median: number, halfPercent: number }> }} Result  claimed: runs with any claim; found: runs in which
 *   one of the figures says that the heavier one is worse; wrong: runs in which one says that it is better; halfPercent: half
 *   the width of the interval, the median over the runs
 */

/** @param {number[]} values @returns {number} */
const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/**
 * @param {any} summary of a run with the servers `plain` and `heavier`
 * @returns {Pick<Outcome, 'claims' | 'ratios'>}
 */
export function claimsOf({ cases, comparisons = [] }) {
  const nameOf = (/** @type {string} */ id) => cases.find((/** @type {any} */ one) => one.id === id)?.label;
  /** @type {Outcome['claims']} */
  const claims = {};
  /** @type {Outcome['ratios']} */
  const ratios = {};
  for (const { figure, case: id, baseline, mark } of comparisons) {
    if (!(figure in FIGURES) || baseline === undefined) continue;
    const isHeavier = nameOf(id) === 'heavier';
    const opposite = /** @type {Record<string, string>} */ ({ better: 'worse', worse: 'better' });
    claims[figure] = isHeavier ? mark.code : (opposite[mark.code] ?? mark.code);
    if (typeof mark.ratio?.low !== 'number') continue;
    const { median, low, high } = mark.ratio;
    ratios[figure] = isHeavier ? [median, low, high] : [1 / median, 1 / high, 1 / low];
  }
  return { claims, ratios };
}

/** @param {Outcome[]} outcomes all with the same share of more work @returns {Result} */
export function resultOf(outcomes) {
  const has = (/** @type {Outcome} */ { claims }, /** @type {string[]} */ codes) =>
    Object.values(claims).some((code) => codes.includes(code));
  const ratios = Object.fromEntries(
    Object.keys(FIGURES).flatMap((figure) => {
      const own = outcomes.flatMap((one) => (one.ratios[figure] ? [one.ratios[figure]] : []));
      if (own.length === 0) return [];
      const halfPercent = middle(own.map(([, low, high]) => 50 * (high - low)));
      return [[figure, { median: middle(own.map(([median]) => median)), halfPercent }]];
    }),
  );
  return {
    percent: outcomes[0].percent,
    runs: outcomes.length,
    claimed: outcomes.filter((one) => has(one, ['better', 'worse'])).length,
    found: outcomes.filter((one) => has(one, ['worse'])).length,
    wrong: outcomes.filter((one) => has(one, ['better'])).length,
    ratios,
  };
}

/** @param {Result} result @returns {boolean} whether it is as good as it must be */
export function isMet({ percent, runs, claimed, found }) {
  if (percent === 0) return claimed <= Math.max(1, Math.floor(MOST_FALSE * runs));
  return percent < MUST_FIND || found >= LEAST_FOUND * runs;
}
