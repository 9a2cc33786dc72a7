// The summary of a leg whose run was killed before it could write one: from its samples, by the same rules, and marked as cut.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { settingsOf } from '../measure/leg-settings.js';
import { SampleSeries } from '../measure/sample-series.js';
import { summariseLeg } from '../judge/summary.js';
import { warning } from '../words/warnings.js';
import { readLegSummary, samplesIn } from './read-run.js';

/**
 * @typedef {import('../../config/types.js').LegSummary} LegSummary
 * @typedef {import('../../config/types.js').Sample} Sample
 * @typedef {Pick<import('../../config/types.js').PlannedLeg, 'id' | 'label'> & Partial<import('../../config/types.js').PlannedLeg>} Leg  of
 *   a plan; of a run without one, what its folder says
 */

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
 * @returns {Promise<LegSummary | null>} its own where it wrote one that is whole; null for a leg that never began
 */
export async function legSummary(folder, planned, scenario, environment) {
  const own = await readLegSummary(join(folder, planned.id));
  if (own !== null) return own;
  if (!existsSync(join(folder, planned.id, 'samples.ndjson'))) return null;
  const series = SampleSeries.of(withoutInFlight(samplesIn(folder, planned.id)));
  return summariseLeg(
    planned,
    series,
    {
      endedBy: 'cut',
      failure: warning('run-cut', {}),
      startNs: startOf(series.samples()),
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
 * @param {Iterable<Sample>} samples in order
 * @returns {Generator<Sample>}
 */
function* withoutInFlight(samples) {
  /** @type {Sample | null} */
  let last = null;
  for (const sample of samples) {
    if (last !== null) yield last;
    last = sample;
  }
  if (last === null) return;
  const { connecting = 0, inFlight = 0, waiting = 0 } = last.gauges;
  const { abandoned, unfinished, unsent } = last.counters;
  const counters = {
    ...last.counters,
    abandoned: abandoned + connecting,
    unfinished: unfinished + inFlight,
    unsent: unsent + waiting,
  };
  yield { ...last, counters };
}
