/**
 * Runs in the page. The button of a chart that shows its values as tables.
 */
import { cellText, tablesOf } from './chart-table.js';
import { count } from '../../client/words/format.js';

/**
 * @import { ChartTable } from './chart-table.js'
 * @import { ChartLeg, ModelChart } from './types.js'
 */

/** Rows added at a time: thousands would make the page slow. */
const ROWS_AT_A_TIME = 500;

/** @typedef {{ legs: () => ChartLeg[], chartOf: (id: string) => ModelChart | undefined }} Drawing */

/** @param {string} tag @param {string} text @param {Record<string, string>} [attributes] @returns {HTMLElement} */
function elementOf(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** @param {ChartTable} table @param {number} from @param {number} to @returns {HTMLElement[]} */
const rowsOf = ({ columns, rows, rowHeads }, from, to) =>
  rows.slice(from, to).map((cells) => {
    const row = document.createElement('tr');
    row.append(
      ...cells.map((cell, i) => {
        const text = cellText(cell, columns[i]);
        return i < rowHeads ? elementOf('th', text, { scope: 'row' }) : elementOf('td', text);
      }),
    );
    return row;
  });

/** @param {ChartTable} table @returns {HTMLElement} a box that scrolls, and a button for more rows */
function tableElement(table) {
  const { caption, columns, rows } = table;
  const box = elementOf('div', '');
  const scroll = elementOf('div', '', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption });
  const element = elementOf('table', '');
  const head = elementOf('tr', '');
  head.append(...columns.map((column) => elementOf('th', column.head, { scope: 'col' })));
  const [heads, body] = [elementOf('thead', ''), elementOf('tbody', '')];
  heads.append(head);
  body.append(...rowsOf(table, 0, ROWS_AT_A_TIME));
  element.append(elementOf('caption', caption), heads, body);
  scroll.append(element);
  box.append(scroll);
  if (rows.length > ROWS_AT_A_TIME) box.append(moreRowsElement(table, body));
  return box;
}

/**
 * @param {ChartTable} table
 * @param {HTMLElement} body
 * @returns {HTMLElement} the number of rows shown, and a button for more
 */
function moreRowsElement(table, body) {
  const { rows } = table;
  const line = elementOf('p', '', { class: 'rest', 'data-code': 'rows-left-out' });
  const text = elementOf('span', '');
  const more = elementOf('button', '', { type: 'button' });
  const update = () => {
    const left = rows.length - body.children.length;
    line.dataset.left = String(left);
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
    update();
  });
  update();
  line.append(text, ' ', more);
  return line;
}

/** The button of a chart, and its open tables. */
class ChartTools {
  /** @param {HTMLElement} bar @param {Drawing} drawing */
  constructor(bar, drawing) {
    this.bar = bar;
    this.id = bar.dataset.chart ?? '';
    this.drawing = drawing;
    this.figure = /** @type {HTMLElement} */ (bar.closest('.figure'));
    /** @type {HTMLElement | null} element of the open tables */
    this.open = null;
    const button = /** @type {HTMLElement} */ (bar.querySelector('button'));
    button.addEventListener('click', () => this.toggle(button));
    bar.hidden = false;
  }

  /** @param {HTMLElement} button */
  toggle(button) {
    if (this.open) this.open.remove();
    this.open = this.open ? null : elementOf('div', '', { class: 'chart-table', id: `table-${this.id}` });
    button.setAttribute('aria-expanded', String(this.open !== null));
    if (this.open) this.figure.append(this.open);
    this.refresh();
  }

  /** Creates the open tables again. */
  refresh() {
    if (!this.open) return;
    const chart = /** @type {ModelChart} */ (this.drawing.chartOf(this.id));
    this.open.replaceChildren(...tablesOf(chart, this.drawing.legs()).map(tableElement));
  }
}

/** Key: id of the chart. @type {Map<string, ChartTools>} */
const tools = new Map();

/** Adds buttons for new charts, and creates open tables again. @param {Drawing} drawing */
export function renewTools(drawing) {
  for (const bar of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.chart-tools[data-chart]'))) {
    const id = bar.dataset.chart ?? '';
    const known = tools.get(id);
    if (known?.bar === bar) known.refresh();
    else tools.set(id, new ChartTools(bar, drawing));
  }
}
