// Writes the summary of a run that was killed before it could write its own: from its samples, by the same rules, and
// marked as cut short. So every reader of a run folder finds one shape.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { summariseRun } from '../judge/summary.js';
import { legSummary } from './cut-leg.js';
import { readJson } from './read-run.js';
import { replaceFile } from './replace-file.js';
import { isRunning } from './run-list.js';

/** @typedef {import('./cut-leg.js').Leg} Leg */

const NS_PER_MS = 1e6;

/** @param {string} folder @returns {Promise<Leg[]>} the legs that left a folder, of a run without a plan */
async function foundLegs(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const ids = entries.filter((entry) => entry.isDirectory() && /^\d+-/.test(entry.name)).map(({ name }) => name);
  return ids.sort((a, b) => parseInt(a, 10) - parseInt(b, 10)).map((id) => ({ id, label: id.replace(/^\d+-/, '') }));
}

/**
 * @param {string} folder of a run @param {number} [nowMs]
 * @returns {Promise<boolean>} whether a summary was written; false where there is one already
 * @throws {UsageError} when the run has not ended yet
 */
export async function writeMissingSummary(folder, nowMs = Date.now()) {
  if (existsSync(join(folder, 'summary.json'))) return false;
  const [plan, scenario, environment] = await Promise.all(
    ['plan.json', 'scenario.json', 'environment.json'].map((name) => readJson(join(folder, name))),
  );
  if (await isRunning(folder, nowMs)) {
    throw new UsageError(`${basename(folder)}: this run has not ended; its report is written when it ends`, {
      code: 'ERUNNING',
    });
  }
  const planned = plan?.legs ?? (await foundLegs(folder));
  const found = await Promise.all(
    planned.map((/** @type {Leg} */ leg) => legSummary(folder, leg, scenario ?? {}, environment ?? {})),
  );
  const legs = found.filter((leg) => leg !== null);
  const startMs = environment?.t0?.epochMs ?? 0;
  const endNs = Math.max(0, ...legs.map((leg) => (leg.startNs ?? 0) + (leg.phases?.endNs ?? 0)));
  const written = summariseRun(
    {
      run: basename(resolve(folder)),
      scenario: scenario?.name ?? plan?.scenario ?? basename(resolve(folder)),
      startedAt: new Date(startMs).toISOString(),
      endedAt: new Date(startMs + endNs / NS_PER_MS).toISOString(),
      config: /** @type {any} */ (scenario ?? plan ?? {}),
      planned: planned.length,
      cases: plan?.cases,
      interrupted: false,
      warnings: plan?.warnings ?? [],
      cut: true,
    },
    legs,
  );
  replaceFile(join(folder, 'summary.json'), `${JSON.stringify(written, null, 2)}\n`);
  return true;
}
