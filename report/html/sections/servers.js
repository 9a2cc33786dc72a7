/**
 * The table of the run: a row for each server, the best first, with what became of its connections and the figures that rank. A cell has
 * a value and its mark; the interval is its title, and in the table of all figures.
 */
import { accountEntries, shownEntries } from '../../../client/words/account.js';
import { firstLineOf } from '../../../client/words/endings.js';
import { count } from '../../../client/words/format.js';
import { cellText, isTold, markOf } from '../../../client/judge/figure-values.js';
import { caseOf } from '../../../client/judge/cases.js';
import { figureOf, figures } from '../../../client/judge/figures.js';
import {
  markText,
  rangeText,
  serversExplained,
  shortMark,
  shownMark,
  valueText,
} from '../../../client/judge/mark-texts.js';
import { hasSeveral, rankingTable } from '../../../client/judge/ranking-table.js';
import { html } from '../html.js';
import { areMany, bySpeed } from '../../model/leg-order.js';
import { heldText, valueOf } from '../../model/page-leg.js';
import { legClass } from './leg-name.js';

/**
 * @typedef {import('../../types.js').PageLeg} PageLeg
 * @typedef {import('../html.js').Fragment} Fragment
 * @typedef {import('../../../client/judge/figures.js').Figure} Figure
 * @typedef {import('../../../client/judge/ranking-table.js').RankingTable} RankingTable
 * @typedef {{ key: string, title: string, text: (row: Row) => string, share?: (row: Row) => number, mark?: (row: Row) => import('../../../config/types.js').Mark | undefined,
 *   about?: (row: Row) => string, isBad?: (row: Row) => boolean }} Column
 * @typedef {{ f: PageLeg, cells: import('../../../client/judge/ranking-table.js').Cell[] }} Row
 */

/** More rows scroll in their box, so that the charts stay in sight. */
const MOST_ROWS = 9;
/** Groups of figures that are shown where something in them went wrong. */
const OF_SOME = ['transfers', 'open loop'];

/** @param {PageLeg} f @returns {Fragment} what became of each connection requested, as a bar and in words */
function connectionsCell(f) {
  const { account, rejects, errors } = f.summary;
  const failed = [
    [rejects?.total, 'reject'],
    [errors?.total, 'error'],
  ].flatMap(([n, name]) => (n ? [`${count(Number(n))} ${name}${n === 1 ? '' : 's'}`] : []));
  const text = account
    ? shownEntries(account)
        .map(({ name, value }) => `${count(value)} ${name}`)
        .join(', ')
    : heldText(f);
  const words = [text, ...failed];
  const bar = account
    ? html`<span class="account" aria-hidden="true">${accountEntries(account)
        .filter(({ value }) => value > 0)
        .map(
          ({ part, value }) =>
            html`<i class="part-${part}" style="width:${((100 * value) / Math.max(1, account.requested)).toFixed(2)}%"></i>`,
        )}</span>`
    : null;
  const isShort = account ? accountEntries(account).some(({ bad }) => bad) : false;
  return html`<td class="connections${isShort || failed.length > 0 ? ' bad' : ''}" data-name="connections">${bar}<span>${words.join(' · ')}</span></td>`;
}

/** @param {Figure} figure @returns {string} */
const titleOf = ({ name, title = name, compared, group }) =>
  compared?.called === 'cost'
    ? 'CPU per transfer'
    : compared?.called === 'memory'
      ? 'memory per connection'
      : group === 'response time'
        ? title.replace('response ', '')
        : title;

/** @param {RankingTable} table @param {Row[]} rows @returns {Column[]} the figures that rank, the most important first, and those that went wrong */
function columnsOf(table, rows) {
  const most = (/** @type {number} */ i) => Math.max(0, ...rows.map(({ cells }) => cells[i]?.median ?? 0)) || 1;
  const ranked = table.figures.flatMap((figure, i) => {
    // connections have a column of their own
    if (figure.group === 'connections') return [];
    const highest = most(i);
    return {
      key: figure.compared.key,
      title: titleOf(figure),
      text: (/** @type {Row} */ { cells }) => valueText(figure, cells[i] ?? {}),
      mark: (/** @type {Row} */ { cells }) => cells[i]?.mark,
      about: (/** @type {Row} */ { cells }) =>
        [
          cells[i] && rangeText(figure, cells[i]),
          shownMark(table, cells[i]?.mark) ? markText(cells[i].mark) : undefined,
        ]
          .filter(Boolean)
          .join('; '),
      isBad: (/** @type {Row} */ { cells }) => cells[i]?.moreThan !== undefined,
      ...(figure.unit === 'rate' ? { share: (/** @type {Row} */ { cells }) => (cells[i]?.median ?? 0) / highest } : {}),
    };
  });
  const own = (/** @type {Figure} */ figure) => ({
    key: figure.name,
    title: titleOf(figure),
    text: (/** @type {Row} */ { f }) => (f.ran ? cellText(figure, valueOf(f, figure)) : '–'),
    isBad: (/** @type {Row} */ { f }) => markOf(figure, valueOf(f, figure)) !== undefined,
  });
  const wrong = figures.filter(
    (figure) =>
      figure.rank !== undefined &&
      figure.mark !== undefined &&
      OF_SOME.includes(figure.group) &&
      rows.some(({ f }) => f.ran && markOf(figure, valueOf(f, figure)) !== undefined) &&
      isTold(
        figure,
        rows.map(({ f }) => valueOf(f, figure)),
      ),
  );
  const hasTimes = table.figures.some(({ group }) => group === 'response time');
  const connect = /** @type {Figure} */ (figureOf('connect p99'));
  return [...ranked.slice(0, 1), ...wrong.map(own), ...ranked.slice(1), ...(hasTimes ? [] : [own(connect)])];
}

