/**
 * Runs in the page. What charts against connections, a rate or another axis have besides their lines: names at the ends
 * of lines, numbers in the columns of a ramp, and brackets below the axis.
 */
import { count, duration } from '../../client/words/format.js';
import { textWidth, write } from './plugins.js';
import { colourAt, currentTheme } from './theme.js';
import { plotsOf } from './view.js';

/**
 * @import { Drawn, ModelChart, Palette, Panel, PluginOptions } from './types.js'
 */

/** Of a label at the end of a line, px: its height, how far it may be from the line, and what is before it. */
const LABEL = 14;
const FARTHEST = 2.5 * LABEL;
const ASIDE_OF_END = 8;
/** Labels take at most this part of a chart. */
const MOST_OF_WIDTH = 0.3;
/** Height of a bracket below the axis, with the distance to the next one, px. */
export const BRACKET_ROW = 8;
/** What a bracket without an end has in its place, px. */
const OPEN_END = 12;
const LABELLED = ['leg', 'curve', 'trend', 'requested'];

/** @typedef {{ text: string, colour: string, at: number }} Label  at: px from the top */

/** @param {ModelChart} chart @param {Panel} panel @returns {object} of a chart, with room for what is around it */
export function paddingOf(chart, panel) {
  // of rows the label of the last tick may be wider than its room, and all of them end at the same place
  if (chart.panels.length > 1) return { top: panel.phases && panel === plotsOf(chart)[0] ? 13 : 0, right: 24 };
  const top = panel.phases ? 16 : 6;
  if (!chart.endLabels) return { top, right: 10 };
  const texts = [...panel.datasets.filter(({ role }) => LABELLED.includes(role)), ...(panel.marks ?? [])].map(
    ({ label }) => label,
  );
  return (/** @type {{ chart: Drawn }} */ { chart: { ctx, width } }) => {
    const widest = Math.max(...texts.map((text) => textWidth(ctx, text, 600)));
    return { top, right: ASIDE_OF_END + Math.min(widest + 2, width * MOST_OF_WIDTH) };
  };
}

/**
 * Moves labels that would lie on one another apart, as little as that takes; where that is too far, some are left out.
 * @param {Label[]} labels @param {number} top @param {number} bottom px
 * @returns {(Label & { y: number })[]} y: of the middle
 */
export function placeLabels(labels, top, bottom) {
  const sorted = [...labels].sort((a, b) => a.at - b.at);
  for (;;) {
    /** @type {{ own: Label[], first: number }[]} labels that touch; first: y of the first of them */
    const groups = [];
    for (const label of sorted) {
      let group = { own: [label], first: label.at };
      for (let last = groups.at(-1); last && last.first + last.own.length * LABEL > group.first; last = groups.at(-1)) {
        groups.pop();
        const own = [...last.own, ...group.own];
        const middle = own.reduce((sum, { at }) => sum + at, 0) / own.length;
        group = { own, first: middle - ((own.length - 1) / 2) * LABEL };
      }
      const height = (group.own.length - 1) * LABEL;
      group.first = Math.max(top, Math.min(group.first, bottom - height));
      groups.push(group);
    }
    const placed = groups.flatMap(({ own, first }) => own.map((label, i) => ({ ...label, y: first + i * LABEL })));
    const far = (/** @type {{ at: number, y: number }} */ { at, y }) => Math.abs(y - at);
    const farthest = placed.reduce((most, one) => (far(one) > far(most) ? one : most), placed[0]);
    if (farthest === undefined || far(farthest) <= FARTHEST) return placed;
    // the one in the middle of the group leaves room for those at either side
    const crowd = groups.find(({ own }) => own.some(({ text, at }) => text === farthest.text && at === farthest.at));
    const { own } = /** @type {typeof groups[number]} */ (crowd);
    sorted.splice(sorted.indexOf(own[Math.floor(own.length / 2)]), 1);
  }
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} width @returns {string} shortened */
function fitted(context, text, width) {
  let shown = text;
  while (shown.length > 1 && textWidth(context, shown, 600) > width) shown = `${shown.slice(0, -2)}…`;
  return shown;
}

