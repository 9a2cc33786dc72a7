/**
 * The comparison with an earlier run, the baseline: a table of both runs, remarks, and the conditions that differ.
 */
import { html } from '../html.js';
import { runsTable } from '../../../client/judge/compare-runs/table.js';
import { besidesTexts, conditionTexts, resultText } from '../../../client/judge/compare-runs/texts.js';
import { markText, rangeText, runsExplained, shownMark, valueText } from '../../../client/judge/mark-texts.js';
import { counted } from '../../../client/words/format.js';

/**
 * @import { RankingTable } from '../../../client/judge/ranking-table.js'
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** Rows shown; the points of a sweep after them are folded. */
const MAX_ROWS = 24;

/** @param {RankingTable} table @param {RankingTable['points'][number]['rows'][number]} row @returns {Fragment} */
const rowOf = (table, { case: id, label, cells }) =>
  html`<tr data-case="${id}"><th scope="row">${label}</th>${table.figures.map((figure, i) => {
    const { mark } = cells[i];
    const range = rangeText(figure, cells[i]);
    return html`<td data-name="${figure.title ?? figure.name}" data-figure="${figure.compared.key}"${mark ? html` data-mark="${mark.code}"` : null}>${valueText(figure, cells[i])}${
      range === undefined ? null : html`<small class="range-95">${range}</small>`
    }${shownMark(table, mark) ? html`<small class="mark">${markText(mark)}</small>` : null}</td>`;
  })}</tr>`;

/** @param {RankingTable} table @param {RankingTable['points']} points @param {string} label @returns {Fragment} */
const rowsOf = (table, points, label) =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="marked"><thead><tr><th scope="col">server</th>${table.figures.map(({ title, name }) => html`<th scope="col">${title ?? name}</th>`)}</tr></thead>${points.map(
    ({ at, rows }) =>
      html`<tbody>${at === undefined ? null : html`<tr class="group"><th scope="rowgroup" colspan="${table.figures.length + 1}">${at}</th></tr>`}${rows.map((row) => rowOf(table, row))}</tbody>`,
  )}</table></div>`;

/** @param {RankingTable} table @param {string} label for screen readers @returns {Fragment} */
function markedTable(table, label) {
  let rowsLeft = MAX_ROWS;
  const shown = table.points.filter(({ rows }, i) => (rowsLeft -= rows.length) >= 0 || i === 0);
  const hidden = table.points.filter((point) => !shown.includes(point));
  return html`${rowsOf(table, shown, label)}${
    hidden.length === 0
      ? null
      : html`<details><summary>${counted(hidden.length, 'more point')}</summary>${rowsOf(table, hidden, label)}</details>`
  }`;
}

/** Key: outcome. @type {Readonly<Record<string, string>>} */
const CLASSES = { worse: 'failed', undecided: 'undecided' };

/** @param {string[]} texts */
const list = (texts) => html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

/**
 * @param {Run} run
 * @returns {Fragment | null} null if the run has no baseline
 */
export function baseline({ summary }) {
  const comparison = summary.baseline;
  if (!comparison) return null;
  const [remarks, conditions] = [besidesTexts(comparison), conditionTexts(comparison)];
  return html`<section id="baseline" class="${CLASSES[comparison.outcome] ?? 'compared'}" aria-labelledby="baseline-title" data-outcome="${comparison.outcome}"><h2 id="baseline-title">Compared with ${comparison.baseline.name}</h2>
<p><b>${resultText(comparison)}</b></p>${markedTable(runsTable(comparison), 'Table of the two runs')}${remarks.length > 0 ? list(remarks) : null}
${
  conditions.length > 0 ? html`<details><summary>Conditions that differ</summary>${list(conditions)}</details>` : null
}<p class="foot">${runsExplained(comparison)} Runs ${comparison.run.id} and ${comparison.baseline.id}.</p></section>`;
}
