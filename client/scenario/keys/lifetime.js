// Key `lifetime`: how long a connection lives. It ends as planned after a transfer; its slot then opens the next
// connection immediately, or none.

import { parseDuration } from '../../words/units.js';

/** @import { Written } from '../scenario.js' */

/** @typedef {{transfers: number | null, timeNs: number | null, reopen?: boolean}} Lifetime */

/** @param {Written['lifetime']} raw @returns {Lifetime | null} null: for ever */
export function lifetimeOf({ transfers, time, reopen }) {
  if (transfers === undefined && time === undefined) return null;
  return { transfers: transfers ?? null, timeNs: time === undefined ? null : parseDuration(time), reopen };
}