/** @param {Column[]} columns @param {Row[]} rows @returns {number[]} the most characters of a value in each */
const widthsOf = (columns, rows) => columns.map(({ text }) => Math.max(1, ...rows.map((row) => text(row).length)));

/**
 * @param {RankingTable} table @param {Column[]} columns @param {number[]} widths @param {Row} row @param {number} place of its leg in the charts; −1: in none
 * @returns {Fragment}
 */
function rowOf(table, columns, widths, row, place) {
  const { f } = row;
  const label = f.summary.series !== undefined && table.points.length > 1 ? f.summary.series : f.label;
  const name = html`<i class="chip"></i>${label}`;
  const head = html`<th scope="row" class="leg ${legClass(f.colour)}">${
    place < 0
      ? name
      : html`<button type="button" data-toggle="${place}" aria-pressed="${String(f.drawn)}" title="Show or hide in the charts">${name}</button>`
  }${f.summary.complete || !f.ran ? null : html` <span class="tag">incomplete</span>`}</th>`;
  if (!f.ran) {
    const why = f.summary.failure?.text ? `: ${firstLineOf(f.summary.failure.text)}` : '';
    return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}<td class="connections bad" colspan="${columns.length + 1}" data-code="did-not-run">did not run${why}</td></tr>`;
  }
  const cells = columns.map(({ key, title, text, share, mark, about, isBad }, i) => {
    const found = mark?.(row);
    const shown = shownMark(table, found) ? shortMark(found) : '';
    return html`<td class="c${i + 1}${isBad?.(row) ? ' bad' : ''}" data-figure="${key}" data-name="${title}"${found ? html` data-mark="${found.code}"` : null}${about?.(row) ? html` title="${about(row)}"` : null}>${
      share
        ? html`<span class="lane" aria-hidden="true"><i style="width:${(100 * share(row)).toFixed(1)}%"></i></span>`
        : null
    }<b style="min-width:${widths[i]}ch">${text(row)}</b>${table.rounds > 1 && mark ? html`<small>${shown}</small>` : null}</td>`;
  });
  return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}${connectionsCell(f)}${cells}</tr>`;
}

/**
 * @param {import('../../types.js').Run} run @param {PageLeg[]} cases @param {import('../../types.js').ChartModel} model
 * @returns {Fragment | null} null of a search, whose legs are tries
 */
export function servers({ summary }, cases, { legs }) {
  if (summary.search) return null;
  const table = rankingTable(summary);
  const ofCase = (/** @type {string} */ id) =>
    cases.find(
      ({ summary: own, label }) =>
        (own.id === undefined ? label : caseOf(/** @type {any} */ ({ label, ...own }))) === id,
    );
  const points = table.points.map(({ at, rows, leadBy }) => {
    const found = rows.flatMap(({ case: id, cells }) => {
      const f = ofCase(id);
      return f ? [{ f, cells }] : [];
    });
    // nothing is ranked of one round, but many rows need an order
    return { at, rows: leadBy === undefined && areMany(found) ? found.sort((a, b) => bySpeed(a.f, b.f)) : found };
  });
  const listed = points.flatMap(({ rows }) => rows.map(({ f }) => f));
  const rest = cases.filter((f) => !listed.includes(f) && f.summary.comparedAt === undefined);
  const groups = [
    ...points,
    ...(rest.length > 0 ? [{ at: undefined, rows: rest.map((f) => ({ f, cells: [] })) }] : []),
  ];
  const all = groups.flatMap(({ rows }) => rows);
  const columns = columnsOf(table, all);
  const widths = widthsOf(columns, all);
  const body = groups.map(
    ({ at, rows }) =>
      html`<tbody>${at === undefined ? null : html`<tr class="group"><th scope="rowgroup" colspan="${columns.length + 2}">${at}</th></tr>`}${rows.map(
        (row) =>
          rowOf(
            table,
            columns,
            widths,
            row,
            legs.findIndex(({ id }) => id === row.f.id),
          ),
      )}</tbody>`,
  );
  const many = all.length > MOST_ROWS;
  return html`<section id="servers" aria-label="Servers"><div class="scroll${many ? ' high' : ''}" tabindex="0" role="region" aria-label="Table of the servers"><table class="servers"><thead><tr><th scope="col">server</th><th scope="col" class="connections">connections</th>${columns.map(
    ({ title }, i) => html`<th scope="col" class="c${i + 1}">${title}</th>`,
  )}</tr></thead>${body}</table></div>${
    hasSeveral(table) && table.rounds > 1 ? html`<p class="foot">${serversExplained(table)}</p>` : null
  }</section>`;
}
