/**
 * Runs in the page. Draws the tracks of a run with one leg: plots with the same edges, unmeasured phases veiled, times
 * without a reply shaded, and a histogram beside the heat map.
 */
import { span, textWidth, write } from './plugins.js';
import { fade, SMALL_TEXT } from './theme.js';

/** @import { Drawn, ModelChart, Palette, Panel, PluginOptions } from './types.js' */

/** Room of the labels of the y axis, px. */
const AXIS_ROOM = 58;
/** Height of a line of text above a plot, px. */
const TEXT_LINE = 15;
/** Least distance between two labels beside the plot, px. */
const LABEL_HEIGHT = 14;
/** Distance between the plot and its histogram, and between the histogram and its labels, px. */
const SIDE_GAP = 10;
/** Room of the labels of values, px. */
const VALUE_ROOM = 92;

/** Least width of a chart with a histogram, px; a narrower one has its values above the plot. */
const MIN_WITH_SIDE = 560;

/** @param {number} width of a chart, px @returns {boolean} */
const hasSide = (width) => width >= MIN_WITH_SIDE;

/** @param {number} width of a chart, px @returns {number} px to the right of its plot, at least half a tick's label */
const marginOf = (width) => (width >= 700 ? 190 : hasSide(width) ? 160 : 22);

/** @param {ModelChart} chart @returns {boolean} */
export const isTrack = ({ section }) => section === 'track';

/**
 * @param {Pick<Panel, 'gapLabel'>} panel @param {number} width of the chart, px
 * @returns {number} lines of text above the plot: phases, the longest time without a reply, values
 */
const linesAbove = ({ gapLabel }, width) => 1 + (gapLabel ? 1 : 0) + (hasSide(width) ? 0 : 1);

/**
 * @template T
 * @param {T[]} list @param {(kept: T[]) => boolean} fits
 * @returns {T[]} as many as fit; the second is removed first, then the last but one, and so on
 */
export function thinned(list, fits) {
  const kept = [...list];
  while (kept.length > 2 && !fits(kept)) kept.splice((list.length - kept.length) % 2 === 0 ? 1 : -2, 1);
  return kept;
}

/**
 * @param {ModelChart} chart of the model @param {Panel} panel
 * @returns {{ layout: object, x: object, y: object }} chart.js options that give all tracks the same edges
 */
export function trackOptions(chart, panel) {
  const above = (/** @type {number} */ width) => (panel.side ? linesAbove(panel, width) * TEXT_LINE + 8 : 4);
  return {
    layout: {
      autoPadding: false,
      padding: (/** @type {{ chart: Drawn }} */ { chart: { width } }) => ({
        ...{ top: above(width), right: marginOf(width) },
      }),
    },
    x: chart.x.isHidden
      ? { ticks: { display: false }, afterFit: (/** @type {{ height: number }} */ scale) => (scale.height = 5) }
      : {},
    y: { afterFit: (/** @type {{ width: number }} */ scale) => (scale.width = AXIS_ROOM) },
  };
}

