// Keys `warmup` and `warmupTimeout`: a warm-up by time, or by a number of transfers. Pure.

import { parseDuration } from '../../words/units.js';

const DEFAULT_TIMEOUT_NS = 60e9;

/**
 * @param {Pick<import('../scenario.js').Written, 'warmup' | 'warmupTimeout'>} raw
 * @returns {{warmupNs: number, warmupTransfers: number | null}}
 */
export function warmupOf({ warmup, warmupTimeout }) {
  if (typeof warmup === 'string') return { warmupNs: parseDuration(warmup), warmupTransfers: null };
  return {
    warmupNs: warmupTimeout === undefined ? DEFAULT_TIMEOUT_NS : parseDuration(warmupTimeout),
    warmupTransfers: warmup,
  };
}
