/**
 * What changed since an earlier run, its baseline: the table of both, what is in no cell, and in what the conditions
 * differ.
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

/** Further points of a sweep are folded. */
const MOST_ROWS = 24;

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

/** @param {RankingTable} table @param {string} label for who cannot see it @returns {Fragment} */
function markedTable(table, label) {
  let left = MOST_ROWS;
  const shown = table.points.filter(({ rows }, i) => (left -= rows.length) >= 0 || i === 0);
  const rest = table.points.filter((point) => !shown.includes(point));
  return html`${rowsOf(table, shown, label)}${
    rest.length === 0
      ? null
      : html`<details><summary>${counted(rest.length, 'more point')}</summary>${rowsOf(table, rest, label)}</details>`
  }`;
}

/** @type {Readonly<Record<string, string>>} by outcome */
const CLASSES = { worse: 'failed', undecided: 'undecided' };

/** @param {string[]} texts */
const list = (texts) => html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>`;

/**
 * @param {Run} run
 * @returns {Fragment | null} null where it was not compared
 */
export function baseline({ summary }) {
  const found = summary.baseline;
  if (!found) return null;
  const [besides, conditions] = [besidesTexts(found), conditionTexts(found)];
  return html`<section id="baseline" class="${CLASSES[found.outcome] ?? 'compared'}" aria-labelledby="baseline-title" data-outcome="${found.outcome}"><h2 id="baseline-title">Compared with ${found.baseline.name}</h2>
<p><b>${resultText(found)}</b></p>${markedTable(runsTable(found), 'Table of the two runs')}${besides.length > 0 ? list(besides) : null}
${
  conditions.length > 0 ? html`<details><summary>Conditions that differ</summary>${list(conditions)}</details>` : null
}<p class="foot">${runsExplained(found)} Runs ${found.run.id} and ${found.baseline.id}.</p></section>`;
}
