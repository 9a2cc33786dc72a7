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

/** @param {Drawn} drawn by chart.js @param {ModelChart} chart of the model, over time: shows the span */
export function applyView(drawn, chart) {
  const { scales } = drawn.options;
  const { span } = zoomed;
  for (const dataset of drawn.data.datasets) {
    // What lies outside the span must not reach over the axis.
    dataset.clip = span ? { left: 0, right: 0, top: OVERHANG, bottom: OVERHANG } : OVERHANG;
  }
  [scales.x.min, scales.x.max] = span ?? [chart.x.min, chart.x.max];
  drawn.update('none');
}
