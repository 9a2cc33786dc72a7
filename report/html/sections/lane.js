/** A lane: a value with its interval, and the values that it is the median of, drawn on an axis as SVG. */
import { html } from '../html.js';

/** @import { Fragment } from '../html.js' */

/** Of a lane, in units of its picture, which is as wide as its cell. */
export const WIDTH = 100;
/** From this height on there is room for the single values, below the interval. */
const TALL = 30;
/** Places of single values across the height, in shares, so that neighbours do not hide each other. */
const SCATTER = [0.65, 0.8, 0.72, 0.88, 0.68, 0.84, 0.76];

/** @param {number} share of the axis @returns {string} its place in the lane, also %  */
export const shareText = (share) => (share * WIDTH).toFixed(1);
/** @param {number} share @returns {number} within the lane */
export const within = (share) => Math.min(1, Math.max(0, share));
/** @param {number} share @returns {boolean} */
const isIn = (share) => share >= 0 && share <= 1;

/** @param {{ at: number }[]} ticks @param {number} height @returns {string} the lines at them, as a path */
export const gridOf = (ticks, height) => ticks.map(({ at }) => `M${shareText(at)} 0V${height}`).join('');

/** @param {number} height @param {unknown} content @returns {Fragment} its marks keep their size, whatever its width */
export const laneOf = (height, content) =>
  html`<svg class="lane" viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" aria-hidden="true">${content}</svg>`;

/**
 * @param {{ at: number, interval?: [number, number], values: number[], isKnown: boolean } | undefined} drawn  shares of
 *   the axis; isKnown: a full dot; undefined: nothing
 * @param {{ ticks: { at: number }[], band?: [number, number], height: number }} axis
 * @param {Fragment | null} [more] marks above the grid
 * @returns {Fragment}
 */
export function lane(drawn, { ticks, band = [0, 0], height }, more = null) {
  const isTall = height >= TALL;
  const middle = isTall ? height / 3 : height / 2;
  const [from, to] = band.map(within);
  const place = drawn && `M${shareText(within(drawn.at))} ${middle}h0`;
  const dots = (drawn?.values ?? [])
    .filter(isIn)
    .map((share, i) => `M${shareText(share)} ${(height * SCATTER[i % SCATTER.length]).toFixed(1)}h0`);
  return laneOf(
    height,
    html`${
      to > from
        ? html`<rect class="band" x="${shareText(from)}" y="0" width="${shareText(to - from)}" height="${height}"/>`
        : null
    }<path class="grid" d="${gridOf(ticks, height)}"/>${more}${
      isTall && dots.length > 0 ? html`<path class="blocks" d="${dots.join('')}"/>` : null
    }${
      drawn?.interval === undefined
        ? null
        : html`<path class="interval" d="M${shareText(within(drawn.interval[0]))} ${middle}H${shareText(within(drawn.interval[1]))}"/>`
    }${drawn === undefined ? null : html`<path class="value" d="${place}"/>`}${
      drawn === undefined || drawn.isKnown ? null : html`<path class="hollow" d="${place}"/>`
    }`,
  );
}
