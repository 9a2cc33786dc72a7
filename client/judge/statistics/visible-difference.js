// How small a difference of throughput a comparison in slices will probably see, before anything is measured. Pure.
// An estimate, from what was seen on two virtual CPUs beside other tenants (2026-11-23, a server with itself and with another
// one, 100 to 10,000 connections): the ratio of two neighbouring slices of 100 ms scatters by 9 %, of 300 ms by 15 to 19 %, and
// of 1 s by 28 %, and the pairs are nearly independent.

import { plannedSlices } from '../../measure/slices.js';

const SCATTER = 0.09;
const SCATTER_AT_NS = 100e6;
/** Standard errors of a difference that four of five runs find at the level of 95 %: 1.96 + 0.84. */
const STANDARD_ERRORS = 2.8;

/**
 * @param {import('../../plan/plan.js').Leg[]} legs of a run
 * @param {number} rounds
 * @returns {number | null} as a share of the throughput, of the leg that sees least; null where none are in slices
 */
export function visibleDifference(legs, rounds) {
  const shares = legs.flatMap((leg) => {
    if (leg.slices === undefined) return [];
    const pairs = rounds * plannedSlices(leg);
    return (STANDARD_ERRORS * SCATTER * Math.sqrt(leg.slices.lengthNs / SCATTER_AT_NS)) / Math.sqrt(pairs);
  });
  return shares.length === 0 ? null : Math.max(...shares);
}
