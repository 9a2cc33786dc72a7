/** Dots on a drawn axis, as HTML that needs no script. */
import { html } from './html.js';

/**
 * @import { DrawnAxis } from '../../client/judge/drawn-axis.js'
 * @import { Fragment } from './html.js'
 */

/** @param {number} share of the length @returns {string} within the lane */
const percentOf = (share) => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;

/**
 * @param {DrawnAxis} axis @param {(value: number) => string} text
 * @returns {Fragment} ticks, for the head of a column
 */
export const axisHead = ({ ticks, shareOf }, text) =>
  html`<span class="dots" aria-hidden="true">${ticks.map((tick) => html`<small style="left:${percentOf(shareOf(tick))}">${text(tick)}</small>`)}</span>`;

/**
 * @param {DrawnAxis} axis
 * @param {{ value: number, look: string }[]} dots  look: a class
 * @param {[number, number]} [line] from one value to another, below the dots
 * @returns {Fragment}
 */
export function dotLane({ ticks, shareOf }, dots, line) {
  const left = (/** @type {number} */ value) => percentOf(shareOf(value));
  return html`<span class="dots" aria-hidden="true">${ticks.map((tick) => html`<s style="left:${left(tick)}"></s>`)}${
    line && html`<u style="left:${left(line[0])};right:${percentOf(1 - shareOf(line[1]))}"></u>`
  }${dots.map(({ value, look }) => html`<i class="${look}" style="left:${left(value)}"></i>`)}</span>`;
}
