/**
 * Charts as HTML: a title, an explanation, a legend and the canvases. The page's script draws on the canvases; all
 * texts are there without it.
 */
import { dashOf } from '../../model/leg-marks.js';
import { html } from '../html.js';
import { legClass } from './leg-name.js';

/**
 * @import { Chart, ChartModel as Model } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {Chart['legend'][number]} entry of a legend @returns {Fragment} */
const swatch = (entry) =>
  html`<li><i class="swatch ${entry.role} ${entry.cause ? `cause-${entry.cause}` : ''}"></i>${entry.label}</li>`;

/** @param {number} place among the dashes @returns {Fragment} a short line with that dash */
const lineSwatch = (place) =>
  html`<svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" stroke="currentColor" stroke-width="2.5" stroke-dasharray="${dashOf(place).join(' ') || 'none'}"/></svg>`;

/** @param {Chart} chart @returns {Fragment | null} */
function legend({ legend: entries, panels, endLabels }) {
  if (entries.length) return html`<ul class="legend">${entries.map(swatch)}</ul>`;
  const lines = panels[0].datasets.filter(({ role }) => role === 'leg');
  if (lines.length === 0 || endLabels) return null;
  return html`<ul class="legend">${lines.map(
    ({ label, color = 0, mark = color }) =>
      html`<li class="${legClass(color)}">${lineSwatch(mark)}<span>${label}</span></li>`,
  )}</ul>`;
}

/** @param {Chart} chart @param {number} i @param {Model} model @returns {Fragment} */
function panel(chart, i, { legs }) {
  const { leg, title, note, strong, alt, aside } = chart.panels[i];
  const head =
    leg === null || legs.length === 1
      ? title && html`<h4>${title}</h4>`
      : html`<h4 class="${legClass(legs[leg].color)}"><i class="chip"></i>${legs[leg].label}</h4>`;
  const noteText = note && html`<p class="note${strong ? ' strong' : ''}" data-code="${note.code}">${note.text}</p>`;
  // Screen readers read the text in the canvas.
  return html`<div class="panel"${head ? html` data-name="${title ?? legs[leg ?? 0].label}"` : null}>${head || noteText ? html`<div class="panel-head">${head}${noteText}</div>` : null}
<div class="plot"><canvas id="chart-${chart.id}-${i}" role="img" aria-label="${alt}">${alt}</canvas></div>${
    aside &&
    html`<div class="aside"><p>${aside.head}</p><ul class="legend">${aside.items.map((item) => (item.role ? swatch({ ...item, role: item.role }) : html`<li>${item.label}</li>`))}</ul></div>`
  }</div>`;
}

/**
 * @param {Chart} chart @param {Model} model
 * @returns {Fragment[]} for each reason, a line with the legs without a plot
 */
function emptyPanels({ panels }, { legs }) {
  const texts = new Set(panels.flatMap(({ empty }) => empty ?? []));
  return [...texts].map((text) => {
    const emptyOnes = panels.filter(({ empty }) => empty === text);
    return html`<p class="note" data-code="empty" data-legs="${emptyOnes.length}">${text}: ${emptyOnes.map(({ leg }) => legs[leg ?? 0].label).join(', ')}</p>`;
  });
}

/**
 * @param {Chart} chart @returns {Fragment} the chart's button; hidden until the page's script runs
 */
const tools = ({ id }) =>
  html`<div class="chart-tools" data-chart="${id}" hidden><button type="button" aria-expanded="false" title="Show the values as a table" aria-describedby="figure-${id}">Table</button></div>`;

/** @param {Chart} chart @returns {boolean} whether the chart needs half the page's width: it has one panel */
const isNarrow = ({ panels }) => panels.length === 1;

/** @param {Chart} chart @returns {string} classes of a chart with several panels */
const rowsClass = ({ panels }) => (panels.some(({ aside }) => aside) ? ' rows with-asides' : ' rows');

/** @param {Chart} chart @param {Model} model @returns {Fragment} */
export function figure(chart, model) {
  const { id, title, lead, panels } = chart;
  const drawn = [...panels.keys()].filter((i) => panels[i].empty === undefined);
  return html`<article class="figure${isNarrow(chart) ? '' : rowsClass(chart)}" aria-labelledby="figure-${id}"><div class="figure-head"><h3 id="figure-${id}">${title}</h3>${tools(chart)}</div>${
    lead === '' ? null : html`<p class="lead">${lead}</p>`
  }${legend(chart)}<div class="panels">${drawn.map((i) => panel(chart, i, model))}</div>${emptyPanels(chart, model)}</article>`;
}

