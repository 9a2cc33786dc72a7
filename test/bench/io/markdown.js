// The tables of the bench io. Pure.

import { count, duration, payload } from '../../../client/words/format.js';
import { conditionsText, spreadText, table } from '../tables.js';
import { cheaperOf } from './result.js';

/** @typedef {import('./result.js').CellResult} CellResult */

const ratio = (/** @type {number} */ value) => value.toFixed(2);
const mebibytes = (/** @type {number} */ bytes) => (bytes / 2 ** 20).toFixed(0);

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const said = conditionsText(conditions, results[0]?.ratio.level ?? NaN, false);
  return ['### Results', said, costTable(results), speedTable(results), timeTable(results)].join('\n\n');
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
    'Thousand transfers per second (closed loop), medians:',
    ['workload', 'connections', 'payload', 'epoll', 'io_uring', 'io_uring / epoll'],
    results.map((result) => {
      const { perSecond } = result;
      const speeds = [perSecond.epoll, perSecond.io_uring].map((count) => (count / 1000).toFixed(1));
      return [...axes(result), ...speeds, spreadText(result.speed, ratio)];
    }),
    1,
  );
}

/** @param {CellResult[]} results */
function timeTable(results) {
  const head = ['p50', 'p99'].flatMap((name) => [`${name} epoll`, 'io_uring', 'io_uring / epoll']);
  return table(
    'Response times (closed loop), medians:',
    ['workload', 'connections', 'payload', ...head],
    results.map((result) => {
      const { p50Ns, p99Ns } = result;
      const [p50s, p99s] = [p50Ns, p99Ns].map(({ epoll, io_uring: ring }) => [epoll, ring].map((ns) => duration(ns)));
      return [
        ...axes(result),
        ...[...(p50s ?? []), spreadText(result.p50, ratio)],
        ...[...(p99s ?? []), spreadText(result.p99, ratio)],
      ];
    }),
    1,
  );
}

/** @param {CellResult} result */
function axes({ cell }) {
  return [cell.workload, count(cell.connections), payload(cell.payloadBytes)];
}
