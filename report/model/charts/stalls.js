/** Where a server stalled, for figures over time: the spans, and marks at the longest of them. Pure. */
import { serverStalls } from '../../../client/judge/findings/stalls.js';
import { duration } from '../../../client/words/format.js';

/** @import { Leg, Panel, Sample } from '../../types.js' */

/** More labels of a leg would cover its curve. */
const MAX_MARKS = 4;

/** @param {Leg} leg @returns {Array<[number, number]>} in s since the leg's start; those that its findings name */
export const stallSpans = ({ samples }) =>
  serverStalls(samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs)).map(([from, to]) => [
    from / 1e9,
    to / 1e9,
  ]);

/**
 * @param {Leg[]} legs that are drawn over one another, or the only one
 * @param {number} [index] of the first among all legs
 * @returns {NonNullable<Panel['marks']>} at the beginning of the longest stalls of each
 */
export function stallMarks(legs, index = 0) {
  return legs.flatMap((leg, i) =>
    stallSpans(leg)
      .sort(([from, to], [other, end]) => end - other - (to - from))
      .slice(0, MAX_MARKS)
      .map(([from, to]) => ({
        axis: /** @type {const} */ ('x'),
        at: from,
        leg: index + i,
        label: `${legs.length > 1 ? `${leg.label}: ` : ''}no reply for ${duration((to - from) * 1e9, 2)}`,
      })),
  );
}

/**
 * @param {Array<[number, number]>} spans @param {Array<[number, number]>} more
 * @returns {Array<[number, number]>} both, in order; those that overlap or touch as one
 */
export function united(spans, more) {
  /** @type {Array<[number, number]>} */
  const all = [];
  for (const [from, to] of [...spans, ...more].sort((a, b) => a[0] - b[0])) {
    const last = all[all.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}
