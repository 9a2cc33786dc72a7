/**
 * Runs in the page. Where the labels of a chart have room: those of marks along the x axis in rows at the top, those of gaps at
 * the bottom. None lies on another; what has no room is left out, and its line or hatching stays.
 */
import { pageFont, SMALL_TEXT } from './theme.js';

/** Of a label, px. */
export const LINE_HEIGHT = 14;
/** Labels of marks cover at most this part of a chart. */
const MOST_COVERED = 0.4;
/** Between a mark and its label, px. */
const ASIDE = 4;

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box  px */

/** @param {Box} a @param {Box} b @returns {boolean} */
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} [weight] @returns {number} px */
function textWidth(context, text, weight = 400) {
  context.save();
  context.font = `${weight} ${SMALL_TEXT}px ${pageFont()}`;
  const { width } = context.measureText(text);
  context.restore();
  return width;
}

/**
 * @param {import('./types.js').Drawn} chart
 * @param {{ axis: string, at: number, label: string, colour: string }[]} marks the most important first
 * @returns {{ label: string, colour: string, x: number, align: 'left' | 'right', box: Box }[]} of those along the x axis
 */
export function markLabels({ ctx, chartArea, scales }, marks) {
  const most = Math.max(1, Math.floor((MOST_COVERED * (chartArea.bottom - chartArea.top)) / LINE_HEIGHT));
  /** @type {ReturnType<typeof markLabels>} */
  const labels = [];
  for (const { axis, at, label, colour } of marks) {
    const place = Math.round(scales.x.getPixelForValue(at)) + 0.5;
    if (axis !== 'x' || place < chartArea.left - 1 || place > chartArea.right + 1) continue;
    const width = textWidth(ctx, label, 600) + ASIDE;
    const align = place + width + 2 * ASIDE > chartArea.right ? 'right' : 'left';
    const left = align === 'right' ? place - width - 2 : place + 2;
    const boxes = Array.from({ length: most }, (_, row) => {
      const top = chartArea.top + 2 + LINE_HEIGHT * row;
      return { left, right: left + width, top, bottom: top + LINE_HEIGHT };
    });
    const box = boxes.find((one) => labels.every((other) => !meet(one, other.box)));
    if (box) labels.push({ label, colour, x: place + (align === 'right' ? -ASIDE : ASIDE), align, box });
  }
  return labels;
}

/**
 * The gaps whose text has room: across, or upright in a narrow one. A gap that begins with a mark needs none.
 * @param {import('./types.js').Drawn} chart @param {{ from: number, to: number, left: number, width: number }[]} gaps  from, to: of the x axis; left, width: px
 * @param {string} text
 * @returns {{ x: number, y: number, wide: number, isUpright: boolean }[]} the middle of the text, px
 */
export function gapLabels(chart, gaps, text) {
  const { ctx, chartArea, options } = chart;
  const { marks = [], quiet } = options.plugins.marks ?? {};
  const shown = quiet ? [] : marks;
  const boxes = markLabels(chart, shown).map(({ box }) => box);
  const wide = textWidth(ctx, text) + 10;
  return gaps.flatMap(({ from, to, left, width }) => {
    const isUpright = wide >= width;
    const [across, up] = isUpright ? [LINE_HEIGHT, wide] : [wide, LINE_HEIGHT];
    const [x, y] = [left + width / 2, chartArea.bottom - 2 - up / 2];
    const box = { left: x - across / 2, right: x + across / 2, top: y - up / 2, bottom: y + up / 2 };
    const isMarked = shown.some((one) => one.axis === 'x' && one.at >= from && one.at <= to);
    const hasRoom = width >= LINE_HEIGHT - 2 && box.top > chartArea.top && !boxes.some((other) => meet(box, other));
    if (isMarked || !hasRoom) return [];
    boxes.push(box);
    return [{ x, y, wide, isUpright }];
  });
}
