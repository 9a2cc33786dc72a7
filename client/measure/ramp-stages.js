// Joins the steps of a ramp into stages that last long enough to be judged, and checks before a run whether its ramp
// makes enough of them for a knee. A plan knows how long each step lasts, so a ramp that is too fast is known without
// measuring.

import { MIN_SECONDS, MIN_STAGES } from './knee.js';
import { requestedAt } from './schedule.js';

/** @import { Point } from './schedule.js' */

/** The fewest steps for which a knee is searched. */
export const MIN_STEPS = 3;
/** Shorter samples say little. */
const MIN_SPAN_NS = 5e8;
/** A longer ramp.every than this is not proposed. */
const LONGEST_EVERY = 10;

/**
 * With a pause or heartbeat, requests come in bursts after connections open.
 * @param {{ pauseNs?: number, heartbeatNs?: number }} load
 */
export const isPaced = ({ pauseNs = 0, heartbeatNs = 0 }) => pauseNs > 0 || heartbeatNs > 0;

/**
 * Joins neighbouring steps until they last long enough; the last steps join the stage before.
 * @param {number[]} seconds that each step lasts, without those in which its connections open
 * @returns {number[][]} the indexes of the steps of each stage
 */
export function stagesOfSteps(seconds) {
  /** @type {number[][]} */
  const stages = [];
  const lengthOf = (/** @type {number[]} */ stage) => stage.reduce((sum, i) => sum + seconds[i], 0);
  seconds.forEach((_, i) => {
    const open = stages.at(-1);
    if (open && lengthOf(open) < MIN_SECONDS) open.push(i);
    else stages.push([i]);
  });
  const last = stages.at(-1);
  if (stages.length > 1 && last && lengthOf(last) < MIN_SECONDS) {
    stages.pop();
    stages.at(-1)?.push(...last);
  }
  return stages;
}

/**
 * @typedef {{ schedule: Point[], rampToNs: number, steadyFromNs: number, steadyToNs: number }} PlannedLeg
 * @typedef {{ workload?: string, pauseNs?: number, heartbeatNs?: number, rate?: number | null, start?: 'open' |
 *   'together', lifetime?: { reopen?: boolean } | null, connectionsProfile?: unknown[] | null }} Load  of the scenario
 */

/**
 * @param {number} fromNs
 * @param {number} toNs
 * @returns {{ fromNs: number, toNs: number }[]} samples of a phase, cut at whole seconds
 */
function samplesBetween(fromNs, toNs) {
  const samples = [];
  for (let atNs = fromNs; atNs < toNs;) {
    const endNs = Math.min(toNs, (Math.floor(atNs / 1e9) + 1) * 1e9);
    samples.push({ fromNs: atNs, toNs: endNs });
    atNs = endNs;
  }
  return samples;
}

/** @param {{ fromNs: number, toNs: number }} sample @returns {boolean} whether it is long enough to count */
export const isLongEnough = ({ fromNs, toNs }) => toNs - fromNs >= MIN_SPAN_NS;

/** @param {PlannedLeg} leg @param {Load} load @returns {number[]} seconds of each step, as they will be judged */
function stepSeconds({ schedule, rampToNs, steadyFromNs, steadyToNs }, load) {
  const samples = samplesBetween(0, rampToNs);
  /** @type {number[]} */
  const seconds = [];
  let fromNs = 0;
  for (const { toNs } of plannedSteps({ schedule, rampToNs })) {
    const ofStep = samples.filter((sample) => sample.toNs > fromNs && sample.toNs <= toNs);
    if (ofStep.length === 0) continue;
    const { length } = ofStep.filter(isLongEnough);
    seconds.push(length > 1 && !isPaced(load) ? length - 1 : length);
    fromNs = toNs;
  }
  if (seconds.length > 0 && !load.connectionsProfile)
    seconds[seconds.length - 1] += samplesBetween(steadyFromNs, steadyToNs).filter(isLongEnough).length;
  return seconds;
}

