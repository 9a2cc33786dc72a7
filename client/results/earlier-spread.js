// By how much measurements of the same server on this machine differ, as earlier runs show. Pure.
// The one thing to know: it is a typical difference, between the highest and the lowest of the same, not a bound. It says
// how little a difference between two servers that were measured once may mean.

import { casesOf } from './cases.js';
import { medianOf } from './statistics/order-statistics.js';

/**
 * @typedef {{ summary: Record<string, any>, environment: Record<string, any> }} EarlierRun
 * @typedef {{ spread: number, runs: number }} EarlierSpread  spread: highest / lowest - 1; runs: those that it is known from
 */

/** What distinguishes machines, as far as environment.json says it. */
const MACHINE = ['cpu', 'cores', 'memoryBytes'];

/** @param {Record<string, any>} a @param {Record<string, any>} b environments @returns {boolean} */
const isSameMachine = (a, b) => MACHINE.every((key) => a[key] !== undefined && a[key] === b[key]);

/**
 * @param {EarlierRun[]} runs @param {Record<string, any>} environment of this run
 * @param {import('./comparisons.js').FigureName} figure
 * @returns {EarlierSpread | undefined} the median over what was measured several times: in rounds of one run, or once in each of
 *   several runs of the same load; undefined where nothing was
 */
export function earlierSpread(runs, environment, figure) {
  /** @type {Map<string, { run: string, value: number }[]>} */
  const measured = new Map();
  for (const { summary, environment: own } of runs) {
    if (!isSameMachine(own, environment)) continue;
    for (const { label, axes, figures } of summary.cases ?? casesOf(summary.legs)) {
      const values = (figures[figure]?.values ?? []).filter((/** @type {number | null} */ value) => Number(value) > 0);
      // rounds of a run are compared with each other alone: they were measured under the same conditions
      const of = values.length > 1 ? summary.run : null;
      const key = JSON.stringify([of, summary.scenario, summary.config, label, axes]);
      const found = values.map((/** @type {number} */ value) => ({ run: summary.run, value }));
      measured.set(key, [...(measured.get(key) ?? []), ...found]);
    }
  }
  const repeated = [...measured.values()].filter((group) => group.length > 1);
  if (repeated.length === 0) return undefined;
  const spreads = repeated.map((group) => {
    const values = group.map(({ value }) => value);
    return Math.max(...values) / Math.min(...values) - 1;
  });
  return { spread: medianOf(spreads), runs: new Set(repeated.flat().map(({ run }) => run)).size };
}
