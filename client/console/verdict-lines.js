// The verdict on a run, as lines for the console: what failed comes first. Pure.

import { count } from '../words/format.js';
import { requirementText, verdictText } from '../judge/verdict.js';
import { wrap } from './terminal-text.js';

/** Conditions that passed are listed up to this many rows in all. */
const MAX_ROWS = 12;
const WIDEST = 120;

/**
 * @param {import('../judge/verdict.js').Verdict} verdict
 * @param {number} width of the terminal; Infinity when there is none
 * @param {import('./terminal-text.js').Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function verdictLines(verdict, width, style) {
  const { passed, thresholds } = verdict;
  const failed = thresholds.filter((row) => !row.passed);
  const met = thresholds.filter((row) => row.passed);
  const shown = thresholds.length <= MAX_ROWS ? met : [];
  const line = (/** @type {import('../judge/verdict.js').Row} */ row) =>
    wrap(
      `  ${row.passed ? 'passed' : 'failed'}  ${row.label}: ${requirementText(row)} (${row.text})`,
      Math.min(width, WIDEST),
    );
  return [
    style(['bold', passed ? 'green' : 'red'], `verdict ${verdictText(verdict)}`),
    ...failed.flatMap(line).map((text) => style('red', text)),
    ...shown.flatMap(line),
    ...(shown.length < met.length ? [style('dim', `  ${count(met.length)} passed, listed in summary.json`)] : []),
  ].join('\n');
}
