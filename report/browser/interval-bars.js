/**
 * Runs in the page. Draws a bar at each point with a known 95 % interval over rounds. A bar ends at the edge of the
 * chart.
 */
import { MOST_WITH_BARS } from '../model/leg-marks.js';

/** @import { Drawn, DrawnMeta } from './types.js' */

/** Half the length of the stroke at either end, px. */
const CAP = 3;
/** Distance between the bars of two lines at the same place, px. */
const APART = 4;
/** Greatest distance between the first and the last of these bars, px. */
const MAX_APART = 30;
/** With more lines, bars are fainter, so that they do not hide the lines. */
const FEW = 3;

/** @param {Drawn} chart @returns {number[]} indexes of the datasets with intervals */
const datasetsWithBars = (chart) => chart.data.datasets.flatMap(({ intervals }, i) => (intervals ? [i] : []));

/**
 * @param {number[]} shown
 * @param {number} index of a dataset
 * @returns {number} horizontal offset of its bars, px
 */
function shiftOf(shown, index) {
  const step = Math.min(APART, MAX_APART / Math.max(1, shown.length - 1));
  return (shown.indexOf(index) - (shown.length - 1) / 2) * step;
}

/** Draws before the line, so that the points stay on top. */
export const intervalPlugin = {
  id: 'intervals',
  beforeDatasetDraw(/** @type {Drawn} */ chart, /** @type {{ index: number, meta: DrawnMeta }} */ { index, meta }) {
    const { intervals, borderColor } = chart.data.datasets[index];
    if (!intervals || !chart.chartArea) return;
    const shown = datasetsWithBars(chart);
    if (shown.length > MOST_WITH_BARS) return;
    const { ctx, chartArea, scales } = chart;
    const shift = shiftOf(shown, index);
    ctx.save();
    ctx.strokeStyle = borderColor;
    ctx.globalAlpha *= shown.length > FEW ? 0.45 : 0.8;
    ctx.lineWidth = 1.25;
    ctx.beginPath();
    intervals.forEach((interval, at) => {
      const point = meta.data[at];
      if (interval === null || !point) return;
      const [bottom, top] = interval.map((value) => scales.y.getPixelForValue(Math.max(value, Number.MIN_VALUE)));
      const x = Math.round(point.x + shift) + 0.5;
      ctx.moveTo(x, Math.min(bottom, chartArea.bottom));
      ctx.lineTo(x, Math.max(top, chartArea.top));
      for (const y of [bottom, top]) {
        if (y < chartArea.top || y > chartArea.bottom) continue;
        ctx.moveTo(x - CAP, y);
        ctx.lineTo(x + CAP, y);
      }
    });
    ctx.stroke();
    ctx.restore();
  },
};
