// The verdict on a run: whether each condition that its user gave holds for each leg, or for each case of a run with
// rounds. Pure; console, page, summary.json and junit.xml show the same rows.
// A threshold passes when it holds, `failIf` when it certainly does not. What was not measured
// passes neither.

import { conditionOf, splitDuration } from './conditions/parse.js';
import { judgedText, judgeLegs, recordedValue } from './conditions/judge.js';
import { count, counted, duration } from '../words/format.js';

/**
 * @typedef {import('./conditions/judge.js').Leg & { label: string }} Leg
 * @typedef {{ thresholds?: string[], failIf?: string[], stopOn?: string[] }} Given  of the scenario
 * @typedef {import('../../config/types.js').Verdict} Verdict
 * @typedef {Verdict['thresholds'][number]} Row
 * @typedef {Row['kind']} Kind
 */

/** @param {Leg[]} legs @returns {Leg[][]} the rounds of each case, in the order of their first */
function roundsByCase(legs) {
  /** @type {Map<string, Leg[]>} */
  const cases = new Map();
  for (const leg of legs) {
    const key = leg.case ?? leg.id ?? leg.label;
    cases.set(key, [...(cases.get(key) ?? []), leg]);
  }
  return [...cases.values()];
}

/** @param {Leg[]} rounds @returns {{ leg?: string, case?: string, label: string }} neither: of a server in a search */
function subjectOf([first, ...others]) {
  const leg = first.id === undefined ? {} : { leg: first.id };
  return { ...(others.length > 0 ? { case: first.case } : leg), label: first.label };
}

/** Which of the rounds counts. @type {Readonly<Record<import('./figures.js').Figure['rounds'], string>>} */
const CHOSEN = { median: 'median of', most: 'most in', least: 'least in' };

/** @param {import('./conditions/judge.js').Judged} judged @param {number} rounds @returns {string} such as " (median of 3 rounds)" */
function overText({ clause: { figure }, value }, rounds) {
  if (rounds === 1 || value === undefined) return '';
  return figure.unit === 'side'
    ? ` (in each of ${count(rounds)} rounds)`
    : ` (${CHOSEN[figure.rounds]} ${count(rounds)} rounds)`;
}

/**
 * @param {Kind} kind @param {string} text of the condition @param {Leg[]} rounds
 * @returns {Row}
 */
function rowOf(kind, text, rounds) {
  const { holds, clauses } = judgeLegs(conditionOf(text), rounds);
  const wanted = kind === 'threshold';
  const passed = holds === wanted;
  return {
    condition: text,
    kind,
    ...subjectOf(rounds),
    figures: clauses.map(({ clause, value, holds: one }) => ({
      figure: clause.figure.name,
      ...recordedValue(value),
      passed: one === wanted,
    })),
    passed,
    text: clauses.map((judged) => `${judgedText(judged)}${overText(judged, rounds.length)}`).join(', '),
  };
}

/** @param {string} text such as `p99 > 1s for 3s` @param {Leg} leg @returns {Row} */
function stopRow(text, leg) {
  const { condition, forNs } = splitDuration(text);
  const { stopped } = leg;
  // the same condition may be given twice, for different times
  const held = stopped?.condition === condition && stopped.forNs === forNs;
  return {
    condition: text,
    kind: 'stopOn',
    ...subjectOf([leg]),
    figures: [],
    passed: !held,
    text: held
      ? `held for ${duration(stopped.forNs)}, and ended the leg ${duration(stopped.atNs)} after its start`
      : 'did not hold for that long',
  };
}

/**
 * @param {Given} given
 * @param {Leg[]} legs of summary.json
 * @param {number} planned legs of the plan; those that were not begun fail, and so do those that did not run to their end,
 *   except in a search, which measures beyond the limit on purpose
 * @param {import('./search/index.js').SearchSummary} [search]  the conditions are then about its answer for each server
 * @returns {Verdict | undefined} undefined where no condition was given
 */
export function judgeRun({ thresholds = [], failIf = [], stopOn = [] }, legs, planned, search) {
  if (thresholds.length + failIf.length + stopOn.length === 0) return undefined;
  const cases = search ? search.servers.map((found) => [{ label: found.label, found }]) : roundsByCase(legs);
  const rows = [
    ...cases.flatMap((rounds) => [
      ...thresholds.map((text) => rowOf('threshold', text, rounds)),
      ...failIf.map((text) => rowOf('failIf', text, rounds)),
    ]),
    ...legs.flatMap((leg) => stopOn.map((text) => stopRow(text, leg))),
  ];
  const areWhole = legs.length === planned && (search !== undefined || legs.every(({ complete }) => complete));
  return { passed: areWhole && rows.every(({ passed }) => passed), thresholds: rows };
}

/** @param {Row} row @returns {string} such as "p99 < 5ms", "fail if p99 > 5ms", "stop on p99 > 1s for 3s" */
export const requirementText = ({ kind, condition }) =>
  kind === 'threshold' ? condition : `${kind === 'failIf' ? 'fail if' : 'stop on'} ${condition}`;

/** @param {Verdict} verdict @returns {string} such as "passed: 3 of 3 conditions passed" */
export function verdictText({ passed, thresholds }) {
  const met = thresholds.filter((row) => row.passed).length;
  const why = !passed && met === thresholds.length ? ', but not every leg ran to its end' : '';
  return `${passed ? 'passed' : 'failed'}: ${count(met)} of ${counted(thresholds.length, 'condition')} passed${why}`;
}
