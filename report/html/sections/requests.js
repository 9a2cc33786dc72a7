/** The requests of a list: a row for each request of each leg, or of each case of several rounds. */
import { requestTable } from '../../../client/judge/request-table.js';
import { html } from '../html.js';

/**
 * @import { PageLeg } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {PageLeg[]} cases @returns {Fragment | null} null without a list */
export function requests(cases) {
  const table = requestTable(cases.map(({ shown }) => shown));
  if (table === null) return null;
  return html`<p class="lead">Each connection draws from the whole list by its weights. The figures are of the same span as the leg’s.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Each request"><table class="instances"><thead><tr><th scope="col">leg</th><th scope="col">request</th>${table.columns.map(
    (title) => html`<th scope="col">${title}</th>`,
  )}</tr></thead><tbody>${table.rows.map(
    ({ leg, name, cells }) =>
      html`<tr data-request="${name}"><th scope="row">${leg}</th><th scope="row">${name}</th>${cells.map(({ text, mark }) => html`<td class="${mark === 'bad' ? 'bad' : ''}">${text}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}
