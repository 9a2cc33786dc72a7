/** How the response times of each server are distributed, as a silhouette on one logarithmic axis for all. Pure. */
import { Histogram } from '../../client/measure/histogram.js';
import { timedSamples } from '../../client/measure/leg-figures.js';
import { drawnAxis } from '../../client/judge/drawn-axis.js';

/** @import { PageLeg, Run } from '../types.js' */

/** Steps of equal ratio along the axis. */
const STEPS = 60;
/** Percentiles between which the axis lies: single transfers beyond would press the others together. */
const ENDS = [0.1, 99.9];
const MARKS = [50, 99];

/**
 * @typedef {{ heights: number[], marks: number[] }} Silhouette  heights: of each step, 0..1 of the highest; marks: p50
 *   and p99, in shares of the axis
 *
 * @param {Pick<Run, 'legs'>} run @param {PageLeg[]} cases
 * @returns {{ ticks: { at: number, value: number }[], of: Map<PageLeg, Silhouette> } | null} of all transfers of a
 *   case, in ns; null where no axis is worth drawing
 */
export function silhouettesOf({ legs }, cases) {
  const all = cases.flatMap((f) => {
    const times = Histogram.ofLines(
      f.shown.legs.flatMap((summary) => {
        const leg = legs.find(({ id }) => id === summary.id);
        return leg ? timedSamples(summary, leg.samples).map(({ histograms }) => histograms?.responseTime) : [];
      }),
    );
    return times.count > 0 ? [{ f, times }] : [];
  });
  const axis = drawnAxis(
    all.flatMap(({ times }) => times.percentiles(ENDS).map((value) => ({ value: Math.max(1, value) }))),
  );
  if (axis === undefined || all.length < 2) return null;
  const of = new Map(
    all.map(({ f, times }) => {
      /** @type {number[]} */
      const counts = Array(STEPS).fill(0);
      for (const [value, n] of times.values()) {
        const share = axis.shareOf(Math.max(1, value));
        if (share >= 0 && share < 1) counts[Math.floor(share * STEPS)] += n;
      }
      const most = Math.max(...counts);
      return [f, { heights: counts.map((n) => n / most), marks: times.percentiles(MARKS).map(axis.shareOf) }];
    }),
  );
  return { ticks: axis.ticks.map((value) => ({ at: axis.shareOf(value), value })), of };
}
