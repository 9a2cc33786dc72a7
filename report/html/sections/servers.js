/**
 * The table of the run as HTML: a row for each server, the best first, with what became of its connections and the
 * figures that rank. A cell has a value and its mark; the interval is its title, and in the table of all figures.
 */
import { hasSeveral } from '../../../client/judge/ranking-table.js';
import { tableOf } from '../../../client/judge/table.js';
import { coverageOf } from '../../../client/measure/leg-figures.js';
import { endingText } from '../../../client/words/endings.js';
import { html } from '../html.js';
import { areMany, bySpeed } from '../../model/leg-order.js';
import { legClass } from './leg-name.js';

/**
 * @import { TableColumn, TableRow } from '../../../client/judge/table.js'
 * @import { ChartModel, PageLeg, Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @typedef {{ f: PageLeg, row: TableRow | undefined, place: number }} Line  row: undefined of a leg that was never
 *   begun; place: of the leg in the charts; −1: in none
 */

/** More rows scroll in their box, so that the charts stay in sight. */
const MOST_ROWS = 9;

/** @param {TableRow} row @returns {Fragment} what became of each connection requested, as a bar and in words */
function connectionsCell({ requested, account, connections, failures, isShort }) {
  const bar = html`<span class="account" aria-hidden="true">${account.map(
    ({ part, value }) =>
      html`<i class="part-${part}" style="width:${((100 * value) / Math.max(1, requested)).toFixed(2)}%"></i>`,
  )}</span>`;
  const text = [connections, ...(failures ? [failures] : [])].join(' · ');
  return html`<td class="connections${isShort ? ' bad' : ''}" data-name="connections">${account.length > 0 ? bar : null}<span>${text}</span></td>`;
}

/**
 * @param {Line} line
 * @param {TableColumn[]} columns
 * @param {number[]} widths the most characters of a value in each
 * @param {{ areMarked: boolean, isRunning: boolean }} run
 * @returns {Fragment}
 */
function rowOf({ f, row, place }, columns, widths, { areMarked, isRunning }) {
  const isOpen = f.shown.endedBy === 'running';
  const phase = f.summary.beforeSteady ? `: ${coverageOf(f.summary)}` : '';
  const tag = isOpen ? `${endingText('running')}${phase}` : f.shown.complete ? '' : 'incomplete';
  const name = html`<i class="chip"></i>${row?.label ?? f.label}`;
  const head = html`<th scope="row" class="leg ${legClass(f.colour)}">${
    place < 0
      ? name
      : html`<button type="button" data-toggle="${place}" aria-pressed="${String(f.drawn)}" title="Show or hide in the charts">${name}</button>`
  }${f.ran && tag !== '' ? html` <span class="tag${isOpen ? ' running' : ''}">${tag}</span>` : null}</th>`;
  if (row === undefined && isRunning)
    return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}<td class="connections" colspan="${columns.length + 1}" data-code="not-started">${endingText('never')}</td></tr>`;
  if (row === undefined || row.notRun !== undefined)
    return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}<td class="connections bad" colspan="${columns.length + 1}" data-code="did-not-run">${row?.notRun ?? 'did not run'}</td></tr>`;
  const cells = row.cells.map(({ text, range, mark, said, short = '', isBad, share }, i) => {
    const about = [range, said].filter(Boolean).join('; ');
    return html`<td class="c${i + 1}${isBad ? ' bad' : ''}" data-figure="${columns[i].key}" data-name="${columns[i].title}"${mark ? html` data-mark="${mark.code}"` : null}${about === '' ? null : html` title="${about}"`}>${
      share === undefined
        ? null
        : html`<span class="lane" aria-hidden="true"><i style="width:${(100 * share).toFixed(1)}%"></i></span>`
    }<b style="min-width:${widths[i]}ch">${text}</b>${areMarked && columns[i].isCompared ? html`<small>${short}</small>` : null}</td>`;
  });
  return html`<tr class="${legClass(f.colour)}" data-leg="${f.label}">${head}${connectionsCell(row)}${cells}</tr>`;
}

/**
 * @param {Run} run @param {PageLeg[]} cases @param {ChartModel} model
 * @returns {Fragment | null} null of a search, whose legs are tries
 */
export function servers({ summary }, cases, { legs }) {
  if (summary.search) return null;
  const { columns, groups, ranking, notes } = tableOf(summary);
  const byCase = new Map(cases.map((f) => [f.summary.case ?? f.summary.label ?? f.label, f]));
  const lineOf = (/** @type {PageLeg} */ f, /** @type {TableRow | undefined} */ row) => ({
    ...{ f, row },
    place: legs.findIndex(({ id }) => id === f.id),
  });
  const shown = groups.map(({ at, rows }, i) => {
    const lines = rows.flatMap((row) => {
      const f = byCase.get(row.case);
      return f ? [lineOf(f, row)] : [];
    });
    // nothing is ranked of one round, but many rows need an order
    const isRanked = ranking.points[i]?.leadBy !== undefined;
    return { at, lines: !isRanked && areMany(lines) ? lines.sort((a, b) => bySpeed(a.f, b.f)) : lines };
  });
  const listed = shown.flatMap(({ lines }) => lines.map(({ f }) => f));
  const never = cases.filter((f) => !listed.includes(f) && f.summary.comparedAt === undefined);
  const all = [
    ...shown,
    ...(never.length > 0 ? [{ at: undefined, lines: never.map((f) => lineOf(f, undefined)) }] : []),
  ];
  const lines = all.flatMap((group) => group.lines);
  const widths = columns.map((_, i) => Math.max(1, ...lines.map(({ row }) => row?.cells[i]?.text.length ?? 0)));
  const areMarked = hasSeveral(ranking) && ranking.rounds > 1;
  const body = all.map(
    (group) =>
      html`<tbody>${group.at === undefined ? null : html`<tr class="group"><th scope="rowgroup" colspan="${columns.length + 2}">${group.at}</th></tr>`}${group.lines.map(
        (line) => rowOf(line, columns, widths, { areMarked, isRunning: summary.endedBy === 'running' }),
      )}</tbody>`,
  );
  return html`<section id="servers" aria-label="Servers"><div class="scroll${lines.length > MOST_ROWS ? ' high' : ''}" tabindex="0" role="region" aria-label="Table of the servers"><table class="servers"><thead><tr><th scope="col">server</th><th scope="col" class="connections">connections</th>${columns.map(
    ({ title }, i) => html`<th scope="col" class="c${i + 1}">${title}</th>`,
  )}</tr></thead>${body}</table></div>${notes.length > 0 ? html`<p class="foot">${notes.join(' ')}</p>` : null}</section>`;
}
