/** The tables of a search: the answer for each server and goal, and every leg. */
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

/** @param {SearchSummary} search @param {Found} found @returns {Fragment[]} a row for each probe, by value */
const probeRows = ({ maximise }, { label, probes }) =>
  [...probes]
    .sort((a, b) => a.value - b.value)
    .map(
      ({ leg, value, held, text, ...probe }) =>
        html`<tr class="${held ? 'met' : 'unmet'}" data-leg="${leg}" data-value="${value}" data-held="${String(held)}"><th scope="row">${label}</th><td>${probeText(maximise, value)}</td><td><b>${outcomeText(held)}</b></td><td>${text}</td><td>${whyText({ held, ...probe })}</td></tr>`,
    );

/**
 * @param {{ decided: boolean }} answer
 * @param {boolean} isRunning
 * @returns {boolean} whether later legs may decide it
 */
const isOpen = ({ decided }, isRunning) => isRunning && !decided;

/** @param {object} answer @returns {boolean} whether no probe has an outcome yet */
const isUnknown = (answer) => !('held' in answer || 'failed' in answer);

/**
 * @param {{ decided: boolean }} answer @param {boolean} isRunning
 * @returns {string} value of the attribute data-decided
 */
const decidedText = (answer, isRunning) => (isOpen(answer, isRunning) ? 'open' : String(answer.decided));

/**
 * @param {SearchSummary} search
 * @param {boolean} isRunning
 * @returns {Fragment} a row for each goal of each server, and one for each server's throughput in closed loop
 */
function goalsTable({ maximise, goals, answers, saturated = [], remedy, cautions = [] }, isRunning) {
  // The heading contains a single goal.
  const hasGoalColumn = goals.length > 1 || saturated.length > 0;
  const rows = [
    ...answers,
    ...saturated.map((closedLoop) => ({
      ...closedLoop,
      goal: 'saturated',
      decided: closedLoop.perSecond !== undefined,
      ...saturatedTexts(closedLoop),
    })),
  ];
  const servers = [...new Set(answers.map(({ server }) => server))];
  const inOrder = servers.flatMap((server) => rows.filter((row) => row.server === server));
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Answers of the search"><table class="texts goals"><thead><tr><th scope="col">server</th>${hasGoalColumn ? html`<th scope="col">goal</th>` : null}<th scope="col">${maximise}</th><th scope="col">known from</th></tr></thead>
<tbody>${inOrder.map(
    (row) =>
      html`<tr data-server="${row.server}" data-goal="${row.goal}" data-decided="${decidedText(row, isRunning)}"><th scope="row">${row.server}</th>${hasGoalColumn ? html`<td data-name="goal">${row.goal}</td>` : null}<td data-name="${maximise}"><b>${row.answer}${isOpen(row, isRunning) && isUnknown(row) ? ' yet' : null}</b></td><td data-name="known from">${knownFrom(row)}</td></tr>`,
  )}</tbody></table></div>
${remedy === undefined ? null : html`<p class="note" data-code="remedy">${remedy}</p>`}${cautions.map(({ server, text }) => html`<p class="note strong" data-code="cautions">${server}: ${text}</p>`)}`;
}

/**
 * @param {Run} run
 * @returns {Fragment | null} null without a search
 */
export function search({ summary }) {
  /** @type {SearchSummary | undefined} */
  const searchSummary = summary.search;
  if (searchSummary === undefined) return null;
  const isRunning = summary.endedBy === 'running';
  return html`<section id="search" aria-labelledby="search-title"><h2 id="search-title">Search: ${soughtText(searchSummary)}</h2>
${goalsTable(searchSummary, isRunning)}</section>`;
}

/**
 * @param {Run} run
 * @returns {Fragment | null} the method of the search, and a row for each leg; null without a search
 */
export function searchDetails({ summary }) {
  /** @type {SearchSummary | undefined} */
  const searchSummary = summary.search;
  if (searchSummary === undefined) return null;
  const { maximise, tolerance, confirm, answers, saturated } = searchSummary;
  return html`<p class="lead">${saturated === undefined ? '' : 'The first measurement was in closed loop, and its throughput is the greatest rate tried. '}The value was doubled while the condition held (or halved until it did), then the interval was bisected to ${percent(tolerance)}. A single measurement proves nothing, so both ends were measured again until one outcome was seen ${count(confirm)} times more than the other. A value with contradictory outcomes cannot be an end of the interval, which then extends beyond it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Measurements of the search"><table class="texts"><thead><tr><th scope="col">server</th><th scope="col">${maximise}</th><th scope="col">outcome</th><th scope="col">measured</th><th scope="col">why</th></tr></thead>
<tbody>${answers.map((answer) => probeRows(searchSummary, answer))}</tbody></table></div>`;
}
