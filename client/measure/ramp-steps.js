// The steps of a planned ramp. Pure.

import { requestedAt } from './schedule.js';

/** @typedef {import('./schedule.js').Point} Point */
/** @typedef {{ step: number, fromNs: number, toNs: number, requested: number }} PlannedStep  step counts from 1 */

/** A line rises all the time: it is cut into parts of whole seconds, and into no more than these. */
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
