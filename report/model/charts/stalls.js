/** Stalls of a server in charts over time: their spans, and marks at the longest ones. */
import { serverStalls } from '../../../client/judge/findings/stalls.js';
import { duration } from '../../../client/words/format.js';

/** @import { Leg, Panel, Sample } from '../../types.js' */

/** Marks of a leg. */
const MAX_MARKS = 4;

/** @param {Leg} leg @returns {Array<[number, number]>} spans in s since the leg's start, as in its findings */
export const stallSpans = ({ samples }) =>
  serverStalls(samples.filter(({ phase, fromNs, toNs }) => phase === 'steady' && toNs > fromNs)).map(([from, to]) => [
    from / 1e9,
    to / 1e9,
  ]);

/**
 * @param {Leg} leg
 * @returns {NonNullable<Panel['marks']>} at the start of the longest stalls; only the longest has a label, since more
 *   would cover the curve
 */
export function stallMarks(leg) {
  const length = (/** @type {[number, number]} */ [from, to]) => to - from;
  const spans = stallSpans(leg)
    .sort((a, b) => length(b) - length(a))
    .slice(0, MAX_MARKS);
  return spans.map((span, i) => ({
    ...{ axis: /** @type {const} */ ('x'), at: span[0], isFailure: /** @type {const} */ (true) },
    label: i === 0 ? `no reply for ${duration(length(span) * 1e9, 2)}` : '',
  }));
}

/**
 * @param {Array<[number, number]>} spans @param {Array<[number, number]>} more
 * @returns {Array<[number, number]>} the spans of both lists in order; overlapping and adjacent ones merged
 */
export function united(spans, more) {
  /** @type {Array<[number, number]>} */
  const merged = [];
  for (const [from, to] of [...spans, ...more].sort((a, b) => a[0] - b[0])) {
    const last = merged[merged.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
