// Keys `warmup` and `warmupTimeout`: a warm-up by time, or by a number of transfers. Pure.

import { count } from '../../results/format.js';
import { parseDuration, writeDuration } from '../../results/units.js';
import { mistake, writtenText } from '../mistakes.js';

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
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function warmupMistakes(scenario, where, raw) {
  const { warmupNs, warmupTransfers, workload, heartbeatNs, rateProfile, connectionsProfile, transfers, lifetime } =
    scenario;
  const given = warmupTransfers === null ? writeDuration(warmupNs) : count(warmupTransfers);
  const bound = writtenText(raw, 'warmupTimeout');
  const mistakes = [];
  if (bound !== undefined && warmupTransfers === null) {
    mistakes.push(
      mistake(
        where,
        'timeout-without-count',
        'warmupTimeout',
        { warmupTimeout: bound },
        `${bound} belongs to a warm-up by number of transfers, but warmup is ${given}; leave it out, or give warmup a whole ` +
          'number, such as 10000',
      ),
    );
  }
  if (transfers !== null && warmupTransfers !== null && warmupTransfers >= transfers) {
    mistakes.push(
      mistake(
        where,
        'warmup-takes-all',
        'warmup',
        { warmupTransfers, transfers },
        `${given} transfers, but a leg has ${count(transfers)} in all (transfers), including the warm-up, so none would ` +
          'be left to measure; give a smaller warmup, or more transfers',
      ),
    );
  }
  const lifelong = lifetime?.reopen === false && lifetime.transfers !== null ? lifetime.transfers : null;
  const inAll = lifelong === null ? null : lifelong * scenario.connections;
  if (lifelong !== null && inAll !== null && warmupTransfers !== null && warmupTransfers >= inAll) {
    mistakes.push(
      mistake(
        where,
        'warmup-takes-all',
        'warmup',
        { warmupTransfers, transfers: inAll },
        `${given} transfers, but ${count(scenario.connections)} connections with ${count(lifelong)} each ` +
          `(lifetime.transfers, without reopen) have ${count(inAll)} in all, so none would be left to measure; give a ` +
          'smaller warmup, or more transfers',
      ),
    );
  }
  if (workload === 'once' && warmupNs > 0) {
    mistakes.push(
      mistake(
        where,
        'key-not-for-workload',
        'warmup',
        { workload },
        `${given}, but in workload "once" each connection has only one transfer; leave warmup out`,
      ),
    );
  } else if (workload === 'hold' && heartbeatNs === 0 && warmupTransfers !== null) {
    mistakes.push(
      mistake(
        where,
        'hold-without-heartbeat',
        'warmup',
        { workload },
        `${given} transfers, but workload "hold" without a heartbeat has none; give a time, such as 5s, or heartbeat`,
      ),
    );
  }
  if ((rateProfile ?? connectionsProfile) !== null && warmupTransfers !== null) {
    mistakes.push(
      mistake(
        where,
        'warmup-count-with-profile',
        'warmup',
        { warmupTransfers },
        `${given} transfers, but a profile must know when the steady state begins; give a time, such as 5s`,
      ),
    );
  }
  return mistakes;
}
