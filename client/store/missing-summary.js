// Writes the summary of a run that was killed before it could write its own. So every reader of the folder of a run
// that has ended finds one shape.

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

/** @param {string} folder @returns {Promise<Leg[]>} the legs that left a folder, of a run without a plan */
async function foundLegs(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const ids = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name)).map(({ name }) => name);
  return ids.sort((a, b) => parseInt(a, 10) - parseInt(b, 10)).map((id) => ({ id, label: id.replace(/^\d+-/, '') }));
}

/**
 * @param {string} folder of a run @param {Leg} leg @param {Conditions} run
 * @returns {Promise<LegSummary[]>} its own where it wrote one that is whole; none of a leg that never began
 */
async function legSummary(folder, leg, run) {
  const own = await readLegSummary(join(folder, leg.id));
  if (own !== null) return [own];
  if (!existsSync(join(folder, leg.id, 'samples.ndjson'))) return [];
  return [unfinishedLeg(leg, samplesIn(folder, leg.id), 'cut', run)];
}

/**
 * @param {string} folder of a run @param {number} [nowMs]
 * @returns {Promise<boolean>} whether a summary was written; false where there is one already, or the run is in
 *   progress
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
  const planned = plan?.legs ?? (await foundLegs(folder));
  const legs = await Promise.all(planned.map((/** @type {Leg} */ leg) => legSummary(folder, leg, run)));
  const summary = unfinishedRun(legs.flat(), 'cut', {
    ...run,
    plan: { ...plan, legs: /** @type {PlannedLeg[]} */ (planned) },
  });
  replaceFile(file, `${JSON.stringify(summary, null, 2)}\n`);
  return true;
}
