// The tables of the bench open. Pure.

import { count } from '../../../client/words/format.js';
import { conditionsText, judgedText, mustsTable, spreadText, table } from '../tables.js';
import { MUSTS } from './result.js';

/** @typedef {import('./result.js').Result} Result */

const NAMES = { broadside: 'Broadside', bare: 'bare opener' };
const megabytes = (/** @type {number} */ bytes) => String(Math.round(bytes / 1e6));

/** @param {Result[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const [result] = results;
  if (!result) return '### Results\n\nNo round is whole.';
  const said = conditionsText(conditions, result.cells[0]?.ratio.level ?? NaN, true);
  return ['### Results', said, memoryText(result), timeTable(result), memoryTable(result)].join('\n\n');
}

/** @param {Result} result */
function memoryText(result) {
  const lines = [result].flatMap(({ slope, most }) => [
    ...(slope ? [`Client memory for each connection more: ${judgedText(MUSTS.slope, result)}.`] : []),
    ...(most ? [`Client memory at the most connections: ${judgedText(MUSTS.most, result)}.`] : []),
  ]);
  return [mustsTable('', Object.values(MUSTS), [result]), '', ...lines].join('\n');
}

/** @param {Result} result */
function timeTable({ cells }) {
  return table(
    'Time until both ends of every connection are established, medians:',
    ['connections', 'client', 'seconds', 'connections/s', 'Broadside / bare', 'SYNs sent again', 'failed'],
    cells.flatMap(({ cell, ratio, rows }) =>
      rows.map(({ client, openSeconds, synsAgain, failures }) => [
        count(cell.connections),
        NAMES[client],
        openSeconds.toFixed(3),
        count(Math.round(cell.connections / openSeconds)),
        client === 'broadside' ? spreadText(ratio, (value) => value.toFixed(2)) : '',
        count(Math.round(synsAgain)),
        count(failures),
      ]),
    ),
  );
}

/** @param {Result} result */
function memoryTable({ cells }) {
  return table(
    "Memory while they are held, medians; the kernel's for both ends of a connection:",
    ['connections', 'client', 'processes', 'client MB', 'server MB', 'kernel MB', 'kernel bytes a connection'],
    cells.flatMap(({ cell, rows }) =>
      rows.map((row) => [
        count(cell.connections),
        NAMES[row.client],
        String(row.clientProcesses),
        ...[row.clientRssBytes, row.serverRssBytes, row.kernelBytes].map(megabytes),
        count(Math.round(row.kernelBytes / cell.connections)),
      ]),
    ),
  );
}
