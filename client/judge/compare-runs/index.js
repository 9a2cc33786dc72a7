// A run compared with an earlier one, its baseline, with the same marks as between the servers of one run. Two runs are
// measured at different times: their rounds are not paired, and no interval contains a change of the machine in
// between. So the differing conditions are listed, and nothing is claimed about a figure that was measured once.

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
 * @import { Conditions, Difference } from './conditions.js'
 */

/**
 * @typedef {object} ComparedRun  contents of a run folder
 * @property {RunSummary} summary
 * @property {Conditions['scenario']} scenario
 * @property {Conditions['environment']} environment
 *
 * @typedef {Baseline} RunsComparison
 * @typedef {RunsComparison['comparisons'][number]} Compared
 * @typedef {RunsComparison['absent'][number]} Absent
 * @typedef {RunsComparison['outcome']} Outcome
 */

/** @param {RunSummary} summary @returns {Case[]} computed from the legs, if the run did not record them */
const casesIn = (summary) => summary.cases ?? casesOf(summary.legs);

/** @param {Case} server @returns {string} equal for the same case of both runs */
const keyOf = ({ label, axes }) => JSON.stringify([label, axes]);

/**
 * @param {Case[]} cases @param {Case[]} others of the baseline
 * @returns {[Case, Case][]} cases with the same label and axes; two runs of one case each are always a pair
 */
