// Keys `warmup` and `warmupTimeout`: a warm-up by time, or by a number of transfers. Pure.

import { formatCount, formatDuration, parseDuration } from '../../results/units.js';
import { writtenText } from '../mistakes.js';

const DEFAULT_TIMEOUT_NS = 60e9;

/**
 * @param {any} raw valid by the schema
 * @returns {{warmupNs: number, warmupTransfers: number | null}}
 */
export function warmupOf({ warmup, warmupTimeout }) {
  if (typeof warmup === 'string') return { warmupNs: parseDuration(warmup), warmupTransfers: null };
  return {
    warmupNs: warmupTimeout === undefined ? DEFAULT_TIMEOUT_NS : parseDuration(warmupTimeout),
    warmupTransfers: warmup,
  };
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {unknown} raw as it was written
 * @returns {string[]} one sentence for each mistake
 */
export function warmupMistakes(scenario, where, raw) {
  const { warmupNs, warmupTransfers, workload, heartbeatNs, rateProfile, connectionsProfile, transfers } = scenario;
  const asked = warmupTransfers === null ? formatDuration(warmupNs) : formatCount(warmupTransfers);
  const bound = writtenText(raw, 'warmupTimeout');
  const mistakes = [];
  if (bound !== undefined && warmupTransfers === null) {
    mistakes.push(
      `${where('warmupTimeout')}: ${bound} belongs to a warm-up of so many transfers, and warmup is ${asked}; ` +
        'take it away, or give warmup a whole number, such as 10000',
    );
  }
  if (transfers !== null && warmupTransfers !== null && warmupTransfers >= transfers) {
    mistakes.push(
      `${where('warmup')}: ${asked} transfers, and a leg has ${formatCount(transfers)} in all (transfers), the ` +
        "warm-up's included, so that none would be left to measure; give a smaller warmup, or more transfers",
    );
  }
  if (workload === 'once' && warmupNs > 0) {
    mistakes.push(
      `${where('warmup')}: ${asked}, and in workload "once" each connection has one transfer, none before it; ` +
        'leave warmup out',
    );
  } else if (workload === 'hold' && heartbeatNs === 0 && warmupTransfers !== null) {
    mistakes.push(
      `${where('warmup')}: ${asked} transfers, and workload "hold" without a heartbeat has none; give a time, ` +
        'such as 5s, or heartbeat',
    );
  }
  if ((rateProfile ?? connectionsProfile) !== null && warmupTransfers !== null) {
    mistakes.push(
      `${where('warmup')}: ${asked} transfers, and when they are answered nobody knows before: a profile needs to ` +
        'know when the steady state begins; give a time, such as 5s',
    );
  }
  return mistakes;
}
