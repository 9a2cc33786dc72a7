/** A leg's name with its colour, wherever it is shown: head of a row, head of a column, heading of a card. */
import { html } from '../html.js';
import { areMany } from '../../model/leg-order.js';
import { COLOURS } from '../../model/palette.js';
import { count } from '../../../client/words/format.js';
import { boundsText } from '../../../client/words/intervals.js';
import { servedOnlySome } from '../../../client/words/figures.js';

/** @param {number} colour of results or of the chart model @returns {string} the class that has the colour, and
 * one for the stripes of chips where colours begin anew */
export const legClass = (colour) =>
  `leg-${colour % COLOURS}${colour < COLOURS ? '' : ` again-${Math.floor(colour / COLOURS)}`}`;

/**
 * @param {import('../../types.js').PageLeg} results @param {unknown} [below] what is shown under the name
 * @returns {import('../html.js').Fragment}
 */
export const rowHead = (results, below) =>
  html`<th scope="row" class="leg ${legClass(results.colour)}"><i class="chip"></i>${results.label}${below}</th>`;

/** @param {import('../../types.js').PageLeg} results @returns {import('../html.js').Fragment} */
export const columnHead = (results) =>
  html`<th scope="col" class="leg ${legClass(results.colour)}"><i class="chip"></i>${results.label}</th>`;

/**
 * @param {import('../../types.js').PageLeg} f
 * @returns {import('../html.js').Fragment | null} a mark that is explained below
 */
export const only = (f) =>
  servedOnlySome(f.summary)
    ? html`<span class="only" title="only for the connections that were served">*</span>`
    : null;

/** @param {import('../../types.js').PageLeg[]} results @returns {number} of how many rounds their figures are medians; 1: of none */
export const roundsOf = (results) => results.reduce((most, { summary: { rounds = 1 } }) => Math.max(most, rounds), 1);

/**
 * @param {{ name: string, results: unknown[] }} group of legs @param {number} columns of the table
 * @returns {import('../html.js').Fragment} a row above its legs
 */
const groupRow = ({ name, results }, columns) =>
  html`<tr class="group"><th scope="rowgroup" colspan="${columns}">${name} <span>${
    results.length === 1 ? 'one server' : `${count(results.length)} servers`
  }</span></th></tr>`;

/**
 * A section about each leg. In a sweep of many the charts against its axis matter most, so it is folded, with its heading.
 * @param {import('../../types.js').PageLeg[]} results
 * @param {{ id: string, title: string, fold?: string | null }} heading fold: what is in it, where it is folded in any case
 * @param {import('../html.js').Fragment} content
 * @returns {import('../html.js').Fragment}
 */
export function legSection(results, { id, title, fold = null }, content) {
  const heading = html`<h2 id="${id}-title">${title}</h2>`;
  const isOfSweep =
    areMany(results) && results.some((f) => f.summary.series !== undefined && f.summary.axes.test === undefined);
  const folded = isOfSweep ? `each of the ${count(results.length)} legs` : fold;
  return html`<section id="${id}" aria-labelledby="${id}-title">${
    folded === null
      ? html`${heading}${content}`
      : html`<details class="each"><summary>${heading} <span>${folded}</span></summary>${content}</details>`
  }</section>`;
}

/**
 * @template Leg
 * @param {Array<{ name: string, results: Leg[] }>} groups of legs
 * @param {number} columns of the table
 * @param {(leg: Leg) => unknown} row
 * @returns {unknown[]} the rows of a table, each group under its name where there are several
 */
export const groupedRows = (groups, columns, row) =>
  groups.map((group) => [groups.length > 1 ? groupRow(group, columns) : null, group.results.map(row)]);

/**
 * @param {import('../../types.js').PageLeg} results @param {string} figure @param {(value: number) => string} text
 * @returns {string | undefined} such as "20,100 to 22,400/s"; undefined where there is none
 */
export function rangeText({ summary: { intervals } }, figure, text) {
  const range = intervals?.[figure];
  return range && boundsText(range, text);
}
