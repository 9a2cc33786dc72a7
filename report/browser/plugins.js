/**
 * Runs in the page. Small chart.js plugins: the phases of a leg, spans without a reply, the side that was the limit,
 * marks, and the end of a curve whose further percentiles are unknown.
 */
import { currentTheme, fade, pageFont, SMALL_TEXT } from './theme.js';

/** @import { Drawn, PluginOptions } from './types.js' */

/**
 * @param {Drawn} chart
 * @param {number} from
 * @param {number} to in units of x
 * @returns {{left: number, width: number}} px, clipped to the plot
 */
export function span(chart, from, to) {
  const { left, right } = chart.chartArea;
  const clip = (/** @type {number} */ x) => Math.min(right, Math.max(left, chart.scales.x.getPixelForValue(x)));
  return { left: clip(from), width: clip(to) - clip(from) };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {{ colour: string, weight?: number, size?: number, align?: CanvasTextAlign, baseline?: CanvasTextBaseline }}
 *   style
 */
export function write(context, text, x, y, style) {
  context.save();
  context.font = `${style.weight ?? 400} ${style.size ?? SMALL_TEXT}px ${pageFont()}`;
  context.fillStyle = style.colour;
  context.textAlign = style.align ?? 'left';
  context.textBaseline = style.baseline ?? 'top';
  context.fillText(text, x, y);
  context.restore();
}

/** Shades ramp, warm-up and drain. The first row has the names of the phases that have room for them. */
export const phasePlugin = {
  id: 'phases',
  beforeDatasetsDraw(
    /** @type {Drawn} */ chart,
    /** @type {object} */ _args,
    /** @type {PluginOptions['phases']} */ options,
  ) {
    const { phases, isFirst, theme } = options;
    if (!phases || !chart.chartArea) return;
    const {
      ctx,
      chartArea: { top, bottom },
    } = chart;
    ctx.save();
    for (const [from, to, name] of /** @type {[number, number, string][]} */ ([
      [0, phases.ramp, 'ramp'],
      [phases.ramp, phases.warm, 'warm-up'],
      [phases.warm, phases.steady, 'steady state'],
      [phases.steady, Math.max(phases.end, phases.steady), 'drain'],
    ])) {
      const { left, width } = span(chart, from, to);
      if (width <= 0) continue;
      if (name !== 'steady state') {
        ctx.fillStyle = theme.shade;
        ctx.fillRect(left, top, width, bottom - top);
      }
      if (!isFirst) continue;
      ctx.font = `${SMALL_TEXT}px ${pageFont()}`;
      const fitting = [name, name.split(' ')[0]].find((text) => ctx.measureText(text).width + 10 < width);
      if (fitting) write(ctx, fitting, left + 5, top - 14, { colour: theme.muted });
    }
    ctx.strokeStyle = theme.axis;
    ctx.lineWidth = 1;
    for (const at of new Set([phases.ramp, phases.warm, phases.steady])) {
      const { left } = span(chart, at, at);
      ctx.beginPath();
      ctx.moveTo(Math.round(left) + 0.5, isFirst ? top - 14 : top);
      ctx.lineTo(Math.round(left) + 0.5, bottom);
      ctx.stroke();
    }
    ctx.restore();
  },
};

/** Hatches spans without a completed transfer, because an empty place must not look like a fast one. */
export const gapPlugin = {
  id: 'gaps',
  beforeDatasetsDraw(
    /** @type {Drawn} */ chart,
    /** @type {object} */ _args,
    /** @type {PluginOptions['gaps']} */ options,
  ) {
    if (!options.gaps?.length || !chart.chartArea) return;
    const {
      ctx,
      chartArea: { top, bottom },
    } = chart;
    for (const [from, to] of options.gaps) {
      const { left, width } = span(chart, from, to);
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, bottom - top);
      ctx.clip();
      ctx.strokeStyle = fade(options.theme.failed, 0.28);
      ctx.lineWidth = 1;
      for (let x = left - (bottom - top); x < left + width; x += 7) {
        ctx.beginPath();
        ctx.moveTo(x, bottom);
        ctx.lineTo(x + (bottom - top), top);
        ctx.stroke();
      }
      ctx.restore();
    }
  },
};

/** Draws thin labelled lines, such as those at a knee, or when a SYN is sent again. */
export const markPlugin = {
  id: 'marks',
  afterDatasetsDraw(
    /** @type {Drawn} */ chart,
    /** @type {object} */ _args,
    /** @type {PluginOptions['marks']} */ options,
  ) {
    if (!options.marks?.length || !chart.chartArea) return;
    const { ctx, chartArea, scales } = chart;
    let lowest = Infinity;
    for (const { axis, at, label, colour } of options.marks) {
      const place = Math.round(scales[axis].getPixelForValue(at)) + 0.5;
      const [low, high] = axis === 'x' ? [chartArea.left, chartArea.right] : [chartArea.top, chartArea.bottom];
      if (place < low - 1 || place > high + 1) continue;
      ctx.save();
      ctx.strokeStyle = fade(colour, 0.75);
      ctx.setLineDash([3, 3]);
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(axis === 'x' ? place : chartArea.left, axis === 'x' ? chartArea.top : place);
      ctx.lineTo(axis === 'x' ? place : chartArea.right, axis === 'x' ? chartArea.bottom : place);
      ctx.stroke();
      ctx.restore();
      // From the bottom up: a label that overlaps the one below is left out.
      if (axis === 'x' || options.atEnd || lowest - place < 11) continue;
      lowest = place;
      write(ctx, label, chartArea.left + 5, place - 2, { colour, baseline: 'bottom', weight: 600 });
    }
    for (const { label, colour, x, box } of markLabels(chart, options.marks)) {
      // Without a background, a label is illegible over dark cells of a heat map.
      ctx.save();
      ctx.fillStyle = fade(currentTheme().surface, 0.85);
      ctx.fillRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
      ctx.restore();
      write(ctx, label, x, box.top + 1, { colour, weight: 600 });
    }
  },
};