/**
 * @param {Chart} chart of a single leg @param {Model} model
 * @returns {Fragment} title, explanation, legend and button in one line, and the plot below
 */
const track = (chart, model) =>
  html`<article class="figure track" aria-labelledby="figure-${chart.id}"><div class="figure-head"><h3 id="figure-${chart.id}">${chart.title}</h3>${
    chart.lead === '' ? null : html`<p class="lead">${chart.lead}</p>`
  }${legend(chart)}${tools(chart)}</div><div class="panels">${panel(chart, 0, model)}</div></article>`;

/** Explains the keys and gestures of charts. */
export const KEYS = html`<details class="chart-keys"><summary>Zoom and read values</summary><ul>
<li>Drag across a chart over time to show that span in all of them; a double click shows the whole time again. <kbd>Ctrl</kbd> and the wheel zoom about the pointer.</li>
<li>In a chart that has the focus, <kbd>←</kbd> and <kbd>→</kbd> go from value to value, <kbd>↑</kbd> and <kbd>↓</kbd> to another chart; <kbd>+</kbd> and <kbd>−</kbd> zoom, <kbd>Shift</kbd> with <kbd>←</kbd> or <kbd>→</kbd> moves the span, <kbd>Esc</kbd> shows the whole time again.</li>
</ul></details>`;

/** @param {Chart[]} charts charts without data @returns {Fragment | null} one line for all of them */
const emptyLine = (charts) =>
  charts.length === 0
    ? null
    : html`<p class="nothing">${charts.some(({ leftOut }) => leftOut) ? 'Of the drawn measurements: ' : null}${charts.map(({ id, empty }) => html`<span id="figure-${id}" data-code="${empty?.code}">${empty?.text}</span> `)}</p>`;

/**
 * @param {Chart[]} charts
 * @param {Model} model
 * @returns {Fragment} the legs left out, the charts, then one line for the charts without data
 */
export function chartGrid(charts, model) {
  const drawn = charts.filter(({ empty }) => !empty);
  const remarks = new Map(drawn.flatMap(({ leftOut }) => (leftOut ? [[leftOut.text, leftOut]] : [])));
  return html`${[...remarks.values()].map(({ code, data, text }) => html`<p class="nothing" data-code="${code}" data-drawn="${data.drawn}" data-of="${data.of}">${text}</p>`)}${drawn.length > 0 ? html`<div class="charts">${drawn.map((chart) => figure(chart, model))}</div>` : null}${emptyLine(charts.filter(({ empty }) => empty))}`;
}

/** @param {Chart[]} charts @returns {Chart[]} charts of half the width first, so that they are side by side */
export const narrowFirst = (charts) => [...charts.filter(isNarrow), ...charts.filter((chart) => !isNarrow(chart))];

/** @param {Model} model @returns {Fragment | null} the charts at the top; null if there are none */
export function mainCharts(model) {
  if (model.charts.length === 0)
    return html`<section id="charts" aria-label="Charts"><p class="notice" data-code="no-samples">No measurement left any samples, so there is nothing to draw.</p></section>`;
  const main = model.charts.filter(({ section }) => section === 'main');
  const tracks = model.charts.filter(({ section }) => section === 'track');
  if (main.length + tracks.length === 0) return null;
  const steps = main.filter(({ id }) => id === 'steps');
  return html`${tracks.length > 0 ? SPAN : null}<section id="charts" aria-labelledby="charts-title"><h2 class="unseen" id="charts-title">Charts</h2>${chartGrid(steps, model)}${
    tracks.length > 0 ? html`<div class="tracks">${tracks.map((chart) => track(chart, model))}</div>` : null
  }${chartGrid(
    main.filter((chart) => !steps.includes(chart)),
    model,
  )}</section>`;
}

/** Shows the zoomed span of the charts over time, and a button to reset it; visible while they are zoomed. */
export const SPAN = html`<p class="span" data-zoomed hidden>Time: <b data-name="span"></b> <button type="button" data-zoom="reset">Reset zoom</button></p>`;
