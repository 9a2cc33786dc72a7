// The list of servers: a row for each server; below an unavailable server, the reason and the remedy. In a narrow
// terminal the language is a heading, and the longest columns are wrapped.

import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/**
 * @import { Style } from './terminal-text.js'
 * @import { Column } from './text-table.js'
 */

/**
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

const NARROWEST_PROTOCOLS = 11;
/** Least width to which a model is wrapped, even if the row is then too wide. */
const NARROWEST_MODEL = 16;
const WIDEST_REMARK = 110;
/** From this width on, languages are a column; below, they are headings. */
const ROOMY = 110;

/** @type {Column<Listed>} */
const LANGUAGE = { title: 'language', left: true, text: ({ language }) => language };

/** @param {Listed['concurrent']} concurrent @returns {string} how many connections it serves at once */
export function atOnce(concurrent) {
  if (concurrent === null) return '?';
  return typeof concurrent === 'object' ? `${concurrent.default} ${concurrent.option}` : String(concurrent);
}

/**
 * @param {Listed[]} servers
 * @param {number} width of the terminal; Infinity without one
 * @param {Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function serversTable(servers, width, style) {
  const roomy = width >= ROOMY;
  /** @type {Column<Listed>[]} */
  const columns = [
    { title: 'server', left: true, text: ({ name }) => name, tone: () => 'bold' },
    ...(roomy ? [LANGUAGE] : []),
    { title: 'model', left: true, narrowest: NARROWEST_MODEL, text: ({ model }) => model },
    {
      title: 'protocols',
      left: true,
      narrowest: NARROWEST_PROTOCOLS,
      text: ({ protocols }) => protocols.join(' ') || '?',
    },
    { title: 'at once', left: true, text: ({ concurrent }) => atOnce(concurrent) },
    {
      title: 'available',
      left: true,
      text: ({ available }) => (available ? 'yes' : 'no'),
      tone: ({ available }) => (available ? 'green' : 'red'),
    },
  ];
  const { head, rows } = textTable(columns, servers, { width, style });
  const body = servers.flatMap(({ language, available, why, remedy }, i) => {
    const heading = roomy || language === servers[i - 1]?.language ? [] : [style('cyan', language)];
    const remarks = available ? [] : [`   unavailable: ${why}`, ...(remedy === null ? [] : [`   ${remedy}`])];
    const wrapped = remarks.flatMap((line) => wrap(line, Math.min(WIDEST_REMARK, width)));
    return [...heading, ...rows[i], ...wrapped.map((line) => style('yellow', line))];
  });
  return [...head, ...body].join('\n');
}
