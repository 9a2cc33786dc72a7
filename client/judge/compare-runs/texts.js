// A comparison of two runs as lines of text. Pure.

import { bytes, duration } from '../../words/format.js';

/** @typedef {import('./index.js').RunsComparison} RunsComparison */

/** Of a value of a condition. */
const MAX_LENGTH = 80;
/** More differing conditions than this are counted. */
const MAX_CONDITIONS = 20;

/** @param {string} key @param {unknown} value @returns {string} */
function valueText(key, value) {
  if (typeof value === 'number' && key.endsWith('Ns')) return duration(value);
  if (typeof value === 'number' && key.endsWith('Bytes')) return bytes(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
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

/** @param {RunsComparison} comparison @returns {string[]} lines */
export function runComparisonLines(comparison) {
  const { run, baseline, text, warning } = comparison;
  const conditions = conditionTexts(comparison);
  return [
    `${run.name} (${run.id})`,
    `compared with ${baseline.name} (${baseline.id})`,
    '',
    ...foundTexts(comparison),
    '',
    ...(conditions.length === 0 ? [] : ['Conditions that differ:', ...conditions.map((one) => `  ${one}`), '']),
    warning,
    text,
  ];
}

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
