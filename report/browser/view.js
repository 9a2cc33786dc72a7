/**
 * Runs in the page. The span of time that a reader zoomed to, and its application to charts over time.
 */
import { colourAt } from './theme.js';

/**
 * @import { Span } from './span.js'
 * @import { ChartModel, ColouredMark, Drawn, ModelChart, Palette, Panel } from './types.js'
 */

/** The span; null: the whole time. @type {{ span: Span | null }} */
export const zoomed = { span: null };

/** Marks at the end of a leg may overlap the edge by this much, px. */
const OVERHANG = 6;

/** @param {ModelChart} chart of the model @returns {boolean} */
export const isOverTime = (chart) => chart.x.type === 'time';

/** @param {ModelChart} chart of the model @returns {boolean} whether its values are stacked */
export const isStacked = ({ kind, isStacked: isGiven }) => kind === 'bar' || Boolean(isGiven);

/** @param {ModelChart} chart of the model @returns {Panel[]} the panels with a plot */
export const plotsOf = ({ panels }) => panels.filter(({ empty }) => empty === undefined);

/** @param {ChartModel} page the chart model @returns {Span} the whole time of the charts over time */
export function wholeTime(page) {
  const ends = page.charts.filter(isOverTime).map(({ x }) => Number(x.max));
  return [0, ends.length ? Math.max(...ends) : 0];
}

/** @param {Panel} panel @param {Palette} theme @returns {ColouredMark[]} */
export const marksOf = ({ marks = [] }, theme) =>
  marks.map((mark) => ({
    ...mark,
    colour: mark.isFailure ? theme.bad : mark.color === undefined ? theme.muted : colourAt(theme, mark.color),
  }));

/** Shows the span. @param {Drawn} drawn by chart.js @param {ModelChart} chart of the model, over time */
export function applyView(drawn, chart) {
  const { scales } = drawn.options;
  const { span } = zoomed;
  for (const dataset of drawn.data.datasets) {
    // Points outside the span must not overlap the axis.
    dataset.clip = span ? { left: 0, right: 0, top: OVERHANG, bottom: OVERHANG } : OVERHANG;
  }
  [scales.x.min, scales.x.max] = span ?? [chart.x.min, chart.x.max];
  drawn.update('none');
}
