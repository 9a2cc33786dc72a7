// A comparison of two runs as lines of text, for the console and, as a list, for Markdown. Pure.

import { bytes, duration } from '../format.js';
import { foundTexts } from './found-texts.js';
import { escapeMarkdown } from './markdown-text.js';

/** @typedef {import('../compare-runs/index.js').RunsComparison} RunsComparison */

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

/** @param {RunsComparison} comparison @returns {string} */
export function runComparisonMarkdown(comparison) {
  const { run, baseline, text, warning } = comparison;
  const list = (/** @type {string[]} */ texts) => texts.map((one) => `- ${escapeMarkdown(one)}`);
  const conditions = conditionTexts(comparison);
  return [
    `## Broadside: ${escapeMarkdown(run.name)} compared with ${escapeMarkdown(baseline.name)}`,
    '',
    `**${escapeMarkdown(text)}**`,
    '',
    ...list(foundTexts(comparison)),
    '',
    ...(conditions.length === 0 ? [] : ['Conditions that differ:', '', ...list(conditions), '']),
    `${escapeMarkdown(warning)} Runs \`${run.id}\` and \`${baseline.id}\`.`,
    '',
  ].join('\n');
}
