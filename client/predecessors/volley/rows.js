// Format `volley` of `logs export`: the rows of volley's experiments.

import { parseCpus } from '../../measure/cpu-list.js';
import { figuresOf } from '../../measure/leg-figures.js';

/** @import { LegOfRun, LegsFormat } from '../../commands/logs/formats.js' */

const NS_PER_US = 1000;

/**
 * @param {LegOfRun[]} legs
 * @returns {string} a heading and volley's rows, without incomplete legs: CPUs that the server is pinned to, or else
 *   all of the machine; mean and standard deviation of the response times in microseconds
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

/** @type {Record<string, LegsFormat>} */
export const formats = {
  volley: {
    description: 'rows "server clients cores mean stddev n" for plotting',
    filesOf: (legs) => [{ file: 'volley.dat', text: volleyRows(legs) }],
  },
};
