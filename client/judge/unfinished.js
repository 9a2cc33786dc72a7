// The summaries of a run that was killed or is in progress, and of its legs. They are computed from the plan, the
// samples and the events, by the same rules as those that a run writes.

import { withFigures } from '../measure/leg-figures.js';
import { warning } from '../words/warnings.js';
import { summariseLeg, summariseRun } from './summary.js';
import { asPlanned } from '../measure/settings.js';

/**
 * @import { LegSummary, RunSummary, Sample } from '../../config/types.js'
 * @import { Plan, PlannedLeg } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Environment } from '../store/environment.js'
 * @import { RunEvents } from '../measure/run-events.js'
 */

/**
 * @typedef {'cut' | 'running'} Unfinished
 * @typedef {Pick<PlannedLeg, 'id' | 'label'> & Partial<PlannedLeg>} Leg  of the plan; without a plan, read from its
 *   folder
 *
 * @typedef {object} Conditions  what the run wrote when it began; null if it is missing
 * @property {string} id
 * @property {Partial<Plan> | null} plan
 * @property {Scenario | null} scenario
 * @property {Partial<Environment> | null} environment
 * @property {RunEvents} events
 */

/** @param {Leg} planned @returns {string} the client's name for the server: its name, its command, or the target */
function serverOf({ server, label }) {
  if (server?.kind === 'named') return server.name;
  return server?.kind === 'command' ? server.command : label;
}

/**
 * @param {Leg} planned @param {Iterable<Sample>} samples in order @param {Unfinished} endedBy @param {Conditions} run
 * @returns {LegSummary} with the figures of the ramp, if a leg in progress has not reached its steady state
 */
export function unfinishedLeg(planned, samples, endedBy, { scenario, environment, events }) {
  const { startNs = 0, targets = [], warnings } = events.of(planned.id);
  const isCut = endedBy === 'cut';
  const summary = summariseLeg(
    planned,
    isCut ? withoutInFlight(samples) : samples,
    {
      ...{ endedBy, startNs, targets, warnings, server: serverOf(planned) },
      ...(isCut ? { failure: warning('run-cut', {}) } : {}),
      synRetryNs: environment?.tcp?.synRetryNs,
    },
    planned.settings ?? scenario ?? {},
  );
  return isCut ? summary : withFigures(summary);
}

/**
 * Counts what was in flight in the last sample as unfinished, as the merge does for a worker that dies.
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

/**
 * @param {LegSummary[]} legs that were begun @param {Unfinished} endedBy @param {Conditions} run
 * @returns {RunSummary}
 */
export function unfinishedRun(legs, endedBy, { id, plan, scenario, environment, events }) {
  const startMs = environment?.t0?.epochMs ?? 0;
  const endNs = Math.max(0, ...legs.map(({ startNs = 0, phases }) => startNs + (phases?.endNs ?? 0)));
  const warnings = plan?.warnings ?? [];
  const known = new Set(warnings.map(({ text }) => text)); // a run logs the warnings of its plan when it begins
  return summariseRun(
    {
      run: id,
      scenario: scenario?.name ?? plan?.scenario ?? id,
      startedAt: new Date(startMs).toISOString(),
      endedAt: new Date(startMs + endNs / 1e6).toISOString(),
      config: /** @type {Parameters<typeof summariseRun>[0]['config']} */ (asPlanned(scenario, plan) ?? plan ?? {}),
      planned: plan?.legs?.length ?? legs.length,
      cases: plan?.cases,
      interrupted: false,
      warnings: [...warnings, ...events.warnings.filter(({ text }) => !known.has(text))],
      unfinished: endedBy,
    },
    legs,
  );
}
