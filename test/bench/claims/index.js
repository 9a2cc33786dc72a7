#!/usr/bin/env node
// Claims: a server against itself, and against itself with more work, in slices. Counts the runs that claim a difference
// where there is none, and those that find one. Exits with 99 if a requirement is missed. ../README.md explains the method.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main, say, writeSection } from '../conduct.js';
import { otherCoresOf } from '../knee/result.js';
import { facts, pressure, warningOf } from '../machine.js';
import { parseWords, wholeOf } from '../options.js';
import { startStress } from '../stress-run.js';
import { markdownOf } from './markdown.js';
import { claimsOf, isMet, resultOf } from './result.js';

const NAME = 'claims';
const SAYS =
  'Compares a server with itself, and with itself with more work, and counts false claims and found differences.';
const MISSED = 99;
/** For everything but the steady state. */
const PATIENCE_MS = 90_000;
/** About 150 us of work for each request: several times what its reply costs. */
const ITERATIONS = 100_000;
const BUILD = fileURLToPath(new URL('../build/', import.meta.url));
const SERVER = fileURLToPath(new URL('working-server.js', import.meta.url));
const options = /** @type {const} */ ({
  itself: { type: 'number', default: 40, describe: 'runs of the server against itself' },
  runs: { type: 'number', default: 20, describe: 'runs for each share of more work' },
  more: { type: 'string', default: '2,5,10,20', describe: 'shares of more work, in percent' },
  seconds: { type: 'number', default: 30, describe: 'seconds of a run' },
  connections: { type: 'number', default: 25, describe: 'connections to each server' },
  write: { type: 'boolean', default: false, describe: 'write the table to test/bench/README.md' },
  json: { type: 'boolean', default: false, describe: 'print every run' },
});

/** @typedef {import('./result.js').Outcome} Outcome */

/** @param {number} percent @param {{ seconds: number, connections: number }} size @param {AbortSignal} signal @returns {Promise<Outcome>} */
async function measure(percent, { seconds, connections }, signal) {
  const serverOf = (/** @type {number} */ iterations) =>
    `${process.execPath} ${SERVER} {port} ${Math.round(iterations)}`;
  const scenario = {
    ...{ connections, payload: '64B', transferLog: 'none', timestamps: 'off', interleave: 'auto', margin: '1%' },
    ...{ ramp: { add: 1000, every: '1s' }, warmup: '2s', duration: `${seconds}s` },
  };
  const { run, close } = startStress(scenario, signal, [
    ...['--command', `plain=${serverOf(ITERATIONS)}`],
    ...['--command', `heavier=${serverOf(ITERATIONS * (1 + percent / 100))}`],
  ]);
  try {
    await run.until('the run is over', () => run.ending, PATIENCE_MS + seconds * 1000);
    const summary = run.summary();
    if (!summary.complete) throw new Error(`a run was not measured${run.story()}`);
    const samples = JSON.parse(
      `[${readFileSync(join(String(run.folder), summary.legs[0].id, 'samples.ndjson'), 'utf8')
        .trim()
        .split('\n')
        .join(',')}]`,
    );
    return { percent, ...claimsOf(summary), otherCores: otherCoresOf(samples) };
  } finally {
    await close();
  }
}

await main(NAME, async (words, signal) => {
  const given = parseWords(words, { bench: NAME, says: SAYS, options });
  for (const name of /** @type {const} */ (['itself', 'runs', 'seconds', 'connections']))
    wholeOf(given[name], `--${name}`);
  const shares = [0, ...given.more.split(',').filter(Boolean).map(Number)];
  const warning = warningOf(await pressure());
  if (warning) say(warning);
  const planned = shares.flatMap((percent) =>
    Array.from({ length: percent === 0 ? given.itself : given.runs }, () => percent),
  );
  const file = join(BUILD, `${NAME}.json`);
  mkdirSync(dirname(file), { recursive: true });
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const [i, percent] of planned.entries()) {
    const one = await measure(percent, given, signal);
    outcomes.push(one);
    writeFileSync(file, JSON.stringify(outcomes));
    say(
      `${i + 1} of ${planned.length}, ${percent} % more: ${JSON.stringify(one.claims)} ${JSON.stringify(one.ratios)}`,
    );
  }
  const results = shares
    .map((percent) => outcomes.filter((one) => one.percent === percent))
    .filter((own) => own.length > 0)
    .map(resultOf);
  const section = markdownOf(results, { ...given, facts: facts() });
  if (given.write) writeSection(NAME, section);
  console.log(given.json ? JSON.stringify({ outcomes, results }, null, 2) : section);
  return results.every(isMet) ? 0 : MISSED;
});
