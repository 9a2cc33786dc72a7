// The table of the bench client-share. Pure.

import { count, duration, payload } from '../../../client/words/format.js';
import { conditionsText, spreadText, table } from '../tables.js';
import { BASELINE } from './cells.js';

/** @typedef {import('./result.js').Result} Result */

const ratio = (/** @type {number} */ value) => value.toFixed(2);
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(0)} %`;

/** @param {Result[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const said = conditionsText(conditions, results[0]?.speed.level ?? NaN, false);
  return ['### Results', said, shareTable(results)].join('\n\n');
}

/** @param {Result[]} results */
function shareTable(results) {
  return table(
    `The client's part of p50 and p99, and p50 itself; then, compared with ${BASELINE} where the kernel places both sides: the ` +
      "client's part of p50 in time, transfers per second, client CPU per transfer. Medians:",
    ['connections', 'payload', 'way', 'of p50', 'of p99', 'p50', "client's time", 'speed', 'CPU'],
    results.map(({ cell, way, p50Share, p99Share, p50Ns, clientTime, speed, cost }) => [
      ...[count(cell.connections), payload(cell.payloadBytes), way],
      ...[spreadText(p50Share, percent), spreadText(p99Share, percent), duration(p50Ns)],
      ...[clientTime, speed, cost].map((spread) => (way === BASELINE ? '1' : spreadText(spread, ratio))),
    ]),
    3,
  );
}
