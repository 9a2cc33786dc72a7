// The tables of the bench agents. Pure.

import { count } from '../../../client/words/format.js';
import { conditionsText, spreadText, table } from '../tables.js';
import { LOADS } from './cells.js';
import { fitOf, limitsOf, LISTS, MANY_AGENTS } from './result.js';

/**
 * @typedef {import('./result.js').CellResult} CellResult
 * @typedef {import('./result.js').NumberName | (typeof LISTS)[number]} Name
 * @typedef {{ head: string, name: Name, by?: number, digits?: number }} Column  by: what a figure is divided by; digits: after
 *   the point
 */

/** @type {Column[]} */
const TRAFFIC = [
  { head: 'messages/s', name: 'messages' },
  { head: 'KB/s', name: 'bytes', by: 1000 },
  { head: "controller's messages/s", name: 'controllerMessages' },
  { head: "controller's KB/s", name: 'controllerBytes', by: 1000 },
  { head: 'stored KB/s', name: 'storedBytes', by: 1000 },
  { head: 'controller, CPU ms/s', name: 'controllerCpu' },
  { head: 'nats-server, CPU ms/s', name: 'natsCpu' },
];
/** @type {Column[]} */
const SAMPLE = [
  { head: 'merge, ms', name: 'mergeMs', digits: 1 },
  { head: 'write, ms', name: 'sampleMs', digits: 1 },
  { head: 'delay, ms', name: 'delayMs' },
  { head: 'line, KB', name: 'sampleBytes', by: 1000, digits: 1 },
];
/** @type {Column[]} */
const STEPS = [
  { head: 'find, ms', name: 'findMs' },
  { head: 'clocks, ms', name: 'clocksMs' },
  { head: 'clock error, ms', name: 'clockErrorMs', digits: 2 },
  { head: 'plan, ms', name: 'planMs' },
  { head: 'reserve, ms', name: 'reserveMs' },
  { head: 'workers ready, ms', name: 'readyMs' },
  { head: 'summary, ms', name: 'summaryMs' },
  { head: 'release, ms', name: 'releaseMs' },
];

/** @param {Column} column @returns {(value: number) => string} */
const formatOf =
  ({ by = 1, digits = 0 }) =>
  (value) =>
    digits === 0 ? count(Math.round(value / by)) : (value / by).toFixed(digits);

/** @param {CellResult[]} results @param {import('../tables.js').Conditions} conditions @returns {string} */
export function markdownOf(results, conditions) {
  return [
    '### Results',
    conditionsText(conditions, results[0]?.of.messages.level ?? NaN, false),
    rowsTable('Messages and bytes of the NATS server, both ways, and CPU time:', TRAFFIC, results),
    rowsTable('Each sample, median and p99 of all rounds:', SAMPLE, results),
    rowsTable('Before and after the load:', STEPS, results),
    ...LOADS.flatMap((load) => {
      const own = results.filter((result) => result.load === load);
      return fitOf(own, 'messages') === null ? [] : [fitTable(own, load), limitTable(own, load)];
    }),
  ].join('\n\n');
}

/** @param {string} title @param {Column[]} columns @param {CellResult[]} results */
function rowsTable(title, columns, results) {
  const rows = results.map((result) => [
    result.load,
    count(result.cell.agents),
    ...columns.map((column) => cellText(result, column)),
  ]);
  return table(title, ['load', 'agents', ...columns.map(({ head }) => head)], rows, 1);
}

/** @param {CellResult} result @param {Column} column */
function cellText({ of, times }, { name, ...column }) {
  const format = formatOf({ name, ...column });
  return isList(name) ? `${format(times[name].median)} / ${format(times[name].p99)}` : spreadText(of[name], format);
}

/** @param {Name} name @returns {name is (typeof LISTS)[number]} */
const isList = (name) => LISTS.some((list) => list === name);

/** @param {CellResult[]} results of one load @param {string} load */
function fitTable(results, load) {
  const rows = [...TRAFFIC, ...SAMPLE, ...STEPS].flatMap((column) => {
    const fit = fitOf(results, column.name);
    if (fit === null) return [];
    const format = formatOf(column);
    const each = (fit.each / (column.by ?? 1)).toPrecision(3);
    const error = Number.isNaN(fit.error) ? '' : ` ± ${format(fit.error)}`;
    return [[column.head, format(fit.fixed), each, `${format(fit.atMany)}${error}`]];
  });
  const title = `A line through the figures of ${load} agents (of each sample's times, the medians of the rounds); ± is half of the 95 % interval:`;
  return table(title, ['figure', 'fixed', 'for each agent', `at ${count(MANY_AGENTS)} agents`], rows, 1);
}

/** @param {CellResult[]} results of one load @param {string} load */
function limitTable(results, load) {
  const rows = limitsOf(results).map(({ name, atMany, agents }) => [
    name,
    `${(atMany * 100).toFixed(0)} %`,
    count(agents),
  ]);
  const title = `What ${load} agents fill, by that line:`;
  return table(title, ['limit', `used by ${count(MANY_AGENTS)} agents`, 'full at agents'], rows, 1);
}
