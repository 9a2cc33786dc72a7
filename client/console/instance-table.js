// The end of the console's output of legs whose server has several instances: a row for each instance, and their sum. Pure.

import { plainTable } from './plain-table.js';
import { bareRate, count, NOT_MEASURED } from '../words/format.js';
import { percentileText } from '../words/figures.js';

/** @typedef {import('./cells.js').LegSummary} LegSummary */
/** @typedef {import('./terminal-text.js').Style} Style */

const HEAD = ['leg', 'instance', 'at', 'CPU', 'open', 'transfers', '/s', 'p50', 'p99', 'failed', 'rejects', 'errors'];
const RIGHT = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/** @param {LegSummary} leg @returns {string[][]} */
function rowsOf({ label, instances = [] }) {
  return instances.map((one, i) => [
    i === 0 ? label : '',
    String(one.index),
    one.target ?? NOT_MEASURED,
    one.cpus ?? NOT_MEASURED,
    count(one.openAtEnd),
    count(one.transfers.count),
    bareRate(one.figures.perSecond),
    percentileText(one.figures, 'p50', 50),
    percentileText(one.figures, 'p99', 99),
    count(one.transfers.failed + one.transfers.unfinished),
    count(one.rejects),
    count(one.errors),
  ]);
}

/**
 * @param {LegSummary[]} legs
 * @param {Style} style
 * @returns {string | null} lines joined, the last without a line end; null where no server has several instances
 */
export function instanceTable(legs, style) {
  const several = legs.filter(({ instances }) => instances);
  if (several.length === 0) return null;
  const [head, ...rows] = plainTable(HEAD, several.flatMap(rowsOf), RIGHT).split('\n');
  return [style('bold', 'each instance of the server'), style('dim', head), ...rows].join('\n');
}
