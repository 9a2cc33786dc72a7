// The table of `doctor`: the limits that are too low, or all limits, with the available and needed amount, the verdict
// and the remedy. In a narrow terminal the remedy is below its row, over the whole width.

import { bytes, count } from '../words/format.js';
import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @import { Limit } from '../../config/types.js'
 * @import { Style, Tone } from './terminal-text.js'
 * @import { Column } from './text-table.js'
 */

/** @typedef {'ok' | Limit['side']} Verdict */

const nothing = '·';
/** @type {Record<Verdict, string>} */
const words = {
  ok: 'ok',
  client: 'too little',
  server: 'server limit',
  kernel: 'kernel limit',
};
/** @type {Record<Verdict, Tone>} */
const tones = { ok: 'green', client: 'red', server: 'yellow', kernel: 'yellow' };
/** A remedy with less room beside the other columns is put below its row. */
const NARROWEST_REMEDY = 40;
/** A wider remedy is hard to read. */
const WIDEST_REMEDY = 90;
const WIDEST_NAME = 44;

/** @param {Limit} row @param {'available' | 'needed'} key @returns {string} */
function amount(row, key) {
  const value = row[key];
  if (value === null) return key === 'available' && row.needed !== null ? 'no limit' : nothing;
  if (row.unit === 'bytes') return bytes(value);
  return row.unit === 'cores' ? String(Number(value.toFixed(2))) : count(value);
}

/** @param {Limit} row @returns {Verdict} */
const verdictOf = ({ exceeded, side }) => (exceeded ? side : 'ok');

/**
 * @param {Limit[]} limits
 * @param {number} width of the terminal; Infinity without one
 * @param {Style} style
 * @param {boolean} [isOfAll] whether limits that are high enough have rows too
 * @returns {string} lines joined, the last without a line end
 */
export function limitsTable(limits, width, style, isOfAll = false) {
  const short = limits.filter(({ exceeded }) => exceeded);
  const ok = limits.length - short.length;
  const okText = `${short.length === 0 ? 'all ' : ''}${count(ok)}${short.length === 0 ? '' : ok === 1 ? ' other' : ' others'} ok (--all lists them)`;
  if (!isOfAll && short.length < limits.length)
    return [...(short.length === 0 ? [] : [limitsTable(short, width, style, true)]), style('dim', okText)].join('\n');
  const rows = limits;
  /** @type {Column<Limit>[]} */
  const columns = [
    {
      title: 'limit',
      left: true,
      widest: Math.min(WIDEST_NAME, Math.max(16, Math.floor(width / 2) - 6)),
      text: ({ servers, name }) => (servers.length === 0 ? name : `${servers.join(', ')}: ${name}`),
    },
    { title: 'available', text: (row) => amount(row, 'available') },
    { title: 'needed', text: (row) => amount(row, 'needed') },
    { title: 'verdict', left: true, text: (row) => words[verdictOf(row)], tone: (row) => tones[verdictOf(row)] },
  ];
  /** @type {Column<Limit>} */
  const beside = {
    title: 'remedy',
    left: true,
    rank: 1,
    narrowest: NARROWEST_REMEDY,
    widest: WIDEST_REMEDY,
    text: ({ remedy }) => remedy ?? '',
  };
  if (rows.some(({ remedy }) => remedy !== null)) columns.push(beside);
  const table = textTable(columns, rows, { width, style });
  if (!table.leftOut.includes(beside)) return table.lines.join('\n');
  const below = (/** @type {Limit} */ { remedy }) =>
    remedy === null ? [] : wrap(`   ${remedy}`, Math.min(WIDEST_REMEDY, width)).map((line) => style('dim', line));
  return [...table.head, ...rows.flatMap((row, i) => [...table.rows[i], ...below(row)])].join('\n');
}
