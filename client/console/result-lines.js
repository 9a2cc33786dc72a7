// The texts of a run besides its tables: headline, trust, verdict, findings.

import { isAbove } from '../judge/figure-values.js';
import { figureOf } from '../judge/figures.js';
import { answerOf } from '../judge/headline.js';
import { trustOf, trustText } from '../judge/trust.js';
import { valueOf } from '../judge/value-of.js';
import { requirementText, verdictOutcome, verdictText } from '../judge/verdict.js';
import { findingText, groupedFindings, remediesOf, rowOf } from '../judge/findings/index.js';
import { count } from '../words/format.js';
import { WIDEST_TEXT, wrap } from './terminal-text.js';

/**
 * @import { RunSummary, Verdict } from '../../config/types.js'
 * @import { Figure, Value } from '../judge/figures.js'
 * @import { ShownCase } from '../judge/value-of.js'
 * @import { Row, RowOutcome } from '../judge/verdict.js'
 * @import { Style, Tone } from './terminal-text.js'
 */

/** By severity. @type {Readonly<Record<'answer' | 'problem' | 'caution' | 'note', Tone[]>>} */
const TONES = { answer: ['bold'], problem: ['red'], caution: ['yellow'], note: ['dim'] };
/** @type {Readonly<Record<'good' | 'care' | 'none', Tone>>} */
const TRUST_TONES = { good: 'green', care: 'yellow', none: 'red' };
/** @type {Readonly<Record<RowOutcome, Tone>>} */
const VERDICT_TONES = { passed: 'green', failed: 'red', undecided: 'yellow' };

/** Conditions that passed are listed if there are at most this many conditions. */
const MAX_ROWS = 12;
const KNEE = /** @type {Figure} */ (figureOf('knee'));

/**
 * @param {RunSummary} summary of the run @param {number} width at most @param {Style} style
 * @returns {string | null} headline and trust, lines joined, the last without a line end; null if there is only the
 *   answer of a search, which has its own lines
 */
export function answerLines(summary, width, style) {
  const parts = answerOf(summary).filter(({ code }) => code !== 'search');
  const lines = parts.flatMap(({ severity, text }) => wrap(text, width).map((line) => style(TONES[severity], line)));
  const trust = trustOf(summary);
  const trusted = trust === undefined ? [] : wrap(trustText(trust), width);
  const allLines = [...lines, ...trusted.map((line) => style(TRUST_TONES[trust?.verdict ?? 'good'], line))];
  return allLines.length === 0 ? null : allLines.join('\n');
}

/**
 * @param {Verdict} verdict @param {number} width of the terminal; Infinity without one
 * @param {Style} style
 * @returns {string} failed conditions first; lines joined, the last without a line end
 */
export function verdictLines(verdict, width, style) {
  const { thresholds } = verdict;
  const outcome = verdictOutcome(verdict);
  const unmet = /** @type {const} */ (['failed', 'undecided']).flatMap((outcome) =>
    thresholds.filter((row) => verdictOutcome(row) === outcome),
  );
  const met = thresholds.filter((row) => row.passed);
  const shown = thresholds.length <= MAX_ROWS ? met : [];
  const line = (/** @type {Row} */ row) =>
    wrap(`  ${verdictOutcome(row)}  ${row.label}: ${requirementText(row)} (${row.text})`, Math.min(width, WIDEST_TEXT));
  return [
    style(['bold', VERDICT_TONES[outcome]], `${outcome === 'failed' ? '✗ ' : ''}verdict ${verdictText(verdict)}`),
    ...unmet.flatMap((row) => line(row).map((text) => style(VERDICT_TONES[verdictOutcome(row)], text))),
    ...shown.flatMap(line),
    ...(shown.length < met.length ? [style('dim', `  ${count(met.length)} passed, listed in summary.json`)] : []),
  ].join('\n');
}

/** @param {ShownCase} shown @returns {Value} the lowest of its rounds; undefined if a round has none */
function kneeIn(shown) {
  const { value, isWhole } = valueOf(KNEE, shown);
  return isWhole ? value : undefined;
}

/** @param {Value} value of the knee @returns {string} */
const bendText = (value) =>
  isAbove(value) ? 'not seen' : value === undefined ? 'not determined' : count(Number(value));

/**
 * @param {ShownCase[]} cases @param {number} width at most
 * @returns {string | null} the connections up to which the throughput of each case grows; lines joined, the last
 *   without a line end; null for one case, or if it is not known for any
 */
export function bendLines(cases, width) {
  const knees = cases.flatMap((shown) =>
    shown.legs.some(({ ramp }) => ramp?.steps.length) ? [{ ...shown, value: kneeIn(shown) }] : [],
  );
  if (cases.length < 2 || knees.every(({ value }) => value === undefined)) return null;
  const first = knees.findIndex(({ value }) => typeof value === 'number');
  const parts = knees.map(({ label, value }, i) => `${label} ${bendText(value)}${i === first ? ' connections' : ''}`);
  return wrap(`bends at: ${parts.join(', ')}`, width).join('\n');
}

/**
 * @param {RunSummary} summary of the run @param {number} width at most @param {Style} style
 * @param {boolean} [isOfAll] whether findings of the line of trust are included, and remedies
 * @returns {string[]} the severest finding first, without findings of the headline; empty without findings
 */
export function findingLines(summary, width, style, isOfAll = false) {
  const inHeadline = new Set(answerOf(summary).flatMap(({ tells }) => tells));
  return groupedFindings(summary)
    .filter(({ code }) => !inHeadline.has(code) && (isOfAll || !rowOf(code)?.isOfTrust))
    .flatMap((finding) => {
      const lines = wrap(`! ${findingText(finding)}`, width).map((line) => style(TONES[finding.severity], line));
      const remedies = isOfAll ? remediesOf(finding) : [];
      return [...lines, ...remedies.flatMap((remedy) => wrap(`  ${remedy}`, width))];
    });
}
