/** The picture beside the answer: a chart of the model, or a row for each server, as plain HTML that needs no script. */
import { pictureRows } from '../../model/picture.js';
import { html, raw } from '../html.js';
import { counted } from '../../../client/words/format.js';
import { figure } from './figures.js';
import { legClass } from './leg-name.js';

/** @typedef {import('../../model/picture.js').Bar} Bar */
/** @typedef {import('../../model/picture.js').Row} Row */
/** @typedef {import('../html.js').Fragment} Fragment */

/** @param {number} share @returns {string} */
const width = (share) => `${(Math.min(1, share) * 100).toFixed(2)}%`;

/** @param {[number, number] | undefined} interval in shares of the width @returns {Fragment | null} a line over the bar */
function between(interval) {
  if (interval === undefined) return null;
  const [low, high] = [interval[0], Math.min(1, interval[1])];
  return html`<u class="interval${interval[1] > 1 ? ' open' : ''}" style="left:${width(low)};width:${width(high - low)}"></u>`;
}

/** @param {string} name @param {Bar | null} bar @param {'bar' | 'dot'} shape @returns {Fragment} */
function cell(name, bar, shape) {
  if (bar === null) return html`<td data-column="${name}">–</td>`;
  const mark =
    shape === 'bar'
      ? html`<i class="bar" style="width:${width(bar.at)}"></i>`
      : html`<i class="dot${bar.bad ? ' beyond' : ''}" style="left:${width(bar.at)}"></i>`;
  return html`<td data-column="${name}" class="${bar.bad ? 'bad' : ''}"><span class="lane ${shape}" aria-hidden="true">${mark}${between(bar.interval)}</span><span class="value">${bar.text}</span></td>`;
}

/** @param {string} name @param {Row} row @returns {Fragment} */
function servedCell(name, { served }) {
  if (served === null) return html`<td data-column="${name}">–</td>`;
  const parts = served.parts.map(({ part, share }) => html`<i class="part-${part}" style="width:${width(share)}"></i>`);
  return html`<td data-column="${name}"${served.bad ? raw(' class="bad"') : null}><span class="lane" aria-hidden="true">${parts}</span><span class="value">${served.text}</span></td>`;
}

/** @param {import('../../model/picture.js').Rows} picture @returns {Fragment} */
function table({ speed, wait, served, rows, left, intervals, order }) {
  const some = rows.some(({ onlySome }) => onlySome);
  const failed = rows.some(({ failures }) => failures !== '');
  const columns = [speed, wait, served].filter((title) => title !== null).length + (failed ? 1 : 0);
  const row = (/** @type {Row} */ one) =>
    html`<tr class="${legClass(one.colour)}${one.onlySome ? ' some' : ''}" data-row="${one.label}"><th scope="row"><i class="chip"></i>${one.label}</th>${
      one.message
        ? html`<td class="message bad" colspan="${columns}">${one.message}</td>`
        : html`${speed === null ? null : cell(speed, one.speed, 'bar')}${wait === null ? null : cell(wait, one.wait, 'dot')}${servedCell(served, one)}${failed ? html`<td class="failures bad" data-column="failures">${one.failures}</td>` : null}`
    }</tr>`;
  return html`<table${failed ? null : raw(' class="roomy"')}><thead><tr><td></td>${speed === null ? null : html`<th scope="col" data-column="${speed}">${speed}</th>`}${wait === null ? null : html`<th scope="col" data-column="${wait}">${wait} (log scale)</th>`}<th scope="col" data-column="${served}">${served}</th>${failed ? html`<th scope="col" data-column="failures">failures</th>` : null}</tr></thead>
<tbody>${rows.map(row)}</tbody></table>${
    some || intervals || order || left > 0
      ? html`<p class="key">${order ? html`<span data-code="${order.code}">${order.text}</span> ` : null}${some ? 'A hollow mark: only of the connections that were served. ' : null}${intervals ? 'A thin line is the 95 % interval. ' : null}${left > 0 ? `${counted(left, 'more leg')} in the overview.` : null}</p>`
      : null
  }`;
}

/**
 * @param {import('../../types.js').PageLeg[]} cases @param {import('../../types.js').PageLeg[]} results of the legs
 * @param {import('./figures.js').Model} model
 * @param {boolean} shownBelow whether the first section is a picture itself: bars, or the charts of a search
 * @returns {Fragment | null} null where there is nothing to draw, or it is drawn just below
 */
export function picture(cases, results, model, shownBelow) {
  const chart = model.charts.find((one) => one.picture);
  if (chart)
    return html`<section id="picture" aria-labelledby="picture-title"><h2 id="picture-title">The run in a picture</h2>${figure(chart, model)}</section>`;
  const rows = shownBelow ? null : pictureRows(cases, results);
  return (
    rows && html`<section id="picture" class="rows" aria-label="The servers in a picture">${table(rows)}</section>`
  );
}
