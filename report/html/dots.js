/** Dots on a logarithmic axis, as HTML that needs no script. */
import { html } from './html.js';

/** @import { Fragment } from './html.js' */

/**
 * @typedef {{ at: (value: number) => number, ticks: { at: number, value: number }[] }} Axis  at: 0..100, from the left
 */

/** Ticks within a decade, of an axis over one to two of them, and of a shorter one. */
const SOME = [1, 2, 5];
const MANY = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8];
/** Between the texts of two ticks, of the width. */
const LEAST_GAP = 16;

/**
 * @param {number[]} values above 0
 * @returns {Axis | null} with room at both ends; null without values
 */
export function logAxis(values) {
  if (values.length === 0) return null;
  const low = Math.log10(Math.min(...values)) - 0.1;
  const high = Math.log10(Math.max(...values)) + 0.1;
  const at = (/** @type {number} */ value) => (100 * (Math.log10(value) - low)) / (high - low);
  const decades = Array.from({ length: Math.floor(high) - Math.floor(low) + 1 }, (_, i) => Math.floor(low) + i);
  const steps = high - low > 2 ? [1] : high - low > 1 ? SOME : MANY;
  const each = decades.flatMap((n) => steps.map((step) => step * 10 ** n));
  /** @type {Axis['ticks']} */
  const ticks = [];
  for (const value of each) {
    const place = at(value);
    if (place >= 0 && place <= 100 && place - (ticks.at(-1)?.at ?? -LEAST_GAP) >= LEAST_GAP)
      ticks.push({ at: place, value });
  }
  return { at, ticks };
}

/** @param {number} at @returns {Fragment} */
const left = (at) => html`left:${at.toFixed(2)}%`;

/** @param {Axis} axis @param {(value: number) => string} text @returns {Fragment} ticks, for the head of a column */
export const axisHead = ({ ticks }, text) =>
  html`<span class="dots" aria-hidden="true">${ticks.map(({ at, value }) => html`<small style="${left(at)}">${text(value)}</small>`)}</span>`;

/**
 * @param {Axis} axis
 * @param {{ value: number, look: string }[]} dots  look: a class
 * @param {[number, number]} [line] from one value to another, below the dots
 * @returns {Fragment}
 */
export function dotLane({ at, ticks }, dots, line) {
  const [from, to] = line?.map(at) ?? [0, 0];
  return html`<span class="dots" aria-hidden="true">${ticks.map((tick) => html`<s style="${left(tick.at)}"></s>`)}${
    line && html`<u style="${left(from)};width:${(to - from).toFixed(2)}%"></u>`
  }${dots.map(({ value, look }) => html`<i class="${look}" style="${left(at(value))}"></i>`)}</span>`;
}
