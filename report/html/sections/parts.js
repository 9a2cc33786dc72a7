/** The tables of the parts that a leg's load was divided over. */
import { PART_TABLES } from '../../../client/judge/parts.js';
import { secondsOf } from '../../../client/measure/leg-figures.js';
import { html } from '../html.js';
import { legClass } from './leg-name.js';

/**
 * @import { Part, PartColumn, PartTable } from '../../../client/judge/parts.js'
 * @import { PageLeg } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @param {PageLeg} f @param {PartTable} parts
 * @returns {Fragment}
 */
function table({ label, colour, figures, summary }, { title, columns, partsOf }) {
  const seconds = secondsOf(figures);
  const [head, ...others] = columns;
  const cell = (/** @type {PartColumn<Part>} */ { text, isBad, left }, /** @type {Part} */ part) =>
    html`<td class="${isBad?.(part) ? 'bad' : ''}${left ? ' left' : ''}">${text(part, seconds)}</td>`;
  return html`<h3 class="leg ${legClass(colour)}"><i class="chip"></i>${label}</h3><div class="scroll" tabindex="0" role="region" aria-label="${title}: ${label}"><table class="instances" data-leg="${label}"><thead><tr>${columns.map(
    ({ title: name, left }) => html`<th scope="col"${left ? html` class="left"` : null}>${name}</th>`,
  )}</tr></thead><tbody>${(partsOf(summary) ?? []).map(
    (part) =>
      html`<tr data-${head.title}="${head.text(part, seconds)}"><th scope="row">${head.text(part, seconds)}</th>${others.map((column) => cell(column, part))}</tr>`,
  )}</tbody></table></div>`;
}

/**
 * @param {PageLeg[]} results
 * @returns {{ id: string, title: string, line: string, content: Fragment }[]} a subject for each kind of parts in a leg
 */
export const partSubjects = (results) =>
  PART_TABLES.flatMap((parts) => {
    const { id, title, lead, partsOf } = parts;
    const divided = results.filter(({ summary }) => partsOf(summary));
    if (divided.length === 0) return [];
    const content = html`<p class="lead">${lead}</p>
${divided.map((f) => table(f, parts))}`;
    return { id, title, line: '', content };
  });
