/** The verdict: facts of each leg in one line, no ranking. */
import { beyondMax } from '../facts.js';
import { html } from '../html.js';
import { count, duration, rate } from '../units.js';

/** @typedef {import('../types.js').Facts} Facts */

/** @param {Facts} facts @returns {string} p99, or that failures put it beyond the maximum */
export function p99Text(facts) {
  if (!facts.response) return '–';
  return beyondMax(facts, 0.99) ? `> ${duration(facts.response.max)}` : duration(facts.response.p99);
}

/** @param {Facts} facts @returns {string} what was held, or done */
export function heldText(facts) {
  if (facts.workload === 'once') return `answered ${count(facts.transfers)} of ${count(facts.asked)}`;
  return `held ${count(facts.open)} of ${count(facts.asked)}`;
}

/**
 * @param {Facts} facts
 * @returns {string} one line, also for the list of runs: held 10,000 of 10,000, unanswered 0, ...
 */
export function verdictLine(facts) {
  if (!facts.ran) return `did not run${facts.message ? `: ${facts.message.split('\n')[0]}` : ''}`;
  return `${heldText(facts)}, unanswered ${count(facts.unanswered)}, rejects ${count(facts.rejectsTotal)}, errors ${count(
    facts.errorsTotal,
  )}, p99 ${p99Text(facts)}`;
}

/** @param {string} name @param {number | undefined} value @returns {import('../html.js').Fragment} */
function failureCount(name, value) {
  return html`<div class="${value ? 'stat bad' : 'stat'}"><dt>${name}</dt><dd>${count(value)}</dd></div>`;
}

/** @param {Facts} facts @returns {import('../html.js').Fragment} */
function card(facts) {
  const state = facts.complete ? null : html`<span class="tag">${facts.ran ? 'incomplete' : 'did not run'}</span>`;
  if (!facts.ran) {
    return html`<li class="card leg-${facts.index % 8}"><h3><i class="chip"></i>${facts.label} ${state}</h3>
<p class="held">did not run</p>${facts.message ? html`<pre class="message">${facts.message}</pre>` : null}</li>`;
  }
  const short =
    facts.open !== undefined && facts.asked !== undefined && facts.open < facts.asked && facts.workload !== 'once';
  return html`<li class="card leg-${facts.index % 8}"><h3><i class="chip"></i>${facts.label} ${state}</h3>
<p class="held${short ? ' bad' : ''}">${heldText(facts)}</p>
<dl class="stats">${failureCount('unanswered', facts.unanswered)}${failureCount('rejects', facts.rejectsTotal)}${failureCount(
    'errors',
    facts.errorsTotal,
  )}</dl>
<dl class="stats"><div class="stat"><dt>p50</dt><dd>${duration(facts.response?.p50)}</dd></div><div class="${facts.response && beyondMax(facts, 0.99) ? 'stat bad' : 'stat'}"><dt>p99</dt><dd>${p99Text(
    facts,
  )}</dd></div><div class="stat"><dt>transfers</dt><dd>${rate(facts.perSecond)}</dd></div></dl></li>`;
}

/** @param {Facts[]} facts @param {string} loop @returns {import('../html.js').Fragment} */
export function verdict(facts, loop) {
  const rounds = Math.max(1, ...facts.map((f) => f.round));
  const some = facts.length > 1;
  const said = rounds > 1 ? `${rounds} rounds` : 'One round, not interleaved';
  const limits = new Set(facts.filter((f) => f.ran).map((f) => f.limitedBy));
  const machine = limits.has('machine')
    ? ' Where the machine was the limit, client and server shared all cores: ' +
      'the usual case when both run on few cores.'
    : '';
  return html`<section id="verdict" aria-labelledby="verdict-title"><h2 id="verdict-title">Verdict</h2>
<p class="lead">${said}: these are facts${some ? ', not a ranking' : ''}. Response times are of the ${loop}, steady state.${machine}</p>
<ul class="cards n${Math.min(facts.length, 4)}">${facts.map(card)}</ul></section>`;
}
