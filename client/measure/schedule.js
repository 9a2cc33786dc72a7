// Schedules: how many slots are requested at which time. A schedule is a list of points {atNs, slots, line}, `slots`
// cumulative: line = false jumps to `slots` at `atNs`, line = true rises or falls evenly from the point before.

/** @import { SchedulePoint } from '../../config/types.js' */

/** @typedef {SchedulePoint} Point */

/**
 * The number of steps of a ramp.
 * @param {number} connections
 * @param {number} add slots a step
 */
export function rampSteps(connections, add) {
  return Math.ceil(connections / add);
}

/**
 * A ramp as points: `add` slots at 0, every, 2 every, ...; with `spread` the same slots spaced evenly.
 * The ramp ends one `every` after the last step (`endNs`), whatever is open by then.
 * @param {number} connections
 * @param {{add: number, everyNs: number, spread: boolean}} ramp
 * @returns {{points: Point[], endNs: number}}
 */
export function rampSchedule(connections, { add, everyNs, spread }) {
  if (connections === 0) return { points: [], endNs: 0 };
  const steps = rampSteps(connections, add);
  const endNs = steps * everyNs;
  if (spread) {
    const atNs = Math.round((connections / add) * everyNs);
    return {
      points: [
        { atNs: 0, slots: 0, line: false },
        { atNs, slots: connections, line: true },
      ],
      endNs,
    };
  }
  const points = Array.from({ length: steps }, (_, step) => ({
    atNs: step * everyNs,
    slots: Math.min(connections, (step + 1) * add),
    line: false,
  }));
  return { points, endNs };
}

/**
 * The number of slots requested at a time; on a line a slot counts once its time has come.
 * @param {Point[]} schedule
 * @param {number} atNs
 */
export function requestedAt(schedule, atNs) {
  let requested = 0;
  let fromNs = 0;
  for (const point of schedule) {
    if (point.atNs > atNs) {
      if (!point.line) return requested;
      return requested + Math.trunc(((point.slots - requested) * (atNs - fromNs)) / (point.atNs - fromNs));
    }
    requested = point.slots;
    fromNs = point.atNs;
  }
  return requested;
}

/**
 * How many of the slots 0..slots-1 belong to a worker: slot i belongs to worker i mod workers.
 * @param {number} slots
 * @param {number} worker 0..workers-1
 * @param {number} workers
 */
export function slotsOf(slots, worker, workers) {
  return slots > worker ? Math.floor((slots - 1 - worker) / workers) + 1 : 0;
}

/**
 * How many of a leg's transfers a worker may begin: one, and a share of the others in proportion to its slots.
 * @param {number} transfers  no fewer than workers
 * @param {number} slots of all workers
 * @param {number} worker 0..workers-1
 * @param {number} workers
 */
export function transfersOf(transfers, slots, worker, workers) {
  let before = 0;
  for (let i = 0; i < worker; i += 1) before += slotsOf(slots, i, workers);
  const upTo = (/** @type {number} */ slotCount) => Math.floor(((transfers - workers) * slotCount) / slots);
  return 1 + upTo(before + slotsOf(slots, worker, workers)) - upTo(before);
}

/**
 * One worker's share of a schedule. At every point the shares add up to the whole; between the two ends of a line each
 * worker rises evenly by itself, so that the sum is less than `workers` away from the whole.
 * @param {Point[]} schedule
 * @param {number} worker 0..workers-1
 * @param {number} workers
 * @returns {Point[]}
 */
export function shareOf(schedule, worker, workers) {
  return schedule.map((point) => ({ ...point, slots: slotsOf(point.slots, worker, workers) }));
}
