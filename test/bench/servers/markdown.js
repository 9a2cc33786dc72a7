// The tables of the bench servers: the requirements, and for each contest the medians and both ratios. Pure.

import { count, payload } from '../../../client/words/format.js';
import { conditionsText, judgedText, mustsTable, spreadText, table } from '../tables.js';
import { contestOf } from './contests.js';
import { NOT_SLOWER, mustsOf } from './result.js';

/**
 * @typedef {import('./result.js').CellResult} CellResult
 * @typedef {import('./result.js').Pair} Pair
 */

const MUSTS_TEXT = [
  'None of ours may be slower than its counterpart: its transfers per second over ours. Counted over the rows of the',
  'tables below: those whose median keeps the limit, and those whose whole interval is within it, beyond it, or holds',
  'it.',
].join('\n');

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const said = conditionsText(conditions, results[0]?.level ?? NaN, true);
  const pairs = results.flatMap((result) => result.pairs);
  const contests = [...new Set(results.map(({ cell }) => cell.contest))];
  const tables = contests.flatMap((contest) => {
    const own = results.filter(({ cell }) => cell.contest === contest);
    return [`#### ${contestOf(contest).title}`, medians(own), ...ratios(own)];
  });
  return ['### Results', said, mustsTable(MUSTS_TEXT, mustsOf(results), pairs), ...tables].join('\n\n');
}

/** @param {CellResult[]} results of a contest */
function medians(results) {
  const [axes, places] = axesOf(results);
  return table(
    'Thousand transfers per second, server CPU in us a transfer, and the cores that it kept busy, medians:',
    [...axes, 'server', 'thousand/s', 'CPU us', 'cores'],
    results.flatMap(({ cell, servers }) =>
      servers.map(({ name, perSecond, cost, cores }) => {
        return [...places(cell), name, (perSecond / 1000).toFixed(1), cost.toFixed(2), cores.toFixed(2)];
      }),
    ),
  );
}

/** @param {CellResult[]} results of a contest @returns {string[]} two tables: a row for each of ours */
function ratios(results) {
  const [axes, places] = axesOf(results);
  const theirs = [...new Set(results.flatMap(({ pairs }) => pairs.map((pair) => pair.theirs)))];
  const rows = results.flatMap(({ cell, pairs }) => {
    const ours = [...new Set(pairs.map((pair) => pair.ours))];
    return ours.map((name) => ({ cell, ours: name, pairs: pairs.filter((pair) => pair.ours === name) }));
  });
  const tableOf = (/** @type {string} */ title, /** @type {(pair: Pair) => string} */ text) =>
    table(
      title,
      [...axes, 'ours', ...theirs],
      rows.map(({ cell, ours, pairs }) => {
        const pairWith = (/** @type {string} */ name) => pairs.find((pair) => pair.theirs === name);
        const texts = theirs.map(pairWith).map((pair) => (pair ? text(pair) : ''));
        return [...places(cell), ours, ...texts];
      }),
    );
  return [
    tableOf('Transfers per second, counterpart / ours:', (pair) => judgedText(NOT_SLOWER, pair)),
    tableOf('Server CPU a transfer, ours / counterpart:', ({ cpu }) => spreadText(cpu, NOT_SLOWER.format)),
  ];
}

/**
 * @param {CellResult[]} results of a contest
 * @returns {[string[], (cell: import('./contests.js').Cell) => string[]]} heads, and what stands below them
 */
function axesOf(results) {
  const payloads = results.some(({ cell }) => cell.payloadBytes !== undefined);
  const size = (/** @type {number | undefined} */ bytes) => (bytes === undefined ? '' : payload(bytes));
  return [
    ['connections', ...(payloads ? ['payload'] : [])],
    ({ connections, payloadBytes }) => [count(connections), ...(payloads ? [size(payloadBytes)] : [])],
  ];
}
