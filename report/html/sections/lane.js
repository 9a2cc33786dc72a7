/** A lane: values and intervals on an axis, drawn as SVG without a script. */
import { html } from '../html.js';

/**
 * @import { DrawnAxis } from '../../../client/judge/drawn-axis.js'
 * @import { Fragment } from '../html.js'
 */

/** Width of a lane in units of its SVG, which is as wide as its cell. */
export const WIDTH = 100;
/** Minimum height of a lane that shows single values below the interval. */
const TALL = 30;
/** Height of a lane with dots only. */
const LOW = 18;
/** Vertical places of single values, in shares of the height, so that neighbours do not hide each other. */
const SCATTER = [0.65, 0.8, 0.72, 0.88, 0.68, 0.84, 0.76];

/** @param {number} share of the axis @returns {string} place in the lane, in its units and in % */
export const shareText = (share) => (share * WIDTH).toFixed(1);
/** @param {number} share @returns {number} the share, limited to 0..1 */
export const within = (share) => Math.min(1, Math.max(0, share));
/** @param {number} share @returns {boolean} */
const isIn = (share) => share >= 0 && share <= 1;

/** @param {{ at: number }[]} ticks @param {number} height @returns {string} path of the lines at the ticks */
export const gridOf = (ticks, height) => ticks.map(({ at }) => `M${shareText(at)} 0V${height}`).join('');

/**
 * @param {number} height @param {unknown} content
 * @returns {Fragment} an SVG that stretches without scaling its marks
 */
export const laneOf = (height, content) =>
  html`<svg class="lane" viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" aria-hidden="true">${content}</svg>`;

/**
 * @param {number} share of the axis @param {number} middle of the lane @param {string} [look] class
 * @param {boolean} [isOpen] a ring instead of a disc
 * @returns {Fragment}
 */
function dot(share, middle, look = '', isOpen = false) {
  const place = `M${shareText(within(share))} ${middle}h0`;
  return html`<path class="value${look && ` ${look}`}" d="${place}"/>${isOpen ? html`<path class="hollow" d="${place}"/>` : null}`;
}

/** @param {[number, number]} shares of the axis @param {number} middle of the lane @returns {Fragment} */
const intervalLine = ([from, to], middle) =>
  html`<path class="interval" d="M${shareText(within(from))} ${middle}H${shareText(within(to))}"/>`;

/**
 * @param {{ at: number, interval?: [number, number], values: number[], isKnown: boolean } | undefined} drawn  shares of
 *   the axis; isKnown: a disc, else a ring
 * @param {{ ticks: { at: number }[], band?: [number, number], height: number }} axis
 * @param {Fragment | null} [marks] drawn above the grid
 * @returns {Fragment}
 */
export function lane(drawn, { ticks, band = [0, 0], height }, marks = null) {
  const isTall = height >= TALL;
  const middle = isTall ? height / 3 : height / 2;
  const [from, to] = band.map(within);
  const dots = (drawn?.values ?? [])
    .filter(isIn)
    .map((share, i) => `M${shareText(share)} ${(height * SCATTER[i % SCATTER.length]).toFixed(1)}h0`);
  return laneOf(
    height,
    html`${
      to > from
        ? html`<rect class="band" x="${shareText(from)}" y="0" width="${shareText(to - from)}" height="${height}"/>`
        : null
    }<path class="grid" d="${gridOf(ticks, height)}"/>${marks}${
      isTall && dots.length > 0 ? html`<path class="blocks" d="${dots.join('')}"/>` : null
    }${drawn?.interval && intervalLine(drawn.interval, middle)}${drawn && dot(drawn.at, middle, '', !drawn.isKnown)}`,
  );
}

/**
 * @param {DrawnAxis} axis
 * @param {{ value: number, look: string, isOpen?: boolean }[]} dots  look: class
 * @param {[number, number]} [line] ends of a line below the dots
 * @returns {Fragment}
 */
export const dotLane = ({ ticks, shareOf }, dots, line) =>
  laneOf(
    LOW,
    html`<path class="grid" d="${gridOf(
      ticks.map((value) => ({ at: shareOf(value) })),
      LOW,
    )}"/>${line && intervalLine([shareOf(line[0]), shareOf(line[1])], LOW / 2)}${dots.map(({ value, look, isOpen }) => dot(shareOf(value), LOW / 2, look, isOpen))}`,
  );

/** Width of a character of a tick, and least distance of two ticks: px at --font-small of style/page.css. */
const [TICK_CHARACTER, TICK_GAP] = [6.6, 6];

/**
 * On a narrow lane, ticks are hidden; the ends of the axis last, then its middle.
 * @param {{ at: number, text: string }[]} ticks in order
 * @returns {number[]} minimum width of a lane that shows the tick, px
 */
export function leastWidths(ticks) {
  const ends = [0, ticks.length - 1];
  const fromMiddle = (/** @type {number} */ i) => Math.abs(i - (ticks.length - 1) / 2);
  const order = [...ticks.keys()].sort(
    (a, b) => Number(ends.includes(b)) - Number(ends.includes(a)) || fromMiddle(a) - fromMiddle(b) || a - b,
  );
  return ticks.map(({ at, text }, i) =>
    order.slice(0, order.indexOf(i)).reduce((least, other) => {
      const needed = (TICK_CHARACTER * (text.length + ticks[other].text.length)) / 2 + TICK_GAP;
      return Math.max(least, Math.ceil(needed / Math.abs(at - ticks[other].at)));
    }, 0),
  );
}

/**
 * @param {{ at: number, text: string }[]} ticks in order
 * @returns {Fragment} the values along an axis; CSS hides those without room
 */
export function tickLine(ticks) {
  const least = leastWidths(ticks);
  return html`<span class="ticks" aria-hidden="true">${ticks.map(({ at, text }, i) => html`<i style="left:${shareText(at)}%;--from:${least[i]}px">${text}</i>`)}</span>`;
}

/** @param {DrawnAxis} axis @param {(value: number) => string} text @returns {Fragment} */
export const axisLine = ({ ticks, shareOf }, text) =>
  tickLine(ticks.map((value) => ({ at: shareOf(value), text: text(value) })));
