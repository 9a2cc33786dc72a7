// What the server used during a leg: memory, threads, processes, context switches. Pure.

import { present } from './sums.js';

/** @typedef {import('./sample.js').Sample} Sample */

/** @param {Sample[]} samples */
export function serverUseOf(samples) {
  const uses = samples.flatMap(({ server }) => (server ? [server] : []));
  if (uses.length === 0) return undefined;
  return {
    peakRssBytes: Math.max(...uses.map(({ rssBytes }) => rssBytes)),
    threads: Math.max(...uses.map(({ threads }) => threads)),
    processes: Math.max(...uses.map(({ processes }) => processes)),
    ...present('contextSwitchesPerSecond', switchesOf(samples)),
  };
}

/**
 * Of the whole leg: a reading belongs to the sample at whose end it is taken, and two short ones share it.
 * @param {Sample[]} samples
 * @returns {import('../machine/usage.js').Switches | undefined} a second; undefined where one of its seconds has none
 */
function switchesOf(samples) {
  const timed = samples.filter(({ fromNs, toNs, phase }) => toNs > fromNs && phase !== 'drain');
  const all = timed.flatMap(({ server }) => server?.contextSwitches ?? []);
  if (timed.length === 0 || all.length < timed.length) return undefined;
  const seconds = timed.reduce((sum, { fromNs, toNs }) => sum + (toNs - fromNs) / 1e9, 0);
  return {
    voluntary: all.reduce((sum, { voluntary }) => sum + voluntary, 0) / seconds,
    involuntary: all.reduce((sum, { involuntary }) => sum + involuntary, 0) / seconds,
  };
}
