// The list of servers: a row each, and below each unavailable one the reason and the remedy. Pure.
// The one thing to know: in a narrow terminal the language is a heading, and the longest columns are folded.
import Table from 'cli-table3';
import { wrap } from './terminal-text.js';
import { borderless } from './table.js';

/**
 * @typedef {import('./terminal-text.js').Style} Style
 * @typedef {object} Listed
 * @property {string} name
 * @property {string} language
 * @property {string} model
 * @property {string[]} protocols
 * @property {1 | 'unbounded' | {option: string, default: number} | null} concurrent
 * @property {boolean} available
 * @property {string | null} why
 * @property {string | null} remedy
 */

const head = ['server', 'model', 'protocols', 'at once', 'available'];
const [MODEL, PROTOCOLS] = [1, 2];
const NARROWEST_PROTOCOLS = 11;
/** Folded to less a model is hard to read, so that the row is rather too wide. */
const NARROWEST_MODEL = 16;
const WIDEST_REMARK = 110;
/** Without at least this width there is no column of languages: they are headings. */
const ROOMY = 110;

/** @param {Listed['concurrent']} concurrent @returns {string} how many connections it serves at once */
export function atOnce(concurrent) {
  if (concurrent === null) return '?';
  return typeof concurrent === 'object' ? `${concurrent.default} ${concurrent.option}` : String(concurrent);
}

/** @param {string[]} cells @returns {number} the widest line, with its padding */
const widthOf = (cells) => Math.max(...cells.flatMap((cell) => cell.split('\n').map((line) => line.length))) + 2;

/**
 * @param {Listed[]} servers
 * @param {number} width of the terminal; Infinity when there is none
 * @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function serversTable(servers, width, style) {
  const roomy = width >= ROOMY;
  const rows = servers.map(({ name, model, protocols, concurrent, available }) => [
    name,
    model,
    protocols.join(' ') || '?',
    atOnce(concurrent),
    available ? 'yes' : 'no',
  ]);
  const languages = ['language', ...servers.map(({ language }) => language)];
  const taken = roomy ? widthOf(languages) : 0;
  for (const [column, narrowest] of [
    [PROTOCOLS, NARROWEST_PROTOCOLS],
    [MODEL, NARROWEST_MODEL],
  ]) {
    const widths = head.map((title, i) => widthOf([title, ...rows.map((row) => row[i])]));
    const tooWide = widths.reduce((sum, one) => sum + one, taken) - width;
    if (tooWide <= 0) continue;
    const most = Math.max(narrowest, widths[column] - 2 - tooWide);
    for (const row of rows) row[column] = wrap(row[column], most).join('\n');
  }
  const table = new Table({ ...borderless });
  const full = (/** @type {string[]} */ [first, ...rest], /** @type {string} */ language) =>
    roomy ? [first, language, ...rest] : [first, ...rest];
  table.push(full(head, languages[0]).map((title) => style('bold', title)));
  servers.forEach(({ language, available }, i) => {
    const [name, ...cells] = rows[i];
    const last = style(available ? 'green' : 'red', cells.pop() ?? '');
    table.push(full([style('bold', name), ...cells, last], language));
  });
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  const heights = rows.map((row) => Math.max(...row.map((cell) => cell.split('\n').length)));
  const [titles = '', ...rest] = lines;
  const body = servers.flatMap(({ language, available, why, remedy }, i) => {
    const heading = roomy || language === servers[i - 1]?.language ? [] : [style('cyan', language)];
    const remarks = available ? [] : [`   unavailable: ${why}`, ...(remedy === null ? [] : [`   ${remedy}`])];
    const folded = remarks.flatMap((line) => wrap(line, Math.min(WIDEST_REMARK, width)));
    return [...heading, ...rest.splice(0, heights[i]), ...folded.map((line) => style('yellow', line))];
  });
  return [titles, ...body].join('\n');
}
