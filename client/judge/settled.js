// Key `budget`: whether more time could tell anything more of the servers that are being measured. Pure.

import { comparedFigure } from './comparisons.js';

/**
 * @param {Pick<import('../../config/types.js').RunSummary, 'comparisons' | 'verdict'>} summary of what was measured until now
 * @param {string[]} cases those that are being measured
 * @returns {boolean} whether every mark of theirs is known, except by a figure that has one value in a leg, and every condition
 */
export function isSettled({ comparisons = [], verdict }, cases) {
  const own = comparisons.filter(
    (one) => cases.includes(one.case) && comparedFigure(one.figure).compared.ofBlocks && one.mark.why !== 'absent',
  );
  const isKnown = own.every(({ mark }) => mark.code !== 'not-known');
  return own.length > 0 && isKnown && !verdict?.thresholds.some(({ undecided }) => undecided);
}