/** Names at the right end of lines, and of marks across. */
export const endPlugin = {
  id: 'ends',
  afterDatasetsDraw(
    /** @type {Drawn} */ chart,
    /** @type {object} */ _args,
    /** @type {PluginOptions['ends']} */ { isOn },
  ) {
    if (!isOn || !chart.chartArea) return;
    const { ctx, chartArea, data, scales, width } = chart;
    const theme = currentTheme();
    const ends = data.datasets.flatMap(({ role, label, borderColor }, i) => {
      const last = chart.getDatasetMeta(i).data.findLast(({ skip }) => !skip);
      if (!LABELLED.includes(role) || last === undefined) return [];
      return [{ text: label, colour: role === 'requested' ? theme.muted : borderColor, at: last.y, x: last.x }];
    });
    const marks = (chart.options.plugins.marks.marks ?? [])
      .filter(({ axis, label }) => axis === 'y' && label !== '')
      .map(({ label, colour, at }) => ({ text: label, colour, at: scales.y.getPixelForValue(at), x: chartArea.right }))
      .filter(({ at }) => at >= chartArea.top && at <= chartArea.bottom);
    const x = chartArea.right + ASIDE_OF_END;
    const placed = placeLabels([...ends, ...marks], chartArea.top + LABEL / 2, chartArea.bottom - LABEL / 2);
    for (const { text, colour, y } of placed)
      write(ctx, fitted(ctx, text, width - x), x, y, { colour, weight: 600, baseline: 'middle' });
  },
};

/**
 * @param {CanvasRenderingContext2D} context @param {string} text read from below, of a column that is narrower than it
 * @param {number} middle @param {number} bottom px @param {string[]} colours of the text, and of what is behind it
 */
function writeUpright(context, text, middle, bottom, [colour, behind]) {
  context.save();
  context.translate(middle, bottom);
  context.rotate(-Math.PI / 2);
  if (behind !== undefined) {
    context.fillStyle = behind;
    context.fillRect(-1, -LABEL / 2, textWidth(context, text, 600) + 2, LABEL);
  }
  write(context, text, 0, 0, { colour, weight: 600, baseline: 'middle' });
  context.restore();
}

/** @param {Drawn} chart @param {number} i dataset of those served: their number in each column that has room for it */
function drawNumbers(chart, i) {
  const { ctx, data, chartArea } = chart;
  const theme = currentTheme();
  const bars = chart.getDatasetMeta(i).data;
  for (const [at, { x, y, base, width }] of bars.entries()) {
    const served = data.datasets[i].data[at].y;
    const all = data.datasets.reduce((sum, { data: own }) => sum + own[at].y, 0);
    const text = served === all ? 'all' : count(served);
    const wide = textWidth(ctx, text, 600);
    if (wide + 4 > width) {
      if (width < LABEL - 2) continue;
      const isAbove = base - y < wide + 4;
      const bottom = isAbove ? Math.max(y - 2, chartArea.top + wide) : y + wide + 4;
      writeUpright(ctx, text, x, bottom, isAbove ? [theme.ink, theme.surface] : [theme.surface]);
      continue;
    }
    const isInside = base - y >= LABEL + 2;
    const top = Math.max(chartArea.top, isInside ? y + 2 : y - LABEL);
    if (!isInside) {
      ctx.fillStyle = theme.surface;
      ctx.fillRect(x - wide / 2 - 2, top, wide + 4, LABEL - 1);
    }
    const colour = isInside ? theme.surface : theme.ink;
    write(ctx, text, x, top + 1, { colour, align: 'center', weight: 600 });
  }
}

