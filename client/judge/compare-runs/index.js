// A run compared with an earlier one, its baseline: the same marks as between the servers of one run. Pure.
// Two runs are measured at different times. Their rounds are not paired, and what changed the machine
// in between is in no interval; so it says in what the conditions differ, and claims nothing of what was measured once.

import { casesOf } from '../cases.js';
import {
  comparedOf,
  figureIn,
  isAtRate,
  isTime,
  marginOf,
  markOf,
  pairsOf as roundsOf,
  startsOf,
} from '../comparisons.js';
import { figures } from '../figures.js';
import { servedOnlySome } from '../../words/figures.js';
import { differsBy, gateBounds } from '../gates.js';
import { isSaturated } from '../ranking-table.js';
import { MIN_ROUNDS } from '../statistics/index.js';
import { independentNestedRatio, independentRatioInterval } from '../statistics/independent-ratio.js';
import { differingConditions } from './conditions.js';

/**
 * @import { Axes, Baseline, Case, LegSummary, RunSummary } from '../../../config/types.js'
 * @import { ComparedFigure } from '../comparisons.js'
 * @import { RowOutcome } from '../verdict.js'
 * @import { Conditions, Difference } from './conditions.js'
 */

/**
 * @typedef {object} ComparedRun  what a run folder says
 * @property {RunSummary} summary
 * @property {Conditions['scenario']} scenario
 * @property {Conditions['environment']} environment
 *
 * @typedef {Baseline} RunsComparison
 * @typedef {RunsComparison['comparisons'][number]} Compared
 * @typedef {RunsComparison['absent'][number]} Absent
 * @typedef {RunsComparison['outcome']} Outcome
 */

/** @param {RunSummary} summary @returns {Case[]} also of a run that was recorded without them */
const casesIn = (summary) => summary.cases ?? casesOf(summary.legs);

/** @param {Case} one @returns {string} the same in both runs */
const keyOf = ({ label, axes }) => JSON.stringify([label, axes]);

/**
 * @param {Case[]} cases @param {Case[]} others of the baseline
 * @returns {[Case, Case][]} of the same label and axes; two runs of one case each are a pair in any event
 */
function pairsOf(cases, others) {
  const byKey = new Map(others.map((one) => [keyOf(one), one]));
  const pairs = cases.flatMap((one) => {
    const other = byKey.get(keyOf(one));
    return other === undefined ? [] : [/** @type {[Case, Case]} */ ([one, other])];
  });
  return pairs.length === 0 && cases.length === 1 && others.length === 1 ? [[cases[0], others[0]]] : pairs;
}

/**
 * @param {{ label: string, axes: Axes }[]} cases of a run, or of its plan
 * @param {RunSummary} summary of the baseline
 * @returns {boolean} whether there is something to compare
 */
export const haveCommonCase = (cases, summary) => pairsOf(/** @type {Case[]} */ (cases), casesIn(summary)).length > 0;

/** @param {RunSummary} summary @returns {string} such as "epoll-500 of 2026-11-22 18:53:10" */
const datedName = ({ scenario, startedAt }) => `${scenario} of ${startedAt.slice(0, 19).replace('T', ' ')}`;

/**
 * @param {ComparedRun} run
 * @param {ComparedRun} baseline
 * @returns {[string, string]} by which a reader tells them apart
 */
function namesOf({ summary: run }, { summary: baseline }) {
  if (run.scenario !== baseline.scenario) return [run.scenario, baseline.scenario];
  const dated = /** @type {[string, string]} */ ([datedName(run), datedName(baseline)]);
  return dated[0] === dated[1] ? [run.run, baseline.run] : dated;
}

/** @param {RunSummary} summary @param {Case} one @returns {LegSummary[]} its legs */
const legsOf = ({ legs }, one) => legs.filter(({ id }) => one.legs.includes(id));

/** @param {RunSummary} summary @param {Case} one @returns {boolean} whether it left connections without a reply */
const servedSome = (summary, one) =>
  legsOf(summary, one).some((leg) => leg.complete && servedOnlySome(leg) !== undefined);

/**
 * @param {RunSummary} summary
 * @param {Case} one
 * @returns {boolean} whether the server decides how many requests it gets
 */
const isClosed = ({ config }, one) => config.loop === 'closed' && config.workload !== 'hold' && !isAtRate(one);

/**
 * @param {RunSummary} summary
 * @param {Case} one
 * @returns {boolean} whether its response times follow from its throughput
 */
const isFull = (summary, one) => isClosed(summary, one) && isSaturated(legsOf(summary, one));

/** @param {RunSummary} summary @param {Case} one @returns {number} connections that it called for */
const requestedOf = (summary, one) =>
  Math.max(0, ...legsOf(summary, one).map(({ connections }) => connections?.requested ?? 0));

/**
 * A run in slices has blocks enough for an interval in one round, but one value of what only a whole round tells.
 * @param {ComparedRun} side @param {Case} one @param {ComparedFigure} figure
 * @returns {boolean} whether the figure can be judged at all
 */
const isJudged = ({ summary }, one, figure) =>
  figure.compared.ofBlocks === true ||
  figure.compared.isCount === true ||
  (figureIn(one, figure)?.values.length ?? 0) >= MIN_ROUNDS ||
  !legsOf(summary, one).some(({ slices }) => slices);

/** Failures of all causes, and legs that are not complete. @type {[name: string, of: (leg: LegSummary) => number][]} */
const FAILURES = [
  ...figures
    .filter(({ group, partOf }) => group === 'failures' && partOf === undefined)
    .map(({ name, of }) => /** @type {(typeof FAILURES)[number]} */ ([name, (leg) => Number(of?.(leg) ?? 0)])),
  ['incomplete legs', ({ complete }) => (complete ? 0 : 1)],
];

