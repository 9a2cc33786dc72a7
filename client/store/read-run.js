// Reads what a run left in its folder. Only what a caller asks for is read.

import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import { typed } from '../invocation.js';
import { damagedError, damageOf, parseSummary } from '../measure/run-documents.js';
import { RunEvents } from '../measure/run-events.js';
import { SampleLines } from '../measure/sample-lines.js';
import { readPlan, readScenario } from '../measure/settings.js';

/**
 * @import { LegSummary, Plan as StoredPlan, RunSummary, Sample } from '../../config/types.js'
 * @import { Plan, StoredScenario } from '../measure/settings.js'
 * @import { Kind } from '../measure/run-documents.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Environment } from './environment.js'
 */

const PART_BYTES = 2 ** 15;

/**
 * Reading a pipe that nobody writes to, or a device, would never end.
 * @param {string} folder of a run
 * @throws {UsageError} when something else lies in it in place of a file
 */
export async function checkFiles(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const legs = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name));
  const inLegs = await Promise.all(
    legs.map(({ name }) => readdir(join(folder, name), { withFileTypes: true }).catch(() => [])),
  );
  for (const entry of [...entries, ...inLegs.flat()]) {
    if (!/\.(nd)?json$/.test(entry.name) || entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => null); // of a link that leads nowhere
    if (found !== null && !found.isFile()) throw damagedError(path, 'it is no regular file', '; move it away');
  }
}

/** @param {string} path @returns {Promise<any>} null when it is missing or not JSON */
export async function readJson(path) {
  try {
    if (!(await stat(path)).isFile()) return null;
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * @param {string} folder of a run
 * @returns {RunSummary}
 * @throws {UsageError} when the run has not ended, or its summary is damaged or of another schema
 */
export function readSummary(folder) {
  const path = join(folder, 'summary.json');
  return parseSummary(textOf(path, folder), path);
}

/**
 * @param {string} path of a summary
 * @param {string} folder
 * @returns {string}
 * @throws {UsageError} where it does not exist
 */
function textOf(path, folder) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    const text = `${folder} has no summary yet; ${typed('report')} writes one of a run that was killed`;
    throw new UsageError(text, { code: 'ENOSUMMARY', data: { run: folder }, cause: error });
  }
}

/** @param {string} folder of a leg @returns {Promise<LegSummary | null>} null when it left none, or a damaged one */
export async function readLegSummary(folder) {
  const summary = await readJson(join(folder, 'summary.json'));
  return summary !== null && damageOf('leg-summary', summary) === null ? summary : null;
}

/**
 * @typedef {{ scenario: Scenario, plan: Plan, environment: Environment }} Documents
 * @typedef {{ scenario: StoredScenario, plan: StoredPlan, environment: Environment }} Stored
 */

/**
 * Their schemas, and what makes of each what it says.
 * @type {{ [N in keyof Documents]: { kind: Kind, read: (document: Stored[N], folder: string) => Documents[N] } }}
 */
const DOCUMENTS = {
  scenario: { kind: 'resolved', read: readScenario },
  plan: { kind: 'plan', read: (document, folder) => readPlan(document, readDocument(folder, 'scenario')) },
  environment: { kind: 'environment', read: (document) => document },
};

/**
 * @template {keyof Documents} N
 * @param {string} folder of a run @param {N} name
 * @returns {Documents[N] | null} null when it cannot be read, or is damaged
 */
export function readDocument(folder, name) {
  try {
    const document = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    const { kind, read } = DOCUMENTS[name];
    return damageOf(kind, document) === null ? read(document, folder) : null;
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
 * @returns {Generator<Sample>} in the order of time; none of a leg that did not run
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
