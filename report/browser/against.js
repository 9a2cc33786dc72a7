/**
 * Runs in the page. Plugins for charts against connections, a rate or another axis: names at the ends of lines, numbers
 * in the columns of a ramp, and brackets below the axis.
 */
import { count, duration } from '../../client/words/format.js';
import { textWidth, write } from './plugins.js';
import { colourAt, currentTheme } from './theme.js';
import { plotsOf } from './view.js';

/**
 * @import { Drawn, ModelChart, Palette, Panel, PluginOptions } from './types.js'
 */

/** Height of a label at the end of a line, px. */
const LABEL = 14;
/** Greatest vertical distance of a label from the end of its line, px. */
const FARTHEST = 2.5 * LABEL;
/** Horizontal distance of a label from the end of its line, px. */
const ASIDE_OF_END = 8;
/** Greatest width of labels, as a share of the chart. */
const MAX_SHARE_OF_WIDTH = 0.3;
/** Height of a bracket below the axis, with the distance to the next one, px. */
export const BRACKET_ROW = 8;
/** Length of a bracket beyond its known end if the other end is unknown, px. */
const OPEN_END = 12;
const LABELLED = ['leg', 'curve', 'trend', 'requested'];

/** @typedef {{ text: string, colour: string, at: number }} Label  at: px from the top */

/** @param {ModelChart} chart @param {Panel} panel @returns {object} chart.js padding, with room for names and labels */
export function paddingOf(chart, panel) {
  // In rows, all plots end at the same place, with room for the label of the last tick.
  if (chart.panels.length > 1) return { top: panel.phases && panel === plotsOf(chart)[0] ? 13 : 0, right: 24 };
  const top = panel.phases ? 16 : 6;
  if (!chart.endLabels) return { top, right: 10 };
  const texts = [...panel.datasets.filter(({ role }) => LABELLED.includes(role)), ...(panel.marks ?? [])].map(
    ({ label }) => label,
  );
  return (/** @type {{ chart: Drawn }} */ { chart: { ctx, width } }) => {
    const widest = Math.max(...texts.map((text) => textWidth(ctx, text, 600)));
    return { top, right: ASIDE_OF_END + Math.min(widest + 2, width * MAX_SHARE_OF_WIDTH) };
  };
}

/**
 * Moves overlapping labels apart, as little as possible. If a label were too far from its line, some are left out.
 * @param {Label[]} labels @param {number} top @param {number} bottom px
 * @returns {(Label & { y: number })[]} y: middle of the label, px
 */
export function placeLabels(labels, top, bottom) {
  const sorted = [...labels].sort((a, b) => a.at - b.at);
  for (;;) {
    /** @type {{ members: Label[], first: number }[]} labels that touch; first: y of the first one */
    const groups = [];
    for (const label of sorted) {
      let group = { members: [label], first: label.at };
      const isTouching = (/** @type {typeof groups[number]} */ { members, first }) =>
        first + members.length * LABEL > group.first;
      for (let last = groups.at(-1); last && isTouching(last); last = groups.at(-1)) {
        groups.pop();
        const members = [...last.members, ...group.members];
        const middle = members.reduce((sum, { at }) => sum + at, 0) / members.length;
        group = { members, first: middle - ((members.length - 1) / 2) * LABEL };
      }
      const height = (group.members.length - 1) * LABEL;
      group.first = Math.max(top, Math.min(group.first, bottom - height));
      groups.push(group);
    }
    const placed = groups.flatMap(({ members, first }) =>
      members.map((label, i) => ({ ...label, y: first + i * LABEL })),
    );
    const distance = (/** @type {{ at: number, y: number }} */ { at, y }) => Math.abs(y - at);
    const farthest = placed.reduce((far, label) => (distance(label) > distance(far) ? label : far), placed[0]);
    if (farthest === undefined || distance(farthest) <= FARTHEST) return placed;
    // Without the label in the middle of its group, there is room for those on both sides.
    const isFarthest = (/** @type {Label} */ { text, at }) => text === farthest.text && at === farthest.at;
    const crowd = groups.find(({ members }) => members.some(isFarthest));
    const { members } = /** @type {typeof groups[number]} */ (crowd);
    sorted.splice(sorted.indexOf(members[Math.floor(members.length / 2)]), 1);
  }
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} width @returns {string} shortened */
function fitted(context, text, width) {
  let shown = text;
  while (shown.length > 1 && textWidth(context, shown, 600) > width) shown = `${shown.slice(0, -2)}…`;
  return shown;
}

