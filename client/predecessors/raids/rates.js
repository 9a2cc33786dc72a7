// Format `rates` of `logs export`: files with lines `N RATE`, as the scripts of raids read them.

import { figuresOf } from '../../measure/leg-figures.js';

/**
 * @import { ServerOptions } from '../../../config/types.js'
 * @import { LegOfRun, LegsFormat } from '../../commands/logs/formats.js'
 */

/** @param {LegOfRun['planned']} leg @returns {ServerOptions | null} null: the leg starts no named server */
const optionsOf = ({ server }) => (server?.kind === 'named' ? server.options : null);

/** What N may be, and its value in a leg. @type {Record<string, (leg: LegOfRun) => unknown>} */
const AXES = {
  instances: ({ planned }) => planned.instances ?? 1,
  threads: ({ planned }) => optionsOf(planned)?.threads,
  processes: ({ planned }) => optionsOf(planned)?.processes,
  workers: ({ planned }) => planned.workers,
  connections: ({ planned }) => planned.connections,
};

const axisNames = Object.keys(AXES);

/** @param {LegOfRun} legOfRun @param {string} axis @returns {number | undefined} */
function valueOf(legOfRun, axis) {
  const value = legOfRun.leg.axes?.[axis] ?? AXES[axis]?.(legOfRun);
  return typeof value === 'number' ? value : undefined;
}

/**
 * The axis that legs are plotted against by default.
 * @param {LegOfRun[]} legs
 * @returns {string} the first swept number, else the first axis in which the legs differ, else `connections`
 */
export function defaultAxis(legs) {
  const swept = legs.flatMap(({ leg }) => Object.entries(leg.axes ?? {}));
  const numeric = swept.find(([, value]) => typeof value === 'number');
  if (numeric !== undefined) return numeric[0];
  const differs = (/** @type {string} */ axis) => {
    const values = legs.map((leg) => valueOf(leg, axis));
    return !values.includes(undefined) && new Set(values).size > 1;
  };
  return axisNames.find(differs) ?? 'connections';
}

/**
 * @param {LegOfRun} legOfRun @param {string} axis
 * @returns {string} the label without the value of the axis: `kernel 4`, `kernel, 4 instances` and `kernel (instances
 *   4)` are points of `kernel`
 */
function seriesOf(legOfRun, axis) {
  const { label, series } = legOfRun.leg;
  const value = valueOf(legOfRun, axis);
  const word = axis.replace(/s$/, 's?');
  const end = new RegExp(`[\\s,(]+(?:${word}\\s+${value}|${value}(?:\\s+${word})?)\\)?$`);
  return series ?? (label.replace(end, '') || label);
}

/**
 * @param {LegOfRun[]} legs
 * @param {string} axis whose value is N
 * @returns {{ series: string, text: string }[]} one file per series: lines `N RATE`, N ascending, rates in transfers
 *   per second; without incomplete legs and legs without a number on the axis
 */
export function rateFiles(legs, axis) {
  /** @type {Map<string, [number, number][]>} */
  const lines = new Map();
  for (const legOfRun of legs) {
    const n = valueOf(legOfRun, axis);
    const perSecond = figuresOf(legOfRun.leg)?.perSecond;
    if (n === undefined || perSecond === undefined || !legOfRun.leg.complete) continue;
    const series = seriesOf(legOfRun, axis);
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
    filesOf: (legs, by = defaultAxis(legs)) =>
      rateFiles(legs, by).map(({ series, text }) => ({ file: fileOf(series), text })),
  },
};
