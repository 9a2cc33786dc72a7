// What all benches do: describe the machine, measure in rounds, and print or write the tables.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isolationNotes } from './alone.js';
import { conditionsText, placeIn } from './tables.js';

/**
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
 * @property {string} how the rest of the method that options decide, such as the length of windows
 * @property {string[]} notes sentences about this measurement
 * @property {number} repeated measurements that failed and were made again
 */

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const README = fileURLToPath(new URL('README.md', import.meta.url));
const [BUSY, LOAD] = [0.1, 0.5];

/** @param {string} line to people: stdout has tables or JSON */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * @param {{ rounds: number, how: string, notes?: string[] }} method
 * @returns {Promise<Conditions>} says a warning if the machine is busy
 */
export async function conditionsOf({ rounds, how, notes = [] }) {
  const before = cpuTimes();
  await after(1000);
  const now = cpuTimes();
  const busy = (now.busy - before.busy) / (now.busy + now.idle - before.busy - before.idle);
  const [load] = loadavg();
  const all = [...notes, ...(await isolationNotes())];
  if (load > LOAD || busy > BUSY)
    say(
      `the machine is busy (load average ${load.toFixed(2)}, ${(busy * 100).toFixed(0)} % of the cores): all figures will be worse, and scatter`,
    );
  for (const note of all) say(note);
  return {
    date: new Date().toISOString().slice(0, 10),
    kernel: release(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown CPU',
    cores: cpus().length,
    node: process.versions.node,
    compiler: firstLine(process.env.CC ?? 'cc', ['--version']),
    commit: firstLine('git', ['describe', '--always', '--dirty']),
    ...{ load, busy, rounds, how, notes: all, repeated: 0 },
  };
}

/** @returns {{busy: number, idle: number}} ms of all cores since boot */
function cpuTimes() {
  const all = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({ busy: user + nice + sys + irq, idle }));
  return all.reduce((sum, { busy, idle }) => ({ busy: sum.busy + busy, idle: sum.idle + idle }));
}

/** @param {string} command @param {string[]} words @returns {string} */
function firstLine(command, words) {
  try {
    const text = execFileSync(command, words, { cwd: FOLDER, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return text.split('\n')[0];
  } catch {
    return 'unknown';
  }
}

/**
 * A measurement that fails is made again once; a second failure ends the bench.
 * @template T
 * @param {() => Promise<T>} measure @param {Conditions} conditions @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export async function twice(measure, conditions, signal) {
  try {
    return await measure();
  } catch (error) {
    if (signal.aborted) throw error;
    say(`${error instanceof Error ? error.message : error}\nonce more:`);
    conditions.repeated += 1;
    return measure();
  }
}

/**
 * @param {string} name of the bench
 * @param {{ conditions: Conditions, measured: unknown, tables: string[] }} result
 * @param {{ json: boolean, write: boolean }} options
 */
export function publish(name, { conditions, measured, tables }, { json, write }) {
  const section = [conditionsText(conditions), ...tables].join('\n\n');
  if (write) writeFileSync(README, placeIn(readFileSync(README, 'utf8'), name, section));
  console.log(json ? JSON.stringify({ conditions, measured }) : section);
}
