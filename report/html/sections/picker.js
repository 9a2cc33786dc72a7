/**
 * Which legs the charts show, and which part of the time: a strip that stays in view is the legend of every chart. Of many legs it opens a
 * list of all. The page's script reacts to the buttons.
 */
import { html } from '../html.js';
import { dashOf } from '../../model/leg-marks.js';
import { count } from '../../../client/words/format.js';
import { legClass } from './leg-name.js';
import { withSpares } from './spares.js';

/** @typedef {import('../html.js').Fragment} Fragment */

/** @param {number} mark of a leg @returns {Fragment} a piece of its line */
export const lineSwatch = (mark) =>
  html`<svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" stroke="currentColor" stroke-width="2.5" stroke-dasharray="${dashOf(mark).join(' ') || 'none'}"/></svg>`;

/** Which part of the time all charts show, and the way back. */
const SPAN = html`<p class="span" data-zoomed hidden>Time: <b data-name="span"></b> <button type="button" data-zoom="reset">Reset zoom</button></p>`;

/** @param {import('../../types.js').ChartModel} model @returns {Fragment} */
export function picker({ legs, many }) {
  // a single leg has nothing to choose: the strip is there only when its time is zoomed
  if (legs.length === 1) return html`<div class="picker" data-zoomed hidden>${SPAN}</div>`;
  const item =
    (/** @type {boolean} */ isOfDrawn) =>
    (/** @type {import('../../types.js').ChartLeg} */ { label, color, mark, drawn }, /** @type {number} */ at) =>
      html`<li${isOfDrawn ? html` data-drawn="${at}"` : null}><button type="button" class="${legClass(color)}" data-toggle="${at}" aria-pressed="${String(!many || drawn)}" title="Show or hide in every chart">${lineSwatch(mark)}<span>${label}</span></button></li>`;
  const buttons = legs.map(item(false));
  if (!many) return html`<div class="picker"><ul aria-label="Servers shown">${buttons}</ul>${SPAN}</div>`;
  const places = [...legs.keys()];
  const drawn = places.filter((at) => legs[at].drawn);
  return html`<div class="picker"><details><summary><b id="drawn-count">${count(drawn.length)}</b> of ${count(legs.length)} shown: choose</summary>
<p class="which"><button type="button" data-draw="${drawn.join()}">the first ${count(drawn.length)}</button> <button type="button" data-draw="${places.join()}">all</button> <button type="button" data-draw="">none</button></p>
<ul aria-label="All servers">${buttons}</ul></details><ul aria-label="Servers shown">${withSpares(
    legs.map((leg, at) => ({ leg: at, isDrawn: leg.drawn, element: item(true)(leg, at) })),
  )}</ul>${SPAN}</div>`;
}
