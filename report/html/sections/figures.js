/**
 * The figures: a title, what is shown, a legend and the canvases. Those that answer most questions are open, the others are
 * folded by subject, and those with nothing to show share one line. The page script draws, and unfolds what a link leads to;
 * nothing here needs it to be read.
 */
import { html } from '../html.js';
import { areRepeated, roundsOf } from '../../../client/judge/case-legs.js';
import { count } from '../../../client/words/format.js';
import { legClass } from './leg-name.js';
import { lineSwatch, picker } from './picker.js';
import { withSpares } from './spares.js';

/** @typedef {import('../../types.js').Chart} Chart */
/** @typedef {import('../../types.js').ChartModel} Model */

/** Figures that are folded, by subject. @type {{ id: string, title: string, charts: string[] }[]} */
const SUBJECTS = [
  { id: 'times', title: 'Response times in detail', charts: ['heat', 'service', 'time-parts', 'fairness', 'sent'] },
  { id: 'ramp', title: 'Against open connections', charts: ['ramp-throughput', 'ramp-response'] },
  {
    id: 'connecting',
    title: 'Connecting, and the network',
    charts: ['connect', 'handshake', 'resumption', 'opens', 'recovery', 'rtt', 'kernel'],
  },
  { id: 'resources', title: 'CPU, memory, and payload', charts: ['cpu', 'memory', 'bytes'] },
];

/** Those that stay open where connecting is what was measured. */
const OF_CONNECTS = ['opens', 'connect'];

/** Figures of a sweep have a section of their own, and one legend. @param {Chart} chart */
const isSwept = ({ section }) => section === 'sweep';
/** @param {Chart} chart */
const isElsewhere = (chart) => isSwept(chart) || chart.section === 'search' || Boolean(chart.picture);

/** @param {Chart['legend'][number]} entry of a legend @returns {import('../html.js').Fragment} */
function swatch(entry) {
  return html`<li><i class="swatch ${entry.role} ${entry.cause ? `cause-${entry.cause}` : ''}"></i>${entry.label}</li>`;
}

/** @param {Chart} chart @param {Model} model @returns {import('../html.js').Fragment | null} */
function legend(chart, { legs, many }) {
  if (chart.legend.length) return html`<ul class="legend">${chart.legend.map(swatch)}</ul>`;
  const shown = chart.panels[0].datasets.filter((dataset) => dataset.role === 'leg');
  if (shown.length === 0) return null;
  // One above them all.
  if (isSwept(chart) && !chart.ownLines && !chart.picture) return null;
  if (chart.ownLines || isSwept(chart)) {
    return html`<ul class="legend own">${shown.map((dataset) => {
      const { color = 0, mark } =
        dataset.color === undefined ? legs[dataset.leg ?? 0] : { color: dataset.color, mark: dataset.color };
      return html`<li class="${legClass(color)}">${lineSwatch(mark)}<span>${dataset.label}</span></li>`;
    })}</ul>`;
  }
  if (many) {
    // On a screen the strip above all charts is their legend, on paper there is one to each.
    return html`<ul class="legend ${chart.own ? 'own' : 'on-paper'}">${withSpares(
      shown.map(({ leg = 0, label }) => ({
        leg,
        isDrawn: Boolean(chart.own || legs[leg].drawn),
        element: html`<li ${chart.own ? null : html`data-drawn="${leg}"`} class="${legClass(legs[leg].color)}">${lineSwatch(legs[leg].mark)}<span>${chart.own ? label : legs[leg].label}</span></li>`,
      })),
    )}</ul>`;
  }
  return html`<ul class="legend">${shown.map((dataset) => {
    const { color, mark } = legs[/** @type {number} */ (dataset.leg)];
    return html`<li><button type="button" class="${legClass(color)}" data-toggle="${dataset.leg}"
aria-pressed="true" title="Show or hide in every chart">${lineSwatch(mark)}<span>${dataset.label}</span></button></li>`;
  })}</ul>`;
}

