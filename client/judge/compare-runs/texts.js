// The texts of a comparison of two runs, besides its table.

import { bytes, count, counted, duration } from '../../words/format.js';
import { listParts, shortened } from '../../words/lists.js';
import { comparedFigure } from '../comparisons.js';

/** @import { RunsComparison } from './index.js' */

/** Longest text of a condition's value. */
const MAX_LENGTH = 80;
/** How many differing conditions are listed; the others are counted. */
const MAX_CONDITIONS = 20;

/** @param {string} key @param {unknown} value @returns {string} */
function valueText(key, value) {
  if (typeof value === 'number' && key.endsWith('Ns')) return duration(value);
  if (typeof value === 'number' && key.endsWith('Bytes')) return bytes(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return shortened(text, MAX_LENGTH);
}

/** @param {RunsComparison} comparison @returns {string[]} */
export function conditionTexts({ conditions }) {
  const texts = conditions
    .slice(0, MAX_CONDITIONS)
    .map(
      ({ key, run, baseline }) =>
        `${key.replace(/(Ns|Bytes)$/, '')}: ${valueText(key, run)} (baseline: ${valueText(key, baseline)})`,
    );
  const more = conditions.length - texts.length;
  return more > 0 ? [...texts, `and ${more} more`] : texts;
}

/** @param {number | null} tolerance @returns {string} such as "5 %" */
const toleranceText = (tolerance) => `${Number((Number(tolerance) * 100).toFixed(3))} %`;

/**
 * The facts behind the outcome. beyond, undecided: names of figures; absent: number of missing figures.
 * @param {RunsComparison} comparison
 */
export const outcomeFacts = ({ outcome, tolerance, comparisons, absent }) => ({
  ...{ outcome, tolerance, absent: absent.length },
  beyond: figuresText(comparisons.filter((comparison) => comparison.beyond)),
  undecided: figuresText(comparisons.filter((comparison) => comparison.undecided)),
  hasIntervals: comparisons.some(({ mark }) => typeof mark.ratio?.low === 'number'),
});

/**
 * @param {RunsComparison['comparisons']} comparisons
 * @returns {string} such as "p99 of epoll and p50 of epoll"; empty without comparisons
 */
const figuresText = (comparisons) =>
  listParts(comparisons.map(({ figure, label }) => `${comparedFigure(figure).name} of ${label}`));

const NO_INTERVAL =
  'for no figure of both runs has an interval: measure three rounds or more in each, such as with --rounds 5.';

/** @param {ReturnType<typeof outcomeFacts>} facts @returns {string} */
export function outcomeText({ outcome, tolerance, beyond, absent, undecided, hasIntervals }) {
  if (outcome === 'not-worse') return `not worse, certainly no figure by more than ${toleranceText(tolerance)}.`;
  if (outcome === 'not-known') return `not known, ${NO_INTERVAL}`;
  if (outcome === 'undecided')
    return hasIntervals
      ? `undecided, whether worse by more than ${toleranceText(tolerance)} is not known of ${undecided}: measure longer, or more rounds.`
      : `undecided, ${NO_INTERVAL}`;
  if (outcome === 'compared') return 'nothing is judged without a tolerance, such as --tolerance 5%.';
  const why = [
    ...(beyond === '' ? [] : [`by more than ${toleranceText(tolerance)}: ${beyond}`]),
    ...(absent > 0 ? [`${counted(absent, 'figure is', 'figures are')} missing`] : []),
  ];
  return `worse, ${why.join('; ')}.`;
}

/** @param {RunsComparison} comparison @returns {string} the outcome */
export const resultText = (comparison) =>
  outcomeText(outcomeFacts(comparison)).replace(/^./, (first) => first.toUpperCase());

/**
 * @param {RunsComparison} comparison
 * @returns {string[]} figures that are missing, failures, and cases of only one run
 */
export const besidesTexts = ({ absent, failures, unpaired, run, baseline }) => [
  ...absent.map(({ case: id, figure }) => `${id}: ${comparedFigure(figure).name} is missing; the earlier run has it.`),
  ...failures.map(
    ({ case: id, data }) =>
      `${id}: ${Object.entries(data)
        .map(([name, [now, before]]) => `${name} ${count(now)} (before: ${count(before)})`)
        .join(', ')}.`,
  ),
  ...(unpaired.run.length > 0 ? [`Only in ${run.name}: ${unpaired.run.join(', ')}.`] : []),
  ...(unpaired.baseline.length > 0 ? [`Only in ${baseline.name}: ${unpaired.baseline.join(', ')}.`] : []),
];
