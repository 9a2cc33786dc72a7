// Keys `warmup` and `warmupTimeout`: a warm-up by time, or by a number of transfers. In open loop nothing is sent in
// the ramp: without a warm-up, the first replies of the steady state would be those of a server that compiles,
// allocates and fills its caches.

import { parseDuration } from '../../words/units.js';

/** @import { Written } from '../scenario.js' */

const DEFAULT_TIMEOUT_NS = 60e9;
const DEFAULT_WARMUP_NS = 5e9;

/** @param {number} durationNs of the steady state @returns {number} warm-up of a cold open loop, ns */
export const openWarmupNs = (durationNs) => Math.min(DEFAULT_WARMUP_NS, durationNs);

/**
 * @param {Written} raw
 * @returns {boolean} whether requests begin after the ramp, at a constant rate; a profile has a beginning of its own
 */
const beginsCold = ({ rate, connections, workload, find }) =>
  (typeof rate === 'string' || (rate === undefined && find?.maximise === 'rate')) &&
  typeof connections === 'number' &&
  (workload === 'continuous' || workload === 'reconnect');

/**
 * @param {Written} raw
 * @returns {{warmupNs: number, warmupTransfers: number | null}}
 */
export function warmupOf(raw) {
  const { warmup, warmupTimeout, duration } = raw;
  if (warmup === undefined) {
    const warmupNs = beginsCold(raw) ? openWarmupNs(parseDuration(duration)) : 0;
    return { warmupNs, warmupTransfers: null };
  }
  if (typeof warmup === 'string') return { warmupNs: parseDuration(warmup), warmupTransfers: null };
  return {
    warmupNs: warmupTimeout === undefined ? DEFAULT_TIMEOUT_NS : parseDuration(warmupTimeout),
    warmupTransfers: warmup,
  };
}