/** @param {Chart} chart @param {number} i @param {Model} model @returns {import('./spares.js').Child} */
function panel(chart, i, { legs, many }) {
  const { leg, note, strong, alt, own } = chart.panels[i];
  const head =
    leg === null ? null : html`<h4 class="${legClass(legs[leg].color)}"><i class="chip"></i>${legs[leg].label}</h4>`;
  const isChosen = leg !== null && !own;
  const isDrawn = !many || !isChosen || Boolean(legs[leg].drawn);
  // without scripts a browser shows what is in the canvas
  const element = html`<div class="panel"${isChosen ? html` data-drawn="${leg}"` : null}>${head}${note ? html`<p class="note${strong ? ' strong' : ''}" data-code="${note.code}">${note.text}</p>` : null}
<div class="plot${chart.small ? ' small' : ''}${chart.layout === 'overlay' ? ' tall' : ''}"><canvas id="chart-${chart.id}-${i}" role="img"
aria-label="${alt}">${isDrawn ? alt : null}</canvas></div></div>`;
  return { leg, isDrawn, element };
}

/**
 * @param {Chart} chart of many legs @param {number[]} shown panels that are not empty
 * @returns {import('../html.js').Fragment | null} which are drawn, where that is not as chosen
 */
function ownText(chart, shown) {
  const own = shown.filter((i) => chart.panels[i].own).length;
  if (own === 0) return null;
  const others = chart.panels.length - shown.length;
  const none =
    others === 0 ? '' : ` ${others === 1 ? 'The other server' : `The other ${count(others)} servers`} had none.`;
  const text =
    own < shown.length
      ? `Of ${count(shown.length)} servers with any, the ${count(own)} with the most are shown; choose others to add them.`
      : own === 1
        ? 'Only one server had any.'
        : `All ${count(own)} servers with any are shown.`;
  return html`<p class="note" data-code="own" data-shown="${own}" data-any="${shown.length}" data-none="${others}">${text}${none}</p>`;
}

/** @param {Chart} chart @param {Model} model @returns {number[]} panels that have a place on the page, in its order */
function panelsOf(chart, { many, legs }) {
  const all = chart.panels.map((_, i) => i);
  if (!many || chart.layout === 'overlay') return all;
  const amount = (/** @type {number} */ i) => chart.panels[i].amount ?? 0;
  const place = (/** @type {number} */ i) => legs[/** @type {number} */ (chart.panels[i].leg)].place;
  return all.filter((i) => !chart.panels[i].empty).sort((a, b) => amount(b) - amount(a) || place(a) - place(b));
}

/**
 * The page's script shows them; without it they would do nothing.
 * @param {Chart} chart @returns {import('../html.js').Fragment} the buttons of a figure
 */
function tools({ id }) {
  const about = html`aria-describedby="figure-${id}"`;
  return html`<div class="chart-tools" data-chart="${id}" hidden><span role="status"></span>
<button type="button" data-do="table" aria-expanded="false" title="Show the values as a table" ${about}>Table</button>
<button type="button" data-do="copy" title="Copy the values, to paste into a spreadsheet" ${about}>Copy</button>
<button type="button" data-do="csv" title="Save the values as a CSV file" ${about}>CSV</button>
<button type="button" data-do="png" title="Save the picture as a PNG file" ${about}>PNG</button></div>`;
}

/**
 * @param {Chart} chart @param {Model} model @param {boolean} [odd] it has no neighbour in its row
 * @returns {import('../html.js').Fragment}
 */
export function figure(chart, model, odd) {
  const head = html`<h3 id="figure-${chart.id}">${chart.title}</h3>`;
  const { many } = model;
  const panels = panelsOf(chart, model);
  const columns =
    chart.layout === 'overlay' ? 1 : many ? 'fit' : Math.min(chart.panels.length, chart.panels.length > 3 ? 4 : 3);
  return html`<article class="${odd ? 'figure odd' : 'figure'}" aria-labelledby="figure-${chart.id}"><div class="figure-head">${head}${tools(chart)}</div><p class="lead">${chart.lead}</p>
${legend(chart, model)}${many ? ownText(chart, panels) : null}<div class="panels c${columns}"${many || columns === 1 ? null : html` data-columns="${columns}"`}>${withSpares(panels.map((i) => panel(chart, i, model)))}</div></article>`;
}

/**
 * A low figure would leave a gap next to a high one, so figures of one kind share rows, and an odd one has a row of its own.
 * @param {Chart[]} charts @returns {Array<{ chart: Chart, odd: boolean }>}
 */
function pairs(charts) {
  const rows = [charts.filter((chart) => !chart.small), charts.filter((chart) => chart.small)];
  return rows.flatMap((some) =>
    some.map((chart, i) => ({ chart, odd: i === some.length - 1 && some.length % 2 === 1 })),
  );
}

