// Runs a bench: its steps one after another, saving the raw figures after each, then results, tables and verdict. A
// measurement that fails is repeated once; a second failure ends the bench.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BroadsideError } from '../../client/errors.js';
import { duration } from '../../client/words/format.js';
import { isolationNote } from './alone.js';
import { BUILD } from './build.js';
import { facts, pressure, warningOf } from './machine.js';
import { stepsOf } from './rounds.js';
import { placeIn } from './tables.js';

const README = fileURLToPath(new URL('README.md', import.meta.url));
const EXIT = { failed: 1, missed: 99, interrupted: 130 };

/**
 * @template Cell, Figures, Result
 * @template {string} Client
 * @typedef {object} Bench
 * @property {string} name
 * @property {Cell[]} cells
 * @property {readonly Client[]} clients
 * @property {(cell: Cell, client: Client) => boolean} [measures] whether the cell has that client; left out: all
 * @property {string} how for the conditions: what options decided apart from the rounds
 * @property {string[]} [notes] for the conditions; said at the start, too
 * @property {(cell: Cell, client: Client) => number} secondsOf about how long a measurement takes
 * @property {() => Promise<void>} [prepare] before the first one
 * @property {(step: import('./rounds.js').Step<Cell, Client>, signal: AbortSignal) => Promise<Figures>} [measure]
 * @property {(cell: Cell, how: import('./options.js').Shared, signal: AbortSignal) => Promise<Figures[][]>} [measureTurns] instead,
 *   where the clients of a cell take turns: for each its figures by round
 * @property {(measurement: import('./rounds.js').Measurement<Cell, Client, Figures>) => string} lineOf for people
 * @property {(raw: Raw<Cell, Figures, Client>) => Result[]} resultsOf
 * @property {(results: Result[], conditions: import('./tables.js').Conditions) => string} markdownOf
 * @property {(results: Result[]) => boolean} keeps whether every must is kept
 */

/**
 * @template Cell, Figures
 * @template {string} Client
 * @typedef {object} Raw what a file of raw figures holds
 * @property {import('./tables.js').Conditions} conditions
 * @property {Cell[]} cells
 * @property {readonly Client[]} clients
 * @property {import('./rounds.js').Measurement<Cell, Client, Figures>[]} measurements
 */

/** @param {string} line to people: stdout belongs to --json and --markdown */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Puts a bench's tables into README.md. @param {string} bench its name @param {string} section */
export function writeSection(bench, section) {
  writeFileSync(README, placeIn(readFileSync(README, 'utf8'), bench, section));
}

/**
 * What a bench's script does; mistakes and failures end in one message and an exit code.
 * @param {string} name
 * @param {(words: string[], signal: AbortSignal) => Promise<number>} run gives the exit code
 */
export async function main(name, run) {
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => abort.abort());
  try {
    process.exitCode = await run(process.argv.slice(2), abort.signal);
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    say(abort.signal.aborted ? 'interrupted' : `${name}: ${message}`);
    process.exitCode = error instanceof BroadsideError ? error.exitCode : EXIT.failed;
    if (abort.signal.aborted) process.exitCode = EXIT.interrupted;
  }
}

/**
 * @template Cell, Figures, Result
 * @template {string} Client
 * @param {Bench<Cell, Figures, Result, Client>} bench
 * @param {import('./options.js').Shared} options
 * @param {AbortSignal} signal
 * @returns {Promise<number>} exit code
 */
export async function conduct(bench, options, signal) {
  const { from, json, markdown, write } = options;
  const raw = from === undefined ? await measureAll(bench, options, signal) : JSON.parse(readFileSync(from, 'utf8'));
  const { conditions, measurements } = raw;
  const results = bench.resultsOf(raw);
  const section = bench.markdownOf(results, conditions);
  if (json) console.log(JSON.stringify({ conditions, results, measurements }, null, 2));
  if (markdown || !(json || write)) console.log(section);
  if (write) {
    writeSection(bench.name, section);
  }
  return bench.keeps(results) ? 0 : EXIT.missed;
}

