// Doctor's table: every limit with what is available, what is needed, the verdict and the remedy. Pure.
// The one thing to know: in a narrow terminal the remedy is below its row, over the whole width.
import Table from 'cli-table3';
import { bytes, count } from '../words/format.js';
import { wrap } from './terminal-text.js';
import { borderless } from './table.js';

/**
 * A row: a limit of the plan, or a check of doctor's own, whose value and needed are words.
 * @typedef {Omit<import('../plan/limits/limit.js').Limit, 'available' | 'needed' | 'unit'>
 *   & {unit: 'count' | 'bytes' | 'cores' | 'words', available: number | string | null, needed: number | string | null}} Row
 * @typedef {'ok' | 'client' | 'server' | 'kernel' | 'missing'} Verdict
 * @typedef {import('./terminal-text.js').Style} Style
 */

const head = ['limit', 'available', 'needed', 'verdict', 'remedy'];
const nothing = '·';
/** @type {Record<Verdict, import('./terminal-text.js').Tone>} */
const tones = { ok: 'green', client: 'red', missing: 'red', server: 'yellow', kernel: 'yellow' };
/** A remedy that has fewer characters than this to the right of the other columns is put below; a wider one is hard to read. */
const NARROWEST_REMEDY = 40;
const WIDEST_REMEDY = 90;
const WIDEST_NAME = 44;

/** @param {Row} row @param {'available' | 'needed'} key @returns {string} */
function amount(row, key) {
  const value = row[key];
  if (typeof value === 'string') return value;
  if (value === null) return key === 'available' && row.needed !== null ? 'no limit' : nothing;
  if (row.unit === 'bytes') return bytes(value);
  return row.unit === 'cores' ? String(Number(value.toFixed(2))) : count(value);
}

/** @param {Row} row @returns {Verdict} */
function verdictOf({ code, exceeded, side }) {
  if (!exceeded) return 'ok';
  return code === 'server-available' ? 'missing' : side;
}

/** @param {string[]} cells @returns {number} the widest line, with its padding */
function widthOf(cells) {
  return Math.max(...cells.flatMap((cell) => cell.split('\n').map((line) => line.length))) + 2;
}

/**
 * @param {Row[]} rows
 * @param {number} width of the terminal; Infinity when there is none
 * @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function limitsTable(rows, width, style) {
  const nameWidth = Math.min(WIDEST_NAME, Math.max(16, Math.floor(width / 2) - 6));
  const cells = rows.map((row) => {
    const subject = row.servers.length === 0 ? '' : `${row.servers.join(', ')}: `;
    const name = wrap(subject + row.name, nameWidth).join('\n');
    return [name, amount(row, 'available'), amount(row, 'needed'), verdictOf(row)];
  });
  const taken = [0, 1, 2, 3].map((i) => widthOf([head[i], ...cells.map((row) => row[i])]));
  const room = Math.min(WIDEST_REMEDY, width - taken.reduce((sum, one) => sum + one, 0) - 2);
  const beside = room >= NARROWEST_REMEDY && rows.some(({ remedy }) => remedy !== null);
  const table = new Table({ ...borderless, colAligns: ['left', 'right', 'right', 'left', 'left'] });
  table.push((beside ? head : head.slice(0, 4)).map((title) => style('bold', title)));
  rows.forEach((row, i) => {
    const { remedy } = row;
    const [name, value, needed, word] = cells[i];
    const help = beside ? [wrap(remedy ?? '', room).join('\n')] : [];
    table.push([name, value, needed, style(tones[verdictOf(row)], word), ...help]);
  });
  const lines = table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  if (beside) return lines.join('\n');
  const [titles = '', ...rest] = lines;
  const below = rows.flatMap(({ remedy }, i) => [
    ...rest.splice(0, cells[i][0].split('\n').length),
    ...(remedy === null ? [] : wrap(`   ${remedy}`, Math.min(WIDEST_REMEDY, width)).map((line) => style('dim', line))),
  ]);
  return [titles, ...below].join('\n');
}
