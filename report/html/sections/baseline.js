/** What changed since an earlier run, its baseline: sentences with intervals, and in what the conditions differ. */
import { html } from '../html.js';
import { conditionTexts, foundTexts } from '../../../client/judge/compare-runs/texts.js';

/**
 * @param {import('../../types.js').Run} run
 * @returns {import('../html.js').Fragment | null} null where it was not compared
 */
export function baseline({ summary }) {
  const found = summary.baseline;
  if (!found) return null;
  const conditions = conditionTexts(found);
  const failed = found.outcome === 'worse';
  return html`<section id="baseline" class="${failed ? 'failed' : 'compared'}" aria-labelledby="baseline-title" data-outcome="${found.outcome}"><h2 id="baseline-title">Compared with ${found.baseline.name}</h2>
<p><b>${found.text}</b></p><ul>${foundTexts(found).map((text) => html`<li>${text}</li>`)}</ul>
${
  conditions.length > 0
    ? html`<details><summary>Conditions that differ</summary><ul>${conditions.map((text) => html`<li>${text}</li>`)}</ul></details>`
    : null
}<p class="load">${found.warning} Runs ${found.run.id} and ${found.baseline.id}.</p></section>`;
}
