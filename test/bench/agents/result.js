// What the control plane costs by the number of agents: medians, a line through them, and what 1,000 agents would need. Pure.

import { quantile975 } from '../../../client/measure/statistics.js';
import { wholeRounds } from '../rounds.js';
import { lineOf } from '../slope.js';
import { spreadOf } from '../spread.js';
import { LOADS } from './cells.js';

/** What the results are extrapolated to. */
export const MANY_AGENTS = 1000;

/**
 * @typedef {import('../spread.js').Spread} Spread
 * @typedef {import('./cells.js').Cell} Cell
 * @typedef {import('./cells.js').Load} Load
 * @typedef {import('./controller.js').Figures} Figures
 * @typedef {{ median: number, p99: number }} Times  over the samples of all rounds
 * @typedef {(typeof NUMBERS)[number]} NumberName
 * @typedef {(typeof LISTS)[number]} ListName
 *
 * @typedef {object} CellResult of one load
 * @property {Cell} cell
 * @property {Load} load
 * @property {number} rounds
 * @property {Record<NumberName, Spread>} of
 * @property {Record<NumberName | ListName, number[]>} values of each round; of a list its median
 * @property {Record<ListName, Times>} times
 *
 * @typedef {{ each: number, fixed: number, atMany: number, error: number }} Fit  each: by agent; fixed: without any; atMany: at
 *   1,000 agents; error: half of the 95 % interval of that, if the line holds
 */

/** The figures that are one number a measurement. */
export const NUMBERS = /** @type {const} */ ([
  'messages',
  'bytes',
  'controllerMessages',
  'controllerBytes',
  'storedBytes',
  'controllerCpu',
  'natsCpu',
  'agentsCpu',
  'sampleBytes',
  'findMs',
  'clocksMs',
  'clockErrorMs',
  'planMs',
  'reserveMs',
  'readyMs',
  'summaryMs',
  'releaseMs',
]);
/** The figures of which each sample has one. */
export const LISTS = /** @type {const} */ (['mergeMs', 'sampleMs', 'delayMs']);

/**
 * What is full first: how much of it there is, in the unit of the figure.
 * @type {readonly { name: string, figure: NumberName, most: number }[]}
 */
export const CAPACITIES = Object.freeze([
  { name: 'controller: one core', figure: 'controllerCpu', most: 1000 },
  { name: 'nats-server: one core', figure: 'natsCpu', most: 1000 },
  { name: 'controller: 1 Gbit/s', figure: 'controllerBytes', most: 125e6 },
  { name: 'nats-server: 1 Gbit/s both ways', figure: 'bytes', most: 250e6 },
]);

/** @param {number[]} values @returns {Times} by the nearest rank */
export function timesOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
  return { median: at(0.5), p99: at(0.99) };
}

/**
 * @template {string} Name @template Value
 * @param {readonly Name[]} names @param {(name: Name) => Value} value
 */
const record = (names, value) =>
  /** @type {Record<Name, Value>} */ (Object.fromEntries(names.map((name) => [name, value(name)])));

/** @param {import('../conduct.js').Raw<Cell, Figures, Load>} raw @returns {CellResult[]} */
export function resultsOf({ cells, measurements }) {
  return LOADS.flatMap((load) =>
    cells.flatMap((cell) => {
      const rounds = wholeRounds(measurements, cell, [load]).map((round) => round[load]);
      if (rounds.length === 0) return [];
      const numbers = record(NUMBERS, (name) => rounds.map((figures) => figures[name]));
      return [
        {
          ...{ cell, load, rounds: rounds.length },
          of: record(NUMBERS, (name) => spreadOf(numbers[name])),
          values: {
            ...numbers,
            ...record(LISTS, (name) => rounds.map((figures) => timesOf(figures[name]).median)),
          },
          times: record(LISTS, (name) => timesOf(rounds.flatMap((figures) => figures[name]))),
        },
      ];
    }),
  );
}

/**
 * @param {CellResult[]} results of one load @param {NumberName | ListName} name
 * @returns {Fit | null} a line through all rounds; null with fewer than two numbers of agents
 */
export function fitOf(results, name) {
  const points = results.flatMap(({ cell, values }) =>
    values[name].map((value) => /** @type {[number, number]} */ ([cell.agents, value])),
  );
  if (new Set(points.map(([agents]) => agents)).size < 2) return null;
  const line = lineOf(points);
  return {
    each: line.slope,
    fixed: line.at(0),
    atMany: line.at(MANY_AGENTS),
    error: line.errorAt(MANY_AGENTS) * quantile975(points.length - 2),
  };
}

/** @param {CellResult[]} results of one load @returns {{ name: string, atMany: number, agents: number }[]} what is full first comes first */
export function limitsOf(results) {
  return CAPACITIES.flatMap(({ name, figure, most }) => {
    const fit = fitOf(results, figure);
    if (fit === null || !(fit.each > 0)) return [];
    return [{ name, atMany: fit.atMany / most, agents: Math.floor((most - fit.fixed) / fit.each) }];
  }).sort((a, b) => a.agents - b.agents);
}
