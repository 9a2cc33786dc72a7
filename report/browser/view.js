/**
 * Runs in the page. What the charts show of their model: the span of time that a reader zoomed to, which is the same in
 * every chart over time.
 */
import { colourAt } from './theme.js';

/**
 * @import { Span } from './span.js'
 * @import { ChartModel, ColouredMark, Drawn, ModelChart, Palette, Panel } from './types.js'
 */

/** null: the whole time. @type {{ span: Span | null }} */
export const zoomed = { span: null };

/** Marks at the very end of a leg are drawn whole, px. */
const OVERHANG = 6;
/** Of the highest value that is seen: the end of the axis. */
const HEADROOM = 1.08;

/** @param {ModelChart} chart of the model @returns {boolean} */
export const isOverTime = (chart) => chart.x.type === 'time';

/** @param {ModelChart} chart of the model @returns {boolean} whether the values at a place lie on one another */
export const isStacked = ({ kind, isStacked: isGiven }) => kind === 'bar' || Boolean(isGiven);

/** @param {ModelChart} chart of the model @returns {Panel[]} those with a plot */
export const plotsOf = ({ panels }) => panels.filter(({ empty }) => empty === undefined);

/** @param {ChartModel} page the chart model @returns {Span} what the charts over time show together */
export function wholeTime(page) {
  const ends = page.charts.filter(isOverTime).map(({ x }) => Number(x.max));
  return [0, ends.length ? Math.max(...ends) : 0];
}

/** @param {Panel} panel @param {Palette} theme @returns {ColouredMark[]} its marks, coloured */
export const marksOf = ({ marks = [] }, theme) =>
  marks.map((mark) => ({
    ...mark,
    colour: mark.isFailure ? theme.bad : mark.color === undefined ? theme.muted : colourAt(theme, mark.color),
  }));

/**
 * The highest value that is seen in any panel: of lines each for itself, of bars what lies on one another.
 * @param {ModelChart} chart of the model @param {Span} span @returns {number}
 */
function highest(chart, [from, to]) {
  let most = 0;
  for (const { datasets } of chart.panels) {
    /** @type {Map<number, number>} */
    const sums = new Map();
    for (const { points } of datasets) {
      points.forEach(([x, y], at) => {
        // at either end of the span it is seen in part
        if ((points[at + 1]?.[0] ?? x) < from || (points[at - 1]?.[0] ?? x) > to) return;
        const value = isStacked(chart) ? (sums.get(x) ?? 0) + (y ?? 0) : (y ?? 0);
        if (isStacked(chart)) sums.set(x, value);
        most = Math.max(most, value);
      });
    }
  }
  return most;
}

/**
 * @param {ModelChart} chart of the model, over time
 * @returns {number | undefined} the end of its y axis: where it is linear, above what is seen of it
 */
function topOf(chart) {
  if (zoomed.span === null || chart.y.type !== 'linear' || chart.y.ticks) return chart.y.max;
  const most = highest(chart, zoomed.span);
  return most > 0 ? Math.min(chart.y.max ?? Infinity, most * HEADROOM) : chart.y.max;
}

/** @param {Drawn} drawn by chart.js @param {ModelChart} chart of the model, over time: shows the span */
export function applyView(drawn, chart) {
  const { scales } = drawn.options;
  const { span } = zoomed;
  for (const dataset of drawn.data.datasets) {
    // What lies outside the span must not reach over the axis.
    dataset.clip = span ? { left: 0, right: 0, top: OVERHANG, bottom: OVERHANG } : OVERHANG;
  }
  [scales.x.min, scales.x.max] = span ?? [chart.x.min, chart.x.max];
  scales.y.max = topOf(chart);
  drawn.update('none');
}
