// Key `lifetime`: how long a connection lives. It ends as planned after a transfer, and its slot opens the next one
// immediately, or none. Pure.

import { parseDuration } from '../../words/units.js';

/** @typedef {{transfers: number | null, timeNs: number | null, mostNs?: number, close: 'fin' | 'rst', reopen?: boolean}}
 * Lifetime timeNs: the age, or the least of a range up to mostNs, from which each connection draws its own */

/** @param {import('../scenario.js').Written['lifetime']} raw @returns {Lifetime | null} null: for ever */
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
