/**
 * Runs in the page. What the charts show of their model: the legs that are drawn and the span of time that a reader
 * zoomed to. The same choice holds for every chart of the page.
 */
import { pointsOf } from './datasets.js';
import { drawnLegs } from './drawn.js';
import { currentTheme, legColour } from './theme.js';

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

/** @param {ChartModel} page the chart model @returns {Span} what the charts over time show together */
export function wholeTime(page) {
  const ends = page.charts.filter(isOverTime).map(({ x }) => Number(x.max));
  return [0, ends.length ? Math.max(...ends) : 0];
}

/** @param {ModelChart} chart of the model @returns {boolean} it shows the same legs, whatever is chosen */
const isFixed = (chart) => Boolean(chart.own);

/** @param {ModelChart} chart @param {Panel} panel @param {number | undefined} leg of a line @returns {boolean} */
export function isShown(chart, panel, leg) {
  const owner = leg ?? panel.leg;
  return isFixed(chart) || Boolean(panel.own) || owner === null || owner === undefined || drawnLegs.has(owner);
}

/**
 * @param {ModelChart} chart
 * @param {Panel} panel
 * @param {ChartModel} page
 * @param {Palette} theme
 * @returns {ColouredMark[]} its marks, coloured
 */
export function marksOf(chart, panel, page, theme) {
  const marks = (panel.marks ?? []).filter(({ leg }) => isShown(chart, panel, leg));
  return marks.map((mark) => ({
    ...mark,
    colour: mark.isFailure ? theme.bad : mark.leg === undefined ? theme.muted : legColour(theme, page, mark.leg),
  }));
}

/**
 * The highest value that is seen: of lines each for itself, of bars what lies on one another. An interval at either end
 * of the span is seen in part.
 * @param {ModelChart} chart of the model @returns {number}
 */
function highest(chart) {
  const [from, to] = (isOverTime(chart) && zoomed.span) || [-Infinity, Infinity];
  let most = 0;
  for (const panel of chart.panels) {
    /** @type {Map<number, number>} */
    const bars = new Map();
    for (const { leg, points, intervals = [] } of panel.datasets) {
      if (!isShown(chart, panel, leg)) continue;
      points.forEach(([x, y], at) => {
        if ((points[at + 1]?.[0] ?? x) < from || (points[at - 1]?.[0] ?? x) > to) return;
        const value = isStacked(chart) ? (bars.get(x) ?? 0) + (y ?? 0) : (y ?? 0);
        if (isStacked(chart)) bars.set(x, value);
        most = Math.max(most, value, intervals[at]?.[1] ?? 0);
      });
    }
  }
  return most;
}

/**
 * One leg that has a hundred times as many transfers, or bytes, than all others must not press the others flat.
 * @param {ModelChart} chart of the model
 * @returns {number | undefined} the end of its axis: over what is seen of it where it is linear
 */
function topOf(chart) {
  if (chart.y.type !== 'linear' || chart.y.ticks) return chart.y.max;
  const most = highest(chart);
  return most > 0 ? Math.min(chart.y.max ?? Infinity, most * HEADROOM) : chart.y.max;
}

/**
 * @param {ModelChart} chart of the model
 * @param {ChartModel} page
 * @returns {number | undefined} the end of its time axis: that of the longest leg it draws
 */
function endOf(chart, page) {
  const ends = chart.panels.flatMap((panel) =>
    [panel.leg, ...panel.datasets.map(({ leg }) => leg)].flatMap((leg) =>
      leg !== null && leg !== undefined && isShown(chart, panel, leg) ? Math.ceil(page.legs[leg].end * 100) / 100 : [],
    ),
  );
  return ends.length ? Math.min(chart.x.max ?? Infinity, Math.max(0.1, ...ends)) : chart.x.max;
}

/** @param {ChartModel} page the chart model @returns {boolean} each chart shows the whole of its model */
export const isPlain = (page) => !page.many && zoomed.span === null && drawnLegs.size === page.legs.length;

/**
 * @param {Drawn} drawn by chart.js @param {ModelChart} chart @param {Panel} panel of the model @param {ChartModel} page
 */
export function applyView(drawn, chart, panel, page) {
  const { scales, plugins } = drawn.options;
  const span = isOverTime(chart) ? zoomed.span : null;
  panel.datasets.forEach((dataset, at) => {
    const isDrawn = isShown(chart, panel, dataset.leg);
    const own = drawn.data.datasets[at];
    if (isDrawn && own.data.length === 0) own.data = pointsOf(dataset);
    drawn.setDatasetVisibility(at, isDrawn);
    // What lies outside the span must not reach over the axis.
    own.clip = span ? { left: 0, right: 0, top: OVERHANG, bottom: OVERHANG } : OVERHANG;
  });
  scales.y.max = isPlain(page) || panel.y || chart.endLabels ? chart.y.max : topOf(chart);
  if (isOverTime(chart)) {
    scales.x.min = span ? span[0] : chart.x.min;
    scales.x.max = span ? span[1] : page.many ? endOf(chart, page) : chart.x.max;
  }
  plugins.marks.marks = marksOf(chart, panel, page, currentTheme());
  drawn.update('none');
}
