// What was found when a run was compared with an earlier one, a sentence each. Pure.

/** @typedef {import('../compare-runs/index.js').RunsComparison} RunsComparison */

/** @param {RunsComparison} comparison @returns {string[]} */
const unpairedTexts = ({ unpaired, run, baseline }) => [
  ...(unpaired.run.length > 0 ? [`Only in ${run.name}: ${unpaired.run.join(', ')}.`] : []),
  ...(unpaired.baseline.length > 0 ? [`Only in ${baseline.name}: ${unpaired.baseline.join(', ')}.`] : []),
];

/** @param {RunsComparison['comparisons'][number]} one @returns {boolean} that equally many connections are served is not worth a sentence */
const isSaid = ({ figure, code }) => !(figure === 'served' && code === 'no-difference');

/** @param {RunsComparison} comparison @returns {string[]} what was found, a sentence each */
export const foundTexts = (comparison) => [
  ...comparison.comparisons
    .filter(isSaid)
    .map(({ text, beyond }) => (beyond ? `${text} That is beyond the tolerance.` : text)),
  ...[...comparison.absent, ...comparison.failures].map(({ text }) => text),
  ...unpairedTexts(comparison),
];