/** @param {Drawn} chart @param {NonNullable<PluginOptions['tracks']>} options */
function drawPhases(chart, { phases, side, theme }) {
  if (!phases) return;
  const { ctx, chartArea, scales } = chart;
  const { top, bottom } = chartArea;
  ctx.fillStyle = fade(theme.surface, 0.62);
  for (const [from, to] of [
    [0, phases.warm],
    [phases.steady, scales.x.max],
  ]) {
    const { left, width } = span(chart, from, to);
    ctx.fillRect(left, top, width, bottom - top);
    ctx.save();
    ctx.fillStyle = theme.shade;
    ctx.fillRect(left, top, width, bottom - top);
    ctx.restore();
  }
  ctx.strokeStyle = fade(theme.muted, 0.7);
  for (const at of [phases.warm, phases.steady]) {
    if (at < scales.x.min || at > scales.x.max || at <= 0) continue;
    const x = Math.round(scales.x.getPixelForValue(at)) + 0.5;
    ctx.beginPath();
    ctx.moveTo(x, side ? top - TEXT_LINE : top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
  }
  if (phases.warm < scales.x.min) return;
  const { left, width } = span(chart, phases.warm, phases.steady);
  const text = ['measured from here', 'measured'].find((words) => textWidth(ctx, words) + 5 < width);
  if (side && text) write(ctx, text, left + 5, top - TEXT_LINE, { colour: theme.muted });
}

/** @param {Drawn} chart @param {NonNullable<PluginOptions['tracks']>} options */
function drawSilences(chart, { gaps, gapLabel, theme }) {
  const { ctx, chartArea } = chart;
  const { top, bottom, left: first, right: last } = chartArea;
  for (const [from, to] of gaps) {
    const { left, width } = span(chart, from, to);
    if (width <= 0) continue;
    ctx.fillStyle = fade(theme.failed, 0.12);
    ctx.fillRect(left, top, Math.max(1, width), bottom - top);
  }
  const [longest] = [...gaps].sort((a, b) => b[1] - b[0] - (a[1] - a[0]));
  if (!gapLabel || !longest) return;
  const { left, width } = span(chart, ...longest);
  if (width <= 0) return;
  ctx.fillStyle = theme.failed;
  ctx.fillRect(left, top - TEXT_LINE - 3, Math.max(2, width), 2);
  const x = Math.max(first, Math.min(left, last - textWidth(ctx, gapLabel, 600)));
  write(ctx, gapLabel, x, top - 2 * TEXT_LINE - 4, { colour: theme.failed, weight: 600 });
}

/**
 * @param {number[]} places px, ascending
 * @param {number} min @param {number} max px
 * @returns {number[]} the places, moved apart so that no labels overlap
 */
export function apart(places, min, max) {
  const moved = [...places];
  moved.forEach((at, i) => (moved[i] = Math.max(at, i === 0 ? min : moved[i - 1] + LABEL_HEIGHT)));
  for (let i = moved.length - 1; i >= 0; i--)
    moved[i] = Math.min(moved[i], i === moved.length - 1 ? max : moved[i + 1] - LABEL_HEIGHT);
  return moved;
}

/** @param {Drawn} chart @param {NonNullable<PluginOptions['tracks']>} options */
function drawSide(chart, { side, perDoubling, gapLabel, theme }) {
  if (!side) return;
  const { ctx, chartArea, scales, width } = chart;
  if (!hasSide(width)) {
    const textOf = (/** @type {{ label: string }[]} */ labels) => labels.map(({ label }) => label).join('   ');
    const ascending = [...side.values].sort((a, b) => a.at - b.at);
    const shown = thinned(ascending, (kept) => textWidth(ctx, textOf(kept)) <= chartArea.right);
    write(ctx, textOf(shown), 0, chartArea.top - linesAbove({ gapLabel }, width) * TEXT_LINE - 5, {
      colour: theme.ink,
    });
    return;
  }
  const { top, bottom, right } = chartArea;
  const left = right + SIDE_GAP;
  const sideWidth = width - left - VALUE_ROOM - SIDE_GAP;
  const y = (/** @type {number} */ value) => Math.min(bottom, Math.max(top, scales.y.getPixelForValue(value)));
  const [first = 0, ...counts] = side.counts;
  const largest = Math.max(...counts);
  ctx.fillStyle = theme.fates.served;
  counts.forEach((n, i) => {
    const [from, to] = [y(2 ** ((first + i) / perDoubling)), y(2 ** ((first + i + 1) / perDoubling))];
    if (n > 0) ctx.fillRect(left, to, Math.max(1, (sideWidth * n) / largest), Math.max(1, from - to));
  });
  write(ctx, side.title, left, top - TEXT_LINE, { colour: theme.muted });
  const values = [...side.values].sort((a, b) => b.at - a.at);
  const half = SMALL_TEXT / 2;
  const labels = apart(
    values.map(({ at }) => y(at)),
    top + half,
    bottom - half,
  );
  ctx.strokeStyle = theme.muted;
  ctx.lineWidth = 1;
  values.forEach(({ label, at }, i) => {
    const x = left + sideWidth;
    ctx.setLineDash([1, 2]);
    ctx.beginPath();
    ctx.moveTo(left, Math.round(y(at)) + 0.5);
    ctx.lineTo(x, Math.round(y(at)) + 0.5);
    ctx.lineTo(x + SIDE_GAP - 2, Math.round(labels[i]) + 0.5);
    ctx.stroke();
    write(ctx, label, x + SIDE_GAP, labels[i], { colour: theme.ink, baseline: 'middle' });
  });
}

/** Draws above the values, below the cursor. */
export const trackPlugin = {
  id: 'tracks',
  afterDatasetsDraw(
    /** @type {Drawn} */ chart,
    /** @type {object} */ _args,
    /** @type {PluginOptions['tracks']} */ options,
  ) {
    if (!options.theme || !chart.chartArea) return;
    chart.ctx.save();
    chart.ctx.lineWidth = 1;
    drawPhases(chart, options);
    drawSilences(chart, options);
    drawSide(chart, options);
    chart.ctx.restore();
  },
};
