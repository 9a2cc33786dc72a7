// Key `lifetime`: how long a connection lives. It ends as planned after a transfer, and its slot opens the next one
// immediately, or none. Pure.

import { parseDuration, writeDuration } from '../../results/units.js';
import { mistake } from '../mistakes.js';

/** @typedef {{transfers: number | null, timeNs: number | null, mostNs?: number, close: 'fin' | 'rst', reopen?: boolean}}
 * Lifetime timeNs: the age, or the least of a range up to mostNs, from which each connection draws its own */

const MAX_NS = 24 * 7 * 3600e9;

/** @param {any} raw valid by the schema @returns {Lifetime | null} null: for ever */
export function lifetimeOf({ transfers, time, close, reopen }) {
  if (transfers === undefined && time === undefined) return null;
  const [least, most] = (time ?? '').split('-');
  return {
    transfers: transfers ?? null,
    timeNs: time === undefined ? null : parseDuration(least),
    ...(most === undefined ? {} : { mostNs: parseDuration(most) }),
    close,
    reopen,
  };
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {any} raw as it was written
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function lifetimeMistakes({ lifetime, workload, heartbeatNs, rate }, where, raw) {
  if (lifetime === null) {
    return Object.entries(raw?.lifetime ?? {}).map(([key, value]) =>
      mistake(
        where,
        'lifetime-without-end',
        `lifetime.${key}`,
        { [key]: value },
        `${JSON.stringify(value)}, but nothing says when a connection is closed; give lifetime.transfers or lifetime.time`,
      ),
    );
  }
  const mistakes = [];
  if (lifetime.reopen === false && rate !== null) {
    mistakes.push(
      mistake(
        where,
        'reopen-and-rate',
        'lifetime.reopen',
        { reopen: false, rate },
        `false, but with rate (${rate}/s), duration determines when the leg ends; leave one of them out`,
      ),
    );
  }
  const { timeNs, mostNs = timeNs } = lifetime;
  const wrong = [timeNs, mostNs].find((ns) => ns !== null && !(ns > 0 && ns <= MAX_NS)) ?? null;
  if (wrong !== null) {
    mistakes.push(
      mistake(
        where,
        'out-of-range',
        'lifetime.time',
        { value: wrong, max: MAX_NS },
        `${writeDuration(wrong)} is not a time from more than 0s to ${writeDuration(MAX_NS)}`,
      ),
    );
  } else if (timeNs !== null && mostNs !== null && mostNs < timeNs) {
    mistakes.push(
      mistake(
        where,
        'range-reversed',
        'lifetime.time',
        { from: timeNs, to: mostNs },
        `${writeDuration(timeNs)}-${writeDuration(mostNs)} begins with the longer ` +
          'time; give the shorter one first',
      ),
    );
  }
  if (workload === 'once' || workload === 'reconnect') {
    mistakes.push(
      mistake(
        where,
        'key-not-for-workload',
        'lifetime',
        { workload },
        `a connection of workload "${workload}" has one transfer and is closed; give workload "continuous" or "hold", or ` +
          'leave lifetime out',
      ),
    );
  }
  if (workload === 'hold' && heartbeatNs === 0) {
    mistakes.push(
      mistake(
        where,
        'hold-without-heartbeat',
        'lifetime',
        { workload },
        'a connection ends after a transfer, and one that is held without a heartbeat has none; give heartbeat',
      ),
    );
  }
  return mistakes;
}

/**
 * @param {Lifetime | null} [lifetime]
 * @returns {{transfers: number, timeNs: number, spreadNs: number, reset: boolean, isFinal: boolean}} for the engine
 */
export function lifetimeForEngine(lifetime) {
  const { transfers = 0, timeNs = 0, mostNs, close = 'fin', reopen = true } = lifetime ?? {};
  return {
    transfers: transfers ?? 0,
    timeNs: timeNs ?? 0,
    spreadNs: (mostNs ?? timeNs ?? 0) - (timeNs ?? 0),
    reset: close === 'rst',
    isFinal: !reopen,
  };
}
