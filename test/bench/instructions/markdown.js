// The tables of the bench instructions. Pure.

import { count, payload } from '../../../client/words/format.js';
import { conditionsText, table } from '../tables.js';

/** @typedef {ReturnType<typeof import('./result.js').resultsOf>[number]} Result */

/** @type {Record<import('./cells.js').Workload, string>} */
const TITLES = {
  continuous: 'For each transfer:',
  reconnect: 'For each connection, which makes one transfer:',
};

/** @param {Result[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const workloads = [...new Set(results.map(({ cell }) => cell.workload))];
  const tables = workloads.map((workload) => {
    const rows = results.filter(({ cell }) => cell.workload === workload);
    return table(
      TITLES[workload],
      ['connections', 'payload', 'client', 'user instructions', 'system calls', 'wake-ups'],
      rows.map(({ cell, client, instructions, calls, wakeUps }) => [
        count(cell.connections),
        payload(cell.payloadBytes),
        client,
        count(Math.round(instructions)),
        calls.toFixed(2),
        wakeUps.toFixed(3),
      ]),
    );
  });
  return ['### Results', conditionsText(conditions, 0, false), ...tables].join('\n\n');
}
