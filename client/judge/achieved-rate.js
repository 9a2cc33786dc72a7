// How much of the rate of an open loop was achieved. Pure; headline and table of servers show it.

import { bareRate } from '../words/format.js';
import { figureOf } from './figures.js';
import { valueOf } from './value-of.js';

/**
 * @import { Figure } from './figures.js'
 * @import { ShownCase } from './value-of.js'
 */

/** From this share of the rate on it was achieved. */
const ACHIEVED = 0.99;

export const RATE = /** @type {Figure} */ (figureOf('rate'));
const DUE = /** @type {Figure} */ (figureOf('due rate'));

/**
 * @param {ShownCase} shown
 * @returns {{ text: string, isShort: boolean } | undefined} such as "7,113 of 200,000", without the rest where that is
 *   nearly the whole; undefined of a closed loop
 */
export function achievedRate(shown) {
  const due = valueOf(DUE, shown).value;
  const rate = valueOf(RATE, shown).value;
  if (typeof due !== 'number' || typeof rate !== 'number') return undefined;
  const isShort = rate < ACHIEVED * due;
  return { text: `${bareRate(rate)}${isShort ? ` of ${bareRate(due)}` : ''}`, isShort };
}