/** What the page's script lets a reader do with charts. */
const KEYS = html`<details class="chart-keys"><summary>Zoom and read values</summary><ul>
<li>Drag across a chart over time to show that span in all of them. <kbd>Ctrl</kbd> and the wheel, or a pinch on a touchpad, zoom about the pointer. A double click shows the whole time again.</li>
<li>In a chart that has the focus, <kbd>←</kbd> and <kbd>→</kbd>, <kbd>Home</kbd> and <kbd>End</kbd> go from value to value, <kbd>↑</kbd> and <kbd>↓</kbd> to the chart of another leg. <kbd>+</kbd> and <kbd>−</kbd> zoom, <kbd>Shift</kbd> with <kbd>←</kbd> or <kbd>→</kbd> moves the span, <kbd>0</kbd> or <kbd>Esc</kbd> shows the whole time again.</li>
<li>The address of the page holds the span and the legs that are shown: copy it to share what you see.</li>
</ul></details>`;

/** @param {Chart[]} charts @param {Model} model @returns {import('../html.js').Fragment[]} the figures, those that are narrow side by side */
function rows(charts, model) {
  /** @type {Array<{ pair: boolean, charts: Chart[] }>} */
  const groups = [];
  for (const chart of charts) {
    const last = groups.at(-1);
    // one leg needs no room for columns of legs
    const pair = chart.section === 'pair' || model.legs.length === 1;
    if (last && pair && last.pair) last.charts.push(chart);
    else groups.push({ pair, charts: [chart] });
  }
  return groups.map(({ pair, charts: some }) =>
    pair
      ? html`<div class="pairs">${pairs(some).map(({ chart, odd }) => figure(chart, model, odd))}</div>`
      : html`${some.map((chart) => figure(chart, model))}`,
  );
}

/** @param {Chart[]} charts those with nothing to draw @returns {import('../html.js').Fragment | null} one line for all of them */
const nothingToShow = (charts) =>
  charts.length === 0
    ? null
    : html`<p class="nothing">${charts.map(({ id, empty }) => html`<span id="figure-${id}" data-code="${empty?.code}">${empty?.text}</span> `)}</p>`;

/** @param {Model} model @param {import('../../types.js').PageLeg[]} results @returns {import('../html.js').Fragment} */
export function figures(model, results) {
  if (model.charts.length === 0) {
    return html`<section id="figures" aria-labelledby="figures-title"><h2 id="figures-title">Figures</h2><p class="empty" data-code="no-samples">No leg left any samples, so there is nothing to draw.</p></section>`;
  }
  const here = model.charts.filter((one) => !isElsewhere(one));
  const drawn = here.filter(({ empty }) => !empty);
  const areConnects = results.some((f) => f.summary.heldOnly || f.workload === 'reconnect');
  const folded = SUBJECTS.map(({ charts, ...subject }) => ({
    ...subject,
    charts: drawn.filter(({ id }) => charts.includes(id) && !(areConnects && OF_CONNECTS.includes(id))),
  })).filter(({ charts }) => charts.length > 0);
  const open = drawn.filter((chart) => !folded.some(({ charts }) => charts.includes(chart)));
  const legs = results.map(({ summary }) => summary);
  const scale = areRepeated(legs)
    ? `Of each server the ${roundsOf(legs) > 1 ? 'round' : 'start'} nearest to its median is shown at first; choose others here. Within a figure, all of them share one scale.`
    : model.many
      ? `A few ${results.some((f) => f.summary.series) ? 'legs' : 'servers'} are shown at first; choose others here or in the table above. ` +
        'Within a figure, all of them share one scale.'
      : 'Within a figure, all legs share one scale.';
  return html`<section id="figures"${model.many ? html` class="many"` : null} aria-labelledby="figures-title"><h2 id="figures-title">Figures</h2>
<p class="lead">Time is counted from the start of each leg; ${results.some((f) => f.phases.warmupFromNs !== undefined) ? 'ramp, warm-up' : 'ramp'} and drain are shaded. ${scale}</p>
${KEYS}
${picker(results, model)}${rows(open, model)}${nothingToShow(here.filter(({ empty }) => empty))}${folded.map(
    ({ id, title, charts }) =>
      html`<details class="subject" id="subject-${id}"><summary>${title}<span>: ${charts.map((chart) => chart.title).join(' · ')}</span></summary>${rows(charts, model)}</details>`,
  )}</section>`;
}
