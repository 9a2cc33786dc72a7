// The tables of the bench io. Pure.

import { count, duration, payload } from '../../../client/results/format.js';
import { conditionsText, spreadText, table } from '../tables.js';
import { cheaperOf } from './result.js';

/** @typedef {import('./result.js').CellResult} CellResult */

const ratio = (/** @type {number} */ value) => value.toFixed(2);
const mebibytes = (/** @type {number} */ bytes) => (bytes / 2 ** 20).toFixed(0);

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const said = conditionsText(conditions, results[0]?.ratio.level ?? NaN, false);
  return ['### Results', said, costTable(results), speedTable(results)].join('\n\n');
}

/** @param {CellResult[]} results */
function costTable(results) {
  return table(
    'Client CPU seconds per million transfers (equally: us per transfer) and memory, medians; the cheaper one:',
    ['workload', 'connections', 'payload', 'epoll', 'io_uring', 'io_uring / epoll', 'MiB', 'MiB', 'cheaper'],
    results.map((result) => {
      const { cost, rssBytes } = result;
      const costs = [cost.epoll, cost.io_uring].map((us) => us.toFixed(2));
      const memory = [rssBytes.epoll, rssBytes.io_uring].map(mebibytes);
      return [...axes(result), ...costs, spreadText(result.ratio, ratio), ...memory, cheaperOf(result)];
    }),
    1,
  );
}

/** @param {CellResult[]} results */
function speedTable(results) {
  return table(
    'Thousand transfers per second, and response times (closed loop), medians, epoll first:',
    ['workload', 'connections', 'payload', 'epoll', 'io_uring', 'io_uring / epoll', 'p50', 'p50', 'p99', 'p99'],
    results.map((result) => {
      const { perSecond, p50Ns, p99Ns } = result;
      const speeds = [perSecond.epoll, perSecond.io_uring].map((count) => (count / 1000).toFixed(1));
      const times = [p50Ns.epoll, p50Ns.io_uring, p99Ns.epoll, p99Ns.io_uring].map((ns) => duration(ns));
      return [...axes(result), ...speeds, spreadText(result.speed, ratio), ...times];
    }),
    1,
  );
}

/** @param {CellResult} result */
function axes({ cell }) {
  return [cell.workload, count(cell.connections), payload(cell.payloadBytes)];
}
