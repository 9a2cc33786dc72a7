/**
 * Charts: a title, a line on what is shown, a legend and the canvases. Those at the top answer most questions; the
 * others are in the subjects below, which a reader opens. The page's script draws; nothing here needs it to be read.
 */
import { dashOf } from '../../model/leg-marks.js';
import { html } from '../html.js';
import { count } from '../../../client/words/format.js';
import { legClass } from './leg-name.js';
import { withSpares } from './spares.js';

/**
 * @import { Chart, ChartModel as Model } from '../../types.js'
 * @import { Fragment } from '../html.js'
 * @import { Child } from './spares.js'
 */

/** @param {Chart['legend'][number]} entry of a legend @returns {Fragment} */
const swatch = (entry) =>
  html`<li><i class="swatch ${entry.role} ${entry.cause ? `cause-${entry.cause}` : ''}"></i>${entry.label}</li>`;

/** @param {Chart} chart @param {Model} model @returns {Fragment | null} */
function legend(chart, { legs, many }) {
  if (chart.legend.length) return html`<ul class="legend">${chart.legend.map(swatch)}</ul>`;
  const shown = chart.panels[0].datasets.filter((dataset) => dataset.role === 'leg');
  if (shown.length === 0 || chart.endLabels) return null;
  if (many && chart.own) {
    return html`<ul class="legend own">${shown.map(
      ({ leg = 0, label }) =>
        html`<li class="${legClass(legs[leg].color)}">${lineSwatch(legs[leg].mark)}<span>${label}</span></li>`,
    )}</ul>`;
  }
  return html`<ul class="legend">${withSpares(
    shown.map(({ leg = 0 }) => ({
      leg,
      isDrawn: Boolean(!many || chart.own || legs[leg].drawn),
      element: html`<li${chart.own || !many ? null : html` data-drawn="${leg}"`} class="${legClass(legs[leg].color)}">${lineSwatch(legs[leg].mark)}<span>${legs[leg].label}</span></li>`,
    })),
  )}</ul>`;
}

/** @param {Chart} chart @param {number} i @param {Model} model @returns {Child} */
function panel(chart, i, { legs, many }) {
  const { leg, title, note, strong, alt, own, aside } = chart.panels[i];
  const head =
    leg === null || legs.length === 1
      ? title && html`<h4>${title}</h4>`
      : html`<h4 class="${legClass(legs[leg].color)}"><i class="chip"></i>${legs[leg].label}</h4>`;
  const isChosen = leg !== null && !own;
  const isDrawn = !many || !isChosen || Boolean(legs[leg].drawn);
  // without scripts a browser shows what is in the canvas
  const element = html`<div class="panel"${isChosen ? html` data-drawn="${leg}"` : null}>${head}${note ? html`<p class="note${strong ? ' strong' : ''}" data-code="${note.code}">${note.text}</p>` : null}
<div class="plot"><canvas id="chart-${chart.id}-${i}" role="img" aria-label="${alt}">${isDrawn ? alt : null}</canvas></div>${
    aside &&
    html`<div class="aside"><p>${aside.head}</p><ul class="legend">${aside.items.map((item) => (item.role ? swatch({ ...item, role: item.role }) : html`<li>${item.label}</li>`))}</ul></div>`
  }</div>`;
  return { leg, isDrawn, element };
}

/**
 * @param {Chart} chart of many legs @param {number[]} shown panels that are not empty
 * @returns {Fragment | null} which are drawn, where that is not as chosen
 */
function ownText(chart, shown) {
  const own = shown.filter((i) => chart.panels[i].own).length;
  if (own === 0) return null;
  const none = chart.panels.length - shown.length;
  const text =
    own < shown.length
      ? `Of ${count(shown.length)} legs with any, the ${count(own)} with the most are shown; choose others to add them.`
      : `${own === 1 ? 'Only one leg had any.' : `All ${count(own)} legs with any are shown.`}${none === 0 ? '' : ` ${count(none)} had none.`}`;
  return html`<p class="note" data-code="own" data-shown="${own}" data-any="${shown.length}" data-none="${none}">${text}</p>`;
}

/** @param {Chart} chart @returns {boolean} whether its panels are below one another, on the same x axis */
const isStacked = ({ panels }) => panels.some(({ y }) => y);

/** @param {Chart} chart @param {Model} model @returns {number[]} panels that have a place on the page, in its order */
function panelsOf(chart, { many, legs }) {
  const all = chart.panels.map((_, i) => i);
  if (!many || chart.layout === 'overlay' || isStacked(chart)) return all;
  const amount = (/** @type {number} */ i) => chart.panels[i].amount ?? 0;
  const place = (/** @type {number} */ i) => legs[/** @type {number} */ (chart.panels[i].leg)].place;
  return all.filter((i) => !chart.panels[i].empty).sort((a, b) => amount(b) - amount(a) || place(a) - place(b));
}

/**
 * The page's script shows it; without it, it would do nothing.
 * @param {Chart} chart @returns {Fragment} the button of a chart
 */
const tools = ({ id }) =>
  html`<div class="chart-tools" data-chart="${id}" hidden><button type="button" aria-expanded="false" title="Show the values as a table" aria-describedby="figure-${id}">Table</button></div>`;

/** @param {Chart} chart @returns {boolean} whether it has one panel, so that half the width is enough */
const isNarrow = ({ layout, panels }) => layout === 'overlay' || panels.length === 1;

