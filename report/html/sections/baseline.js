/** What changed since an earlier run, its baseline: the table of both, what is in no cell, and in what the conditions differ. */
import { html } from '../html.js';
import { runsTable } from '../../../client/judge/compare-runs/table.js';
import { besidesTexts, conditionTexts, resultText } from '../../../client/judge/compare-runs/texts.js';
import { runsExplained } from '../../../client/judge/mark-texts.js';
import { markedTable } from './comparisons.js';

/** @type {Readonly<Record<string, string>>} by outcome */
const CLASSES = { worse: 'failed', undecided: 'undecided' };

/** @param {string[]} texts */
const list = (texts) => html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

/**
 * @param {import('../../types.js').Run} run
 * @returns {import('../html.js').Fragment | null} null where it was not compared
 */
export function baseline({ summary }) {
  const found = summary.baseline;
  if (!found) return null;
  const [besides, conditions] = [besidesTexts(found), conditionTexts(found)];
  return html`<section id="baseline" class="${CLASSES[found.outcome] ?? 'compared'}" aria-labelledby="baseline-title" data-outcome="${found.outcome}"><h2 id="baseline-title">Compared with ${found.baseline.name}</h2>
<p><b>${resultText(found)}</b></p>${markedTable(runsTable(found), 'Table of the two runs')}${besides.length > 0 ? list(besides) : null}
${
  conditions.length > 0 ? html`<details><summary>Conditions that differ</summary>${list(conditions)}</details>` : null
}<p class="load">${runsExplained(found)} Runs ${found.run.id} and ${found.baseline.id}.</p></section>`;
}
