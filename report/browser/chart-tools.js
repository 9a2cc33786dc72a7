/**
 * Runs in the page. The values of a figure as a table.
 */
import { cellText, tablesOf } from './chart-table.js';
import { count } from '../../client/words/format.js';

/**
 * @import { ChartTable } from './chart-table.js'
 * @import { ChartLeg, ModelChart } from './types.js'
 */

/** Rows that are made at a time: thousands of them would make the page slow. */
const ROWS_AT_A_TIME = 500;

/** @typedef {{ legs: () => ChartLeg[], chartOf: (id: string) => ModelChart | undefined }} Drawing */

/** @param {string} tag @param {string} text @param {Record<string, string>} [attributes] @returns {HTMLElement} */
function made(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** @param {ChartTable} table @param {number} from @param {number} to @returns {HTMLElement[]} its rows */
const rowsOf = ({ columns, rows, rowHeads }, from, to) =>
  rows.slice(from, to).map((cells) => {
    const row = document.createElement('tr');
    row.append(
      ...cells.map((cell, i) => {
        const text = cellText(cell, columns[i]);
        return i < rowHeads ? made('th', text, { scope: 'row' }) : made('td', text);
      }),
    );
    return row;
  });

/** @param {ChartTable} table @returns {HTMLElement} in a box that scrolls, with a button for the rows left out */
function tableElement(table) {
  const { caption, columns, rows } = table;
  const box = made('div', '');
  const scroll = made('div', '', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption });
  const element = made('table', '');
  const head = made('tr', '');
  head.append(...columns.map((column) => made('th', column.head, { scope: 'col' })));
  const [heads, body] = [made('thead', ''), made('tbody', '')];
  heads.append(head);
  body.append(...rowsOf(table, 0, ROWS_AT_A_TIME));
  element.append(made('caption', caption), heads, body);
  scroll.append(element);
  box.append(scroll);
  if (rows.length > ROWS_AT_A_TIME) box.append(restElement(table, body));
  return box;
}

/**
 * @param {ChartTable} table
 * @param {HTMLElement} body
 * @returns {HTMLElement} how many rows are left out, and a button for more of them
 */
function restElement(table, body) {
  const { rows } = table;
  const rest = made('p', '', { class: 'rest', 'data-code': 'rows-left-out' });
  const text = made('span', '');
  const more = made('button', '', { type: 'button' });
  const tell = () => {
    const left = rows.length - body.children.length;
    rest.dataset.left = String(left);
    text.textContent =
      left > 0
        ? `The first ${count(body.children.length)} of ${count(rows.length)} rows.`
        : `All ${count(rows.length)} rows.`;
    more.textContent = `Show ${count(Math.min(left, ROWS_AT_A_TIME))} more`;
    more.hidden = left === 0;
  };
  more.addEventListener('click', () => {
    const from = body.children.length;
    body.append(...rowsOf(table, from, from + ROWS_AT_A_TIME));
    tell();
  });
  tell();
  rest.append(text, ' ', more);
  return rest;
}

/** The button of one figure, and its table. */
class ChartTools {
  /** @param {HTMLElement} bar @param {Drawing} drawing */
  constructor(bar, drawing) {
    this.bar = bar;
    this.id = bar.dataset.chart ?? '';
    this.drawing = drawing;
    this.figure = /** @type {HTMLElement} */ (bar.closest('.figure'));
    /** @type {HTMLElement | null} the open table */
    this.open = null;
    const button = /** @type {HTMLElement} */ (bar.querySelector('button'));
    button.addEventListener('click', () => this.toggle(button));
    bar.hidden = false;
  }

  /** @param {HTMLElement} button */
  toggle(button) {
    if (this.open) this.open.remove();
    this.open = this.open ? null : made('div', '', { class: 'chart-table', id: `table-${this.id}` });
    button.setAttribute('aria-expanded', String(this.open !== null));
    if (this.open) this.figure.append(this.open);
    this.refresh();
  }

  /** Makes the open table anew. */
  refresh() {
    if (!this.open) return;
    const chart = /** @type {ModelChart} */ (this.drawing.chartOf(this.id));
    this.open.replaceChildren(...tablesOf(chart, this.drawing.legs()).map(tableElement));
  }
}

/** By the id of their chart. @type {Map<string, ChartTools>} */
const tools = new Map();

/** Makes those of figures that are new, and open tables anew. @param {Drawing} drawing */
export function renewTools(drawing) {
  for (const bar of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.chart-tools[data-chart]'))) {
    const id = bar.dataset.chart ?? '';
    const known = tools.get(id);
    if (known?.bar === bar) known.refresh();
    else tools.set(id, new ChartTools(bar, drawing));
  }
}