/** Draws a strip along the top: the side that was the limit in each second. */
export const limitPlugin = {
  id: 'limits',
  afterDatasetsDraw(
    /** @type {Drawn} */ chart,
    /** @type {object} */ _args,
    /** @type {PluginOptions['limits']} */ options,
  ) {
    if (!options.limits?.length || !chart.chartArea) return;
    const {
      ctx,
      chartArea: { top },
    } = chart;
    ctx.save();
    for (const [from, to, by] of options.limits) {
      const { left, width } = span(chart, from, to);
      ctx.fillStyle =
        by === 'machine' ? options.theme.machine : by === 'client' ? options.theme.client : options.legColour;
      ctx.fillRect(left, top + 1, width, 5);
    }
    ctx.restore();
  },
};

/**
 * Draws bars at least two pixels high, so that a single error next to thousands is visible.
 * @param {Drawn} chart
 * @param {number} i
 */
function drawSmallBars(chart, i) {
  const { ctx, data } = chart;
  chart.getDatasetMeta(i).data.forEach((bar, at) => {
    if (!(data.datasets[i].data[at].y > 0) || bar.base - bar.y >= 2) return;
    ctx.fillStyle = data.datasets[i].backgroundColor;
    ctx.fillRect(bar.x - bar.width / 2, bar.base - 2, bar.width, 2);
  });
}

/**
 * Draws a dagger at each point during which other programs used the machine.
 * @param {Drawn} chart @param {number} i
 */
function drawDaggers(chart, i) {
  const { disturbed = [], borderColor } = chart.data.datasets[i];
  for (const at of disturbed) {
    const { x, y, skip } = chart.getDatasetMeta(i).data[at];
    if (!skip)
      write(chart.ctx, '†', x, y - 5, { colour: borderColor, align: 'center', baseline: 'bottom', weight: 600 });
  }
}

/** Draws small bars, daggers, and the mark at the end of a curve whose further percentiles are unknown. */
export const textPlugin = {
  id: 'texts',
  afterDatasetsDraw(/** @type {Drawn} */ chart) {
    if (!chart.chartArea) return;
    const { ctx } = chart;
    chart.data.datasets.forEach((dataset, i) => {
      if (dataset.role === 'cause') drawSmallBars(chart, i);
      drawDaggers(chart, i);
      if (!dataset.endMark) return;
      const last = chart.getDatasetMeta(i).data.at(-1);
      if (!last) return;
      ctx.save();
      ctx.fillStyle = dataset.borderColor;
      ctx.beginPath();
      ctx.moveTo(last.x, last.y - 14);
      ctx.lineTo(last.x - 5, last.y - 5);
      ctx.lineTo(last.x + 5, last.y - 5);
      ctx.fill();
      write(ctx, dataset.endMark, last.x, last.y - 28, {
        colour: dataset.borderColor,
        align: 'center',
        weight: 600,
        size: SMALL_TEXT,
      });
      ctx.restore();
    });
  },
};

/** Height of a label, px. */
const LINE_HEIGHT = 14;
/** Greatest share of a chart that labels of marks cover. */
const MAX_COVERED = 0.4;
/** Distance between a mark and its label, px. */
const ASIDE = 4;

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box  px */

/** @param {Box} a @param {Box} b @returns {boolean} */
const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} [weight] @returns {number} px */
export function textWidth(context, text, weight = 400) {
  context.save();
  context.font = `${weight} ${SMALL_TEXT}px ${pageFont()}`;
  const { width } = context.measureText(text);
  context.restore();
  return width;
}

/**
 * Places the labels of marks on the x axis in rows at the top. A label without room is left out.
 * @param {Drawn} chart
 * @param {{ axis: string, at: number, label: string, colour: string }[]} marks the most important first
 * @returns {{ label: string, colour: string, x: number, box: Box }[]} x: start of the text, px
 */
function markLabels({ ctx, chartArea, scales }, marks) {
  const maxRows = Math.max(1, Math.floor((MAX_COVERED * (chartArea.bottom - chartArea.top)) / LINE_HEIGHT));
  /** @type {ReturnType<typeof markLabels>} */
  const labels = [];
  for (const { axis, at, label, colour } of marks.filter((mark) => mark.label !== '')) {
    const place = Math.round(scales.x.getPixelForValue(at)) + 0.5;
    if (axis !== 'x' || place < chartArea.left - 1 || place > chartArea.right + 1) continue;
    const width = textWidth(ctx, label, 600) + ASIDE;
    const align = place + width + 2 * ASIDE > chartArea.right ? 'right' : 'left';
    const left = align === 'right' ? Math.max(0, place - width - 2) : place + 2;
    const boxes = Array.from({ length: maxRows }, (_, row) => {
      const top = chartArea.top + 2 + LINE_HEIGHT * row;
      return { left, right: left + width, top, bottom: top + LINE_HEIGHT };
    });
    const box = boxes.find((candidate) => labels.every((placed) => !overlap(candidate, placed.box)));
    if (box) labels.push({ label, colour, x: left + 2, box });
  }
  return labels;
}