/** @param {Drawn} chart of columns of cells @param {number} tail dataset of their p99; p50 is in the cells' own */
function drawPercentiles(chart, tail) {
  const { ctx, data, scales, chartArea } = chart;
  const theme = currentTheme();
  const [{ data: medians, heat }] = data.datasets;
  data.datasets[tail].data.forEach(({ x, y }, i) => {
    const half = (heat?.widths[i] ?? 0) / 2;
    const [left, right] = [x - half, x + half].map((at) => scales.x.getPixelForValue(at));
    const line = (/** @type {number} */ value, /** @type {string} */ colour) => {
      const at = Math.round(scales.y.getPixelForValue(value));
      ctx.fillStyle = colour;
      ctx.fillRect(left, at - 1, right - left, 2);
      return at;
    };
    line(medians[i].y, theme.surface);
    const text = duration(y);
    const wide = textWidth(ctx, text, 600);
    const place = line(y, theme.ink);
    if (wide > right - left) {
      if (LABEL > right - left) return;
      const bottom = Math.max(place - 3, chartArea.top + wide);
      writeUpright(ctx, text, (left + right) / 2, bottom, [theme.ink, theme.surface]);
      return;
    }
    const top = Math.max(chartArea.top, place - LABEL - 1);
    ctx.fillStyle = theme.surface;
    ctx.fillRect((left + right - wide) / 2 - 1, top, wide + 2, LABEL - 1);
    write(ctx, text, (left + right) / 2, top + 1, { colour: theme.ink, align: 'center', weight: 600 });
  });
}

/** What is written in the columns of a ramp; the dots of its seconds are side by side, in their order. */
export const stepPlugin = {
  id: 'steps',
  afterUpdate(/** @type {Drawn} */ chart) {
    const { x } = chart.scales;
    chart.data.datasets.forEach(({ data, spread }, i) => {
      if (spread === undefined) return;
      const wide = x.getPixelForValue(x.min + spread) - x.getPixelForValue(x.min);
      chart.getDatasetMeta(i).data.forEach((dot, at) => {
        const first = data.findIndex((point) => point.x === data[at].x);
        const last = data.findLastIndex((point) => point.x === data[at].x);
        dot.x += wide * ((at - first + 0.5) / (last - first + 1) - 0.5);
      });
    });
  },
  afterDatasetsDraw(/** @type {Drawn} */ chart) {
    if (!chart.chartArea) return;
    chart.ctx.save();
    chart.data.datasets.forEach(({ role, share }, i) => {
      if (role === 'served' && share !== undefined) drawNumbers(chart, i);
      if (role === 'tail') drawPercentiles(chart, i);
    });
    chart.ctx.restore();
  },
};

/** @param {Panel} panel @param {Palette} theme @returns {PluginOptions['brackets']['brackets']} */
export const bracketsOf = ({ brackets = [] }, theme) =>
  brackets.map((one) => ({ ...one, colour: colourAt(theme, one.color) }));

/** Answers, as spans of the x axis, between it and its labels. */
export const bracketPlugin = {
  id: 'brackets',
  afterDatasetsDraw(
    /** @type {Drawn} */ { ctx, chartArea, scales },
    /** @type {object} */ _args,
    /** @type {PluginOptions['brackets']} */ { brackets },
  ) {
    if (!chartArea) return;
    ctx.save();
    ctx.lineWidth = 2;
    for (const { from, to, row, colour } of brackets) {
      const [low, high] = [from, to].map((at) => (at === undefined ? undefined : scales.x.getPixelForValue(at)));
      const left = low ?? Number(high) - OPEN_END;
      const right = high ?? Number(low) + OPEN_END;
      const y = chartArea.bottom + 3 + row * BRACKET_ROW;
      ctx.strokeStyle = colour;
      ctx.beginPath();
      for (const end of [low, high].filter((one) => one !== undefined)) {
        ctx.moveTo(end, y);
        ctx.lineTo(end, y + BRACKET_ROW - 2);
      }
      ctx.moveTo(left, y + (BRACKET_ROW - 2) / 2);
      ctx.lineTo(right, y + (BRACKET_ROW - 2) / 2);
      ctx.stroke();
    }
    ctx.restore();
  },
};
