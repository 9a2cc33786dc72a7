// The value of a figure of a case, for tables, conditions, headline, exports and page. Counts add up over the starts of
// a server in a round. Over rounds, the figure's row says which value counts. A figure by which cases are compared has
// the median that the comparison uses. Other facts, such as the account of connections and the ramp, are those of the
// leg that served the fewest connections.

import { figuresOf, isMeasured, withFigures } from '../measure/leg-figures.js';
import { present } from '../measure/sums.js';
import { count, NOT_MEASURED } from '../words/format.js';
import { boundsText } from '../words/intervals.js';
import { areRepeated, caseOf, roundsOf, startOf, startsOf } from './cases.js';
import { isDisturbed } from './disturbances.js';
import { cellText, markOf, overRounds } from './figure-values.js';
import { figureOf, served } from './figures.js';
import { legOfRequest } from './requests.js';
import { sumOfStarts } from './starts.js';

/**
 * @import { Case, Figures, LegSummary, RunSummary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 * @import { Figure, Leg, Value } from './figures.js'
 */

/**
 * @typedef {object} ShownCase  a server at one point of the sweep, or in one test; a leg, if cases have one leg each
 * @property {string} id
 * @property {string} label
 * @property {LegSummary[]} legs  in the order of rounds and starts
 * @property {LegSummary} worst  the leg that served the fewest connections
 * @property {boolean} complete  whether all its legs are
 * @property {LegSummary['endedBy']} endedBy  of the first leg that is not complete, if there is one
 * @property {LegSummary['failure']} [failure]  likewise
 * @property {Round[]} rounds  that were measured
 * @property {number} disturbed  number of rounds in which other programs used the machine
 * @property {Case['figures']} figures  by which it is compared
 *
 * @typedef {object} Round
 * @property {LegSummary[]} legs  that have figures, one for each start
 * @property {boolean} complete  whether all starts of the round are
 *
 * @typedef {object} CaseValue
 * @property {Value} value  undefined if it was not measured, or if sides differ
 * @property {number} [low]  of the 95 % interval; absent if there are too few values
 * @property {number} [high]  likewise
 * @property {Value[]} values  from which the value was chosen
 * @property {'block' | 'round' | 'start' | 'second'} of  what has these values; second: the interval is over the
 *   seconds of one leg
 * @property {boolean} isWhole  whether every round that counts has the figure in its steady state; only then does a
 *   condition hold
 */

/** @param {MeasuredLeg} leg @returns {number} connections that it served; if nothing was sent, those that it held */
const servedBy = (leg) => served(leg) ?? leg.connections.openAtEnd - leg.connections.neverAnswered;

/** @param {LegSummary} leg @returns {leg is MeasuredLeg} */
const hasFigures = (leg) => isMeasured(leg) && figuresOf(leg) !== undefined;

/**
 * @param {LegSummary[]} legs of a case, at least one
 * @param {Partial<Pick<Case, 'id' | 'label' | 'figures'>>} [known] the case in the run's summary
 * @returns {ShownCase}
 */
export function shownCase(legs, { id = legs[0].id, label = legs[0].label, figures: compared = {} } = {}) {
  const ordered = [...legs].sort((a, b) => (a.round ?? 1) - (b.round ?? 1) || startOf(a) - startOf(b));
  const rounds = [...new Set(ordered.map(({ round }) => round))].flatMap((round) => {
    const starts = ordered.filter((leg) => leg.round === round);
    const measured = starts.filter(hasFigures);
    return measured.length === 0 ? [] : [{ legs: measured, complete: starts.every(({ complete }) => complete) }];
  });
  const ran = ordered.filter(hasFigures);
  const broken = ordered.find(({ complete }) => !complete);
  return {
    ...{ id, label, legs: ordered, rounds, figures: compared, complete: broken === undefined },
    worst:
      ran.reduce(
        (/** @type {LegSummary & MeasuredLeg | undefined} */ fewest, leg) =>
          fewest && servedBy(fewest) <= servedBy(leg) ? fewest : leg,
        undefined,
      ) ?? ordered[0],
    endedBy: (broken ?? ordered[0]).endedBy,
    ...present('failure', broken?.failure),
    disturbed: rounds.filter((round) => round.legs.some(isDisturbed)).length,
  };
}

