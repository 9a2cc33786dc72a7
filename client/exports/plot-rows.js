// Rows for plotting, made of the legs of one or more runs: rates against the number of something, as the scripts of
// many-instance benchmarks read them (`N RATE`), and rows of volley's experiments. Pure.

import { figuresOf } from '../measure/leg-figures.js';
import { parseCpus } from '../measure/cpu-list.js';

/**
 * @typedef {Record<string, any>} LegSummary
 * @typedef {Record<string, any>} PlannedLeg
 * @typedef {{ leg: LegSummary, planned: PlannedLeg, cores: number }} LegOfRun  cores: of the machine
 */

const NS_PER_US = 1000;

/** What N may be, and where a leg has it. @type {Record<string, (leg: LegOfRun) => unknown>} */
const AXES = {
  instances: ({ planned }) => planned.instances ?? 1,
  threads: ({ planned }) => planned.server?.options?.threads,
  processes: ({ planned }) => planned.server?.options?.processes,
  workers: ({ planned }) => planned.workers,
  connections: ({ planned }) => planned.connections,
};

export const axisNames = Object.keys(AXES);

/** @param {LegOfRun} one @param {string} axis @returns {number | undefined} */
function valueOf(one, axis) {
  const value = one.leg.axes?.[axis] ?? AXES[axis]?.(one);
  return typeof value === 'number' ? value : undefined;
}

/**
 * The axis that legs are plotted against where none is named.
 * @param {LegOfRun[]} legs
 * @returns {string} what a sweep varies, else the first in which the legs differ, else the connections
 */
export function usualAxis(legs) {
  const swept = legs.flatMap(({ leg }) => Object.entries(leg.axes ?? {}));
  const numeric = swept.find(([, value]) => typeof value === 'number');
  if (numeric !== undefined) return numeric[0];
  const differs = (/** @type {string} */ axis) => {
    const values = legs.map((one) => valueOf(one, axis));
    return !values.includes(undefined) && new Set(values).size > 1;
  };
  return axisNames.find(differs) ?? 'connections';
}

/**
 * @param {LegOfRun} one @param {string} axis
 * @returns {string} the label without the value of the axis: `kernel 4`, `kernel, 4 instances` and `kernel (instances 4)`
 *   are points of `kernel`
 */
function seriesOf(one, axis) {
  const { label, series } = one.leg;
  const value = valueOf(one, axis);
  const word = axis.replace(/s$/, 's?');
  const end = new RegExp(`[\\s,(]+(?:${word}\\s+${value}|${value}(?:\\s+${word})?)\\)?$`);
  return series ?? (label.replace(end, '') || label);
}

/**
 * @param {LegOfRun[]} legs
 * @param {string} axis that N is of
 * @returns {{ series: string, text: string }[]} a file each: lines `N RATE`, N ascending, rates in transfers per second;
 *   legs that are incomplete or have no such number are not in it
 */
export function rateFiles(legs, axis) {
  /** @type {Map<string, [number, number][]>} */
  const lines = new Map();
  for (const one of legs) {
    const n = valueOf(one, axis);
    const perSecond = figuresOf(one.leg)?.perSecond;
    if (n === undefined || perSecond === undefined || !one.leg.complete) continue;
    const series = seriesOf(one, axis);
    lines.set(series, [...(lines.get(series) ?? []), [n, perSecond]]);
  }
  return [...lines].map(([series, points]) => ({
    series,
    text: points
      .sort(([a], [b]) => a - b)
      .map(([n, perSecond]) => `${n} ${perSecond.toFixed(2)}\n`)
      .join(''),
  }));
}

/**
 * @param {LegOfRun[]} legs
 * @returns {string} volley's rows under a heading: the CPUs are those of the server, all of the machine's where it is not
 *   bound; mean and standard deviation of the response times in microseconds. Incomplete legs are not in it
 */
export function volleyRows(legs) {
  const rows = legs.flatMap(({ leg, planned, cores }) => {
    const times = figuresOf(leg)?.responseTimeNs;
    if (!leg.complete || !times) return [];
    const cpus = parseCpus(leg.pin?.server ?? '')?.length ?? cores;
    const [mean, deviation] = [times.mean, times.stddev].map((ns) => (ns / NS_PER_US).toFixed(2));
    const server = (leg.series ?? leg.label).replace(/\s+/g, '-');
    return [`${server} ${planned.connections} ${cpus} ${mean} ${deviation} ${times.count}\n`];
  });
  return ['server clients cores mean stddev n\n', ...rows].join('');
}
