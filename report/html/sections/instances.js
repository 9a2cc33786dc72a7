/** The instances of servers that have several: what each of them did, leg by leg. */
import { html } from '../html.js';
import { bareRate, coreShare, count } from '../../../client/words/format.js';
import { percentileText } from '../../../client/words/figures.js';
import { secondsOf } from '../../../client/measure/leg-figures.js';
import { legClass } from './leg-name.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../html.js').Fragment} Fragment */

const HEADS = [
  ...['instance', 'at', 'CPU', 'workers', 'open at end', 'transfers', 'per second', 'p50', 'p99'],
  ...['failed', 'rejects', 'errors', 'server CPU'],
];

/** @param {number} number @returns {Fragment} */
const bad = (number) => html`<td class="${number > 0 ? 'bad' : ''}">${count(number)}</td>`;

/** @param {import('../../../config/types.js').Instance} instance @param {number} seconds of its figures @returns {Fragment} */
function row({ index, target, cpus, workers, workerCpus, openAtEnd, transfers, figures, rejects, errors }, seconds) {
  const own = workers.map((worker, i) => (workerCpus ? `${worker} (CPU ${workerCpus[i]})` : worker));
  return html`<tr data-instance="${index}"><th scope="row">${index}</th><td>${target ?? '–'}</td><td>${cpus ?? '–'}</td><td>${own.join(', ')}</td><td>${count(openAtEnd)}</td><td>${count(transfers.count)}</td><td>${bareRate(figures.perSecond)}</td><td>${percentileText(figures, 'p50', 50)}</td><td>${percentileText(figures, 'p99', 99)}</td>${bad(transfers.failed + transfers.unfinished)}${bad(rejects)}${bad(errors)}<td>${coreShare(figures.serverCpuSeconds, seconds)}</td></tr>`;
}

/** @param {PageLeg} results @returns {Fragment} */
const table = ({ label, colour, summary: { instances = [] }, figures }) =>
  html`<h3 class="leg ${legClass(colour)}"><i class="chip"></i>${label}</h3><div class="scroll" tabindex="0" role="region" aria-label="Instances of ${label}"><table class="instances" data-leg="${label}"><thead><tr>${HEADS.map(
    (head) => html`<th scope="col">${head}</th>`,
  )}</tr></thead><tbody>${instances.map((one) => row(one, secondsOf(figures)))}</tbody></table></div>`;

/** @param {PageLeg[]} results @returns {Fragment | null} null where no server has several */
export function instances(results) {
  const several = results.filter((f) => f.summary.instances);
  if (several.length === 0) return null;
  return html`<section id="instances" aria-labelledby="instances-title"><h2 id="instances-title">Instances of the server</h2>
<p class="lead">Each instance is a process of its own, with its own workers and its share of the connections. Rates, times and server CPU are of the same span as the leg’s figures; the counts are of the whole leg and add up to the leg’s.</p>
${several.map(table)}</section>`;
}
