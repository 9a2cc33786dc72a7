// What the console says below the results: how the servers compare, as sentences. Pure.

import { chosenComparisons, groupComparisons } from '../judge/comparison-groups.js';
import { counted } from '../words/format.js';
import { wrap } from './terminal-text.js';

/** More sentences than these are no summary. */
const MOST = 12;

/**
 * @param {import('../judge/comparisons.js').RunComparison[]} comparisons @param {import('../judge/cases.js').Case[]} cases
 * @param {number} width of the terminal
 * @returns {string | null} lines joined, the last without a line end; null without any
 */
export function comparisonLines(comparisons, cases, width) {
  if (comparisons.length === 0) return null;
  const { shown, left } = chosenComparisons(groupComparisons(comparisons, cases), MOST);
  const texts = shown.map(({ text }) => `- ${text}`);
  const more = left === 0 ? [] : [`- ${counted(left, 'more comparison')} on the page and in summary.json.`];
  return [...texts, ...more].flatMap((text) => wrap(text, width)).join('\n');
}
