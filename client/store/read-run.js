// Reads the files in the folder of a run, each when it is asked for.

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
 * Checks that all files of a run are regular: reading a pipe without a writer, or a device, would never end.
 * @param {string} folder of a run
 * @throws {UsageError} if a file is not regular
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
    const target = await stat(path).catch(() => null); // null: a link that leads nowhere
    if (target !== null && !target.isFile()) throw damagedError(path, 'it is not a regular file', '; move it away');
  }
}

/** @param {string} path @returns {Promise<any>} null: the file is missing or not JSON */
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
 * @throws {UsageError} if the file does not exist
 */
function textOf(path, folder) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    const text = `${folder} has no summary yet; ${typed('report')} writes one for a run that was killed`;
    throw new UsageError(text, { code: 'ENOSUMMARY', data: { run: folder }, cause: error });
  }
}

/** @param {string} folder of a leg @returns {Promise<LegSummary | null>} null: the summary is missing or damaged */
export async function readLegSummary(folder) {
  const summary = await readJson(join(folder, 'summary.json'));
  return summary !== null && damageOf('leg-summary', summary) === null ? summary : null;
}

/**
 * @typedef {{ scenario: Scenario, plan: Plan, environment: Environment }} Documents
 * @typedef {{ scenario: StoredScenario, plan: StoredPlan, environment: Environment }} Stored
 */

/**
 * The schema of each document, and how it is read.
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
 * @returns {Documents[N] | null} null: it cannot be read, or is damaged
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

/** @param {string} folder of a run @returns {RunEvents} empty if the run has no events */
export function readEvents(folder) {
  const events = new RunEvents();
  const file = join(folder, 'events.ndjson');
  if (existsSync(file)) events.add(readFileSync(file));
  return events;
}

/**
 * Reads the samples of a leg one by one, as those of a long leg may not fit into memory.
 * @param {string} folder of a run @param {string} leg id
 * @returns {Generator<Sample>} in the order of time; empty if the leg did not run
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

/** @param {string} path @returns {number | null} null: the file does not exist */
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
