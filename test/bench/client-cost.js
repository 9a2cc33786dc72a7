#!/usr/bin/env node
// What the client costs: the engine's CPU per round trip beside a bare epoll client's and Node's `net`, and what the
// transfer log costs. README.md explains the method. The one thing to know: it wants the machine to itself.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formatDuration, formatSize } from '../../client/units.js';
import { WARMUP_SECONDS, cellsOf, secondsOf, stepsOf } from './cells.js';
import { facts, pressure, warningOf } from './machine.js';
import { markdownOf, placeIn } from './markdown.js';
import { buildBareClient, measure } from './measure.js';
import { parseOptions } from './options.js';
import { MUSTS, keeps, resultsOf } from './result.js';

const README = fileURLToPath(new URL('README.md', import.meta.url));
const RAW = fileURLToPath(new URL('build/client-cost.json', import.meta.url));
const EXIT = { failed: 1, missed: 99, interrupted: 130 };

const options = parseOptions(process.argv.slice(2));

/**
 * @typedef {{conditions: import('./markdown.js').Conditions, cells: import('./cells.js').Cell[],
 *   measurements: import('./result.js').Measurement[]}} Raw
 */

/** @param {AbortSignal} signal @returns {Promise<Raw>} */
async function measureAll(signal) {
  const { rounds, seconds, seed } = options;
  const cells = cellsOf(options);
  const steps = stepsOf(cells, rounds, seed);
  const now = await pressure();
  say(`load average ${now.load.toFixed(2)}, ${(now.busy * 100).toFixed(0)} % of the cores busy`);
  const warning = warningOf(now);
  if (warning) say(`warning: ${warning}`);
  say(`${steps.length} measurements, about ${formatDuration(Math.round(secondsOf(steps, seconds)) * 1e9)}`);
  await buildBareClient();
  const date = new Date().toISOString().slice(0, 10);
  const times = { rounds, windowSeconds: seconds, warmupSeconds: WARMUP_SECONDS, repeated: 0 };
  const conditions = { date, ...facts(), ...now, ...times };
  const measurements = [];
  for (const step of steps) {
    const measurement = await measure(step, seconds, signal).catch((error) => {
      if (signal.aborted) throw error;
      say(`${error.message}\nonce more:`);
      conditions.repeated += 1;
      return measure(step, seconds, signal);
    });
    measurements.push(measurement);
    sayStep(measurement, measurements.length, steps.length);
    writeFileSync(RAW, JSON.stringify({ conditions, cells, measurements }));
  }
  return { conditions, cells, measurements };
}

/** @param {import('./result.js').Measurement} measurement @param {number} n @param {number} of */
function sayStep({ round, placement, connections, payloadBytes, client, roundTrips, seconds, cpuSeconds }, n, of) {
  const cell = `${placement} ${connections} x ${formatSize(payloadBytes)}`.padEnd(24);
  const [cost, speed] = [(cpuSeconds / roundTrips) * 1e6, roundTrips / seconds];
  say(`${n}/${of} round ${round}  ${cell} ${client.padEnd(14)} ${cost.toFixed(2)} us  ${speed.toFixed(0)}/s`);
}

/** @param {string} line to people: stdout belongs to --json and --markdown */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {Raw} raw @returns {number} exit code */
function show({ conditions, cells, measurements }) {
  const results = resultsOf(measurements, cells);
  const section = markdownOf(results, conditions);
  if (options.json) console.log(JSON.stringify({ conditions, results, measurements }, null, 2));
  if (options.markdown || !(options.json || options.write)) console.log(section);
  if (options.write) writeFileSync(README, placeIn(readFileSync(README, 'utf8'), section));
  return results.every((result) => Object.values(MUSTS).every((must) => keeps(must, result))) ? 0 : EXIT.missed;
}

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => abort.abort());

try {
  const { from } = options;
  process.exitCode = show(from === undefined ? await measureAll(abort.signal) : JSON.parse(readFileSync(from, 'utf8')));
} catch (error) {
  say(abort.signal.aborted ? 'interrupted' : error instanceof Error ? error.message : String(error));
  process.exitCode = abort.signal.aborted ? EXIT.interrupted : EXIT.failed;
}
