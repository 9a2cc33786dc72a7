/** The bar chart as plain HTML without a script: a row for each name on the axis, a bar for each server. */
import { barChart } from '../../model/charts/bars.js';
import { html } from '../html.js';
import { legClass } from './leg-name.js';

/**
 * @import { Bar } from '../../model/charts/bars.js'
 * @import { PageLeg } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {[number, number]} interval in shares of the width @returns {Fragment} a line over the bar */
function intervalLine([low, high]) {
  const [from, to] = [low, Math.min(1, high)].map((share) => share * 100);
  const open = high > 1 ? ' open' : '';
  return html`<u class="interval${open}" style="left:${from.toFixed(2)}%;width:${(to - from).toFixed(2)}%"></u>`;
}

/** @param {Bar} bar @param {string[]} series @returns {Fragment} */
function barRow({ series: place, colour, leg, share, text, bad, interval }, series) {
  const width = `${(share * 100).toFixed(2)}%`;
  const name = series.length > 1 ? html`<span class="of">${series[place]}</span>` : null;
  return html`<div class="bar ${legClass(colour)}" data-leg="${leg}" data-share="${share.toFixed(4)}">${name}<span class="lane"><i style="width:${width}"></i>${interval ? intervalLine(interval) : null}</span>
<span class="value">${text}${bad ? html` <b class="bad">${bad}</b>` : null}</span></div>`;
}

/**
 * @param {PageLeg[]} results
 * @returns {Fragment | null} null if no axis has several names as values
 */
export function bars(results) {
  const chart = barChart(results);
  if (chart === null) return null;
  const { title, lead, axis, series, groups } = chart;
  return html`<section id="bars" aria-labelledby="bars-title"><h2 id="bars-title">${title}</h2>
<p class="lead">${lead}${series.length === 1 ? ` Server: ${series[0]}.` : ''}</p>
<dl class="bars${series.length > 1 ? ' several' : ''}" data-axis="${axis}">${groups.map(
    (group) => html`<div><dt>${group.name}</dt><dd>${group.bars.map((bar) => barRow(bar, series))}</dd></div>`,
  )}</dl></section>`;
}
