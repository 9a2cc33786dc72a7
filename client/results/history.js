// How the figures of a case went from run to run, and where they changed. Pure.

import { changePoints } from './change-points.js';

/**
 * @typedef {import('./run-digest.js').RunDigest} RunDigest
 * @typedef {{ run: string, startedAt: string, digest: RunDigest }} RecordedRun
 * @typedef {'perSecond' | 'p99Ns'} Figure
 * @typedef {object} Trend  of one case under one load
 * @property {string} name   of its runs
 * @property {string} label  of the case
 * @property {Figure} figure
 * @property {{ run: string, value: number }[]} points  the oldest first
 * @property {import('./change-points.js').ChangePoint[]} changes
 */

/** Fewer runs are no trend. */
const MIN_RUNS = 3;
/** Only the newest runs of a case are looked at. */
const MAX_RUNS = 100;

/**
 * @param {RecordedRun[]} runs in any order
 * @returns {Trend[]} those with the newest runs first
 */
export function trendsOf(runs) {
  /** @type {Map<string, { name: string, label: string, figure: Figure, points: Trend['points'] }>} */
  const found = new Map();
  for (const { run, digest } of [...runs].sort((a, b) => b.startedAt.localeCompare(a.startedAt))) {
    for (const { label, key, ...figures } of digest.cases) {
      for (const figure of /** @type {const} */ (['perSecond', 'p99Ns'])) {
        const value = figures[figure];
        if (value === undefined || !(value > 0)) continue;
        const id = JSON.stringify([digest.load, key, figure]);
        const trend = found.get(id) ?? { name: digest.name, label, figure, points: [] };
        if (trend.points.length < MAX_RUNS) trend.points.unshift({ run, value });
        found.set(id, trend);
      }
    }
  }
  return [...found.values()]
    .filter(({ points }) => points.length >= MIN_RUNS)
    .map((trend) => ({ ...trend, changes: changePoints(trend.points.map(({ value }) => value)) }));
}
