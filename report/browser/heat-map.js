/**
 * Runs in the page. Draws the cells of a heat map and the strip of failures above them, and says what is in the cell
 * under the pointer.
 */
import { count, duration, percent } from '../../client/words/format.js';
import { currentTheme } from './theme.js';

/** @import { CountedDataset, Drawn, HeatDataset, TooltipItem } from './types.js' */

/** Colours between two of the palette, so that the scale is even. */
const BETWEEN = 12;
/** Decades of shares that have a colour. */
const DECADES = 5;
/** Height of the strip of failures, px: of one in a hundred thousand, and of all. */
const STRIP = [4, 11];
/** Height of what is beyond the axis, px. */
const BEYOND = 4;

/** By palette. @type {Map<string[], string[]>} */
const scales = new Map();

/** @param {string[]} stops @returns {string[]} the colours of the scale, from the smallest share to all */
function scaleColours(stops) {
  const known = scales.get(stops);
  if (known) return known;
  const parts = stops.map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
  const colours = Array.from({ length: (stops.length - 1) * BETWEEN + 1 }, (_, i) => {
    const at = Math.min(stops.length - 2, Math.floor(i / BETWEEN));
    const part = i / BETWEEN - at;
    return `rgb(${parts[at].map((from, c) => Math.round(from + (parts[at + 1][c] - from) * part)).join()})`;
  });
  scales.set(stops, colours);
  return colours;
}

/** @param {number} share 0..1 @returns {number} 0..1 along the logarithmic scale; the least for all smaller shares */
const level = (share) => Math.min(1, Math.max(0, 1 + Math.log10(share) / DECADES));

/** @param {number[]} cells @param {number} row @returns {number} */
const countAt = ([first = 0, ...counts], row) => counts[row - first] ?? 0;

/**
 * @param {HeatDataset} dataset
 * @param {number} index of a column
 * @returns {{ from: number, to: number, answered: number[], failed: number[], n: number }}
 */
function columnOf({ data, heat }, index) {
  const [{ x, n }, width] = [data[index], heat.widths[index]];
  return { from: x - width / 2, to: x + width / 2, answered: heat.columns[index], failed: heat.failed[index], n };
}

/** @param {Pick<Drawn, 'ctx' | 'chartArea' | 'scales'>} chart @param {HeatDataset} dataset of role heat */
function drawCells({ ctx, chartArea, scales: { x, y } }, dataset) {
  const colours = scaleColours(currentTheme().heat);
  const { perDoubling, most } = dataset.heat;
  const edge = (/** @type {number} */ row) => Math.round(y.getPixelForValue(2 ** (row / perDoubling)));
  const scale = most > 1 ? (colours.length - 1) / Math.log(most) : 0;
  for (let i = 0; i < dataset.data.length; i++) {
    const { from, to, answered, failed } = columnOf(dataset, i);
    if (to < x.min || from > x.max) continue;
    const left = Math.round(x.getPixelForValue(from));
    const width = Math.max(1, Math.round(x.getPixelForValue(to)) - left);
    const draw = (/** @type {number[]} */ [first = 0, ...counts], /** @type {(n: number) => string} */ colourOf) =>
      counts.forEach((counted, at) => {
        if (counted === 0) return;
        const [bottom, top] = [edge(first + at), edge(first + at + 1)].map((place) => Math.max(chartArea.top, place));
        ctx.fillStyle = colourOf(counted);
        // what is beyond the axis is along its edge
        ctx.fillRect(left, top, width, Math.max(bottom === chartArea.top ? BEYOND : 1, bottom - top));
      });
    draw(answered, (counted) => colours[Math.round(Math.log(counted) * scale)]);
    draw(failed, () => currentTheme().failed);
  }
}

/** Of its cells, and which of them. @type {WeakMap<HeatDataset, { key: string, image: HTMLCanvasElement }>} */
const pictures = new WeakMap();

/**
 * Draws the cells, from a picture of them if they are where they were: each move of the pointer draws a chart anew.
 * @param {Drawn} chart @param {HeatDataset} dataset of role heat
 */
