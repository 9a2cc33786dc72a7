/**
 * Which legs the charts show, and which part of the time: a strip that stays in view is the legend of every chart. Of
 * many legs it opens a list of all, by language. The page's script reacts to the buttons.
 */
import { grouped } from '../../model/leg-order.js';
import { html } from '../html.js';
import { dashOf } from '../../model/leg-marks.js';
import { count } from '../../../client/words/format.js';
import { legClass } from './leg-name.js';
import { withSpares } from './spares.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../html.js').Fragment} Fragment */

/** @param {number} mark of a leg @returns {Fragment} a piece of its line */
export const lineSwatch = (mark) =>
  html`<svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" stroke="currentColor"
stroke-width="2.5" stroke-dasharray="${dashOf(mark).join(' ') || 'none'}"/></svg>`;

/**
 * A button that draws a leg in every chart, or no longer.
 * @param {import('../../types.js').ChartLeg} leg @param {number} at its place there @returns {Fragment}
 */
const legButton = ({ label, color, mark, drawn }, at) =>
  html`<button type="button" class="${legClass(color)}" data-toggle="${at}" aria-pressed="${String(Boolean(drawn))}" title="Show or hide in every chart">${lineSwatch(mark)}<span>${label}</span></button>`;

/** Which part of the time all charts show, and the way back. */
const SPAN = html`<p class="span" data-zoomed hidden>Time: <b data-name="span"></b> <button type="button" data-zoom="reset">Reset zoom</button></p>`;

/**
 * @param {PageLeg[]} results
 * @param {Pick<import('../../types.js').ChartModel, 'legs' | 'many'>} model
 * @returns {Fragment}
 */
export function picker(results, { legs, many }) {
  if (many) return html`<div class="picker">${choiceOfMany(results, legs)}${SPAN}</div>`;
  // A single leg has nothing to choose: the strip is there only when its time is zoomed.
  if (legs.length === 1) return html`<div class="picker" data-zoomed hidden>${SPAN}</div>`;
  return html`<div class="picker few"><ul aria-label="Legs shown">${legs.map(
    (leg, at) => html`<li>${legButton({ ...leg, drawn: true }, at)}</li>`,
  )}</ul>${SPAN}</div>`;
}

/** @param {PageLeg[]} results @param {import('../../types.js').ChartLeg[]} legs @returns {Fragment} the list of all of them, and those that are shown */
function choiceOfMany(results, legs) {
  const place = (/** @type {PageLeg} */ f) => legs.findIndex(({ id }) => id === f.id);
  const groups = grouped(results)
    .map(({ name, results: own }) => ({ name, places: own.map(place).filter((at) => at >= 0) }))
    .filter(({ places }) => places.length > 0);
  const drawn = legs.filter((leg) => leg.drawn).length;
  const all = groups.flatMap(({ places }) => places);
  return html`<details data-popup><summary><b id="drawn-count">${count(drawn)}</b> of ${count(legs.length)} ${results.some((f) => f.summary.series !== undefined || f.summary.round > 1 || f.summary.start !== undefined) ? 'legs' : 'servers'} shown: choose</summary>
<div class="choice"><p class="which"><button type="button" data-set="first" data-draw="${all.filter((at) => legs[at].drawn).join()}">the first ${count(drawn)}</button>
<button type="button" data-set="all" data-draw="${all.join()}">all</button> <button type="button" data-set="none" data-draw="">none</button></p>${groups.map(
    ({ name, places }) =>
      html`<div class="language">${
        name
          ? html`<button type="button" class="name" data-some="${places.join()}" title="Show or hide all of them">${name}</button>`
          : null
      }<ul>${places.map((at) => html`<li>${legButton(legs[at], at)}</li>`)}</ul></div>`,
  )}</div></details><ul class="drawn" aria-label="Servers shown">${withSpares(
    all.map((leg) => ({
      leg,
      isDrawn: Boolean(legs[leg].drawn),
      element: html`<li data-drawn="${leg}">${legButton(legs[leg], leg)}</li>`,
    })),
  )}</ul>`;
}
