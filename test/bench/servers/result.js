// Compares our servers with each counterpart from single measurements, and checks the requirements. Pure. Ratios are
// taken within a round, between neighbours; above 1 ours is worse, in both.

import { cost, perSecond } from '../round-trips.js';
import { sameCell, wholeRounds } from '../rounds.js';
import { spreadOf } from '../spread.js';
import { contestOf } from './contests.js';

/**
 * @typedef {import('./contests.js').Cell} Cell
 * @typedef {import('./measure.js').Figures} Figures
 * @typedef {import('../spread.js').Spread} Spread
 *
 * @typedef {object} ServerResult medians
 * @property {string} name
 * @property {number} perSecond transfers
 * @property {number} cost us of server CPU a transfer
 * @property {number} cores that the server kept busy
 *
 * @typedef {object} Pair
 * @property {Cell} cell
 * @property {string} ours
 * @property {string} theirs
 * @property {Spread} speed theirs / ours, transfers per second
 * @property {Spread} cpu ours / theirs, server CPU a transfer
 *
 * @typedef {{cell: Cell, rounds: number, level: number, servers: ServerResult[], pairs: Pair[]}} CellResult
 * @typedef {import('../must.js').Must<Pair>} Must
 */

/** Within it two servers count as equally fast: rounds of one and the same server scatter by more. */
export const EQUALLY_FAST = 1.05;

/**
 * @param {import('../conduct.js').Raw<Cell, Figures, string>} raw
 * @returns {CellResult[]} in the order of the cells; one without a whole round is left out
 */
export function resultsOf({ cells, clients, measurements }) {
  return cells.flatMap((cell) => {
    const own = measurements.filter((measurement) => sameCell(measurement.cell, cell));
    const names = clients.filter((name) => own.some(({ client }) => client === name));
    const rounds = wholeRounds(own, cell, names);
    if (rounds.length === 0) return [];
    const figures = (/** @type {string} */ name) => rounds.flatMap((round) => round[name] ?? []);
    const servers = names.map((name) => serverResult(name, figures(name)));
    const { ours } = contestOf(cell.contest);
    const pairs = names
      .filter((name) => ours.includes(name))
      .flatMap((mine) =>
        names
          .filter((name) => !ours.includes(name))
          .map((theirs) => ({ cell, ours: mine, theirs, ...ratios(figures(mine), figures(theirs)) })),
      );
    const { level } = spreadOf(rounds.map(({ round }) => round));
    return [{ cell, rounds: rounds.length, level, servers, pairs }];
  });
}

/** @param {string} name @param {Figures[]} figures a round @returns {ServerResult} */
function serverResult(name, figures) {
  const median = (/** @type {(one: Figures) => number} */ of) => spreadOf(figures.map(of)).median;
  return {
    name,
    perSecond: median(perSecond),
    cost: median(cost),
    cores: median(({ cpuSeconds, seconds }) => cpuSeconds / seconds),
  };
}

/** @param {Figures[]} ours a round @param {Figures[]} theirs */
function ratios(ours, theirs) {
  const ratio = (/** @type {(mine: Figures, other: Figures) => number} */ of) =>
    spreadOf(ours.map((mine, i) => of(mine, /** @type {Figures} */ (theirs[i]))));
  return {
    speed: ratio((mine, other) => perSecond(other) / perSecond(mine)),
    cpu: ratio((mine, other) => cost(mine) / cost(other)),
  };
}

/** The must of a pair, wherever it is. @type {Must} */
export const NOT_SLOWER = {
  name: 'counterpart / ours',
  of: ({ speed }) => speed,
  limit: EQUALLY_FAST,
  format: (value) => value.toFixed(2),
};

/** @param {CellResult[]} results @returns {Must[]} that must, of each counterpart in each contest */
export function mustsOf(results) {
  const pairs = results.flatMap((result) => result.pairs);
  const keyOf = (/** @type {Pair} */ { cell, theirs }) => `${contestOf(cell.contest).title}: ${theirs} / ours`;
  return [...new Set(pairs.map(keyOf))].map((name) => ({ ...NOT_SLOWER, name, binds: (pair) => keyOf(pair) === name }));
}
