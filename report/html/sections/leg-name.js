/** A leg's name with its colour, as the head of a row or a column. */
import { html } from '../html.js';
import { COLOURS } from '../../model/palette.js';
import { count } from '../../../client/words/format.js';

/**
 * @import { PageLeg } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @param {number} colour of a leg
 * @returns {string} the class that sets the colour, and one for striped chips if the palette is used again
 */
export const legClass = (colour) =>
  `leg-${colour % COLOURS}${colour < COLOURS ? '' : ` again-${Math.floor(colour / COLOURS)}`}`;

/** @param {PageLeg} results @returns {Fragment} */
export const rowHead = (results) =>
  html`<th scope="row" class="leg ${legClass(results.colour)}"><i class="chip"></i>${results.label}</th>`;

/** @param {PageLeg} results @returns {Fragment} */
export const columnHead = (results) =>
  html`<th scope="col" class="leg ${legClass(results.colour)}"><i class="chip"></i>${results.label}</th>`;

/** @param {PageLeg[]} results @returns {number} number of rounds that their figures are medians of; 1 if of none */
export const roundsOf = (results) => results.reduce((rounds, { shown }) => Math.max(rounds, shown.rounds.length), 1);

/**
 * @param {{ name: string, results: unknown[] }} group of legs @param {number} columns of the table
 * @returns {Fragment} a row above its legs
 */
const groupRow = ({ name, results }, columns) =>
  html`<tr class="group"><th scope="rowgroup" colspan="${columns}">${name} · <span>${
    results.length === 1 ? 'one server' : `${count(results.length)} servers`
  }</span></th></tr>`;

/**
 * @template Leg
 * @param {Array<{ name: string, results: Leg[] }>} groups of legs
 * @param {number} columns of the table
 * @param {(leg: Leg) => unknown} row
 * @returns {unknown[]} the rows of a table; if there are several groups, each has a heading row
 */
export const groupedRows = (groups, columns, row) =>
  groups.map((group) => [groups.length > 1 ? groupRow(group, columns) : null, group.results.map(row)]);
