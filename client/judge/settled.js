// Key `budget`: whether more time could tell anything more of the servers that are being measured. Pure.

import { comparedFigure } from './comparisons.js';

/**
 * @param {Pick<import('../../config/types.js').RunSummary, 'comparisons' | 'verdict'>} summary of what was measured until now
 * @param {string[]} cases those that are being measured
 * @returns {boolean} whether the marks by the figure that ranks them are known (the first one with blocks), and every condition
 */
export function isSettled({ comparisons = [], verdict }, cases) {
  const own = comparisons.filter(
    ({ case: id, figure, mark }) =>
      cases.includes(id) &&
      comparedFigure(figure).compared.ofBlocks &&
      mark.code !== 'not-compared' &&
      mark.why !== 'absent',
  );
  const ranking = own.filter(({ figure }) => figure === own[0].figure);
  const isKnown = ranking.every(({ mark }) => mark.code !== 'not-known');
  return own.length > 0 && isKnown && !verdict?.thresholds.some(({ undecided }) => undecided);
}
