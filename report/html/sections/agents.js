/** The agents of a run over several hosts: what each of them did, leg by leg. */
import { html } from '../html.js';
import { bareRate, count, duration } from '../../../client/words/format.js';
import { percentileText } from '../../../client/words/figures.js';
import { legClass } from './leg-name.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../html.js').Fragment} Fragment */

const HEADS = [
  ...['agent', 'connections', 'workers', 'open at end', 'transfers', 'per second', 'p50', 'p99'],
  ...['failed', 'rejects', 'errors', 'CPU', 'clock', 'start'],
];

/** @param {number} number @returns {Fragment} */
const bad = (number) => html`<td class="${number > 0 ? 'bad' : ''}">${count(number)}</td>`;

/** @param {import('../../../config/types.js').Agent} agent @returns {string} */
const clockText = ({ clockUncertaintyNs, clockDriftNs = 0 }) =>
  clockUncertaintyNs === undefined ? '–' : `± ${duration(clockUncertaintyNs + Math.abs(clockDriftNs))}`;

/** @param {import('../../../config/types.js').Agent} agent @returns {string} */
const startText = ({ startLateNs = 0, agentLost }) =>
  agentLost ? 'lost' : startLateNs > 0 ? `${duration(startLateNs)} late` : 'in time';

/** @param {import('../../../config/types.js').Agent} agent @returns {Fragment} */
function row(agent) {
  const { name, connections, workers, openAtEnd, transfers, figures, rejects, errors, agentLost } = agent;
  return html`<tr data-agent="${name}"><th scope="row">${name}</th><td>${count(connections)}</td><td>${workers.join(', ')}</td><td>${count(openAtEnd)}</td><td>${count(transfers.count)}</td><td>${bareRate(figures.perSecond)}</td><td>${percentileText(figures, 'p50', 50)}</td><td>${percentileText(figures, 'p99', 99)}</td>${bad(transfers.failed + transfers.unfinished)}${bad(rejects)}${bad(errors)}<td>${figures.cpuSeconds.toFixed(2)} s</td><td>${clockText(agent)}</td><td class="${agentLost ? 'bad' : ''}">${startText(agent)}</td></tr>`;
}

/** @param {PageLeg} results @returns {Fragment} */
const table = ({ label, colour, summary: { agents = [] } }) =>
  html`<h3 class="leg ${legClass(colour)}"><i class="chip"></i>${label}</h3><div class="scroll" tabindex="0" role="region" aria-label="Agents of ${label}"><table class="instances" data-leg="${label}"><thead><tr>${HEADS.map(
    (head) => html`<th scope="col">${head}</th>`,
  )}</tr></thead><tbody>${agents.map(row)}</tbody></table></div>`;

/** @param {PageLeg[]} results @returns {Fragment | null} null where no leg had agents */
export function agents(results) {
  const divided = results.filter((f) => f.summary.agents);
  if (divided.length === 0) return null;
  return html`<section id="agents" aria-labelledby="agents-title"><h2 id="agents-title">Agents</h2>
<p class="lead">Each agent is a host with its share of the connections. The counts are of the whole leg and add up to the leg’s; rates, times and CPU are of the same span as the leg’s figures. Clock: by how much the seconds of an agent may be apart from the controller’s. CPU and kernel counters of the agents’ machines are not in the charts.</p>
${divided.map(table)}</section>`;
}
