// The verdict on a run: whether each condition that its user gave holds for each leg, or for each case of a run with
// rounds. Pure; console, page, summary.json and junit.xml show the same rows.
// A threshold passes when it holds, `failIf` when it certainly does not. What was not measured
// passes neither. A condition between servers is undecided where the interval of the ratio does not tell.

import { comparedIn } from './case-legs.js';
import { conditionOf, isComparative, splitDuration } from './conditions/parse.js';
import { judgedText, judgeLegs, recordedValue } from './conditions/judge.js';
import { isAtRate, isTime } from './comparisons.js';
import { isOfAllTransfers } from './cases.js';
import { pooledStarts } from './pooled-starts.js';
import { present } from '../measure/sums.js';
import { count, counted, duration } from '../words/format.js';

/**
 * @import { Case, Verdict } from '../../config/types.js'
 * @import { Compared } from './case-legs.js'
 * @import { Compared as ComparedWithFirst, Comparison } from './conditions/against-first.js'
 * @import { Judged as JudgedClause } from './conditions/judge.js'
 * @import { Figure, Leg as FigureLeg } from './figures.js'
 * @import { SearchSummary } from './search/index.js'
 */

/**
 * @typedef {FigureLeg & { label: string }} Leg
 * @typedef {{ thresholds?: string[], failIf?: string[], stopOn?: string[], allowUndecided?: boolean }} Given  of the
 *   scenario
 * @typedef {Verdict['thresholds'][number]} Row
 * @typedef {Row['kind']} Kind
 * @typedef {'passed' | 'failed' | 'undecided'} RowOutcome
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

/** @param {string} text of a condition @returns {boolean} whether it is about response times, or compares memory */
const isOfRate = (text) =>
  conditionOf(text).clauses.some(
    (clause) => isTime(clause.figure) || (isComparative(clause) && clause.figure.compared?.atEqualRate),
  );

/**
 * With compareAt a server has cases under two loads: conditions about response times, and those that compare memory,
 *   hold of the cases
 * at the rate, where there are any, and all others of the rest.
 * @param {Leg[][]} cases @returns {(text: string, rounds: Leg[]) => boolean} whether that condition is about that case
 */
function aboutIn(cases) {
  const hasRate = cases.some(([first]) => isAtRate(first));
  return (text, [first]) => !hasRate || isOfRate(text) === isAtRate(first);
}

/** @param {Leg[]} rounds @returns {{ leg?: string, case?: string, label: string }} neither: of a server in a search */
function subjectOf([first, ...others]) {
  const leg = first.id === undefined ? {} : { leg: first.id };
  return { ...(others.length > 0 ? { case: first.case } : leg), label: first.label };
}

/** Which of the rounds counts. @type {Readonly<Record<Figure['rounds'], string>>} */
const CHOSEN = { median: 'median of', most: 'most in', least: 'least in' };

/**
 * @param {JudgedClause} judged @param {Leg[]} legs @param {Case | undefined} one their case
 * @returns {string} such as " (median of 3 rounds)"
 */
function overText({ clause: { figure }, value }, legs, one) {
  const rounds = legs.length;
  const values = one?.figures[figure.compared?.key ?? '']?.values.filter((own) => own !== null) ?? [];
  if (value === undefined || Math.max(rounds, values.length) === 1) return '';
  if (figure.rounds === 'median' && values.length > 1 && !isOfAllTransfers(figure, legs))
    return ` (median of ${counted(values.length, legs.some(({ slices }) => slices) ? 'block' : 'round')})`;
  if (rounds === 1) return '';
  return figure.unit === 'side'
    ? ` (in each of ${count(rounds)} rounds)`
    : ` (${CHOSEN[figure.rounds]} ${count(rounds)} rounds)`;
}

/**
 * @typedef {object} Judged  what a condition is about
 * @property {Leg[]} rounds
 * @property {Case} [one]  absent of a server in a search
 * @property {Compared} [compared]  likewise
 * @property {Comparison} [comparison]  with the first server; absent of that one itself
 *
 * @param {Kind} kind @param {string} text of the condition @param {Judged} about
 * @returns {Row[]} one; none of the first server, where the condition compares the others with it
 */
function rowsOf(kind, text, { rounds, one, compared, comparison }) {
  const condition = conditionOf(text);
  if (comparison === undefined && condition.clauses.some(isComparative)) return [];
  const { holds, isUndecided, clauses } = judgeLegs(condition, rounds, comparison, compared);
  const wanted = kind === 'threshold';
  return [
    {
      condition: text,
      kind,
      ...subjectOf(rounds),
      figures: clauses.map((judged) => ({
        figure: judged.clause.figure.name,
        ...present('request', judged.clause.request),
        ...(judged.compared ? recordedComparison(judged.compared) : recordedValue(judged.value)),
        passed: judged.holds === wanted,
      })),
      passed: holds === wanted,
      ...(isUndecided ? { undecided: /** @type {const} */ (true) } : {}),
      text: clauses.map((judged) => `${judgedText(judged)}${overText(judged, rounds, one)}`).join(', '),
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

/** @param {{ passed: boolean, undecided?: true }} one a row, or a verdict @returns {RowOutcome} */
export const verdictOutcome = ({ passed, undecided }) => (passed ? 'passed' : undecided ? 'undecided' : 'failed');

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
 * @param {number} planned legs of the plan; those that were not begun fail, and so do those that did not run to their
 *   end, except in a search, which measures beyond the limit on purpose
 * @param {object} [known]
 * @param {Case[]} [known.cases] of the run
 * @param {SearchSummary} [known.search]  the conditions are then about its answer for each server and goal
 * @param {(leg: string) => Comparison | undefined} [known.comparedWithFirst] by the id of a leg
 * @returns {Verdict | undefined} undefined where no condition was given
 */
export function judgeRun(
  { thresholds = [], failIf = [], stopOn = [], allowUndecided = false },
  legs,
  planned,
  { cases = [], search, comparedWithFirst = () => undefined } = {},
) {
  if (thresholds.length + failIf.length + stopOn.length === 0) return undefined;
  const subjects = search
    ? search.answers.map((found) => [{ label: found.label, found }])
    : roundsByCase(pooledStarts(/** @type {any} */ (legs)));
  const isAboutCase = aboutIn(subjects);
  const rows = [
    ...subjects.flatMap((rounds) => {
      const [first] = /** @type {Leg[]} */ (rounds);
      const one = cases.find(({ legs: own }) => own.includes(first.id ?? ''));
      const about = {
        ...{ rounds, comparison: comparedWithFirst(first.id ?? '') },
        ...(one ? { one, compared: comparedIn(one, /** @type {any} */ (legs)) } : {}),
      };
      const isAbout = (/** @type {string} */ text) => isAboutCase(text, rounds);
      return [
        ...thresholds.filter(isAbout).flatMap((text) => rowsOf('threshold', text, about)),
        ...failIf.filter(isAbout).flatMap((text) => rowsOf('failIf', text, about)),
      ];
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
