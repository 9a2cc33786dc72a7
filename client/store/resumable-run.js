// A run that ended before all its legs were complete, read so that the others can still be run: its scenario, its plan, and
// the summaries of the legs that are. What does not fit is refused before any file is changed.

import { basename, join } from 'node:path';
import { UsageError } from '../errors.js';
import { isMeasured } from '../measure/leg-figures.js';
import { damageOf } from '../measure/run-documents.js';
import { legSummary } from './cut-leg.js';
import { restoreEarlierTries } from './earlier-tries.js';
import { readJson, readLegSummary } from './read-run.js';
import { RunFolder } from './run-folder.js';
import { isRunning } from './run-list.js';
import { warning } from '../words/warnings.js';

/** Of each time the run was resumed: when, which legs it then ran, and what of the machine had changed. */
export const RESUMED_FILE = 'resumed.json';

/** Of environment.json: what the figures of both parts depend on. */
const CONDITIONS = ['kernel', 'cpu', 'cores', 'memoryBytes', 'node', 'commit', 'governor', 'sysctl'];

/**
 * @typedef {{ at: string, legs: string[], changed: string[] }} Part  changed: conditions that were others than at the start
 *
 * @typedef {object} ResumableRun
 * @property {RunFolder} folder
 * @property {import('../scenario/scenario.js').Scenario} scenario
 * @property {import('../../config/types.js').Plan} plan
 * @property {Record<string, any>} environment
 * @property {import('../../config/types.js').LegSummary[]} complete   summaries of the legs that need not be run again
 * @property {import('../../config/types.js').LegSummary[]} partial    of those that have measured something and are not complete: the
 *   results of the run until they have been run again
 * @property {Part[]} parts     of the times that it was resumed before
 */

/** @param {string} run @param {string} code @param {string} why @param {Record<string, unknown>} [data] */
const refusal = (run, code, why, data = {}) =>
  new UsageError(`--resume ${run}: ${why}`, { code, data: { run, ...data } });

/** @param {import('../../config/types.js').PlannedLeg} leg @param {import('../../config/types.js').Slices | undefined} slices of another */
const isGroupOf = (leg, slices) => leg.slices !== undefined && leg.slices.group === slices?.group;

/**
 * @param {string} folder of the run @param {number} planSchema that can be resumed
 * @returns {Promise<ResumableRun>}
 * @throws {UsageError} when it cannot be resumed
 */
export async function readResumable(folder, planSchema) {
  const run = basename(folder);
  const names = ['scenario.json', 'plan.json', 'environment.json', RESUMED_FILE];
  const [scenario, plan, environment, parts] = await Promise.all(names.map((name) => readJson(join(folder, name))));
  if (scenario === null || environment?.t0 === undefined || !Array.isArray(plan?.legs)) {
    throw refusal(run, 'ENOPLAN', 'it has no scenario, plan or environment that can be read; start a new run');
  }
  if (plan.schema !== planSchema) {
    const why = `its plan is of version ${plan.schema}, this Broadside resumes version ${planSchema}; start a new run`;
    throw refusal(run, 'EPLANSCHEMA', why, { found: plan.schema, expected: planSchema });
  }
  const damage = damageOf('plan', plan);
  if (damage !== null) throw refusal(run, 'ENOPLAN', `its plan is damaged: ${damage}; start a new run`, { damage });
  if (plan.search !== undefined) {
    throw refusal(
      run,
      'ESEARCH',
      'a search chooses each leg by those before it, so it cannot be resumed; start a new run',
    );
  }
  const summaries = await Promise.all(
    plan.legs.map((/** @type {{ id: string }} */ { id }) => readLegSummary(join(folder, id))),
  );
  const legs = /** @type {import('../../config/types.js').PlannedLeg[]} */ (plan.legs);
  const ended = summaries.map((summary) => summary?.complete === true);
  // legs that take turns are compared slice by slice: all of them are run again
  const complete = summaries.filter(
    (_, i) => ended[i] && legs.every(({ slices }, k) => !isGroupOf(legs[i], slices) || ended[k]),
  );
  const areAllPlanned = plan.compareAt === undefined || legs.some(({ comparedAt }) => comparedAt !== undefined);
  if (areAllPlanned && complete.length === plan.legs.length) {
    throw refusal(run, 'ECOMPLETE', 'every leg of it is complete; nothing is left to run', { legs: complete.length });
  }
  if (await isRunning(folder)) {
    throw refusal(run, 'ERUNNING', 'it has not ended yet; wait for it, or end it with Ctrl+C');
  }
  const done = new Set(complete.map(({ id }) => id));
  const left = legs.filter(({ id }) => !done.has(id));
  restoreEarlierTries(folder, left);
  const begun = await Promise.all(left.map((leg) => legSummary(folder, leg, scenario, environment)));
  const partial = begun.filter((summary) => summary !== null && isMeasured(summary));
  return { folder: new RunFolder(folder, run), scenario, plan, environment, complete, partial, parts: parts ?? [] };
}

/**
 * @param {Record<string, any>} before environment.json of the run @param {Record<string, any>} now
 * @returns {string[]} conditions that have changed
 */
export const changedConditions = (before, now) =>
  CONDITIONS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));

/**
 * The zero of the run's times, as this process sees it: by the wall clock, since CLOCK_MONOTONIC begins anew when the machine
 * is restarted. The engine knows no time before that; then the legs to come have a zero of their own.
 * @param {{ epochMs: number }} first of environment.json
 * @param {import('./environment.js').Zero} now
 * @returns {import('./environment.js').Zero}
 */
export function resumedZero({ epochMs }, now) {
  const monotonicNs = now.monotonicNs - BigInt(Math.round((now.epochMs - epochMs) * 1e6));
  return monotonicNs > 0n ? { monotonicNs, epochMs } : now;
}

/**
 * @param {{ at: string, legs: string[], changed: string[] }} part @param {number} planned legs of the run
 * @returns {import('../words/warnings.js').Warning}
 */
export const resumedWarning = ({ at, legs, changed }, planned) =>
  warning('run-resumed', { at, legs, planned, changed });

/**
 * Takes away the summary of the run's end, so that it is in progress again, and notes that it is resumed. What its legs have
 * measured stays until they have been run again.
 * @param {ResumableRun} resumed
 * @param {{ legs: { id: string }[] }} plan
 * @param {Record<string, any>} environment of this process
 * @returns {{ parts: Part[], warnings: import('../words/warnings.js').Warning[],
 *   environment: Record<string, any> }} parts: of each time it was resumed; environment: the conditions of the run's start, with
 *   this process
 */
export function resumeRun({ folder, complete, parts: before, environment: first }, { legs: planned }, environment) {
  const done = new Set(complete.map(({ id }) => id));
  const legs = planned.map(({ id }) => id).filter((id) => !done.has(id));
  folder.remove(['summary.json', 'junit.xml']);
  const parts = [...before, { at: new Date().toISOString(), legs, changed: changedConditions(first, environment) }];
  folder.writeJson(RESUMED_FILE, parts);
  const warnings = parts.map((part) => resumedWarning(part, planned.length));
  return { parts, warnings, environment: { ...first, process: environment.process } };
}
