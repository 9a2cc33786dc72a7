// Finds, lists and deletes the runs in the logs folder, also those that were cut short.

import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { typed } from '../invocation.js';
import { isAlive } from '../machine/process-identity.js';
import { checkFiles, readJson } from './read-run.js';
import { slugOf } from '../words/slug.js';
import { digestOf } from '../judge/run-digest.js';
import { damageOf } from '../measure/run-documents.js';
import { didYouMean } from '../scenario/nearest.js';

/** @import { RunDigest } from '../judge/run-digest.js' */

/**
 * @typedef {object} Run
 * @property {string} id
 * @property {string} folder
 * @property {string} date       YYYY-MM-DD HH:MM:SS, local time of its start
 * @property {string} scenario
 * @property {number} legs       planned
 * @property {number} legsComplete
 * @property {number} bytes
 * @property {RunDigest | null} digest  null: there is no summary that this version can read
 * @property {'complete' | 'incomplete' | 'cut short' | 'running'} state
 */

const RUN_ID = /^([0-9]{4})([0-9]{2})([0-9]{2})-([0-9]{2})([0-9]{2})([0-9]{2})-(.+)$/;
/** A run writes at least every 10 s; a run without a summary that has not written for this long was killed. */
const QUIET_MS = 120_000;

/**
 * @param {string} folder
 * @returns {Promise<{bytes: number, newestMs: number}>} of all its files, without those that are deleted meanwhile
 */
async function measure(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const stats = await Promise.all(files.map((file) => stat(join(file.parentPath, file.name)).catch(() => null)));
  return {
    bytes: stats.reduce((sum, file) => sum + (file?.size ?? 0), 0),
    newestMs: stats.reduce((newest, file) => Math.max(newest, file?.mtimeMs ?? 0), 0),
  };
}

/**
 * @param {string} folder of a run
 * @param {number} [nowMs]
 * @returns {Promise<boolean>} whether the run is in progress: its process is alive, or it wrote recently if that is not
 *   known on this host
 */
export async function isRunning(folder, nowMs = Date.now()) {
  const environment = await readJson(join(folder, 'environment.json'));
  return isAlive(environment?.process) ?? nowMs - (await measure(folder)).newestMs < QUIET_MS;
}

/**
 * @param {string} folder
 * @param {number} nowMs
 * @returns {Promise<Run>}
 */
async function describeRun(folder, nowMs) {
  const id = basename(folder);
  const [summary, plan, environment] = await Promise.all(
    ['summary.json', 'plan.json', 'environment.json'].map((name) => readJson(join(folder, name))),
  );
  const { bytes, newestMs } = await measure(folder);
  const [, year, month, day, hour, minute, second, name = ''] = RUN_ID.exec(id) ?? [];
  /** @type {{complete?: boolean}[]} */
  const legs = Array.isArray(summary?.legs) ? summary.legs : [];
  const running = summary === null && (isAlive(environment?.process) ?? nowMs - newestMs < QUIET_MS);
  return {
    id,
    folder,
    date: `${year}-${month}-${day} ${hour}:${minute}:${second}`,
    scenario: [summary?.scenario, plan?.scenario].find((scenario) => typeof scenario === 'string') ?? name,
    legs: Array.isArray(plan?.legs) ? plan.legs.length : legs.length,
    legsComplete: legs.filter((leg) => leg?.complete === true).length,
    bytes,
    digest: damageOf('summary', summary) === null ? digestOf(summary) : null,
    state: running ? 'running' : summary === null ? 'cut short' : summary.complete ? 'complete' : 'incomplete',
  };
}

/**
 * Sorts the newest run first. Of runs of the same second, -2 is newer than the run without a number.
 * @param {string} a
 * @param {string} b
 */
function newestFirst(a, b) {
  const stamp = b.slice(0, 15).localeCompare(a.slice(0, 15));
  return stamp !== 0 ? stamp : b.localeCompare(a, 'en', { numeric: true });
}

/**
 * @param {string} logs
 * @returns {Promise<string[]>} ids, the newest first; empty if there is no such folder
 */
async function runIds(logs) {
  const entries = await readdir(logs, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory() && RUN_ID.test(entry.name));
  return folders.map(({ name }) => name).sort(newestFirst);
}

/**
 * @param {string} logs
 * @param {number} [nowMs]
 * @returns {Promise<Run[]>} the newest first
 */
export async function listRuns(logs, nowMs = Date.now()) {
  return Promise.all((await runIds(logs)).map((id) => describeRun(join(logs, id), nowMs)));
}

/**
 * Deletes all but the newest runs; a run in progress is never deleted and counts among the kept.
 * @param {string} logs
 * @param {number} keep
 * @param {number} [nowMs]
 * @returns {Promise<{deleted: Run[], kept: Run[]}>}
 */
export async function pruneRuns(logs, keep, nowMs = Date.now()) {
  const runs = await listRuns(logs, nowMs);
  const kept = runs.filter((run, index) => index < keep || run.state === 'running');
  const deleted = runs.filter((run) => !kept.includes(run));
  for (const { folder } of deleted) await rm(folder, { recursive: true, force: true });
  return { deleted, kept };
}

/**
 * @param {string} logs
 * @param {string | undefined} run  id, folder, name (its newest run), or a part of only one id; undefined: the newest
 *   run
 * @returns {Promise<string>} its folder, absolute
 * @throws {UsageError} if there is no such run, or its files cannot be read
 */
export async function findRun(logs, run) {
  const folder = await folderOf(logs, run);
  await checkFiles(folder);
  return folder;
}

/** @param {string} logs @param {string | undefined} run @returns {Promise<string>} @throws {UsageError} */
async function folderOf(logs, run) {
  if (run?.trim() === '') {
    throw new UsageError('the name of a run is empty; give its id, a part of it, its name or its folder', {
      code: 'ENORUN',
      data: { run, logs },
    });
  }
  const ids = await runIds(logs);
  if (run === undefined) {
    const [newest] = ids;
    if (newest !== undefined) return join(logs, newest);
    throw new UsageError(`there is no run in ${logs}; ${typed('stress')} makes one`, {
      code: 'ENORUN',
      data: { logs, known: [] },
    });
  }
  if (ids.includes(run)) return join(logs, run);
  const folder = resolve(run);
  if ((await stat(join(folder, 'plan.json')).catch(() => null)) !== null) return folder;
  if ((await stat(join(folder, 'summary.json')).catch(() => null)) !== null) return folder;
  const slug = slugOf(run);
  const newestOfName = ids.find((id) => RUN_ID.exec(id)?.[7] === slug);
  if (newestOfName !== undefined) return join(logs, newestOfName);
  const matching = ids.filter((id) => id.includes(run) || (slug !== '' && id.includes(slug)));
  if (matching.length === 1) return join(logs, /** @type {string} */ (matching[0]));
  if (matching.length > 1) {
    throw new UsageError(
      `${run}: ${matching.length} runs have this in their id: ${matching.slice(0, 5).join(', ')}; give more of it`,
      { code: 'ERUNAMBIGUOUS', data: { run, matching } },
    );
  }
  throw new UsageError(
    `${run}: neither a run in ${logs} nor a run's folder.${didYouMean(basename(run), ids)} ` +
      `${typed('logs')} lists the runs`,
    { code: 'ENORUN', data: { run, logs, known: ids } },
  );
}