function pairsOf(cases, others) {
  const byKey = new Map(others.map((earlier) => [keyOf(earlier), earlier]));
  const pairs = cases.flatMap((current) => {
    const earlier = byKey.get(keyOf(current));
    return earlier === undefined ? [] : [/** @type {[Case, Case]} */ ([current, earlier])];
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
 * @returns {[string, string]} names that differ
 */
function namesOf({ summary: run }, { summary: baseline }) {
  if (run.scenario !== baseline.scenario) return [run.scenario, baseline.scenario];
  const dated = /** @type {[string, string]} */ ([datedName(run), datedName(baseline)]);
  return dated[0] === dated[1] ? [run.run, baseline.run] : dated;
}

/** @param {RunSummary} summary @param {Case} server @returns {LegSummary[]} legs of the case */
const legsOf = ({ legs }, server) => legs.filter(({ id }) => server.legs.includes(id));

/** @param {RunSummary} summary @param {Case} server @returns {boolean} whether it left connections without a reply */
const servedSome = (summary, server) =>
  legsOf(summary, server).some((leg) => leg.complete && servedOnlySome(leg) !== undefined);

/**
 * @param {RunSummary} summary
 * @param {Case} server
 * @returns {boolean} whether the server decides how many requests it gets
 */
const isClosed = ({ config }, server) => config.loop === 'closed' && config.workload !== 'hold' && !isAtRate(server);

/**
 * @param {RunSummary} summary
 * @param {Case} server
 * @returns {boolean} whether its response times follow from its throughput
 */
const isFull = (summary, server) => isClosed(summary, server) && isSaturated(legsOf(summary, server));

/** @param {RunSummary} summary @param {Case} server @returns {number} connections requested */
const requestedOf = (summary, server) =>
  Math.max(0, ...legsOf(summary, server).map(({ connections }) => connections?.requested ?? 0));

/**
 * Whether a figure can be judged. A round in slices has blocks enough for an interval, but only one value of a figure
 * without blocks.
 * @param {ComparedRun} side @param {Case} server @param {ComparedFigure} figure
 * @returns {boolean}
 */
const isJudged = ({ summary }, server, figure) =>
  figure.compared.ofBlocks === true ||
  figure.compared.isCount === true ||
  (figureIn(server, figure)?.values.length ?? 0) >= MIN_ROUNDS ||
  !legsOf(summary, server).some(({ slices }) => slices);

/** Failures of all causes, and legs that are not complete. @type {[name: string, of: (leg: LegSummary) => number][]} */
const FAILURES = [
  ...figures
    .filter(({ group, partOf }) => group === 'failures' && partOf === undefined)
    .map(({ name, of }) => /** @type {(typeof FAILURES)[number]} */ ([name, (leg) => Number(of?.(leg) ?? 0)])),
  ['incomplete legs', ({ complete }) => (complete ? 0 : 1)],
];

/**
 * @param {[Case, Case]} pair @param {ComparedRun} run @param {ComparedRun} baseline
 * @returns {RunsComparison['failures']} empty if the counts are equal
 */
function failuresOf([current, earlier], run, baseline) {
  const changed = FAILURES.flatMap(([name, countIn]) => {
    const [now, before] = [legsOf(run.summary, current), legsOf(baseline.summary, earlier)].map((legs) =>
      legs.reduce((sum, leg) => sum + countIn(leg), 0),
    );
    return now === before ? [] : [/** @type {[string, [number, number]]} */ ([name, [now, before]])];
  });
  return changed.length === 0 ? [] : [{ case: current.id, data: Object.fromEntries(changed) }];
}

/**
 * @param {[Case, Case]} pair
 * @param {{ run: ComparedRun, baseline: ComparedRun, tolerance: number | null }} context
 * @returns {{ comparisons: Compared[], absent: Absent[] }}
 */
function comparePair([current, earlier], { run, baseline, tolerance }) {
  const short = servedSome(run.summary, current) || servedSome(baseline.summary, earlier);
  const full = isFull(run.summary, current) || isFull(baseline.summary, earlier);
  const isFree = isClosed(run.summary, current) || isClosed(baseline.summary, earlier);
  const margin = marginOf(tolerance);
  const { workload, loop } = run.summary.config;
  const figures = comparedOf(
    { workload, loop: isAtRate(current) ? 'open' : loop },
    { legs: [...legsOf(run.summary, current), ...legsOf(baseline.summary, earlier)] },
  );
  const comparisons = figures.flatMap((figure) => {
    const [currentFigure, earlierFigure] = [current, earlier].map((side) => figureIn(side, figure));
    if (currentFigure === undefined || earlierFigure === undefined) return [];
    const [values, others] = [currentFigure.values, earlierFigure.values];
    const why =
      figure.compared.atEqualRate && isFree
        ? 'rates-differ'
        : isTime(figure) && (short ? 'served-some' : full ? 'follows-from-throughput' : undefined);
    const ratio =
      currentFigure.parts && earlierFigure.parts
        ? independentNestedRatio(startsOf(currentFigure).flat(), startsOf(earlierFigure).flat())
        : independentRatioInterval(values, others);
    const mark = why ? /** @type {Compared['mark']} */ ({ code: 'not-compared', why }) : markOf(figure, ratio, margin);
    const isGate =
      tolerance !== null &&
      !why &&
      isJudged(run, current, figure) &&
      isJudged(baseline, earlier, figure) &&
      // a run that requested fewer connections serves fewer
      !(figure.compared.isCount && requestedOf(run.summary, current) !== requestedOf(baseline.summary, earlier));
    const beyond = isGate && differsBy(figure, 'worse', tolerance, gateBounds(figure, ratio, values, others));
    const ids = { case: current.id, label: current.label, baseline: earlier.id };
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
      !(short && isTime(figure)) && figureIn(current, figure) === undefined && figureIn(earlier, figure) !== undefined,
  );
  return { comparisons, absent: absent.map(({ compared: { key } }) => ({ case: current.id, figure: key })) };
}

/** @param {Compared[]} comparisons @param {Absent[]} absent @param {number | null} tolerance @returns {Outcome} */
function outcomeOf(comparisons, absent, tolerance) {
  const judged = comparisons.some(({ mark }) => typeof mark.ratio?.low === 'number');
  if (tolerance === null) return judged ? 'compared' : 'not-known';
  if (absent.length > 0 || comparisons.some(({ beyond }) => beyond)) return 'worse';
  return !judged || comparisons.some(({ undecided }) => undecided) ? 'undecided' : 'not-worse';
}

/**
 * @param {ComparedRun} run @param {ComparedRun} baseline
 * @param {number | null} tolerance as a share; null: nothing is judged
 * @returns {RunsComparison | null} null if the runs have no case in common
 */
export function compareRuns(run, baseline, tolerance) {
  const [cases, baselineCases] = [run, baseline].map(({ summary }) => casesIn(summary));
  const pairs = pairsOf(cases, baselineCases);
  if (pairs.length === 0) return null;
  const names = namesOf(run, baseline);
  const compared = pairs.map((pair) => comparePair(pair, { run, baseline, tolerance }));
  const comparisons = compared.flatMap((pair) => pair.comparisons);
  const absent = compared.flatMap((pair) => pair.absent);
  const outcome = outcomeOf(comparisons, absent, tolerance);
  const unpaired = (/** @type {Case[]} */ sideCases, /** @type {0 | 1} */ side) =>
    sideCases.filter((server) => pairs.every((pair) => pair[side] !== server)).map(({ label }) => label);
  return {
    run: { id: run.summary.run, name: names[0] },
    baseline: { id: baseline.summary.run, name: names[1] },
    tolerance,
    outcome,
    comparisons,
    absent,
    failures: pairs.flatMap((pair) => failuresOf(pair, run, baseline)),
    unpaired: { run: unpaired(cases, 0), baseline: unpaired(baselineCases, 1) },
    conditions: differingConditions(run, baseline),
  };
}
