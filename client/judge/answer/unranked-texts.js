// Figures of servers that were measured too few times to be ranked, in words. Pure.
// The one thing to know: a server that left connections without a reply is not among them, because its figures are those of the
// others; what it did not serve is said as a problem.

import { nameOf, pointText } from '../comparisons.js';
import { counted } from '../../words/format.js';
import { servedOnlySome } from '../../words/figures.js';
import { joinNames } from '../../words/lists.js';
import { shortFigure } from './figure-texts.js';
import { pointsText } from './ranking-texts.js';

/**
 * @typedef {import('../cases.js').Case} Case
 * @typedef {import('../comparisons.js').FigureName} FigureName
 * @typedef {import('../../../config/types.js').LegSummary} Leg
 * @typedef {{ one: Case, text: string, value: number }} Shown
 */

/** Up to this number of servers, the figures of each are given; up to this number of points, those at each. */
const MOST_LISTED = 4;

/** @param {Case} one @param {Leg[]} legs @returns {Leg[]} its own that ran */
const legsOf = (one, legs) => legs.filter(({ id, connections }) => connections && one.legs.includes(id));

/** @param {Case[]} cases @param {Leg[]} legs @param {FigureName} figure @returns {Shown[]} those that have it */
const shownOf = (cases, legs, figure) =>
  cases.flatMap((one) => {
    const text = shortFigure(one, figure, legsOf(one, legs));
    return text === undefined ? [] : [{ one, text, value: one.figures[figure]?.median ?? Infinity }];
  });

/** @param {Shown[]} shown not empty @returns {[least: Shown, most: Shown]} */
const extremesOf = (shown) => [
  shown.reduce((a, b) => (b.value < a.value ? b : a)),
  shown.reduce((a, b) => (b.value > a.value ? b : a)),
];

/** @param {Shown[]} shown of one server, along the axis @returns {string} such as "epoll had 19,500/s to 33,000/s (most 50,000/s at 100 connections)" */
function alongText(shown) {
  const name = nameOf(shown[0].one);
  if (shown.length <= MOST_LISTED) return `${name} had ${joinNames(shown.map(({ text }) => text))}`;
  const [first, last] = [shown[0], shown[shown.length - 1]];
  const [least, most] = extremesOf(shown);
  const inner = [
    ...([first, last].includes(most) ? [] : [`most ${most.text} at ${pointText(most.one.axes)}`]),
    ...([first, last].includes(least) ? [] : [`least ${least.text} at ${pointText(least.one.axes)}`]),
  ];
  return `${name} had ${first.text} to ${last.text}${inner.length === 0 ? '' : ` (${inner.join(', ')})`}`;
}

/**
 * Of a sweep along one axis of numbers: each server from its first point to its last.
 * @param {Shown[]} shown @returns {string | undefined} undefined of other cases, or of too many servers
 */
function sweepText(shown) {
  const numberOf = (/** @type {Case} */ { axes }) => {
    const [value, ...others] = Object.values(axes);
    return others.length === 0 && typeof value === 'number' ? value : NaN;
  };
  const points = [...new Set(shown.map(({ one }) => numberOf(one)))].sort((a, b) => a - b);
  const names = [...new Set(shown.map(({ one }) => nameOf(one)))];
  if (points.length < 2 || points.some(Number.isNaN) || names.length > MOST_LISTED) return undefined;
  const sorted = [...shown].sort((a, b) => numberOf(a.one) - numberOf(b.one));
  const whole = names
    .map((name) => sorted.filter(({ one }) => nameOf(one) === name))
    .filter((own) => own.length === points.length);
  if (whole.length === 0) return undefined;
  const axes = whole[0].map(({ one }) => one.axes);
  const [first, last] = [axes[0], axes[axes.length - 1]].map(pointText);
  const at = points.length <= MOST_LISTED ? `at ${pointsText(axes)}` : `from ${first} to ${last}`;
  return `${at}, ${whole.map(alongText).join('; ')}`;
}

/** @param {Case[]} cases @param {Leg[]} legs @param {FigureName} figure @returns {string} such as "73,200/s, p99 3.4 ms" */
function listedText(cases, legs, figure) {
  return cases
    .flatMap((one) => {
      const texts = /** @type {FigureName[]} */ (figure === 'perSecond' ? ['perSecond', 'p99Ns'] : [figure]).flatMap(
        (name) => shortFigure(one, name, legsOf(one, legs)) ?? [],
      );
      return texts.length === 0 ? [] : [`${one.label} ${texts.join(', ')}`];
    })
    .join('; ');
}

/**
 * @param {Case[]} cases @param {Leg[]} legs @param {FigureName} figure the most important one of the load
 * @returns {string} the figures of each server, or their range; empty where nothing was measured
 */
export function figuresOfAll(cases, legs, figure) {
  const whole = cases.filter((one) =>
    legsOf(one, legs).every((leg) => servedOnlySome(/** @type {any} */ (leg)) === undefined),
  );
  const shown = shownOf(whole, legs, figure);
  const along = sweepText(shown);
  if (along !== undefined) return along;
  if (shown.length <= MOST_LISTED) return listedText(whole, legs, figure);
  const [least, most] = extremesOf(shown);
  const what = cases.some(({ axes }) => Object.keys(axes).length > 0) ? 'case' : 'server';
  const which = counted(shown.length, what);
  return `${whole.length === cases.length ? which : `the ${which} that served every connection`} had between ${least.text} (${least.one.label}) and ${most.text} (${most.one.label})`;
}
