// The results as the tables of README.md, and their place in it. Pure.
// The one thing to know: everything between the two markers is replaced by the next `--write`.

import { formatCount, formatSize } from '../../client/units.js';
import { MUSTS, MUST_FROM_CONNECTIONS, judge, keeps } from './result.js';

/**
 * @typedef {import('./result.js').CellResult} CellResult
 * @typedef {import('./spread.js').Spread} Spread
 * @typedef {object} Conditions
 * @property {string} date
 * @property {string} kernel
 * @property {string} cpu
 * @property {number} cores
 * @property {string} node
 * @property {string} compiler
 * @property {string} commit
 * @property {number} load the load average of the minute before
 * @property {number} busy 0..1 of all cores, in the second before
 * @property {number} rounds
 * @property {number} windowSeconds
 * @property {number} warmupSeconds
 * @property {number} repeated measurements that failed and were made again
 */

const BEGIN = '<!-- client-cost: begin -->';
const END = '<!-- client-cost: end -->';

const TITLES = { shipped: 'Shipped placement: the kernel places both sides', 'one-core': 'Both sides on one core' };

/** @param {CellResult[]} results @param {Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  const placements = [...new Set(results.map(({ cell }) => cell.placement))];
  const tables = placements.flatMap((placement) => {
    const rows = results.filter(({ cell }) => cell.placement === placement);
    return [`### ${TITLES[placement]}`, costTable(rows), speedTable(rows)];
  });
  return ['## Results', conditionsText(conditions, results), mustsText(results), ...tables].join('\n\n');
}

/** @param {CellResult[]} rows */
function costTable(rows) {
  return table(
    'Client CPU seconds per million round trips (equally: us per round trip), medians, and ratios taken a round:',
    ['connections', 'payload', 'bare', 'net', 'engine', 'its thread', 'no log', 'engine / bare', 'engine / net'],
    rows.map((row) => [
      ...axes(row),
      ...[row.cost.bare, row.cost.net, row.cost.engine, row.engineThreadCost].map((us) => us.toFixed(2)),
      row.cost['engine-no-log'].toFixed(2),
      judged('toBare', row, (ratio) => ratio.toFixed(2)),
      judged('toNet', row, (ratio) => ratio.toFixed(2)),
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
      judged('logLoss', row, (share) => `${(share * 100).toFixed(1)} %`),
    ]),
  );
}

/** @param {CellResult} row */
function axes({ cell }) {
  return [formatCount(cell.connections), formatSize(cell.payloadBytes)];
}

/** @param {string} title @param {string[]} head @param {string[][]} rows */
function table(title, head, rows) {
  const lines = [head, head.map(() => '--:'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return [title, '', ...lines].join('\n');
}

/**
 * `1.08 (1.02..1.13)`; bold where the must is missed, with a question mark where its interval holds the limit.
 * @param {keyof typeof MUSTS} name
 * @param {CellResult} row
 * @param {(value: number) => string} format
 */
function judged(name, row, format) {
  const { median, low, high, min, max } = MUSTS[name].of(row);
  const whole = low === min && high === max ? '' : ` [${format(min)}..${format(max)}]`;
  const text = `${format(median)} (${format(low)}..${format(high)})${whole}`;
  const doubt = judge(MUSTS[name], row) === 'open' ? ' ?' : '';
  return (keeps(MUSTS[name], row) ? text : `**${text}**`) + doubt;
}

/** @param {CellResult[]} results */
function mustsText(results) {
  const lines = Object.values(MUSTS).map((must) => {
    const bound = results.filter((result) => judge(must, result) !== null);
    const limit = must.limit < 0.1 ? `${must.limit * 100} %` : String(must.limit);
    const words = bound.map((result) => judge(must, result));
    const count = (/** @type {string} */ word) => words.filter((one) => one === word).length;
    const kept = bound.filter((result) => keeps(must, result)).length;
    const cells = [must.name, limit, `${kept} of ${bound.length}`, count('met'), count('missed'), count('open')];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    `The musts hold from ${MUST_FROM_CONNECTIONS} connections up. Counted over the rows of the tables below: those whose median`,
    'keeps the limit, and those whose whole interval is within it, beyond it, or holds it.',
    '',
    '| must | at most | kept by the median | within | beyond | holds it |',
    '| --- | --: | --: | --: | --: | --: |',
    ...lines,
  ].join('\n');
}

/** @param {Conditions} conditions @param {CellResult[]} results */
function conditionsText(conditions, results) {
  const { date, kernel, cpu, cores, node, compiler, commit, load, busy } = conditions;
  const { rounds, windowSeconds, warmupSeconds, repeated } = conditions;
  const level = results[0]?.toBare.level ?? NaN;
  const where = `${date}, Linux ${kernel}, ${cores} x ${cpu}, Node ${node}, ${compiler}, commit ${commit}`;
  return [
    `Measured ${where}. Load average at the start ${load.toFixed(2)}, ${(busy * 100).toFixed(0)} % of the cores busy.`,
    `${rounds} round${rounds === 1 ? '' : 's'}, windows of ${windowSeconds} s after ${warmupSeconds} s of warm-up. In brackets the interval`,
    `of the median (${(level * 100).toFixed(1)} %), in square brackets min..max where it differs. **Bold** misses its must; ? marks an`,
    'interval that holds the limit.',
    ...(repeated > 0 ? [`Made again after they had failed: ${repeated} measurements.`] : []),
  ].join('\n');
}

/**
 * @param {string} readme
 * @param {string} section
 * @returns {string} the text with the section between the markers, which are added at its end when it has none
 */
export function placeIn(readme, section) {
  const marked = `${BEGIN}\n${section}\n${END}`;
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || to < from) return `${readme.trimEnd()}\n\n${marked}\n`;
  return readme.slice(0, from) + marked + readme.slice(to + END.length);
}
