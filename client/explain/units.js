// What a profiled leg contributes to a comparison: the CPU time per request of its server and the samples taken in its
// steady state, or in stretches of it.

import { attributed } from '../judge/explained/functions.js';

/**
 * @import { Unit } from '../judge/explained/difference.js'
 * @import { Frame, FunctionNames, StackSample } from '../judge/explained/functions.js'
 */

/** Stretches of a leg whose server was started once. */
const STRETCHES = 10;

/**
 * @typedef {object} ProfiledLeg
 * @property {number | undefined} costNs  CPU time per request that is explained; undefined: not known
 * @property {number} fromNs  its steady state, CLOCK_MONOTONIC
 * @property {number} toNs
 * @property {StackSample[]} samples
 * @property {number} [sampleNs]  CPU time per request of one sample; undefined: its share of `costNs`
 */

/** @param {Pick<ProfiledLeg, 'fromNs' | 'toNs' | 'samples'>} leg @returns {StackSample[]} of its steady state */
export const steadySamples = ({ fromNs, toNs, samples }) =>
  samples.filter(({ timeNs }) => timeNs >= fromNs && timeNs < toNs);

/**
 * @param {ProfiledLeg} leg @param {FunctionNames} names @param {number} side of the comparison
 * @returns {Unit | undefined} undefined where its cost is not known, or no sample was taken
 */
export function unitOf(leg, names, side) {
  const { costNs } = leg;
  const samples = steadySamples(leg);
  if (costNs === undefined || samples.length === 0) return undefined;
  /** @type {Unit} */
  const unit = {
    ...{ costNs, sampleNs: leg.sampleNs ?? costNs / samples.length, samples: samples.length },
    ...{ self: new Map(), total: new Map(), callers: new Map() },
  };
  /** @type {Map<Frame[], string[]>} */
  const keysOf = new Map();
  for (const { stack } of samples) {
    const keys = keysOf.get(stack) ?? attributed(stack).map((frame) => names.of(frame, side).key);
    keysOf.set(stack, keys);
    const [self, caller] = keys.slice(-2).reverse();
    countIn(unit.self, self);
    for (const key of new Set(keys)) countIn(unit.total, key);
    if (caller === undefined) continue;
    const callers = unit.callers.get(self) ?? new Map();
    unit.callers.set(self, callers);
    countIn(callers, caller);
  }
  return unit;
}

/** @param {Map<string, number>} counts @param {string} key */
const countIn = (counts, key) => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** @param {ProfiledLeg} leg @returns {ProfiledLeg[]} stretches as long as each other */
export function stretchesOf(leg) {
  const { fromNs, toNs, sampleNs } = leg;
  const at = (/** @type {number} */ i) => fromNs + (i * (toNs - fromNs)) / STRETCHES;
  return Array.from({ length: STRETCHES }, (_, i) => ({
    ...{ ...leg, fromNs: at(i), toNs: at(i + 1) },
    sampleNs: sampleNs && STRETCHES * sampleNs, // each has as many requests
  }));
}
