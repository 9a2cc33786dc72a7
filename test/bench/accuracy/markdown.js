// The table of the bench accuracy. Pure.

import { count } from '../../../client/words/format.js';
import { conditionsText, judgedText, mustsTable, table } from '../tables.js';
import { TRUE } from './result.js';

const MUSTS_TEXT = [
  "The client's percentiles may differ from the server's own by 1 % and 200 us. Counted over the rows of the table",
  'below, at the worst of their percentiles:',
].join('\n');

/** @param {number} share */
const percent = (share) => `${(share * 100).toFixed(0)} %`;

/** @param {number} ns @param {number} digits */
const milliseconds = (ns, digits) => (ns / 1e6).toFixed(digits);

/**
 * @param {import('./result.js').CellResult[]} results
 * @param {import('../tables.js').Conditions} conditions
 * @returns {string}
 */
export function markdownOf(results, conditions) {
  const percents = results[0]?.percents ?? [];
  const rows = results.map((row) => {
    const { cell, transfers, cpuShare, serverNs, errorNs } = row;
    const both = serverNs.map((ns, i) => `${milliseconds(ns, 2)} + ${milliseconds(errorNs[i] ?? NaN, 3)}`);
    return [
      cell.loop,
      cell.io,
      count(cell.connections),
      count(Math.round(transfers)),
      percent(cpuShare),
      ...both,
      judgedText(TRUE, row),
    ];
  });
  return [
    '### Results',
    conditionsText(conditions, results[0]?.taken.level ?? NaN, true),
    mustsTable(MUSTS_TEXT, [TRUE], results),
    table(
      "The server's delay and what the client reads more, ms, medians of the rounds:",
      ['loop', 'io', 'connections', 'transfers', 'client CPU', ...percents.map((one) => `p${one}`), TRUE.name],
      rows,
      2,
    ),
  ].join('\n\n');
}
