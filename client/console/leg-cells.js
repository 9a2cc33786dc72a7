// What the tables of legs share: the figures that they show, as cells, and the remarks below. Pure.

import { intervalIn, isOfWorst, valueIn } from '../judge/case-legs.js';
import { figures } from '../judge/figures.js';
import { cellText, isTold, markOf } from '../judge/figure-values.js';
import { coverageOf } from '../measure/leg-figures.js';
import { incompleteText } from '../words/endings.js';
import { servedOnlySome } from '../words/figures.js';
import { NOT_MEASURED } from '../words/format.js';
import { boundsText } from '../words/intervals.js';
import { wrap } from './terminal-text.js';

/**
 * @typedef {import('../judge/case-legs.js').ShownLeg} LegSummary
 * @typedef {import('../judge/figures.js').Figure} Figure
 * @typedef {import('./terminal-text.js').Tone} Tone
 *
 * @typedef {object} Shown  a figure of which some leg has a value, or the interval of one
 * @property {string} title
 * @property {string} column  below the title of its group
 * @property {string} group
 * @property {number} [rank]
 * @property {boolean} [left]
 * @property {boolean} [isOfWorst]  over rounds, of the worst one; all others are medians, or the same in each
 * @property {(leg: LegSummary) => string} text
 * @property {(leg: LegSummary) => Tone | null} [tone]
 * @property {Figure} [figure]  absent: an interval
 */

const WIDEST_REMARK = 120;
/** Marks figures that are of some connections only; a remark says so. */
const MARK = '*';
/** By how much a figure of connections that come and go is more important where they do. */
const RENEWED = 5;
/** Of the columns of intervals. */
const INTERVAL_RANK = 6.5;
/** @type {Readonly<Record<NonNullable<Figure['mark']>, Tone>>} */
const TONES = { bad: 'red', warning: 'yellow' };

/** @param {LegSummary[]} legs @returns {boolean} whether they are cases of several rounds, whose figures are medians */
export const areOfRounds = (legs) => legs.some(({ rounds = 1 }) => rounds > 1);

/** @param {LegSummary[]} legs @returns {string[]} what the figures of several rounds or starts are; none of one */
export function roundsNote(legs) {
  const rounds = Math.max(...legs.map(({ rounds: own = 1 }) => own));
  const starts = Math.max(...legs.map(({ starts: own = 1 }) => own));
  const ofStarts =
    starts === 1
      ? []
      : [
          ` Of ${starts} starts of each server: their counts and histograms are added; of connections, those of the start that served the fewest.`,
        ];
  if (rounds === 1) return ofStarts;
  return [
    ...ofStarts,
    ` Medians of ${rounds} rounds. Worst: of connections, those of the round that served the fewest; of all else, the round with the worst value.`,
  ];
}

/**
 * A percentile that is only known to be more than all times counts requests without a reply, so it is of all connections.
 * @param {string} text of a figure @param {LegSummary} leg
 * @returns {string} with the mark, or with room for it
 */
const withMark = (text, leg) =>
  `${text}${servedOnlySome(leg) === undefined || text.startsWith('>') ? ' '.repeat(MARK.length) : MARK}`;

/** @param {Figure} figure @param {LegSummary[]} legs @returns {Shown[]} its interval over the rounds, or over the seconds of a leg */
function intervalOf(figure, legs) {
  const { compared, partOf, unit, title = figure.name, column = title, group, rank = 0 } = figure;
  if (compared === undefined || partOf !== undefined || unit === 'count') return [];
  const ofRounds = areOfRounds(legs);
  const boundsOf = (/** @type {LegSummary} */ leg) => (ofRounds ? intervalIn(figure, leg) : figure.interval?.(leg));
  if (legs.every((leg) => boundsOf(leg) === undefined)) return [];
  const write = (/** @type {number} */ bound) => cellText(figure, bound);
  return [
    {
      title: `  95 % interval${ofRounds ? '' : ' over time'}`,
      column: `95 % CI of ${column}`,
      group,
      ...(ofRounds ? { rank: INTERVAL_RANK + rank / 100 } : {}),
      text: (leg) => {
        const bounds = boundsOf(leg);
        return bounds === undefined ? NOT_MEASURED : boundsText(bounds, write, ofRounds ? 'rounds' : 'seconds');
      },
    },
  ];
}

/** @param {LegSummary[]} legs @returns {Shown[]} in the order of the list */
export function shownFigures(legs) {
  const ofRounds = areOfRounds(legs);
  const someMarked = legs.some(servedOnlySome);
  const areRenewed = legs.every(({ churns }) => churns);
  return figures.flatMap((figure) => {
    const { title = figure.name, column = title, group, rank, partOf, unit, ofServed, renewed } = figure;
    if (figure.of === undefined || figure.isDetail) return [];
    const of = (/** @type {LegSummary} */ leg) => valueIn(figure, leg);
    if (!isTold(figure, legs.map(of))) return [];
    const text = (/** @type {LegSummary} */ leg) => figure.cell?.(leg) ?? cellText(figure, of(leg));
    return [
      {
        title: `${partOf === undefined ? '' : '  '}${title}`,
        ...{ column, group, figure },
        ...(rank === undefined ? {} : { rank: areRenewed && renewed ? rank - RENEWED : rank }),
        left: unit === 'side',
        isOfWorst: ofRounds && isOfWorst(figure),
        text: (leg) => (someMarked && ofServed && of(leg) !== undefined ? withMark(text(leg), leg) : text(leg)),
        tone: (leg) => {
          const mark = markOf(figure, of(leg));
          return mark ? TONES[mark] : null;
        },
      },
      ...intervalOf(figure, legs),
    ];
  });
}

/** @param {LegSummary} leg @returns {string} what its figures cover, where that is not the steady state */
export const coverage = (leg) => (leg.beforeSteady || leg.wholeLeg ? `the ${coverageOf(leg)}` : NOT_MEASURED);

/** @param {LegSummary[]} legs @returns {string} who served only some of the connections requested; empty without any */
export function someServedRemark(legs) {
  const some = legs.flatMap((leg) => {
    const said = servedOnlySome(leg);
    return said === undefined ? [] : [`${leg.label}${leg.label.includes(', ') ? ':' : ''} ${said}`];
  });
  return some.length > 0 ? `${MARK} Only of the connections that were served: ${[...new Set(some)].join('; ')}.` : '';
}

/** @param {LegSummary[]} legs @returns {string} empty where all have reached their steady state */
function earlyRemark(legs) {
  const early = legs.filter((leg) => leg.beforeSteady);
  if (early.length === 0) return '';
  const before = [...new Set(early.map(coverage))].join(' or ');
  return `Figures of ${before}, in which the leg ended: ${early.map(({ label }) => label).join('; ')}.`;
}

/** @param {LegSummary[]} legs @returns {string[]} what a table without a column for each leg has to say of some */
export const legRemarks = (legs) => [someServedRemark(legs), earlyRemark(legs), incompleteText(legs)];

/** @param {string[]} texts @param {number} width of the terminal @returns {string[]} those that are not empty, in lines */
export const remarkLines = (texts, width) =>
  texts.filter((text) => text !== '').flatMap((text) => wrap(` ${text}`, Math.min(width, WIDEST_REMARK)));
