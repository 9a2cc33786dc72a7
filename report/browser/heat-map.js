/**
 * Runs in the page. Draws the cells of a heat map and the strip of failures above them, and makes the text for the cell
 * under the pointer.
 */
import { count, duration, percent } from '../../client/words/format.js';
import { currentTheme } from './theme.js';

/** @import { CountedDataset, Drawn, HeatDataset, TooltipItem } from './types.js' */

/** Number of colours between two of the palette. */
const BETWEEN = 12;
/** Decades of shares that differ in height. */
const DECADES = 5;
/** Height of the strip of failures, px: for one in a hundred thousand, and for all. */
const STRIP = [4, 11];
/** Height of cells beyond the axis, px. */
const BEYOND = 4;

/** Key: colours of the palette. @type {Map<string[], string[]>} */
const scales = new Map();

/** @param {string[]} stops @returns {string[]} the colours of the scale, from the smallest count to the largest */
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

/** @param {number} share 0..1 @returns {number} 0..1 on a logarithmic scale; 0 for shares below it */
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
  const { perDoubling, largest } = dataset.heat;
  const edge = (/** @type {number} */ row) => Math.round(y.getPixelForValue(2 ** (row / perDoubling)));
  const scale = largest > 1 ? (colours.length - 1) / Math.log(largest) : 0;
  for (let i = 0; i < dataset.data.length; i++) {
    const { from, to, answered, failed } = columnOf(dataset, i);
    if (to < x.min || from > x.max) continue;
    const left = Math.round(x.getPixelForValue(from));
    const width = Math.max(1, Math.round(x.getPixelForValue(to)) - left);
    const draw = (/** @type {number[]} */ [first = 0, ...counts], /** @type {(n: number) => string} */ colourOf) =>
      counts.forEach((inCell, at) => {
        if (inCell === 0) return;
        const [bottom, top] = [edge(first + at), edge(first + at + 1)].map((place) => Math.max(chartArea.top, place));
        ctx.fillStyle = colourOf(inCell);
        // Cells beyond the axis are drawn along its edge.
        ctx.fillRect(left, top, width, Math.max(bottom === chartArea.top ? BEYOND : 1, bottom - top));
      });
    draw(answered, (inCell) => colours[Math.round(Math.log(inCell) * scale)]);
    draw(failed, () => currentTheme().failed);
  }
}

/** Pictures of cells; key: place and theme. @type {WeakMap<HeatDataset, { key: string, image: HTMLCanvasElement }>} */
const pictures = new WeakMap();

/**
 * Draws the cells, from a picture if they have not moved, since each move of the pointer redraws the chart.
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
  const defaultWidth = heat.heat.widths[0] ?? 1;
  ctx.fillStyle = currentTheme().failed;
  for (const point of failures.data) {
    const i = at.get(point.x);
    const width = i === undefined ? defaultWidth : heat.heat.widths[i];
    const begun = point.n + (i === undefined ? 0 : heat.data[i].n);
    const height = Math.round(STRIP[0] + (STRIP[1] - STRIP[0]) * level(point.n / begun));
    const left = Math.round(x.getPixelForValue(point.x - width / 2));
    const pixels = Math.max(3, Math.round(x.getPixelForValue(point.x + width / 2)) - left);
    ctx.fillRect(Math.min(left, chartArea.right - 3), chartArea.top, pixels, height);
  }
}

/** Draws above the shading of the phases, below hatches and marks. */
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
 * @param {TooltipItem} item of role heat
 * @returns {string[]} texts for the cell under the pointer, or at the median, and for its column
 */
export function cellTexts({ chart, dataset, dataIndex, raw, element }) {
  const heat = /** @type {HeatDataset} */ (dataset);
  const { answered, failed, n } = columnOf(heat, dataIndex);
  const { perDoubling } = heat.heat;
  const value = chart.scales.y.getValueForPixel(chart.pointerY ?? element.y);
  const row = Math.floor(Math.log2(Math.max(1, value)) * perDoubling + 1e-9);
  const [answeredHere, failedHere] = [countAt(answered, row), countAt(failed, row)];
  const [from, to] = [row, row + 1].map((edge) => duration(2 ** (edge / perDoubling)));
  const failures = chart.data.datasets.find(({ role }) => role === 'failures');
  const failedInColumn = failures?.data.find((point) => point.x === raw.x)?.n;
  return [
    ` ${from} to ${to}: ${count(answeredHere)} of ${count(n)} ${heat.label} (${percent(answeredHere / n)})`,
    ` p50 ${duration(raw.y)}`,
    ...(failedHere > 0 ? [` ${from} to ${to}: ${count(failedHere)} failed or unfinished`] : []),
    ...(failedInColumn ? [` failed or unfinished: ${count(failedInColumn)}`] : []),
  ];
}
