// Writes the summary of a run that was killed before it wrote one, so that every run that has ended has a summary.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { unfinishedLeg, unfinishedRun } from '../judge/unfinished.js';
import { readDocument, readEvents, readLegSummary, samplesIn } from './read-run.js';
import { replaceFile } from './replace-file.js';
import { isRunning } from './run-list.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { Conditions, Leg } from '../judge/unfinished.js'
 * @import { PlannedLeg } from '../measure/settings.js'
 */

/** @param {string} folder of a run without a plan @returns {Promise<Leg[]>} legs that have a folder in it */
async function findLegs(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const ids = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name)).map(({ name }) => name);
  return ids.sort((a, b) => parseInt(a, 10) - parseInt(b, 10)).map((id) => ({ id, label: id.replace(/^\d+-/, '') }));
}

/**
 * @param {string} folder of a run @param {Leg} leg @param {Conditions} run
 * @returns {Promise<LegSummary[]>} the summary that the leg wrote, or one made from its samples; empty: it never began
 */
async function legSummary(folder, leg, run) {
  const summary = await readLegSummary(join(folder, leg.id));
  if (summary !== null) return [summary];
  if (!existsSync(join(folder, leg.id, 'samples.ndjson'))) return [];
  return [unfinishedLeg(leg, samplesIn(folder, leg.id), 'cut', run)];
}

/**
 * @param {string} folder of a run @param {number} [nowMs]
 * @returns {Promise<boolean>} whether a summary was written; false: it exists already, or the run is in progress
 */
export async function writeMissingSummary(folder, nowMs = Date.now()) {
  const file = join(folder, 'summary.json');
  if (existsSync(file) || (await isRunning(folder, nowMs))) return false;
  const [plan, scenario, environment] = [
    readDocument(folder, 'plan'),
    readDocument(folder, 'scenario'),
    readDocument(folder, 'environment'),
  ];
  const run = { id: basename(resolve(folder)), plan, scenario, environment, events: readEvents(folder) };
  const planned = plan?.legs ?? (await findLegs(folder));
  const legs = await Promise.all(planned.map((/** @type {Leg} */ leg) => legSummary(folder, leg, run)));
  const summary = unfinishedRun(legs.flat(), 'cut', {
    ...run,
    plan: { ...plan, legs: /** @type {PlannedLeg[]} */ (planned) },
  });
  replaceFile(file, `${JSON.stringify(summary, null, 2)}\n`);
  return true;
}