/**
 * @template Cell, Figures, Result
 * @template {string} Client
 * @param {Bench<Cell, Figures, Result, Client>} bench
 * @param {import('./options.js').Shared} options
 * @param {AbortSignal} signal
 * @returns {Promise<Raw<Cell, Figures, Client>>}
 */
async function measureAll(bench, options, signal) {
  const { rounds, raw } = options;
  const { name, cells, clients, how } = bench;
  const file = raw ?? join(BUILD, `${name}.json`);
  const steps = (bench.measureTurns ? stepsInTurns : stepsOneByOne)(bench, options);
  const notes = [...(bench.notes ?? []), await isolationNote()].filter((note) => note !== null);
  const now = await pressure();
  say(`load average ${now.load.toFixed(2)}, ${(now.busy * 100).toFixed(0)} % of the cores busy`);
  for (const line of [warningOf(now), ...notes]) if (line) say(line);
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  say(`${steps.length} measurements, about ${duration(Math.round(seconds) * 1e9)}`);
  mkdirSync(BUILD, { recursive: true });
  await bench.prepare?.();
  const date = new Date().toISOString().slice(0, 10);
  const conditions = { date, ...facts(), ...now, rounds, how, notes, repeated: 0 };
  /** @type {import('./rounds.js').Measurement<Cell, Client, Figures>[]} */
  const measurements = [];
  for (const [i, { take }] of steps.entries()) {
    const taken = await take(signal).catch((error) => {
      if (signal.aborted) throw error;
      say(`${error.message}\nonce more:`);
      conditions.repeated += 1;
      return take(signal);
    });
    measurements.push(...taken);
    for (const measurement of taken.filter(({ round }) => bench.measure || round === rounds)) {
      say(`${i + 1}/${steps.length} round ${measurement.round}  ${bench.lineOf(measurement)}`);
    }
    writeFileSync(file, JSON.stringify({ conditions, cells, clients, measurements }));
  }
  return { conditions, cells, clients, measurements };
}

/**
 * @template Cell, Figures, Result
 * @template {string} Client
 * @typedef {{ seconds: number, take: (signal: AbortSignal) => Promise<import('./rounds.js').Measurement<Cell, Client, Figures>[]> }} Taken  seconds: about
 */

/**
 * Each client of each cell in each round.
 * @template Cell, Figures, Result
 * @template {string} Client
 * @param {Bench<Cell, Figures, Result, Client>} bench @param {import('./options.js').Shared} options
 * @returns {Taken<Cell, Figures, Result, Client>[]}
 */
function stepsOneByOne({ cells, clients, measures, measure, secondsOf }, { rounds, seed }) {
  return stepsOf({ cells, clients, measures, rounds, seed }).map((step) => ({
    seconds: secondsOf(step.cell, step.client),
    take: async (signal) => [
      { ...step, figures: await /** @type {NonNullable<typeof measure>} */ (measure)(step, signal) },
    ],
  }));
}

/**
 * Each cell with all of its clients, which take turns.
 * @template Cell, Figures, Result
 * @template {string} Client
 * @param {Bench<Cell, Figures, Result, Client>} bench @param {import('./options.js').Shared} options
 * @returns {Taken<Cell, Figures, Result, Client>[]}
 */
function stepsInTurns({ cells, clients, measureTurns, secondsOf }, options) {
  const measure = /** @type {NonNullable<typeof measureTurns>} */ (measureTurns);
  return cells.map((cell) => ({
    seconds: secondsOf(cell, clients[0]),
    take: async (signal) =>
      (await measure(cell, options, signal)).flatMap((rounds, i) =>
        rounds.map((figures, k) => ({ cell, client: clients[i], round: k + 1, figures })),
      ),
  }));
}