/**
 * Connections that close for good never add up, and without requests in the ramp there is nothing to judge.
 * @param {Load} load
 * @returns {boolean} whether a ramp may have a knee
 */
export const mayHaveKnee = ({ workload, lifetime, rate = null, start }) =>
  workload !== 'once' && lifetime?.reopen !== false && rate === null && start !== 'together';

/** @param {PlannedLeg} leg @param {Load} load @returns {number} stages that can be judged */
function stagesIn(leg, load) {
  const seconds = stepSeconds(leg, load);
  if (seconds.length < MIN_STEPS) return 0;
  const lengths = stagesOfSteps(seconds).map((stage) => stage.reduce((sum, i) => sum + seconds[i], 0));
  return lengths.every((length) => length >= MIN_SECONDS) ? lengths.length : 0;
}

/** @param {PlannedLeg} leg @param {number} factor @returns {PlannedLeg} with steps that last longer by that factor */
function stretched({ schedule, rampToNs, steadyFromNs, steadyToNs }, factor) {
  const laterNs = rampToNs * (factor - 1);
  return {
    schedule: schedule.map((point) => ({ ...point, atNs: point.atNs * factor })),
    rampToNs: rampToNs * factor,
    steadyFromNs: steadyFromNs + laterNs,
    steadyToNs: steadyToNs + laterNs,
  };
}

/**
 * @typedef {{ steps: number, stages: number, everySeconds?: number }} ShortRamp  everySeconds: a ramp.every that would
 *   be long enough
 * @param {PlannedLeg} leg of the plan @param {Load & { ramp: { everyNs: number } }} load
 * @returns {ShortRamp | undefined} undefined if the ramp is long enough, is one step, or cannot have a knee
 */
export function shortRampOf(leg, load) {
  const steps = plannedSteps(leg).length;
  if (!mayHaveKnee(load) || steps < 2) return undefined;
  const stages = stagesIn(leg, load);
  if (stages >= MIN_STAGES) return undefined;
  const { everyNs } = load.ramp;
  const from = Math.floor(everyNs / 1e9) + 1;
  const proposed = Array.from({ length: Math.max(0, LONGEST_EVERY - from + 1) }, (_, i) => from + i);
  const everySeconds = proposed.find(
    (seconds) => stagesIn(stretched(leg, (seconds * 1e9) / everyNs), load) >= MIN_STAGES,
  );
  return { steps, stages, ...(everySeconds === undefined ? {} : { everySeconds }) };
}

/** @typedef {{ step: number, fromNs: number, toNs: number, requested: number }} PlannedStep  step counts from 1 */

/** A line rises all the time: it is cut into parts of whole seconds, at most this many. */
const mostParts = 100;

/**
 * The steps of a schedule: each point that jumps, and the parts of each line.
 * @param {{ schedule: Point[], rampToNs: number }} leg
 * @returns {PlannedStep[]} one after another, the last up to the end of the ramp
 */
export function plannedSteps({ schedule, rampToNs }) {
  /** @type {{ fromNs: number, requested: number }[]} */
  const starts = [];
  let before = { atNs: 0, slots: 0 };
  for (const point of schedule) {
    if (point.slots !== before.slots && !point.line) starts.push({ fromNs: point.atNs, requested: point.slots });
    else if (point.slots !== before.slots) {
      const partNs = Math.ceil((point.atNs - before.atNs) / (mostParts * 1e9)) * 1e9;
      for (let atNs = before.atNs; atNs < point.atNs; atNs += partNs) {
        starts.push({ fromNs: atNs, requested: requestedAt(schedule, Math.min(atNs + partNs, point.atNs)) });
      }
    }
    before = point;
  }
  return starts.map(({ fromNs, requested }, i) => ({
    step: i + 1,
    fromNs,
    toNs: starts[i + 1]?.fromNs ?? rampToNs,
    requested,
  }));
}
