// How much a figure of a case is: the one answer, for tables, conditions, headline, exports and page. Pure. Counts add
// up over the starts of a server in a round. Over rounds the figure's row says whether the median counts, or the worst.
// A figure by which cases are compared is the median that they are compared by. What is no figure, such as the account
// of connections and the ramp, is that of one leg, the one that served the fewest connections.

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
 * @typedef {object} ShownCase  a server at one point of the sweep, or in one test; of a run whose cases have one leg
 *   each, a leg
 * @property {string} id
 * @property {string} label
 * @property {LegSummary[]} legs  in the order of the rounds, and in each of the starts
 * @property {LegSummary} worst  the leg that served the fewest connections
 * @property {boolean} complete  whether each of its legs is
 * @property {LegSummary['endedBy']} endedBy  of the first leg that is not complete, if there is one
 * @property {LegSummary['failure']} [failure]  likewise
 * @property {Round[]} rounds  that were measured
 * @property {number} disturbed  in how many of them other programs used the machine
 * @property {Case['figures']} figures  by which it is compared
 *
 * @typedef {object} Round
 * @property {LegSummary[]} legs  those that have figures, one of each start
 * @property {boolean} complete  whether each start of the round is
 *
 * @typedef {object} CaseValue
 * @property {Value} value  undefined: not measured
 * @property {number} [low]  of its 95 % interval; absent: there are too few values
 * @property {number} [high]  likewise
 * @property {Value[]} values  that it is the median or the worst of; of sides that differ there is no value
 * @property {'block' | 'round' | 'start' | 'second'} of  what has these values; second: the interval is over those of
 *   one leg
 * @property {boolean} isWhole  whether each round that counts has it, and has it in its steady state; a condition holds
 *   only where that is so
 */

/** @param {MeasuredLeg} leg @returns {number} connections that it served, or held where nothing was sent */
const servedBy = (leg) => served(leg) ?? leg.connections.openAtEnd - leg.connections.neverAnswered;

/** @param {LegSummary} leg @returns {leg is MeasuredLeg} */
const hasFigures = (leg) => isMeasured(leg) && figuresOf(leg) !== undefined;

/**
 * @param {LegSummary[]} legs of a case, not none
 * @param {Partial<Pick<Case, 'id' | 'label' | 'figures'>>} [known] of it in the run's summary
 * @returns {ShownCase}
 */
export function shownCase(legs, { id = legs[0].id, label = legs[0].label, figures: compared = {} } = {}) {
  const ordered = [...legs].sort((a, b) => (a.round ?? 1) - (b.round ?? 1) || startOf(a) - startOf(b));
  const rounds = [...new Set(ordered.map(({ round }) => round))].flatMap((round) => {
    const starts = ordered.filter((leg) => leg.round === round);
    const own = starts.filter(hasFigures);
    return own.length === 0 ? [] : [{ legs: own, complete: starts.every(({ complete }) => complete) }];
  });
  const ran = ordered.filter(hasFigures);
  const broken = ordered.find(({ complete }) => !complete);
  return {
    ...{ id, label, legs: ordered, rounds, figures: compared, complete: broken === undefined },
    worst:
      ran.reduce(
        (/** @type {LegSummary & MeasuredLeg | undefined} */ few, leg) =>
          few && servedBy(few) <= servedBy(leg) ? few : leg,
        undefined,
      ) ?? ordered[0],
    endedBy: (broken ?? ordered[0]).endedBy,
    ...present('failure', broken?.failure),
    disturbed: rounds.filter((round) => round.legs.some(isDisturbed)).length,
  };
}

/**
 * @param {Pick<RunSummary, 'legs' | 'cases'>} summary of a run
 * @returns {ShownCase[]} of a run with rounds, or several starts of a server, one for each case; of any other, one for
 *   each leg
 */
export function shownCases({ legs, cases = [] }) {
  if (cases.length > 0 && areRepeated(legs))
    return cases.flatMap((one) => {
      const own = legs.filter((leg) => caseOf(leg) === one.id);
      return own.length === 0 ? [] : [shownCase(own, one)];
    });
  return legs.map((leg) => shownCase([leg], { figures: cases.find((one) => one.legs.includes(leg.id))?.figures }));
}

/**
 * @param {ShownCase} shown @param {string} name of a request of its list
 * @returns {ShownCase} with what is known of that request
 */
export function caseOfRequest(shown, name) {
  const of = (/** @type {LegSummary} */ leg) => /** @type {LegSummary} */ (legOfRequest(leg, name));
  return {
    ...{ ...shown, figures: {}, legs: shown.legs.map(of), worst: of(shown.worst) },
    rounds: shown.rounds.map((round) => ({ ...round, legs: round.legs.map(of) })),
  };
}

/** @type {WeakMap<Round, Leg | undefined>} */
const sums = new WeakMap();

/** @param {Round} round of several starts @returns {Leg | undefined} their sum; undefined where there is none */
function sumOf(round) {
  if (!sums.has(round)) sums.set(round, sumOfStarts(round.legs));
  return sums.get(round);
}

