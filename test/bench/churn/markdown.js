// The tables of the bench churn, one for each number of concurrent connections. Pure.

import { count } from '../../../client/words/format.js';
import { conditionsText, spreadText, table } from '../tables.js';

/** @typedef {import('./result.js').CellResult} CellResult */

/** @type {Record<import('./clients.js').Client, string>} */
const NAMES = {
  engine: 'engine',
  'engine-first': 'engine, closing first',
  'engine-reset': 'engine, closing by RST',
  ab: 'ab',
  wrk: 'wrk',
  tcp_crr: 'tcp_crr, closing by RST',
};
const HEAD = ['client', 'CPU ms', 'engine / client', 'connections/s', 'engine / client', 'failed'];

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const said = conditionsText(conditions, results[0]?.level ?? NaN, false);
  return ['### Results', said, ...results.map(cellTable)].join('\n\n');
}

/** @param {CellResult} result */
function cellTable({ cell, clients }) {
  const connections = count(cell.connections);
  const ratio = (/** @type {import('../spread.js').Spread | null} */ spread) =>
    spread === null ? '' : spreadText(spread, (value) => value.toFixed(2));
  return table(
    `${connections} connections at a time: client CPU per 1,000 connections and connections per second, medians:`,
    HEAD,
    clients.map(({ client, io, cost, perSecond, failures, costRatio, speedRatio }) => {
      const speed = count(Math.round(perSecond));
      const name = NAMES[client] + (io ? ` (${io})` : '');
      return [name, cost.toFixed(1), ratio(costRatio), speed, ratio(speedRatio), count(failures)];
    }),
    1,
  );
}
