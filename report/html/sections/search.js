/** A search: a table with the answer for each server and goal; below, the legs in numbers and how it was searched. */
import { html } from '../html.js';
import {
  knownFrom,
  outcomeText,
  probeText,
  saturatedTexts,
  soughtText,
  whyText,
} from '../../../client/words/search.js';
import { count, percent } from '../../../client/words/format.js';

/**
 * @import { Found, SearchSummary } from '../../../client/judge/search/index.js'
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {SearchSummary} search @param {Found} found @returns {Fragment[]} rows, by their value */
const probeRows = ({ maximise }, { label, probes }) =>
  [...probes]
    .sort((a, b) => a.value - b.value)
    .map(
      ({ leg, value, held, text, ...probe }) =>
        html`<tr class="${held ? 'met' : 'unmet'}" data-leg="${leg}" data-value="${value}" data-held="${String(held)}"><th scope="row">${label}</th><td>${probeText(maximise, value)}</td><td><b>${outcomeText(held)}</b></td><td>${text}</td><td>${whyText({ held, ...probe })}</td></tr>`,
    );

/**
 * @param {{ decided: boolean }} found
 * @param {boolean} isRunning
 * @returns {boolean} whether legs that are still to come may decide it
 */
const isOpen = ({ decided }, isRunning) => isRunning && !decided;

/** @param {object} found @returns {boolean} whether no leg has told anything of it */
const isUnknown = (found) => !('held' in found || 'failed' in found);

/** @param {{ decided: boolean }} found @param {boolean} isRunning @returns {string} of its attribute */
const decidedText = (found, isRunning) => (isOpen(found, isRunning) ? 'open' : String(found.decided));

/**
 * @param {SearchSummary} search
 * @param {boolean} isRunning
 * @returns {Fragment} a row for each goal of each server, and for its throughput in closed loop
 */
function goalsTable({ maximise, goals, answers, saturated = [], remedy, cautions = [] }, isRunning) {
  // a single goal is in the heading
  const isOfGoals = goals.length > 1 || saturated.length > 0;
  const rows = [
    ...answers,
    ...saturated.map((one) => ({
      ...one,
      goal: 'saturated',
      decided: one.perSecond !== undefined,
      ...saturatedTexts(one),
    })),
  ];
  const servers = [...new Set(answers.map(({ server }) => server))];
  const inOrder = servers.flatMap((server) => rows.filter((one) => one.server === server));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Answers of the search"><table class="texts goals"><thead><tr><th scope="col">server</th>${isOfGoals ? html`<th scope="col">goal</th>` : null}<th scope="col">${maximise}</th><th scope="col">known from</th></tr></thead>
<tbody>${inOrder.map(
    (one) =>
      html`<tr data-server="${one.server}" data-goal="${one.goal}" data-decided="${decidedText(one, isRunning)}"><th scope="row">${one.server}</th>${isOfGoals ? html`<td data-name="goal">${one.goal}</td>` : null}<td data-name="${maximise}"><b>${one.answer}${isOpen(one, isRunning) && isUnknown(one) ? ' yet' : null}</b></td><td data-name="known from">${knownFrom(one)}</td></tr>`,
  )}</tbody></table></div>
${remedy === undefined ? null : html`<p class="note" data-code="remedy">${remedy}</p>`}${cautions.map(({ server, text }) => html`<p class="note strong" data-code="cautions">${server}: ${text}</p>`)}`;
}

/**
 * @param {Run} run
 * @returns {Fragment | null} null without a search
 */
export function search({ summary }) {
  /** @type {SearchSummary | undefined} */
  const found = summary.search;
  if (found === undefined) return null;
  const isRunning = summary.endedBy === 'running';
  return html`<section id="search" aria-labelledby="search-title"><h2 id="search-title">Search: ${soughtText(found)}</h2>
${goalsTable(found, isRunning)}</section>`;
}

/**
 * @param {Run} run
 * @returns {Fragment | null} how it was searched, and each leg in numbers; null without a search
 */
export function searchDetails({ summary }) {
  /** @type {SearchSummary | undefined} */
  const found = summary.search;
  if (found === undefined) return null;
  const { maximise, tolerance, confirm, answers, saturated } = found;
  return html`<p class="lead">${saturated === undefined ? '' : 'The first measurement was in closed loop, and its throughput is the greatest rate that was tried. '}The value was doubled while the condition held (or halved until it did), then the interval was bisected to ${percent(tolerance)}. One measurement proves nothing, so both ends were measured again until one outcome was seen ${count(confirm)} times more than the other. A value at which the outcomes contradict each other cannot be an end of the interval, which then reaches beyond it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Measurements of the search"><table class="texts"><thead><tr><th scope="col">server</th><th scope="col">${maximise}</th><th scope="col">outcome</th><th scope="col">measured</th><th scope="col">why</th></tr></thead>
<tbody>${answers.map((one) => probeRows(found, one))}</tbody></table></div>`;
}
