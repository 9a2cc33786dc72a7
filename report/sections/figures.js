/**
 * The figures: a title, what is shown, a legend and the canvases. The page script draws; nothing here needs it to be
 * read.
 */
import { html } from '../html.js';
import { DASHES } from '../leg-marks.js';

/** @typedef {import('../types.js').Chart} Chart */

/** @param {any} entry of a legend @returns {import('../html.js').Fragment} */
function swatch(entry) {
  return html`<li><i class="swatch ${entry.role} ${entry.cause ? `cause-${entry.cause}` : ''}"></i>${entry.label}</li>`;
}

/** @param {Chart} chart @param {any[]} legs @returns {import('../html.js').Fragment | null} */
function legend(chart, legs) {
  if (chart.legend.length) return html`<ul class="legend">${chart.legend.map(swatch)}</ul>`;
  const shown = chart.panels[0].datasets.filter((dataset) => dataset.role === 'leg');
  if (shown.length === 0) return null;
  return html`<ul class="legend">${shown.map((dataset) => {
    const index = legs[/** @type {number} */ (dataset.leg)].color;
    const dash = DASHES[index % DASHES.length].join(' ') || 'none';
    return html`<li><button type="button" class="leg-${index % 8}" data-chart="${chart.id}" data-leg="${dataset.leg}"
aria-pressed="true" title="Show or hide"><svg width="26" height="8" aria-hidden="true"><line x1="0" y1="4" x2="26" y2="4" stroke="currentColor"
stroke-width="2.5" stroke-dasharray="${dash}"/></svg><span>${dataset.label}</span></button></li>`;
  })}</ul>`;
}

/** @param {Chart} chart @param {number} i @param {any[]} legs @returns {import('../html.js').Fragment} */
function panel(chart, i, legs) {
  const { leg, note, strong, alt } = chart.panels[i];
  const head =
    leg === null ? null : html`<h4 class="leg-${legs[leg].color % 8}"><i class="chip"></i>${legs[leg].label}</h4>`;
  return html`<div class="panel">${head}${note ? html`<p class="note${strong ? ' strong' : ''}">${note}</p>` : null}
<div class="plot${chart.small ? ' small' : ''}${chart.layout === 'overlay' ? ' tall' : ''}"><canvas id="chart-${chart.id}-${i}" role="img"
aria-label="${alt}">${alt}</canvas></div></div>`;
}

/**
 * @param {Chart} chart @param {any[]} legs @param {boolean} [odd] no other stands beside it
 * @returns {import('../html.js').Fragment}
 */
function figure(chart, legs, odd) {
  const head = html`<h3 id="figure-${chart.id}">${chart.title}</h3>`;
  if (chart.empty)
    return html`<article class="${odd ? 'figure none odd' : 'figure none'}" aria-labelledby="figure-${chart.id}">${head}<p class="empty">${chart.empty}</p></article>`;
  const columns =
    chart.layout === 'overlay'
      ? 1
      : Math.min(chart.panels.length, chart.panels.length === 4 ? 4 : chart.panels.length > 4 ? 4 : 3);
  return html`<article class="${odd ? 'figure odd' : 'figure'}" aria-labelledby="figure-${chart.id}">${head}<p class="lead">${chart.lead}</p>
${legend(chart, legs)}<div class="panels c${columns}">${chart.panels.map((_, i) => panel(chart, i, legs))}</div></article>`;
}

/**
 * A low figure, or one with nothing to draw, leaves a hole beside a high one: each kind stands together, and an odd one
 * takes the row.
 * @param {Chart[]} charts @returns {Array<{ chart: Chart, odd: boolean }>}
 */
function pairs(charts) {
  const drawn = charts.filter((chart) => !chart.empty);
  const rows = [drawn.filter((chart) => !chart.small), drawn.filter((chart) => chart.small)];
  return [...rows, charts.filter((chart) => chart.empty)].flatMap((some) =>
    some.map((chart, i) => ({ chart, odd: i === some.length - 1 && some.length % 2 === 1 })),
  );
}

/** @param {{ legs: any[], charts: Chart[] }} model @returns {import('../html.js').Fragment} */
export function figures(model) {
  if (model.charts.length === 0) {
    return html`<section id="figures"><h2>Figures</h2><p class="empty">No leg left a sample: there is nothing to draw.</p></section>`;
  }
  /** @type {Array<{ pair: boolean, charts: Chart[] }>} */
  const groups = [];
  for (const chart of model.charts) {
    const last = groups[groups.length - 1];
    // One leg needs no room for columns of legs, and a figure without anything to show none at all.
    const pair = chart.section === 'pair' || model.legs.length === 1 || Boolean(chart.empty);
    if (last && pair && last.pair) last.charts.push(chart);
    else groups.push({ pair, charts: [chart] });
  }
  return html`<section id="figures" aria-labelledby="figures-title"><h2 id="figures-title">Figures</h2>
<p class="lead">Time runs from each leg’s start; ramp and drain are shaded. Every figure has the same scale for all legs.</p>
${groups.map(({ pair, charts }) =>
  pair
    ? html`<div class="pairs">${pairs(charts).map(({ chart, odd }) => figure(chart, model.legs, odd))}</div>`
    : charts.map((chart) => figure(chart, model.legs)),
)}</section>`;
}
