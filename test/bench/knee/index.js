#!/usr/bin/env node
// Knee: identical ramps of a server that degrades beyond a known number of connections, and of one that does not. Counts
// the knees that agree, and the false ones. Exits with 99 if a requirement is missed. ../README.md explains the method.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../../client/errors.js';
import { kneeText } from '../../../client/words/knee.js';
import { rampOf } from '../../../client/measure/ramp.js';
import { main, say, writeSection } from '../conduct.js';
import { facts, pressure, warningOf } from '../machine.js';
import { parseWords, wholeOf } from '../options.js';
import { startStress } from '../stress-run.js';
import { markdownOf } from './markdown.js';
import { isConsistent, isQuiet, otherCoresOf, resultOf } from './result.js';

const NAME = 'knee';
const SAYS =
  'Repeats ramps of a server that degrades and of one that does not, and counts knees that agree and false ones.';
const MISSED = 99;
const FEWEST_STEPS = 3;
/** For everything but the ramp itself. */
const PATIENCE_MS = 60_000;
const BUILD = fileURLToPath(new URL('../build/', import.meta.url));
const DEGRADING = fileURLToPath(new URL('degrading-server.js', import.meta.url));
const options = /** @type {const} */ ({
  degrading: { type: 'number', default: 10, describe: 'ramps of a server that degrades; 0: none' },
  steady: { type: 'number', default: 20, describe: 'ramps of epoll, which does not; 0: none' },
  steps: { type: 'number', default: 8, describe: 'steps of a ramp' },
  add: { type: 'number', default: 200, describe: 'connections that a step adds' },
  every: { type: 'number', default: 5, describe: 'seconds that a step lasts' },
  write: { type: 'boolean', default: false, describe: 'write the tables to test/bench/README.md' },
  json: { type: 'boolean', default: false, describe: 'print every ramp' },
  raw: { type: 'string', describe: 'file for the samples, instead of test/bench/build/knee.json' },
  from: { type: 'string', describe: 'judge the ramps of such a file by the rule as it is now, without measuring' },
});

/**
 * @typedef {import('./result.js').Ramp} Ramp
 * @typedef {'degrading' | 'steady'} Kind
 * @typedef {{ kind: Kind, leg: any, load: any, synRetryNs: number[], samples: any[] }} Recorded
 * @typedef {{ degrading: number, steady: number, steps: number, add: number, every: number }} Size
 */

/** @param {Size} size @returns {number} connections with which the server degrades: those of the step in the middle */
const truthOf = ({ steps, add }) => (Math.floor(steps / 2) + 1) * add;

/** @param {Kind} kind @param {Size} size @returns {Record<string, unknown>} a scenario */
const scenarioOf = (kind, size) => ({
  ...(kind === 'steady'
    ? { servers: ['epoll'] }
    : { command: `${process.execPath} ${DEGRADING} {port} ${truthOf(size)}` }),
  ...{ connections: size.steps * size.add, payload: '64B', transferLog: 'none' },
  ramp: { add: size.add, every: `${size.every}s` },
  duration: `${size.every}s`,
});

/** @param {Kind} kind @param {Size} size @param {AbortSignal} signal @returns {Promise<Recorded>} */
async function measureRamp(kind, size, signal) {
  const { run, close } = startStress(scenarioOf(kind, size), signal);
  try {
    await run.until('the ramp is over', () => run.ending, PATIENCE_MS + (size.steps + 1) * size.every * 1000);
    const [leg] = run.summary().legs;
    if (!leg?.complete) throw new Error(`a ramp was not measured${run.story()}`);
    const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(String(run.folder), name), 'utf8'));
    const { tcp } = read('environment.json');
    return {
      kind,
      leg: read('plan.json').legs[0],
      load: read('scenario.json'),
      synRetryNs: tcp?.synRetryNs ?? [],
      // what the rule reads
      samples: run.samples().map(({ transfers: _transfers, kernel: _kernel, ...sample }) => sample),
    };
  } finally {
    await close();
  }
}

/** @param {Recorded} recorded @returns {Ramp} by the rule as it is now */
function judgeRamp({ leg, load, synRetryNs, samples }) {
  const ramp = rampOf(samples, leg, load, synRetryNs);
  if (ramp === undefined) throw new Error('a file of ramps of three steps or more was expected');
  const { knee, undetermined, steps } = ramp;
  return {
    knee: knee?.requested ?? null,
    code: undetermined?.code ?? null,
    reach: steps[steps.length - 1].requested,
    otherCores: otherCoresOf(samples),
    text: String(kneeText(ramp)),
  };
}

/** @param {Size} size @param {string} file @param {AbortSignal} signal @returns {Promise<Recorded[]>} kept in the file as they come */
async function measureAll(size, file, signal) {
  const now = await pressure();
  const warning = warningOf(now);
  if (warning) say(warning);
  /** @type {Recorded[]} */
  const all = [];
  const kinds = /** @type {Kind[]} */ (['degrading', 'steady']).flatMap((kind) =>
    Array.from({ length: size[kind] }, () => kind),
  );
  mkdirSync(dirname(file), { recursive: true });
  for (const [i, kind] of kinds.entries()) {
    const one = await measureRamp(kind, size, signal);
    all.push(one);
    writeFileSync(file, JSON.stringify({ size, ramps: all }));
    const { text, otherCores } = judgeRamp(one);
    say(`${i + 1} of ${kinds.length}, ${kind}: ${text}; other programs used ${otherCores.toFixed(1)} cores`);
  }
  return all;
}

await main(NAME, async (words, signal) => {
  const given = parseWords(words, { bench: NAME, says: SAYS, options });
  const raw = given.from === undefined ? null : JSON.parse(readFileSync(given.from, 'utf8'));
  /** @type {Size} */
  const size = raw?.size ?? given;
  const { degrading, steady } = size;
  for (const name of /** @type {const} */ (['steps', 'add', 'every'])) wholeOf(size[name], `--${name}`);
  for (const [name, n] of Object.entries({ degrading, steady })) if (n !== 0) wholeOf(n, `--${name}`);
  if (size.steps < FEWEST_STEPS) throw new UsageError(`--steps ${size.steps}: a knee needs at least ${FEWEST_STEPS}`);
  if (degrading + steady === 0) throw new UsageError('--degrading 0 --steady 0: nothing to measure');
  /** @type {Recorded[]} */
  const recorded = raw?.ramps ?? (await measureAll(size, given.raw ?? join(BUILD, `${NAME}.json`), signal));
  const of = (/** @type {Kind} */ kind) => recorded.filter((one) => one.kind === kind).map(judgeRamp);
  const ramps = { degrading: of('degrading'), steady: of('steady') };
  const results = {
    degrading: resultOf(ramps.degrading, { step: size.add, truth: truthOf(size) }),
    steady: resultOf(ramps.steady, { step: size.add }),
  };
  const section = markdownOf({ ramps, results, size, truth: truthOf(size), facts: facts() });
  if (given.write) writeSection(NAME, section);
  console.log(given.json ? JSON.stringify({ size, ramps, results }, null, 2) : section);
  return isConsistent(results.degrading) && isQuiet(results.steady) ? 0 : MISSED;
});