function drawPicture(chart, dataset) {
  const { ctx, chartArea, scales, currentDevicePixelRatio: ratio } = chart;
  const ends = Object.values(scales).flatMap(({ min, max }) => [min, max]);
  const key = [...Object.values(chartArea), ...ends, ratio, currentTheme().surface].join();
  const [left, top] = [Math.floor(chartArea.left), Math.floor(chartArea.top)];
  const [width, height] = [Math.ceil(chartArea.right) - left, Math.ceil(chartArea.bottom) - top];
  let known = pictures.get(dataset);
  if (known?.key !== key) {
    const image = document.createElement('canvas');
    [image.width, image.height] = [Math.max(1, width * ratio), Math.max(1, height * ratio)];
    const context = /** @type {CanvasRenderingContext2D} */ (image.getContext('2d'));
    context.setTransform(ratio, 0, 0, ratio, -left * ratio, -top * ratio);
    drawCells({ ctx: context, chartArea, scales }, dataset);
    known = { key, image };
    pictures.set(dataset, known);
  }
  ctx.drawImage(known.image, left, top, width, height);
}

/** @param {Drawn} chart @param {HeatDataset} heat dataset @param {CountedDataset} failures dataset */
function drawStrip({ ctx, chartArea, scales: { x } }, heat, failures) {
  const at = new Map(heat.data.map((point, i) => [point.x, i]));
  const usual = heat.heat.widths[0] ?? 1;
  ctx.fillStyle = currentTheme().failed;
  for (const point of failures.data) {
    const i = at.get(point.x);
    const width = i === undefined ? usual : heat.heat.widths[i];
    const begun = point.n + (i === undefined ? 0 : heat.data[i].n);
    const height = Math.round(STRIP[0] + (STRIP[1] - STRIP[0]) * level(point.n / begun));
    const left = Math.round(x.getPixelForValue(point.x - width / 2));
    const wide = Math.max(3, Math.round(x.getPixelForValue(point.x + width / 2)) - left);
    ctx.fillRect(Math.min(left, chartArea.right - 3), chartArea.top, wide, height);
  }
}

/** Above the shading of the phases, below hatches and marks. */
export const heatPlugin = {
  id: 'heat',
  beforeDatasetsDraw(/** @type {Drawn} */ chart) {
    const [heat, failures] = chart.data.datasets;
    if (heat?.role !== 'heat' || !chart.chartArea) return;
    const { left, top, right, bottom } = chart.chartArea;
    chart.ctx.save();
    chart.ctx.beginPath();
    chart.ctx.rect(left, top, right - left, bottom - top);
    chart.ctx.clip();
    drawPicture(chart, /** @type {HeatDataset} */ (heat));
    if (failures.role === 'failures')
      drawStrip(chart, /** @type {HeatDataset} */ (heat), /** @type {CountedDataset} */ (failures));
    chart.ctx.restore();
  },
};

/**
 * @param {TooltipItem} item of the tooltip, of role heat; under the pointer, or at the median of its column
 * @returns {string[]} the cell, and its column
 */
export function cellTexts({ chart, dataset, dataIndex, raw, element }) {
  const heat = /** @type {HeatDataset} */ (dataset);
  const { answered, failed, n } = columnOf(heat, dataIndex);
  const { perDoubling } = heat.heat;
  const value = chart.scales.y.getValueForPixel(chart.pointerY ?? element.y);
  const row = Math.floor(Math.log2(Math.max(1, value)) * perDoubling + 1e-9);
  const [counted, lost] = [countAt(answered, row), countAt(failed, row)];
  const [from, to] = [row, row + 1].map((one) => duration(2 ** (one / perDoubling)));
  const failures = chart.data.datasets.find(({ role }) => role === 'failures');
  const cut = failures?.data.find((point) => point.x === raw.x)?.n;
  return [
    ` ${from} to ${to}: ${count(counted)} of ${count(n)} ${heat.label} (${percent(counted / n)})`,
    ` p50 ${duration(raw.y)}`,
    ...(lost > 0 ? [` ${from} to ${to}: ${count(lost)} failed or unfinished`] : []),
    ...(cut ? [` failed or unfinished: ${count(cut)}`] : []),
  ];
}
