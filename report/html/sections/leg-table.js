/** The one maker of tables of figures: a row for each leg, or for each figure. */
import { isOfWorst } from '../../../client/judge/case-legs.js';
import { cellText, markOf } from '../../../client/judge/figure-values.js';
import { spanned, valueOf } from '../../model/page-leg.js';
import { html } from '../html.js';
import { columnHead, groupedRows, only, rowHead } from './leg-name.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */
/** @typedef {import('../html.js').Fragment} Fragment */
/** @typedef {import('../../../client/judge/figures.js').Figure} Figure */
/**
 * @typedef {object} Column  of the table, or a row of it
 * @property {string} code
 * @property {string} name
 * @property {string} [about]
 * @property {string} [group]  columns of one have their names below its own
 * @property {string} [short]  the name there
 * @property {(f: PageLeg) => string} of  a leg that ran
 * @property {(f: PageLeg) => boolean} [bad]
 * @property {true} [ofServed]  it says nothing of connections that were not served
 */

/** Groups in which the title of a part does not say of what it is one: causes, and sides. */
const WITH_WHOLE = ['failures', 'server'];

/** Groups of which the text above the table says that they are of the worst round. */
const OF_WORST = ['connections', 'failures'];

/** @param {PageLeg} f @param {Figure} figure @returns {string} in a cell */
export const textOf = (f, figure) => figure.cell?.(spanned(f)) ?? cellText(figure, valueOf(f, figure));

/** @param {Figure} figure @param {boolean} [inRounds] of a run with several @returns {Column} */
export function columnOf(figure, inRounds = false) {
  const { name, title = name, column, about, group, partOf, ofServed } = figure;
  const worst = inRounds && isOfWorst(figure) && !OF_WORST.includes(group) ? ' (worst)' : '';
  return {
    code: name,
    name: `${partOf && WITH_WHOLE.includes(group) ? `${partOf}: ${title}` : title}${worst}`,
    short: column && `${column}${worst}`,
    ...{ about, group, ofServed },
    of: (f) => textOf(f, figure),
    bad: (f) => markOf(figure, valueOf(f, figure)) !== undefined,
  };
}

/** @param {Column[]} columns @returns {{ group: string, columns: Column[] }[]} neighbours of one group */
function grouped(columns) {
  /** @type {Map<string, Column[]>} */
  const groups = new Map();
  for (const column of columns) {
    const { group = '' } = column;
    groups.set(group, [...(groups.get(group) ?? []), column]);
  }
  return [...groups].map(([group, own]) => ({ group, columns: own }));
}

/** @param {Column} column @param {PageLeg} f @param {Fragment} attribute @returns {Fragment} */
function cell({ of, bad, ofServed }, f, attribute) {
  const text = f.ran ? of(f) : '–';
  return html`<td${f.ran && bad?.(f) ? html` class="bad"` : null}${attribute}>${text}${ofServed && text !== '–' ? only(f) : null}</td>`;
}

/**
 * @param {{ name: string, results: PageLeg[] }[]} legs in their groups @param {Column[]} columns
 * @param {{ label: string, kind: string, title?: (group: string) => string, below?: (f: PageLeg) => unknown }} what  title: of a
 *   group of columns; without it they have none; below: what is shown under the name of a leg
 * @returns {Fragment} a row for each leg
 */
export function legRows(legs, columns, { label, kind, title, below }) {
  const groups = title === undefined ? [{ group: '', columns }] : grouped(columns);
  const shown = groups.flatMap((group) => group.columns);
  const firsts = groups.map((group) => group.columns[0]);
  const nameOf = (/** @type {Column} */ { name, short = name, group }) => {
    const isAlone = shown.filter((one) => one.group === group && one.short === short).length < 2;
    return title !== undefined && isAlone ? short : name;
  };
  const names = shown.map(
    (column) =>
      html`<th scope="col" class="${title && firsts.includes(column) ? 'first' : ''}" title="${column.about}">${nameOf(column)}</th>`,
  );
  const heads = groups.map(
    ({ group, columns: own }) => html`<th scope="colgroup" colspan="${own.length}">${title?.(group)}</th>`,
  );
  const rows = groupedRows(
    legs,
    shown.length + 1,
    (f) =>
      html`<tr data-leg="${f.label}">${rowHead(f, below?.(f))}${shown.map((column) => cell(column, f, html` data-name="${column.name}"`))}</tr>`,
  );
  const head =
    title === undefined
      ? html`<tr><td></td>${names}</tr>`
      : html`<tr><td rowspan="2"></td>${heads}</tr><tr>${names}</tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="${kind}"><thead>${head}</thead><tbody>${rows}</tbody></table></div>`;
}

/**
 * @param {PageLeg[]} legs few @param {Column[]} rows @param {{ label: string, kind: string }} what
 * @returns {Fragment} a row for each figure
 */
export const figureRows = (legs, rows, { label, kind }) =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="${kind}"><thead><tr><td></td>${legs.map(columnHead)}</tr></thead><tbody>${rows.map(
    (row) =>
      html`<tr data-code="${row.code}"><th scope="row" title="${row.about}">${row.name}</th>${legs.map((f) => cell(row, f, html` data-name="${f.label}"`))}</tr>`,
  )}</tbody></table></div>`;