/**
 * @param {Pick<RunSummary, 'legs' | 'cases'>} summary of a run
 * @returns {ShownCase[]} one for each case, if the run has rounds or several starts of a server; otherwise one for each
 *   leg
 */
export function shownCases({ legs, cases = [] }) {
  if (cases.length > 0 && areRepeated(legs))
    return cases.flatMap((server) => {
      const caseLegs = legs.filter((leg) => caseOf(leg) === server.id);
      return caseLegs.length === 0 ? [] : [shownCase(caseLegs, server)];
    });
  return legs.map((leg) =>
    shownCase([leg], { figures: cases.find((server) => server.legs.includes(leg.id))?.figures }),
  );
}

/**
 * @param {ShownCase} shown @param {string} name of a request of its list
 * @returns {ShownCase} with the figures of the request
 */
export function caseOfRequest(shown, name) {
  const requestLeg = (/** @type {LegSummary} */ leg) => /** @type {LegSummary} */ (legOfRequest(leg, name));
  return {
    ...{ ...shown, figures: {}, legs: shown.legs.map(requestLeg), worst: requestLeg(shown.worst) },
    rounds: shown.rounds.map((round) => ({ ...round, legs: round.legs.map(requestLeg) })),
  };
}

/** @type {WeakMap<Round, Leg | undefined>} */
const sums = new WeakMap();

/** @param {Round} round of several starts @returns {Leg | undefined} the sum of the starts; undefined without one */
function sumOf(round) {
  if (!sums.has(round)) sums.set(round, sumOfStarts(round.legs));
  return sums.get(round);
}

/** @param {Figure} figure @returns {boolean} whether the worst of several rounds counts */
export const isOfWorst = ({ rounds }) => rounds !== 'median';

/**
 * Whether a figure that is compared by blocks has the value of all transfers together. Percentiles of blocks leave out
 * what is rare, and the percentiles of a case must ascend.
 * @param {Figure} figure
 * @param {{ slices?: object }[]} legs of a case
 * @returns {boolean}
 */
const isOfAllTransfers = ({ group }, legs) => group === 'response time' && legs.some(({ slices }) => slices);

/**
 * @param {Figure} figure @param {ShownCase} shown
 * @returns {Leg[]} from which the figure is read: legs, or the sum of the legs of a round
 */
function sourcesOf(figure, { rounds, legs }) {
  if (rounds.length === 0) return legs;
  const complete = rounds.filter((round) => round.complete);
  const used = isOfWorst(figure) || complete.length === 0 ? rounds : complete;
  /** @type {(round: Round) => Leg[]} */
  const read = (round) => {
    const sum = figure.ofEachStart || round.legs.length === 1 ? undefined : sumOf(round);
    return sum === undefined ? round.legs : [sum];
  };
  return used.flatMap(read);
}

/**
 * @param {Figure} figure
 * @param {ShownCase} shown
 * @returns {CaseValue}
 */
export function valueOf(figure, shown) {
  const { legs } = shown;
  const isSliced = legs.some(({ slices }) => slices);
  const sources = sourcesOf(figure, shown);
  const isWhole = sources.every((leg) => figure.of?.(leg) !== undefined);
  const compared = isOfWorst(figure) ? undefined : shown.figures[figure.compared?.key ?? ''];
  const ofSeconds = legs.length > 1 || isSliced ? undefined : figure.interval?.(withFigures(legs[0]));
  if (compared !== undefined && !isOfAllTransfers(figure, legs)) {
    const { median: value, values } = compared;
    const [low, high] = ofSeconds ?? [compared.low, compared.high];
    return {
      ...{ value, ...present('low', low), ...present('high', high), isWhole },
      values: values.filter((value) => value !== null),
      of: ofSeconds ? 'second' : isSliced && figure.compared?.ofBlocks ? 'block' : placesOf(legs),
    };
  }
  const values = sources.map((leg) => figure.of?.(withFigures(leg)));
  const [low, high] = ofSeconds ?? [];
  return {
    value: overRounds(figure, values),
    ...{ ...present('low', low), ...present('high', high), isWhole },
    values: values.filter((value) => value !== undefined),
    of: ofSeconds ? 'second' : placesOf(sources),
  };
}

