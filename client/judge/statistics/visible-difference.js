// How small a difference of throughput a comparison in slices will probably see, before anything is measured. Pure.
// An estimate, from what was seen on two virtual CPUs beside other tenants (2026-11-23, a server with itself and with another
// one, 100 to 10,000 connections): the ratio of two neighbouring slices of 100 ms scatters by 9 %, of 300 ms by 15 to 19 %, and
// of 1 s by 28 %, and the pairs are nearly independent.

import { plannedSlices } from '../../measure/slices.js';
import { quantile975 } from '../../measure/statistics.js';

const SCATTER = 0.09;
const SCATTER_AT_NS = 100e6;
/** Standard errors of a difference that four of five runs find: those of the interval, and 0.84. */
const FOUND_MOSTLY = 0.84;
/** Of an interval of 95 % by many blocks. */
const OF_BLOCKS = 1.96;

/**
 * @param {import('../../plan/plan.js').Leg[]} legs of a run
 * @param {number} rounds
 * @returns {number | null} as a share of the throughput, of the leg that sees least; null where none are in slices
 */
export function visibleDifference(legs, rounds) {
  const shares = legs.flatMap((leg) => {
    if (leg.slices === undefined) return [];
    const { lengthNs, starts } = leg.slices;
    const errors = FOUND_MOSTLY + (starts === 1 ? OF_BLOCKS : quantile975(2 * (starts - 1)));
    return (errors * SCATTER * Math.sqrt(lengthNs / SCATTER_AT_NS)) / Math.sqrt(rounds * plannedSlices(leg));
  });
  return shares.length === 0 ? null : Math.max(...shares);
}
