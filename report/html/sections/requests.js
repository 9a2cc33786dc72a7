/**
 * The table of the requests of a list: a row for each request and server, the longest p99 first, with p50 and p99 on a
 * common logarithmic axis.
 */
import { drawnAxis, LEAST_GAP } from '../../../client/judge/drawn-axis.js';
import { requestTable } from '../../../client/judge/request-table.js';
import { isAbove } from '../../../client/judge/figure-values.js';
import { duration } from '../../../client/words/format.js';
import { html } from '../html.js';
import { axisLine, dotLane } from './lane.js';
import { legClass } from './leg-name.js';

/**
 * @import { Cell, Row } from '../../../client/judge/request-table.js'
 * @import { PageLeg } from '../../types.js'
 * @import { DrawnAxis } from '../../../client/judge/drawn-axis.js'
 * @import { Fragment } from '../html.js'
 */

const TIMES = ['p50', 'p99'];

/**
 * @param {Cell[]} cells
 * @returns {{ value: number, look: string, isOpen: boolean }[]} dots; p50 is a ring, and so is a value above all times
 */
const dotsOf = (cells) =>
  cells.flatMap(({ name, value }) => {
    if (!TIMES.includes(name) || value === undefined) return [];
    const at = isAbove(value) ? value.above : Number(value);
    return at > 0
      ? [{ value: at, look: isAbove(value) ? `${name} beyond` : name, isOpen: name === TIMES[0] || isAbove(value) }]
      : [];
  });

/** @param {DrawnAxis} axis @param {Cell[]} cells @returns {Fragment} */
function laneOf(axis, cells) {
  const dots = dotsOf(cells);
  const at = dots.map(({ value }) => value);
  return html`<td class="lane-of">${dotLane(axis, dots, at.length > 1 ? [Math.min(...at), Math.max(...at)] : undefined)}</td>`;
}

/** @param {PageLeg[]} cases @returns {Fragment | null} null without a list of requests */
export function requests(cases) {
  const table = requestTable(cases.map(({ shown }) => shown));
  if (table === null) return null;
  const { columns, rows } = table;
  const servers = new Set(rows.map(({ place }) => place)).size;
  const axis = drawnAxis(
    rows.flatMap(({ cells }) => dotsOf(cells)),
    LEAST_GAP.wide,
  );
  const row = (/** @type {Row} */ { place, leg, name, cells }, /** @type {number} */ i) => {
    const colour = legClass(cases[place].colour);
    const isFirst = rows[i - 1]?.name !== name;
    const span = rows.filter((other) => other.name === name).length;
    return html`<tr class="${colour}${isFirst ? ' first' : ''}" data-request="${name}">${
      isFirst ? html`<th scope="${servers > 1 ? 'rowgroup' : 'row'}" rowspan="${span}">${name}</th>` : null
    }${servers > 1 ? html`<th scope="row" class="leg"><i class="chip"></i>${leg}</th>` : null}${cells.map(
      ({ text, kinds, mark }, at) =>
        html`<td class="${mark === 'bad' ? 'bad' : ''}" data-name="${columns[at]}">${text}${kinds ? html` <small>${kinds}</small>` : null}</td>`,
    )}${axis && laneOf(axis, cells)}</tr>`;
  };
  return html`<section id="requests" aria-label="Each request of the list"><div class="scroll" tabindex="0" role="region" aria-label="Table of the requests"><table class="requests"><thead><tr><th scope="col" class="name">request</th>${
    servers > 1 ? html`<th scope="col" class="name">server</th>` : null
  }${columns.map((title) => html`<th scope="col"${TIMES.includes(title) ? html` class="${title}"` : null}>${title}</th>`)}${
    axis &&
    html`<th scope="col" class="lane-of">${axisLine(axis, duration)}<span class="unseen">p50 and p99</span></th>`
  }</tr></thead><tbody>${rows.map(row)}</tbody></table></div></section>`;
}
