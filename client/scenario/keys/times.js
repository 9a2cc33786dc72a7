// Durations: the bounds of every key that holds one. Pure.

import { writeDuration } from '../../results/units.js';
import { mistake, writtenText } from '../mistakes.js';

const HOUR_NS = 3600e9;

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {unknown} raw as it was written
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function timeMistakes(scenario, where, raw) {
  /** @type {[string, number, {zero?: boolean, maxNs?: number}][]} */
  const rows = [
    [scenario.untilConfident ? 'untilConfident.maximum' : 'duration', scenario.durationNs, { maxNs: 24 * 7 * HOUR_NS }],
    ['warmup', scenario.warmupTransfers === null ? scenario.warmupNs : 0, { zero: true, maxNs: HOUR_NS }],
    ['warmupTimeout', scenario.warmupTransfers === null ? 1 : scenario.warmupNs, { maxNs: HOUR_NS }],
    ['ramp.every', scenario.ramp.everyNs, { maxNs: HOUR_NS }],
    ['pause', scenario.pauseNs, { zero: true, maxNs: HOUR_NS }],
    ['legGap', scenario.legGapNs, { zero: true, maxNs: HOUR_NS }],
    ['heartbeat', scenario.heartbeatNs, { zero: true, maxNs: HOUR_NS }],
    ['connectTimeout', scenario.connectTimeoutNs, { maxNs: HOUR_NS }],
    ['transferTimeout', scenario.transferTimeoutNs, { maxNs: HOUR_NS }],
    ['drainTimeout', scenario.drainTimeoutNs, { zero: true, maxNs: HOUR_NS }],
    ['busyPoll', scenario.busyPollNs, { zero: true, maxNs: HOUR_NS }],
    ['backoff.base', scenario.backoff.baseNs, { maxNs: HOUR_NS }],
    ['backoff.cap', scenario.backoff.capNs, { maxNs: HOUR_NS }],
  ];
  return rows.flatMap(([path, ns, { zero = false, maxNs = Infinity }]) => {
    if (ns === 0 && !zero) return [mistake(where, 'out-of-range', path, { value: ns }, `must be longer than 0s`)];
    return ns > maxNs
      ? [
          mistake(
            where,
            'out-of-range',
            path,
            { value: ns, max: maxNs },
            `${writtenText(raw, path) ?? writeDuration(ns)} is too long; at most ${writeDuration(maxNs)}`,
          ),
        ]
      : [];
  });
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function backoffMistakes({ backoff }, where) {
  if (backoff.capNs >= backoff.baseNs) return [];
  return [
    mistake(
      where,
      'cap-below-base',
      'backoff.cap',
      { base: backoff.baseNs, cap: backoff.capNs },
      `${writeDuration(backoff.capNs)} is less than backoff.base ` + `(${writeDuration(backoff.baseNs)})`,
    ),
  ];
}