/**
 * @param {[Case, Case]} pair @param {ComparedRun} run @param {ComparedRun} baseline
 * @returns {RunsComparison['failures']} none where the counts are the same
 */
function failuresOf([one, other], run, baseline) {
  const found = FAILURES.flatMap(([name, of]) => {
    const [own, before] = [legsOf(run.summary, one), legsOf(baseline.summary, other)].map((legs) =>
      legs.reduce((sum, leg) => sum + of(leg), 0),
    );
    return own === before ? [] : [/** @type {[string, [number, number]]} */ ([name, [own, before]])];
  });
  return found.length === 0 ? [] : [{ case: one.id, data: Object.fromEntries(found) }];
}

/**
 * @param {[Case, Case]} pair
 * @param {{ run: ComparedRun, baseline: ComparedRun, tolerance: number | null }} context
 * @returns {{ comparisons: Compared[], absent: Absent[] }}
 */
function comparePair([one, other], { run, baseline, tolerance }) {
  const short = servedSome(run.summary, one) || servedSome(baseline.summary, other);
  const full = isFull(run.summary, one) || isFull(baseline.summary, other);
  const isFree = isClosed(run.summary, one) || isClosed(baseline.summary, other);
  const margin = marginOf(tolerance);
  const { workload, loop } = run.summary.config;
  const figures = comparedOf(
    { workload, loop: isAtRate(one) ? 'open' : loop },
    { legs: [...legsOf(run.summary, one), ...legsOf(baseline.summary, other)] },
  );
  const comparisons = figures.flatMap((figure) => {
    const [own, its] = [one, other].map((side) => figureIn(side, figure));
    if (own === undefined || its === undefined) return [];
    const [values, others] = [own.values, its.values];
    const why =
      figure.compared.atEqualRate && isFree
        ? 'rates-differ'
        : isTime(figure) && (short ? 'served-some' : full ? 'follows-from-throughput' : undefined);
    const ratio =
      own.parts && its.parts
        ? independentNestedRatio(startsOf(own).flat(), startsOf(its).flat())
        : independentRatioInterval(values, others);
    const mark = why ? /** @type {Compared['mark']} */ ({ code: 'not-compared', why }) : markOf(figure, ratio, margin);
    const isGate =
      tolerance !== null &&
      !why &&
      isJudged(run, one, figure) &&
      isJudged(baseline, other, figure) &&
      // a run that called for fewer connections serves fewer
      !(figure.compared.isCount && requestedOf(run.summary, one) !== requestedOf(baseline.summary, other));
    const beyond = isGate && differsBy(figure, 'worse', tolerance, gateBounds(figure, ratio, values, others));
    const ids = { case: one.id, label: one.label, baseline: other.id };
    return [
      {
        figure: figure.compared.key,
        ...ids,
        mark,
        values: roundsOf(values, others),
        ...(beyond === true ? { beyond } : beyond === null ? { undecided: /** @type {const} */ (true) } : {}),
      },
    ];
  });
  const absent = figures.filter(
    (figure) =>
      !(short && isTime(figure)) && figureIn(one, figure) === undefined && figureIn(other, figure) !== undefined,
  );
  return { comparisons, absent: absent.map(({ compared: { key } }) => ({ case: one.id, figure: key })) };
}

/** @param {Compared[]} comparisons @param {Absent[]} absent @param {number | null} tolerance @returns {Outcome} */
function outcomeOf(comparisons, absent, tolerance) {
  const judged = comparisons.some(({ mark }) => typeof mark.ratio?.low === 'number');
  if (tolerance === null) return judged ? 'compared' : 'not-known';
  if (absent.length > 0 || comparisons.some(({ beyond }) => beyond)) return 'worse';
  return !judged || comparisons.some(({ undecided }) => undecided) ? 'undecided' : 'not-worse';
}

/**
 * @param {Pick<RunsComparison, 'outcome' | 'tolerance'>} comparison
 * @returns {RowOutcome} as a gate; passed without a tolerance
 */
export const gateOutcome = ({ outcome }) =>
  outcome === 'worse' ? 'failed' : outcome === 'undecided' ? 'undecided' : 'passed';

/**
 * @param {ComparedRun} run @param {ComparedRun} baseline
 * @param {number | null} tolerance a share; null: nothing is judged
 * @returns {RunsComparison | null} null where they have no case in common
 */
export function compareRuns(run, baseline, tolerance) {
  const [cases, others] = [run, baseline].map(({ summary }) => casesIn(summary));
  const pairs = pairsOf(cases, others);
  if (pairs.length === 0) return null;
  const names = namesOf(run, baseline);
  const found = pairs.map((pair) => comparePair(pair, { run, baseline, tolerance }));
  const comparisons = found.flatMap((one) => one.comparisons);
  const absent = found.flatMap((one) => one.absent);
  const outcome = outcomeOf(comparisons, absent, tolerance);
  const alone = (/** @type {Case[]} */ all, /** @type {0 | 1} */ side) =>
    all.filter((one) => pairs.every((pair) => pair[side] !== one)).map(({ label }) => label);
  return {
    run: { id: run.summary.run, name: names[0] },
    baseline: { id: baseline.summary.run, name: names[1] },
    tolerance,
    outcome,
    comparisons,
    absent,
    failures: pairs.flatMap((pair) => failuresOf(pair, run, baseline)),
    unpaired: { run: alone(cases, 0), baseline: alone(others, 1) },
    conditions: differingConditions(run, baseline),
  };
}
