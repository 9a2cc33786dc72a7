/** Silhouettes of the servers' response time distributions on a common logarithmic axis. */
import { Histogram } from '../../client/measure/histogram.js';
import { timedSamples } from '../../client/measure/leg-figures.js';
import { drawnAxis } from '../../client/judge/drawn-axis.js';

/** @import { PageLeg, Run } from '../types.js' */

/** Number of steps along the axis. */
const STEPS = 60;
/** Percentiles at the ends of the axis: single transfers beyond them would compress the others. */
const ENDS = [0.1, 99.9];
const MARKS = [50, 99];

/**
 * @typedef {{ heights: number[], marks: number[] }} Silhouette  heights: one for each step, 0..1 of the highest;
 *   marks: p50 and p99, 0..1 along the axis
 *
 * @param {Pick<Run, 'legs'>} run @param {PageLeg[]} cases
 * @returns {{ ticks: { at: number, value: number }[], of: Map<PageLeg, Silhouette> } | null} values in ns; of: all
 *   transfers of a case; null if there are fewer than two cases or no axis
 */
export function silhouettesOf({ legs }, cases) {
  const timesByCase = cases.flatMap((f) => {
    const times = Histogram.ofLines(
      f.shown.legs.flatMap((summary) => {
        const leg = legs.find(({ id }) => id === summary.id);
        return leg ? timedSamples(summary, leg.samples).map(({ histograms }) => histograms?.responseTime) : [];
      }),
    );
    return times.count > 0 ? [{ f, times }] : [];
  });
  const axis = drawnAxis(
    timesByCase.flatMap(({ times }) => times.percentiles(ENDS).map((value) => ({ value: Math.max(1, value) }))),
  );
  if (axis === undefined || timesByCase.length < 2) return null;
  const of = new Map(
    timesByCase.map(({ f, times }) => {
      /** @type {number[]} */
      const counts = Array(STEPS).fill(0);
      for (const [value, n] of times.values()) {
        const share = axis.shareOf(Math.max(1, value));
        if (share >= 0 && share < 1) counts[Math.floor(share * STEPS)] += n;
      }
      const largest = Math.max(...counts);
      return [f, { heights: counts.map((n) => n / largest), marks: times.percentiles(MARKS).map(axis.shareOf) }];
    }),
  );
  return { ticks: axis.ticks.map((value) => ({ at: axis.shareOf(value), value })), of };
}
