// The tables of client-cost. Pure.

import { count, payload } from '../../../client/words/format.js';
import { conditionsText, judgedText, mustsTable, spreadText, table } from '../tables.js';
import { MUSTS, MUST_FROM_CONNECTIONS } from './result.js';

/** @typedef {import('./result.js').CellResult} CellResult */

const TITLES = { shipped: 'Shipped placement: the kernel places both sides', 'one-core': 'Both sides on one core' };

const MUSTS_TEXT = [
  `The musts hold from ${MUST_FROM_CONNECTIONS} connections up. Counted over the rows of the tables below: those whose median`,
  'keeps the limit, and those whose whole interval is within it, beyond it, or holds it.',
].join('\n');

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const placements = [...new Set(results.map(({ cell }) => cell.placement))];
  const tables = placements.flatMap((placement) => {
    const rows = results.filter(({ cell }) => cell.placement === placement);
    return [`#### ${TITLES[placement]}`, costTable(rows), speedTable(rows)];
  });
  const said = conditionsText(conditions, results[0]?.toBare.level ?? NaN, true);
  return ['### Results', said, mustsTable(MUSTS_TEXT, Object.values(MUSTS), results), ...tables].join('\n\n');
}

/** @param {CellResult[]} rows */
function costTable(rows) {
  const hasOther = rows.some(({ toOther }) => toOther !== undefined);
  return table(
    'Client CPU seconds per million round trips (equally: us per round trip), medians, and ratios taken a round:',
    [
      'connections',
      'payload',
      'bare',
      'net',
      'engine',
      'its thread',
      'no log',
      'engine / bare',
      'engine / net',
      ...(hasOther ? ['engine / other'] : []),
      'io',
    ],
    rows.map((row) => [
      ...axes(row),
      ...[row.cost.bare, row.cost.net, row.cost.engine, row.engineThreadCost].map((us) => us.toFixed(2)),
      row.cost['engine-no-log'].toFixed(2),
      judgedText(MUSTS.toBare, row),
      judgedText(MUSTS.toNet, row),
      ...(row.toOther ? [spreadText(row.toOther, (value) => value.toFixed(3))] : []),
      row.io,
    ]),
  );
}

/** @param {CellResult[]} rows */
function speedTable(rows) {
  return table(
    'Throughput, thousand round trips per second, medians:',
    ['connections', 'payload', 'bare', 'net', 'engine', 'no log', 'lost to the log'],
    rows.map((row) => [
      ...axes(row),
      ...[row.perSecond.bare, row.perSecond.net, row.perSecond.engine].map((count) => (count / 1000).toFixed(1)),
      (row.perSecond['engine-no-log'] / 1000).toFixed(1),
      judgedText(MUSTS.logLoss, row),
    ]),
  );
}

/** @param {CellResult} row */
function axes({ cell }) {
  return [count(cell.connections), payload(cell.payloadBytes)];
}
