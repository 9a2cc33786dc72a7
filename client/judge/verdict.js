// The verdict on a run: whether each given condition holds for each leg, or for each case of a run with rounds. A
// threshold passes if it holds, `failIf` if it certainly does not hold. A figure that was not measured passes neither.
// A condition between servers is undecided if the interval of the ratio does not decide it.

import { conditionOf, isComparative, splitDuration } from './conditions/parse.js';
import { judge, judgedText, recordedValue } from './conditions/judge.js';
import { isAtRate, isTime } from './comparisons.js';
import { casesOf } from './cases.js';
import { caseOfRequest, shownCase, valueOf } from './value-of.js';
import { present } from '../measure/sums.js';
import { count, counted, duration } from '../words/format.js';

/**
 * @import { Case, LegSummary, Verdict } from '../../config/types.js'
 * @import { Compared as ComparedWithFirst, Comparison } from './conditions/against-first.js'
 * @import { Judged as JudgedClause } from './conditions/judge.js'
 * @import { Figure } from './figures.js'
 * @import { Found, SearchSummary } from './search/index.js'
 * @import { CaseValue } from './value-of.js'
 */

/**
 * @typedef {{ thresholds?: string[], failIf?: string[], stopOn?: string[], allowUndecided?: boolean }} Given  of the
 *   scenario
 * @typedef {Verdict['thresholds'][number]} Row
 * @typedef {Row['kind']} Kind
 * @typedef {'passed' | 'failed' | 'undecided'} RowOutcome
 */

/** @param {string} text of a condition @returns {boolean} whether it is judged by the cases that compareAt added */
const isOfRate = (text) =>
  conditionOf(text).clauses.some(
    (clause) => isTime(clause.figure) || (isComparative(clause) && clause.figure.compared?.atEqualRate),
  );

/**
 * @typedef {object} Subject  what a condition is about: a case, or a server in a search
 * @property {string} label
 * @property {{ leg?: string, case?: string }} ids  leg: of a case with one leg; empty for a server in a search
 * @property {boolean} isAtRate  whether compareAt added the case
 * @property {(figure: Figure, request?: string) => CaseValue} valueOf
 * @property {Comparison} [comparison]  with the first server; absent for the first server
 */

/** @param {Case} server @param {LegSummary[]} legs of the case @returns {Omit<Subject, 'comparison'>} */
function subjectOf(server, legs) {
  const shown = shownCase(legs, server);
  return {
    label: server.label,
    ids: legs.length > 1 ? { case: server.id } : { leg: legs[0].id },
    isAtRate: isAtRate(server),
    valueOf: (figure, request) => valueOf(figure, request === undefined ? shown : caseOfRequest(shown, request)),
  };
}

/** @param {Found} found @returns {Subject} */
const searchSubject = (found) => ({
  ...{ label: found.label, ids: {}, isAtRate: false },
  valueOf: (figure) => ({ value: figure.of?.({ found }), isWhole: true, values: [], of: 'round' }),
});

/**
 * With compareAt a server has cases under two loads. Conditions about response times, and those that compare memory,
 * are judged by the cases at the rate; other conditions by the other cases.
 * @param {Subject[]} subjects
 * @returns {(text: string, subject: Subject) => boolean} whether the condition is about the subject
 */
function aboutIn(subjects) {
  const hasRate = subjects.some((subject) => subject.isAtRate);
  return (text, subject) => !hasRate || isOfRate(text) === subject.isAtRate;
}

/** The value that counts over rounds, in words. @type {Readonly<Record<Figure['rounds'], string>>} */
const CHOSEN = { median: 'median of', most: 'most in', least: 'least in' };

/** @param {Figure} figure @param {CaseValue} value @returns {string} such as " (median of 3 rounds)" */
function overText({ unit, rounds }, { value, values, of }) {
  if (value === undefined || values.length < 2) return '';
  return ` (${unit === 'side' ? 'in each of' : CHOSEN[rounds]} ${counted(values.length, of)})`;
}

/**
 * @param {CaseValue} value for which the condition cannot hold
 * @returns {string} where the figure was not measured, if tables show a value
 */
const whyNotText = ({ value, values }) =>
  value === undefined ? '' : values.length > 1 ? ' in each round' : ' in the steady state';

/**
 * @param {Kind} kind @param {string} text of the condition @param {Subject} subject
 * @returns {Row[]} one; none for the first server, if the condition compares the others with it
 */
function rowsOf(kind, text, { label, ids, valueOf: caseValueOf, comparison }) {
  const condition = conditionOf(text);
  if (comparison === undefined && condition.clauses.some(isComparative)) return [];
  const measured = (/** @type {Figure} */ figure, /** @type {string | undefined} */ request) => {
    const { value, values, isWhole } = caseValueOf(figure, request);
    return isWhole ? (value ?? (figure.unit === 'side' && values.length > 0 ? values : undefined)) : undefined;
  };
  const { holds, isUndecided, clauses } = judge(condition, measured, comparison);
  const wanted = kind === 'threshold';
  const texts = clauses.map((judged) => {
    const { figure, request } = judged.clause;
    const caseValue = judged.compared ? undefined : caseValueOf(figure, request);
    const over = caseValue && (caseValue.isWhole ? overText(figure, caseValue) : whyNotText(caseValue));
    return `${judgedText(judged)}${over ?? ''}`;
  });
  return [
    {
      ...{ condition: text, kind, ...ids, label },
      figures: clauses.map((judged) => ({
        figure: judged.clause.figure.name,
        ...present('request', judged.clause.request),
        ...(judged.compared ? recordedComparison(judged.compared) : recordedValue(judged.value)),
        passed: judged.holds === wanted,
      })),
      passed: holds === wanted,
      ...(isUndecided ? { undecided: /** @type {const} */ (true) } : {}),
      text: texts.join(', '),
    },
  ];
}

