// Reads what a run left in its folder. Only what a caller asks for is read.

import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { damageOf, parseSummary } from '../measure/run-documents.js';
import { RunEvents } from '../measure/run-events.js';
import { SampleLines } from '../measure/sample-lines.js';

const PART_BYTES = 2 ** 15;

/** @param {string} path @returns {Promise<any>} null when it is missing or not JSON */
export async function readJson(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/** @param {string} folder @param {string} name @returns {any} throws when it is missing or not JSON */
const parseFile = (folder, name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** @param {string} folder of a run @returns {import('../../config/types.js').RunSummary} throws when the run has not ended, or it is damaged or of another schema */
export function readSummary(folder) {
  const path = join(folder, 'summary.json');
  return parseSummary(readFileSync(path, 'utf8'), path);
}

/** @param {string} folder of a leg @returns {Promise<import('../../config/types.js').LegSummary | null>} null when it left none, or a damaged one */
export async function readLegSummary(folder) {
  const summary = await readJson(join(folder, 'summary.json'));
  return summary !== null && damageOf('leg-summary', summary) === null ? summary : null;
}

/**
 * @typedef {{ scenario: import('../scenario/scenario.js').Scenario, plan: import('../plan/plan.js').Plan, environment: import('./environment.js').Environment }} Documents
 */

/**
 * @template {keyof Documents} N
 * @param {string} folder of a run @param {N} name
 * @returns {Documents[N] | null} null when it cannot be read
 */
export function readDocument(folder, name) {
  try {
    return parseFile(folder, `${name}.json`);
  } catch {
    return null;
  }
}

/** @param {string} folder of a run @returns {RunEvents} what its events say; nothing where there are none */
export function readEvents(folder) {
  const events = new RunEvents();
  const file = join(folder, 'events.ndjson');
  if (existsSync(file)) events.add(readFileSync(file));
  return events;
}

/**
 * The samples of a leg, one by one: a long leg has more than the memory.
 * @param {string} folder of a run @param {string} leg its id
 * @returns {Generator<import('../measure/sample.js').Sample>} in the order of time; none of a leg that did not run
 */
export function* samplesIn(folder, leg) {
  const descriptor = openOrNull(join(folder, leg, 'samples.ndjson'));
  if (descriptor === null) return;
  try {
    const lines = new SampleLines();
    for (let part = readPart(descriptor); part.length > 0; part = readPart(descriptor)) yield* lines.add(part);
    yield* lines.end();
  } finally {
    closeSync(descriptor);
  }
}

/** @param {string} path @returns {number | null} null where it does not exist */
function openOrNull(path) {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

/** @param {number} descriptor @returns {Buffer} the next part of a file; empty at its end */
function readPart(descriptor) {
  const part = Buffer.allocUnsafe(PART_BYTES);
  return part.subarray(0, readSync(descriptor, part));
}