/** Writes names at the right end of lines and horizontal marks. */
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
 * Writes a text that is wider than its column upwards.
 * @param {CanvasRenderingContext2D} context @param {string} text
 * @param {number} middle @param {number} bottom px @param {string[]} colours of the text and, if any, of its background
 */
function writeUpright(context, text, middle, bottom, [colour, background]) {
  context.save();
  context.translate(middle, bottom);
  context.rotate(-Math.PI / 2);
  if (background !== undefined) {
    context.fillStyle = background;
    context.fillRect(-1, -LABEL / 2, textWidth(context, text, 600) + 2, LABEL);
  }
  write(context, text, 0, 0, { colour, weight: 600, baseline: 'middle' });
  context.restore();
}

/** Writes the number of served connections in each column with room. @param {Drawn} chart @param {number} i dataset */
function drawNumbers(chart, i) {
  const { ctx, data, chartArea } = chart;
  const theme = currentTheme();
  const bars = chart.getDatasetMeta(i).data;
  for (const [at, { x, y, base, width }] of bars.entries()) {
    const served = data.datasets[i].data[at].y;
    const requested = data.datasets.reduce((sum, part) => sum + part.data[at].y, 0);
    const text = served === requested ? 'all' : count(served);
    const length = textWidth(ctx, text, 600);
    if (length + 4 > width) {
      if (width < LABEL - 2) continue;
      const isAbove = base - y < length + 4;
      const bottom = isAbove ? Math.max(y - 2, chartArea.top + length) : y + length + 4;
      writeUpright(ctx, text, x, bottom, isAbove ? [theme.ink, theme.surface] : [theme.surface]);
      continue;
    }
    const isInside = base - y >= LABEL + 2;
    const top = Math.max(chartArea.top, isInside ? y + 2 : y - LABEL);
    if (!isInside) {
      ctx.fillStyle = theme.surface;
      ctx.fillRect(x - length / 2 - 2, top, length + 4, LABEL - 1);
    }
    const colour = isInside ? theme.surface : theme.ink;
    write(ctx, text, x, top + 1, { colour, align: 'center', weight: 600 });
  }
}

/** Draws p50 and p99 in columns of cells. @param {Drawn} chart @param {number} tail index of the dataset of p99 */
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
    const length = textWidth(ctx, text, 600);
    const place = line(y, theme.ink);
    if (length > right - left) {
      if (LABEL > right - left) return;
      const bottom = Math.max(place - 3, chartArea.top + length);
      writeUpright(ctx, text, (left + right) / 2, bottom, [theme.ink, theme.surface]);
      return;
    }
    const top = Math.max(chartArea.top, place - LABEL - 1);
    ctx.fillStyle = theme.surface;
    ctx.fillRect((left + right - length) / 2 - 1, top, length + 2, LABEL - 1);
    write(ctx, text, (left + right) / 2, top + 1, { colour: theme.ink, align: 'center', weight: 600 });
  });
}

/** Writes in the columns of a ramp, and places the dots of a step's seconds side by side. */
export const stepPlugin = {
  id: 'steps',
  afterUpdate(/** @type {Drawn} */ chart) {
    const { x } = chart.scales;
    chart.data.datasets.forEach(({ data, spread }, i) => {
      if (spread === undefined) return;
      const width = x.getPixelForValue(x.min + spread) - x.getPixelForValue(x.min);
      chart.getDatasetMeta(i).data.forEach((dot, at) => {
        const first = data.findIndex((point) => point.x === data[at].x);
        const last = data.findLastIndex((point) => point.x === data[at].x);
        dot.x += width * ((at - first + 0.5) / (last - first + 1) - 0.5);
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
  brackets.map((bracket) => ({ ...bracket, colour: colourAt(theme, bracket.color) }));

/** Draws a search's answers as spans, between the x axis and its labels. */
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
      for (const end of [low, high].filter((x) => x !== undefined)) {
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
