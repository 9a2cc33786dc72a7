// Orders the legs of a run: every case once in each round. With several rounds the order within each is random by the
// seed, so that no server always runs first or after the same other server. Servers at the same point stay next to each
// other, so that legs that are compared are close in time.

import { pointsOf } from '../judge/comparisons.js';
import { seededRandom, shuffled } from '../measure/random.js';
import { slugOf } from '../words/slug.js';

/** @import { Axes } from '../../config/types.js' */

/**
 * @template {{case: string, axes: Axes}} T
 * @param {T[]} cases in the order of the scenario
 * @param {{rounds: number, seed: number}} scenario
 * @returns {(T & {round: number})[]} one round after another; one round alone keeps the scenario's order
 */
export function inRounds(cases, { rounds, seed }) {
  const random = seededRandom(seed);
  return Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) => {
    const order = rounds === 1 ? cases : shuffled(pointsOf(cases), random).flatMap((point) => shuffled(point, random));
    return order.map((entry) => ({ ...entry, round }));
  });
}

/** @param {string} label of a case @returns {string} its id, unless another case has it */
export const caseIdOf = (label) => slugOf(label) || 'leg';

/**
 * @template {{label: string}} T
 * @param {T[]} cases in the order of the scenario
 * @returns {(T & {case: string})[]} with their ids, all different
 */
export function withCaseIds(cases) {
  /** @type {Set<string>} */
  const taken = new Set();
  return cases.map((entry) => {
    const slug = caseIdOf(entry.label);
    let id = slug;
    for (let n = 2; taken.has(id); n += 1) id = `${slug}-${n}`;
    taken.add(id);
    return { case: id, ...entry };
  });
}
