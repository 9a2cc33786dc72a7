// Two runs as a table of servers: a row for each case that both runs have, with the median of the earlier run beside
// that of the later one.

import { comparedFigure, marginOf, rulesOf } from '../comparisons.js';
import { medianOf } from '../../measure/statistics.js';

/**
 * @import { RankingTable } from '../ranking-table.js'
 * @import { RunsComparison } from './index.js'
 */

/** @param {(number | null)[]} values @returns {number | undefined} */
function medianIn(values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : medianOf(known);
}

/** @param {RunsComparison} comparison @returns {RankingTable} with one point */
export function runsTable({ comparisons, tolerance }) {
  const keys = [...new Set(comparisons.map(({ figure }) => figure))];
  const cases = [...new Map(comparisons.map((comparison) => [comparison.case, comparison.label]))];
  const rows = cases.map(([id, label]) => ({
    ...{ case: id, label },
    cells: keys.map((key) => {
      const compared = comparisons.find((comparison) => comparison.case === id && comparison.figure === key);
      if (compared === undefined) return {};
      const [median, before] = /** @type {const} */ ([0, 1]).map((side) =>
        medianIn(compared.values.map((pair) => pair[side])),
      );
      return { median, before, mark: compared.mark };
    }),
  }));
  const rounds = comparisons.reduce((longest, { values }) => Math.max(longest, values.length), 1);
  return {
    rounds,
    ...rulesOf({ margin: marginOf(tolerance) }),
    unit: 'round',
    starts: [],
    figures: keys.map(comparedFigure),
    points: [{ axes: {}, leadBy: undefined, best: {}, rows }],
  };
}