/** @param {Chart} chart @param {Model} model @returns {Fragment} */
export function figure(chart, model) {
  const panels = panelsOf(chart, model);
  return html`<article class="figure${isNarrow(chart) ? '' : ' several'}${isStacked(chart) ? ' stacked' : ''}" aria-labelledby="figure-${chart.id}"><div class="figure-head"><h3 id="figure-${chart.id}">${chart.title}</h3>${tools(chart)}</div>${
    chart.lead === '' ? null : html`<p class="lead">${chart.lead}</p>`
  }${legend(chart, model)}${model.many ? ownText(chart, panels) : null}<div class="panels">${withSpares(panels.map((i) => panel(chart, i, model)))}</div></article>`;
}

/**
 * @param {Chart} chart of one server @param {Model} model
 * @returns {Fragment} title, what is shown, legend and button in one line, and below it the plot
 */
const track = (chart, model) =>
  html`<article class="figure track" aria-labelledby="figure-${chart.id}"><div class="figure-head"><h3 id="figure-${chart.id}">${chart.title}</h3>${
    chart.lead === '' ? null : html`<p class="lead">${chart.lead}</p>`
  }${legend(chart, model)}${tools(chart)}</div><div class="panels">${panel(chart, 0, model).element}</div></article>`;

/** What the page's script lets a reader do with charts. */
export const KEYS = html`<details class="chart-keys"><summary>Zoom and read values</summary><ul>
<li>Drag across a chart over time to show that span in all of them; a double click shows the whole time again. <kbd>Ctrl</kbd> and the wheel zoom about the pointer.</li>
<li>In a chart that has the focus, <kbd>←</kbd> and <kbd>→</kbd> go from value to value, <kbd>↑</kbd> and <kbd>↓</kbd> to another chart; <kbd>+</kbd> and <kbd>−</kbd> zoom, <kbd>Shift</kbd> with <kbd>←</kbd> or <kbd>→</kbd> moves the span, <kbd>Esc</kbd> shows the whole time again.</li>
</ul></details>`;

/** @param {Chart[]} charts those with nothing to draw @returns {Fragment | null} one line for all of them */
const nothingToShow = (charts) =>
  charts.length === 0
    ? null
    : html`<p class="nothing">${charts.map(({ id, empty }) => html`<span id="figure-${id}" data-code="${empty?.code}">${empty?.text}</span> `)}</p>`;

/**
 * @param {Chart[]} charts
 * @param {Model} model
 * @returns {Fragment} those that are drawn, then one line for the others
 */
export function chartGrid(charts, model) {
  const drawn = charts.filter(({ empty }) => !empty);
  return html`${drawn.length > 0 ? html`<div class="charts">${drawn.map((chart) => figure(chart, model))}</div>` : null}${nothingToShow(charts.filter(({ empty }) => empty))}`;
}

/** @param {Chart[]} charts @returns {Chart[]} those of half the width first, so that they are side by side */
export const narrowFirst = (charts) => [...charts.filter(isNarrow), ...charts.filter((chart) => !isNarrow(chart))];

/** @param {Model} model @returns {Fragment | null} the charts at the top; null without any */
export function mainCharts(model) {
  if (model.charts.length === 0)
    return html`<section id="charts" aria-label="Charts"><p class="notice" data-code="no-samples">No leg left any samples, so there is nothing to draw.</p></section>`;
  const main = model.charts.filter(({ section }) => section === 'main');
  const tracks = model.charts.filter(({ section }) => section === 'track');
  if (main.length + tracks.length === 0) return null;
  const steps = main.filter(({ id }) => id === 'steps');
  return html`${tracks.length > 0 ? picker(model) : null}<section id="charts" aria-labelledby="charts-title"><h2 class="unseen" id="charts-title">Charts</h2>${chartGrid(steps, model)}${
    tracks.length > 0 ? html`<div class="tracks">${tracks.map((chart) => track(chart, model))}</div>` : null
  }${chartGrid(
    main.filter((chart) => !steps.includes(chart)),
    model,
  )}</section>`;
}

/** @param {number} mark of a leg @returns {Fragment} a piece of its line */
const lineSwatch = (mark) =>
  html`<svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" stroke="currentColor" stroke-width="2.5" stroke-dasharray="${dashOf(mark).join(' ') || 'none'}"/></svg>`;

/** Which part of the time all charts show, and the way back. */
const SPAN = html`<p class="span" data-zoomed hidden>Time: <b data-name="span"></b> <button type="button" data-zoom="reset">Reset zoom</button></p>`;

/**
 * Which part of the time the charts show, and of many legs which of them: a strip that stays in view.
 * @param {Model} model @returns {Fragment}
 */
export function picker({ legs, many }) {
  if (!many) return html`<div class="picker" data-zoomed hidden>${SPAN}</div>`;
  const places = [...legs.keys()];
  const drawn = places.filter((at) => legs[at].drawn);
  const buttons = legs.map(
    ({ label, color, mark, drawn: isDrawn }, at) =>
      html`<li><button type="button" class="${legClass(color)}" data-toggle="${at}" aria-pressed="${String(isDrawn)}" title="Show or hide in every chart">${lineSwatch(mark)}<span>${label}</span></button></li>`,
  );
  return html`<div class="picker"><details><summary>The charts show <b id="drawn-count">${count(drawn.length)}</b> of ${count(legs.length)}: choose</summary>
<p class="which"><button type="button" data-draw="${drawn.join()}">the first ${count(drawn.length)}</button> <button type="button" data-draw="${places.join()}">all</button> <button type="button" data-draw="">none</button></p>
<ul aria-label="All servers">${buttons}</ul></details>${SPAN}</div>`;
}