/** @param {Figure} figure @returns {boolean} whether of several rounds the worst one counts */
export const isOfWorst = ({ rounds }) => rounds !== 'median';

/**
 * Percentiles of blocks leave out what is rare, and those of one case must be in order: all are of the same transfers.
 * @param {Figure} figure
 * @param {{ slices?: object }[]} legs of a case
 * @returns {boolean} whether its value is that of all transfers together, though it is compared by blocks
 */
const isOfAllTransfers = ({ group }, legs) => group === 'response time' && legs.some(({ slices }) => slices);

/**
 * @param {Figure} figure @param {ShownCase} shown
 * @returns {Leg[]} what it is read from: legs, or the sum of those of a round
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
  const found = isOfWorst(figure) ? undefined : shown.figures[figure.compared?.key ?? ''];
  const ofSeconds = legs.length > 1 || isSliced ? undefined : figure.interval?.(withFigures(legs[0]));
  if (found !== undefined && !isOfAllTransfers(figure, legs)) {
    const { median: value, values } = found;
    const [low, high] = ofSeconds ?? [found.low, found.high];
    return {
      ...{ value, ...present('low', low), ...present('high', high), isWhole },
      values: values.filter((one) => one !== null),
      of: ofSeconds ? 'second' : isSliced && figure.compared?.ofBlocks ? 'block' : placesOf(legs),
    };
  }
  const values = sources.map((leg) => figure.of?.(withFigures(leg)));
  const [low, high] = ofSeconds ?? [];
  return {
    value: overRounds(figure, values),
    ...{ ...present('low', low), ...present('high', high), isWhole },
    values: values.filter((one) => one !== undefined),
    of: ofSeconds ? 'second' : placesOf(sources),
  };
}

/** @param {Leg[]} legs @returns {'round' | 'start'} by which the legs differ */
const placesOf = (legs) => (roundsOf(legs) === 1 && startsOf(legs) > 1 ? 'start' : 'round');

/**
 * @param {Figure} figure @param {ShownCase} shown
 * @returns {[low: number, high: number] | undefined} of 95 %, over the rounds, starts or blocks of a case; undefined
 *   where there are too few
 */
export function intervalOf(figure, shown) {
  const { low, high, of } = valueOf(figure, shown);
  return of === 'second' || low === undefined || high === undefined ? undefined : [low, high];
}

/**
 * @param {Figure} figure @param {ShownCase} shown
 * @returns {{ text: string, range?: string, mark?: 'bad' | 'warning' }} of a table; range: its 95 % interval, over
 *   rounds, starts or blocks, or over the seconds of one leg
 */
export function cellOf(figure, shown) {
  const { value, values, low, high, of } = valueOf(figure, shown);
  const bounds = low === undefined || high === undefined ? undefined : /** @type {[number, number]} */ ([low, high]);
  const write = (/** @type {number} */ bound) => cellText(figure, bound);
  const range = bounds && boundsText(bounds, write, of === 'second' ? 'seconds' : undefined);
  // of several legs, what the one says whose value it is
  const { worst, legs } = shown;
  const isOfWorstLeg = legs.length === 1 || figure.of?.(worst) === value;
  const own = isOfWorstLeg ? figure.cell?.(withFigures(worst)) : undefined;
  const text = own ?? (figure.unit === 'side' && value === undefined ? sidesText(values) : cellText(figure, value));
  return { text, ...present('range', range), ...present('mark', markOf(figure, value)) };
}

/** @param {Value[]} sides of legs @returns {string} such as "server in 3 of 4" */
export function sidesText(sides) {
  const times = (/** @type {Value} */ side) => sides.filter((one) => one === side).length;
  const [most] = [...sides].sort((a, b) => times(b) - times(a));
  return most === undefined ? NOT_MEASURED : `${most} in ${count(times(most))} of ${count(sides.length)}`;
}

/**
 * @param {ShownCase} shown
 * @returns {Figures | undefined} of its leg, or of all starts of its round together; undefined of several rounds, whose
 *   figures are not added up
 */
export function spanOf({ rounds: [round, ...others] }) {
  if (round === undefined || others.length > 0) return undefined;
  return figuresOf((round.legs.length > 1 ? sumOf(round) : undefined) ?? round.legs[0]);
}

/**
 * Whether a sweep has a table of a figure: of failures only where there are some, of a part only where it is not the
 * whole.
 * @param {Figure} figure @param {ShownCase[]} cases
 * @returns {boolean}
 */
export function isSwept(figure, cases) {
  const { swept, mark, partOf } = figure;
  if (!swept) return false;
  const valuesIn = (/** @type {Figure} */ one) => cases.map((shown) => valueOf(one, shown).value);
  const values = valuesIn(figure);
  if (mark) return values.some((value) => Number(value) > 0);
  const whole = figureOf(partOf ?? '');
  const wholes = whole ? valuesIn(whole) : [];
  return values.some((value, i) => value !== wholes[i]);
}
