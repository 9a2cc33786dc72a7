/** A search: the answer for each server in a sentence, the chart of its probes, and the probes in numbers. */
import { html } from '../html.js';
import { figure } from './figures.js';
import { probeText } from '../../../client/results/search/phrases.js';
import { percent } from '../../../client/results/format.js';

/** @type {Readonly<Record<string, string>>} */
const CAUSES = {
  condition: 'the condition did not hold',
  'rate-not-reached': 'the rate was not reached',
  'not-served': 'not every connection was served',
  'not-judged': 'the leg was incomplete',
};

/**
 * @param {import('../../types.js').Run} run @param {import('./figures.js').Model} model
 * @returns {import('../html.js').Fragment | null} null without a search
 */
export function search({ summary }, model) {
  /** @type {import('../../../client/results/search/index.js').SearchSummary | undefined} */
  const found = summary.search;
  if (found === undefined) return null;
  const { maximise, tolerance, servers } = found;
  const rows = servers.flatMap(({ label, probes }) =>
    [...probes]
      .sort((a, b) => a.value - b.value)
      .map(
        ({ leg, value, held, cause, text }) =>
          html`<tr class="${held ? 'met' : 'unmet'}" data-leg="${leg}" data-held="${String(held)}"><td><b>${held ? 'held' : held === null ? 'unknown' : 'failed'}</b></td><th scope="row">${label}</th><td>${probeText(maximise, value)}</td><td>${text}</td><td>${cause ? CAUSES[cause] : ''}</td></tr>`,
      ),
  );
  return html`<section id="search" aria-labelledby="search-title"><h2 id="search-title">Search</h2>
<ul class="answers">${servers.map(({ label, decided, text }) => html`<li data-server="${label}" data-decided="${String(decided)}">${text}</li>`)}</ul>
<p class="lead">The value was doubled until the condition failed, then bisected to ${percent(tolerance)}. Both ends were measured again until one outcome was seen two times more than the other.</p>
${model.charts.filter(({ section }) => section === 'search').map((chart) => figure(chart, model))}
<details><summary>All probes</summary><div class="scroll" tabindex="0" role="region" aria-label="Probes of the search"><table><thead><tr><th scope="col">outcome</th><th scope="col">server</th><th scope="col">${maximise}</th><th scope="col">measured</th><th scope="col">why</th></tr></thead>
<tbody>${rows}</tbody></table></div></details></section>`;
}