/** @param {Leg[]} legs @returns {'round' | 'start'} what distinguishes the legs */
const placesOf = (legs) => (roundsOf(legs) === 1 && startsOf(legs) > 1 ? 'start' : 'round');

/**
 * @param {Figure} figure @param {ShownCase} shown
 * @returns {[low: number, high: number] | undefined} of 95 %, over the rounds, starts or blocks of a case; undefined if
 *   there are too few
 */
export function intervalOf(figure, shown) {
  const { low, high, of } = valueOf(figure, shown);
  return of === 'second' || low === undefined || high === undefined ? undefined : [low, high];
}

/**
 * @param {Figure} figure @param {ShownCase} shown
 * @returns {{ text: string, range?: string, mark?: 'bad' | 'warning' }} for a table; range: the 95 % interval over
 *   rounds, starts or blocks, or over the seconds of one leg
 */
export function cellOf(figure, shown) {
  const { value, values, low, high, of } = valueOf(figure, shown);
  const bounds = low === undefined || high === undefined ? undefined : /** @type {[number, number]} */ ([low, high]);
  const write = (/** @type {number} */ bound) => cellText(figure, bound);
  const range = bounds && boundsText(bounds, write, of === 'second' ? 'seconds' : undefined);
  // with several legs, only the leg that has the value can add to it
  const { worst, legs } = shown;
  const isOfWorstLeg = legs.length === 1 || figure.of?.(worst) === value;
  const legText = isOfWorstLeg ? figure.cell?.(withFigures(worst)) : undefined;
  const text = legText ?? (figure.unit === 'side' && value === undefined ? sidesText(values) : cellText(figure, value));
  return { text, ...present('range', range), ...present('mark', markOf(figure, value)) };
}

/** @param {Value[]} sides of legs @returns {string} such as "server in 3 of 4" */
export function sidesText(sides) {
  const times = (/** @type {Value} */ side) => sides.filter((value) => value === side).length;
  const [commonest] = [...sides].sort((a, b) => times(b) - times(a));
  return commonest === undefined
    ? NOT_MEASURED
    : `${commonest} in ${count(times(commonest))} of ${count(sides.length)}`;
}

/**
 * @param {ShownCase} shown
 * @returns {Figures | undefined} of the only round: of its leg, or of all its starts together; undefined for several
 *   rounds, which are not added up
 */
export function spanOf({ rounds: [round, ...others] }) {
  if (round === undefined || others.length > 0) return undefined;
  return figuresOf((round.legs.length > 1 ? sumOf(round) : undefined) ?? round.legs[0]);
}

/**
 * Whether a sweep has a table of a figure: for failures only if there are some, for a part only if it differs from the
 * whole.
 * @param {Figure} figure @param {ShownCase[]} cases
 * @returns {boolean}
 */
export function isSwept(figure, cases) {
  const { swept, mark, partOf } = figure;
  if (!swept) return false;
  const valuesIn = (/** @type {Figure} */ sweptFigure) => cases.map((shown) => valueOf(sweptFigure, shown).value);
  const values = valuesIn(figure);
  if (mark) return values.some((value) => Number(value) > 0);
  const whole = figureOf(partOf ?? '');
  const wholes = whole ? valuesIn(whole) : [];
  return values.some((value, i) => value !== wholes[i]);
}
