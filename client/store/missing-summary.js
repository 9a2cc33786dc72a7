// Writes the summary of a run that was killed before it could write its own: from its samples, by the same rules, and
// marked as cut short. So every reader of a run folder finds one shape.

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import { parseSamples } from '../measure/sample-lines.js';
import { settingsOf } from '../measure/leg-settings.js';
import { summariseLeg, summariseRun } from '../judge/summary.js';
import { resumedWarning, RESUMED_FILE } from './resumable-run.js';
import { warning } from '../words/warnings.js';
import { readJson } from './read-run.js';
import { replaceFile } from './replace-file.js';
import { isRunning } from './run-list.js';

/**
 * @typedef {import('../../config/types.js').LegSummary} LegSummary
 * @typedef {import('../../config/types.js').Sample} Sample
 * @typedef {Pick<import('../../config/types.js').PlannedLeg, 'id' | 'label'> & Partial<import('../../config/types.js').PlannedLeg>} Leg  of
 *   a plan; of a run without one, what its folder says
 */

const NS_PER_MS = 1e6;

/**
 * The start of a leg that left no summary: its first sampled transfers name their start relative to the run's zero, its
 * samples theirs relative to the leg's. Legs start on whole seconds.
 * @param {Sample[]} samples
 * @returns {number} ns after the run's zero; 0 where nothing was transferred
 */
function startOf(samples) {
  let [earliest, latest] = [-Infinity, Infinity];
  for (const { fromNs, toNs, transfers } of samples) {
    for (const [startNs, responseNs, , status] of transfers?.random ?? []) {
      if (status !== 0) continue;
      earliest = Math.max(earliest, startNs + responseNs - toNs);
      latest = Math.min(latest, startNs + responseNs - fromNs);
    }
  }
  if (!Number.isFinite(latest)) return 0;
  const whole = Math.round((earliest + latest) / 2e9) * 1e9;
  return whole >= earliest - 1e7 && whole <= latest + 1e7 ? whole : Math.round((earliest + latest) / 2);
}

/** @param {Leg} planned @returns {string} as the client names it: the server, the command, or the target */
function serverOf({ server, label }) {
  if (server?.kind === 'named') return server.name;
  return server?.kind === 'command' ? server.command : label;
}

/**
 * @param {string} folder of the run @param {Leg} planned @param {Partial<import('../scenario/scenario.js').Scenario>} scenario
 * @param {Record<string, any>} environment
 * @returns {Promise<LegSummary | null>} null for a leg that never began
 */
async function legSummary(folder, planned, scenario, environment) {
  const own = await readJson(join(folder, planned.id, 'summary.json'));
  if (own !== null) return own;
  const content = await readFile(join(folder, planned.id, 'samples.ndjson')).catch(() => null);
  if (content === null) return null;
  const samples = withoutInFlight(parseSamples(content).samples);
  return summariseLeg(
    planned,
    samples,
    {
      endedBy: 'cut',
      failure: warning('run-cut', {}),
      startNs: startOf(samples),
      targets: [],
      server: serverOf(planned),
      warnings: [],
      synRetryNs: environment.tcp?.synRetryNs,
    },
    settingsOf(scenario, planned),
  );
}

/**
 * Ends what was in flight in the last sample, as the merge does for a worker that dies: its outcome is unknown.
 * @param {Sample[]} samples in order
 * @returns {Sample[]}
 */
function withoutInFlight(samples) {
  const last = samples.at(-1);
  if (!last) return samples;
  const { connecting = 0, inFlight = 0, waiting = 0 } = last.gauges;
  const { abandoned, unfinished, unsent } = last.counters;
  const counters = {
    ...last.counters,
    abandoned: abandoned + connecting,
    unfinished: unfinished + inFlight,
    unsent: unsent + waiting,
  };
  return [...samples.slice(0, -1), { ...last, counters }];
}

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
  const [plan, scenario, environment, resumed] = await Promise.all(
    ['plan.json', 'scenario.json', 'environment.json', RESUMED_FILE].map((name) => readJson(join(folder, name))),
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
      warnings: [
        ...(plan?.warnings ?? []),
        ...(resumed ?? []).map((/** @type {any} */ part) => resumedWarning(part, planned.length)),
      ],
      resumed: /** @type {any} */ (resumed) ?? [],
      cut: true,
    },
    legs,
  );
  replaceFile(join(folder, 'summary.json'), `${JSON.stringify(written, null, 2)}\n`);
  return true;
}
