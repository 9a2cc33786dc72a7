// Format `rates` of `logs export`: rates against the number of something, as the scripts of raids read them (`N RATE`).
// Pure.

import { figuresOf } from '../../measure/leg-figures.js';

/**
 * @import { ServerOptions } from '../../../config/types.js'
 * @import { LegOfRun, LegsFormat } from '../../commands/logs/formats.js'
 */

/** @param {LegOfRun['planned']} leg @returns {ServerOptions | null} null: it starts no server of ours */
const optionsOf = ({ server }) => (server?.kind === 'named' ? server.options : null);

/** What N may be, and where a leg has it. @type {Record<string, (leg: LegOfRun) => unknown>} */
const AXES = {
  instances: ({ planned }) => planned.instances ?? 1,
  threads: ({ planned }) => optionsOf(planned)?.threads,
  processes: ({ planned }) => optionsOf(planned)?.processes,
  workers: ({ planned }) => planned.workers,
  connections: ({ planned }) => planned.connections,
};

const axisNames = Object.keys(AXES);

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
 * @returns {string} the label without the value of the axis: `kernel 4`, `kernel, 4 instances` and `kernel (instances
 *   4)` are points of `kernel`
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
 * @returns {{ series: string, text: string }[]} a file each: lines `N RATE`, N ascending, rates in transfers per
 *   second; legs that are incomplete or have no such number are not in it
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

/** @param {string} series @returns {string} a name for its file */
const fileOf = (series) => `${series.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '') || 'leg'}.dat`;

/** @type {Record<string, LegsFormat>} */
export const formats = {
  rates: {
    description: 'files with lines "N RATE" for plotting, one for each label',
    by: axisNames,
    filesOf: (legs, by = usualAxis(legs)) =>
      rateFiles(legs, by).map(({ series, text }) => ({ file: fileOf(series), text })),
  },
};
