// The tables of the bench tools: the requirements, and a table for each contest. Pure.

import { count } from '../../../client/words/format.js';
import { conditionsText, judgedText, mustsTable, spreadText, table } from '../tables.js';
import { CONTESTS } from './contests.js';
import { MUSTS } from './result.js';

/** @typedef {import('./result.js').CellResult} CellResult */

const MUSTS_TEXT = 'Client CPU a request, ours over the tool. Counted over the rows of the tables below:';

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const said = conditionsText(conditions, results[0]?.cpu.level ?? NaN, true);
  const contests = [...new Set(results.map(({ cell }) => cell.contest))];
  const tables = contests.map((contest) => {
    const own = results.filter(({ cell }) => cell.contest === contest);
    return `#### ${CONTESTS[contest].title}\n\n${contestTable(own)}`;
  });
  return ['### Results', said, mustsTable(MUSTS_TEXT, Object.values(MUSTS), results), ...tables].join('\n\n');
}

/** @param {CellResult[]} rows of a contest */
function contestTable(rows) {
  const tool = rows[0]?.tool ?? '';
  return table(
    'Client CPU seconds per million requests and thousand requests a second, medians, and ratios taken a round:',
    [
      'connections',
      'pipeline',
      tool,
      'engine',
      'no log',
      'CPU engine / tool',
      'CPU no log / tool',
      `${tool} thousand/s`,
      'engine thousand/s',
      'speed engine / tool',
      'io',
    ],
    rows.map((row) => {
      const { cell, clients, speed, io } = row;
      const thousands = (/** @type {string} */ name) => ((clients[name]?.perSecond ?? NaN) / 1000).toFixed(1);
      const costs = [tool, 'engine', 'engine-no-log'].map((name) => (clients[name]?.cost ?? NaN).toFixed(2));
      return [
        count(cell.connections),
        String(cell.pipeline),
        ...costs,
        judgedText(MUSTS.cpu, row),
        judgedText(MUSTS.cpuNoLog, row),
        thousands(tool),
        thousands('engine'),
        spreadText(speed, MUSTS.cpu.format),
        io,
      ];
    }),
  );
}
