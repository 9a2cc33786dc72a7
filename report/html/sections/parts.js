/** What the load of a leg was divided over, instances of its server or agents: a table for each leg. */
import { AGENT_COLUMNS, INSTANCE_COLUMNS } from '../../../client/judge/parts.js';
import { secondsOf } from '../../../client/measure/leg-figures.js';
import { html } from '../html.js';
import { legClass } from './leg-name.js';

/**
 * @import { PartColumn } from '../../../client/judge/parts.js'
 * @import { PageLeg } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @template P
 * @param {PageLeg} f @param {string} title of the table, for who cannot see it
 * @param {readonly PartColumn<P>[]} columns the first names the part @param {P[]} parts
 * @returns {Fragment}
 */
function table({ label, colour, figures }, title, columns, parts) {
  const seconds = secondsOf(figures);
  const [head, ...others] = columns;
  const cell = (/** @type {PartColumn<P>} */ { text, isBad, left }, /** @type {P} */ part) =>
    html`<td class="${isBad?.(part) ? 'bad' : ''}${left ? ' left' : ''}">${text(part, seconds)}</td>`;
  return html`<h3 class="leg ${legClass(colour)}"><i class="chip"></i>${label}</h3><div class="scroll" tabindex="0" role="region" aria-label="${title} of ${label}"><table class="instances" data-leg="${label}"><thead><tr>${columns.map(
    ({ title: name, left }) => html`<th scope="col"${left ? html` class="left"` : null}>${name}</th>`,
  )}</tr></thead><tbody>${parts.map(
    (part) =>
      html`<tr data-${head.title}="${head.text(part, seconds)}"><th scope="row">${head.text(part, seconds)}</th>${others.map((column) => cell(column, part))}</tr>`,
  )}</tbody></table></div>`;
}

/** @param {PageLeg[]} results @returns {Fragment | null} null where no leg had agents */
export function agents(results) {
  const divided = results.filter((f) => f.summary.agents);
  if (divided.length === 0) return null;
  return html`<p class="lead">Each agent is a host with its share of the connections. The counts are of the whole measurement and add up to those of the server; rates, times and CPU are of the same span as the figures of the server. Clock: by how much the seconds of an agent may be apart from the controller’s. CPU and kernel counters of the agents’ machines are not in the charts.</p>
${divided.map((f) => table(f, 'Agents', AGENT_COLUMNS, f.summary.agents ?? []))}`;
}

/** @param {PageLeg[]} results @returns {Fragment | null} null where no server has several */
export function instances(results) {
  const several = results.filter((f) => f.summary.instances);
  if (several.length === 0) return null;
  return html`<p class="lead">Each instance is a process of its own, with its own workers and its share of the connections. Rates, times and server CPU are of the same span as the figures of the server; the counts are of the whole measurement and add up to those of the server.</p>
${several.map((f) => table(f, 'Instances', INSTANCE_COLUMNS, f.summary.instances ?? []))}`;
}