/**
 * @param {ComparedWithFirst} compared
 * @returns {{ baseline: string, ratio?: { median: number, low: number, high: number } }}
 */
function recordedComparison({ first, ratio }) {
  if (ratio === undefined || ratio.median === null || ratio.low === null || ratio.high === null)
    return { baseline: first };
  return { baseline: first, ratio: { median: ratio.median, low: ratio.low, high: ratio.high } };
}

/** @param {{ passed: boolean, undecided?: true }} judged a row, or a verdict @returns {RowOutcome} */
export const verdictOutcome = ({ passed, undecided }) => (passed ? 'passed' : undecided ? 'undecided' : 'failed');

/** @param {string} text such as `p99 > 1s for 3s` @param {LegSummary} leg @returns {Row} */
function stopRow(text, leg) {
  const { condition, forNs } = splitDuration(text);
  const { stopped } = leg;
  // a condition may be given twice, with different times
  const held = stopped?.condition === condition && stopped.forNs === forNs;
  return {
    condition: text,
    kind: 'stopOn',
    ...{ leg: leg.id, label: leg.label },
    figures: [],
    passed: !held,
    text: held
      ? `held for ${duration(stopped.forNs)}, and ended the leg ${duration(stopped.atNs)} after its start`
      : 'did not hold for that long',
  };
}

/**
 * @param {Given} given
 * @param {LegSummary[]} legs of summary.json
 * @param {number} planned number of legs in the plan; a leg that did not begin fails the verdict, and so does one that
 *   did not run to its end, except in a search, which measures beyond the limit on purpose
 * @param {object} [known]
 * @param {Case[]} [known.cases] of the run
 * @param {SearchSummary} [known.search]  makes the conditions be about its answer for each server and goal
 * @param {(leg: string) => Comparison | undefined} [known.comparedWithFirst] by the id of a leg
 * @returns {Verdict | undefined} undefined if no condition was given
 */
export function judgeRun(
  { thresholds = [], failIf = [], stopOn = [], allowUndecided = false },
  legs,
  planned,
  { cases = casesOf(legs), search, comparedWithFirst = () => undefined } = {},
) {
  if (thresholds.length + failIf.length + stopOn.length === 0) return undefined;
  /** @type {Subject[]} */
  const subjects = search
    ? search.answers.map(searchSubject)
    : cases.map((server) => {
        const caseLegs = legs.filter(({ id }) => server.legs.includes(id));
        return { ...subjectOf(server, caseLegs), ...present('comparison', comparedWithFirst(caseLegs[0].id)) };
      });
  const isAbout = aboutIn(subjects);
  const rows = [
    ...subjects.flatMap((subject) => {
      const rowsOfKind = (/** @type {Kind} */ kind, /** @type {string[]} */ texts) =>
        texts.filter((text) => isAbout(text, subject)).flatMap((text) => rowsOf(kind, text, subject));
      return [...rowsOfKind('threshold', thresholds), ...rowsOfKind('failIf', failIf)];
    }),
    ...legs.flatMap((leg) => stopOn.map((text) => stopRow(text, leg))),
  ];
  const areWhole = legs.length === planned && (search !== undefined || legs.every(({ complete }) => complete));
  const undecided =
    areWhole && rows.every((row) => verdictOutcome(row) !== 'failed') && rows.some((row) => row.undecided);
  return {
    passed: areWhole && rows.length > 0 && rows.every(({ passed }) => passed),
    ...(undecided ? { undecided } : {}),
    ...(undecided && allowUndecided ? { allowUndecided } : {}),
    thresholds: rows,
  };
}

/** @param {Row} row @returns {string} such as "p99 < 5ms", "fail if p99 > 5ms", "stop on p99 > 1s for 3s" */
export const requirementText = ({ kind, condition }) =>
  kind === 'threshold' ? condition : `${kind === 'failIf' ? 'fail if' : 'stop on'} ${condition}`;

/** @param {Row} row @returns {string} such as "could not tell: head: fail if cost worse by 3%: cost +2 % (-1 to +5)" */
export const rowText = (row) =>
  `${row.undecided ? 'could not tell: ' : ''}${row.label}: ${requirementText(row)}: ${row.text}`;

/** @param {Verdict} verdict @returns {string} such as "passed: 3 of 3 conditions passed" */
export function verdictText(verdict) {
  const { thresholds } = verdict;
  const met = thresholds.filter((row) => row.passed).length;
  const open = thresholds.filter((row) => row.undecided).length;
  const outcome = verdictOutcome(verdict);
  const allowed = verdict.allowUndecided ? ' (allowed)' : '';
  const why = [
    ...(open > 0 ? [`, ${count(open)} undecided`] : []),
    ...(outcome === 'failed' && met + open === thresholds.length ? [', but not every leg ran to its end'] : []),
  ];
  return `${outcome}${allowed}: ${count(met)} of ${counted(thresholds.length, 'condition')} passed${why.join('')}`;
}
