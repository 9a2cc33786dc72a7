/** The servers of a run, or two runs, in one table: a row for each, and in each cell a value, its interval and a mark. */
import {
  markText,
  rangeText,
  serversExplained,
  shownMark,
  startsText,
  valueText,
} from '../../../client/judge/mark-texts.js';
import { hasSeveral, rankingTable } from '../../../client/judge/ranking-table.js';
import { counted } from '../../../client/words/format.js';
import { html } from '../html.js';

/** @typedef {import('../../../client/judge/ranking-table.js').RankingTable} RankingTable */
/** @typedef {import('../html.js').Fragment} Fragment */

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
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="marked few"><thead><tr><th scope="col">server</th>${table.figures.map(({ title, name }) => html`<th scope="col">${title ?? name}</th>`)}</tr></thead>${points.map(
    ({ at, rows }) =>
      html`<tbody>${at === undefined ? null : html`<tr class="group"><th scope="rowgroup" colspan="${table.figures.length + 1}">${at}</th></tr>`}${rows.map((row) => rowOf(table, row))}</tbody>`,
  )}</table></div>`;

/** @param {RankingTable} table @param {string} label for who cannot see it @returns {Fragment} */
export function markedTable(table, label) {
  let left = MOST_ROWS;
  const shown = table.points.filter(({ rows }, i) => (left -= rows.length) >= 0 || i === 0);
  const rest = table.points.filter((point) => !shown.includes(point));
  return html`${rowsOf(table, shown, label)}${
    rest.length === 0
      ? null
      : html`<details><summary>${counted(rest.length, 'more point')}</summary>${rowsOf(table, rest, label)}</details>`
  }`;
}

/**
 * @param {import('../../types.js').Run} run
 * @returns {Fragment | null} null of one server, and of one round, whose facts the picture and the overview state
 */
export function comparisons({ summary }) {
  const table = rankingTable(summary);
  if (!hasSeveral(table) || table.rounds === 1) return null;
  return html`<section id="comparison" aria-labelledby="comparison-title"><h2 id="comparison-title">Servers side by side</h2>
${markedTable(table, 'Table of the servers')}<p class="load">${[serversExplained(table), startsText(table) ?? []].flat().join(' ')}</p></section>`;
}
