/** A search: the answer for each server in a sentence, and the probes in numbers. */
import { html } from '../html.js';
import { GOALS, outcomeText, probeText, whyText } from '../../../client/words/search.js';
import { count, counted, percent } from '../../../client/words/format.js';

/** @typedef {import('../../../client/judge/search/index.js').SearchSummary} SearchSummary */
/** @typedef {import('../../../client/judge/search/index.js').Found} Found */

/** @param {SearchSummary} search @param {Found} found @returns {import('../html.js').Fragment[]} rows, by their value */
const probeRows = ({ maximise }, { label, probes }) =>
  [...probes]
    .sort((a, b) => a.value - b.value)
    .map(
      ({ leg, value, held, text, ...probe }) =>
        html`<tr class="${held ? 'met' : 'unmet'}" data-leg="${leg}" data-value="${value}" data-held="${String(held)}"><th scope="row">${label}</th><td>${probeText(maximise, value)}</td><td><b>${outcomeText(held)}</b></td><td>${text}</td><td>${whyText({ held, ...probe })}</td></tr>`,
    );

/** @param {Found} found @param {boolean} isRunning @returns {import('../html.js').Fragment} the answer, and below it what it is known from */
const answerItem = ({ label, decided, answer, details }, isRunning) =>
  html`<li data-server="${label}" data-decided="${isRunning && !decided ? 'open' : String(decided)}"><b>${label}: ${answer}${isRunning && !decided ? ' yet' : null}</b> <span>${details}</span></li>`;

/**
 * @param {import('../../types.js').Run} run
 * @returns {import('../html.js').Fragment | null} null without a search
 */
export function search({ summary }) {
  /** @type {SearchSummary | undefined} */
  const found = summary.search;
  if (found === undefined) return null;
  const { maximise, while: condition, tolerance, confirm, servers } = found;
  const legs = servers.reduce((sum, { probes }) => sum + probes.length, 0);
  return html`<section id="search" aria-labelledby="search-title"><h2 id="search-title">Search: ${GOALS[maximise]} at which ${condition}</h2>
<ul class="answers">${servers.map((one) => answerItem(one, summary.endedBy === 'running'))}</ul>
<details><summary>${counted(legs, 'leg')} in numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="Legs of the search"><table class="texts"><thead><tr><th scope="col">server</th><th scope="col">${maximise}</th><th scope="col">outcome</th><th scope="col">measured</th><th scope="col">why</th></tr></thead>
<tbody>${servers.map((one) => probeRows(found, one))}</tbody></table></div></details>
<details class="method"><summary>How it was searched</summary><p>The value was doubled while the condition held (or halved until it did), then the interval was bisected to ${percent(tolerance)}. One leg proves nothing, so both ends were measured again until one outcome was seen ${count(confirm)} times more than the other. A value at which the outcomes contradict each other cannot be an end of the interval, which then reaches beyond it.</p></details></section>`;
}
