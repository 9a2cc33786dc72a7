// The rate that an open loop achieved, of the rate that was due, as the headline and the table of servers show it.

import { bareRate } from '../words/format.js';
import { figureOf } from './figures.js';
import { valueOf } from './value-of.js';

/**
 * @import { Figure } from './figures.js'
 * @import { ShownCase } from './value-of.js'
 */

/** The rate counts as achieved from this share on. */
const ACHIEVED = 0.99;

export const RATE = /** @type {Figure} */ (figureOf('rate'));
const DUE = /** @type {Figure} */ (figureOf('due rate'));

/**
 * @param {ShownCase} shown
 * @returns {{ text: string, isShort: boolean } | undefined} text: such as "7,113 of 200,000", or "200,000" where the
 *   rate was achieved; undefined in a closed loop
 */
export function achievedRate(shown) {
  const due = valueOf(DUE, shown).value;
  const rate = valueOf(RATE, shown).value;
  if (typeof due !== 'number' || typeof rate !== 'number') return undefined;
  const isShort = rate < ACHIEVED * due;
  return { text: `${bareRate(rate)}${isShort ? ` of ${bareRate(due)}` : ''}`, isShort };
}
