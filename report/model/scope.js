/** Texts for the span that response times and rates cover. */
import { coverageOf } from '../../client/measure/leg-figures.js';

/** @import { PageLeg } from '../types.js' */

/** Text for a leg without a steady state. */
const WHOLE = 'whole measurement';

/** @param {PageLeg} f @returns {string} the span that the leg's figures cover */
export function spanText({ summary }) {
  const covers = coverageOf(summary);
  return covers === 'whole leg' ? WHOLE : covers;
}

/** @param {PageLeg[]} results of a run @returns {string} */
export function scopeText(results) {
  const ran = results.filter((f) => f.ran);
  if (ran.some((f) => f.workload === 'once')) return WHOLE;
  if (ran.every((f) => coverageOf(f.summary) === 'steady state')) return 'steady state';
  const before = ran.find((f) => coverageOf(f.summary) === 'warm-up') ? 'warm-up' : 'ramp';
  return ran.every((f) => coverageOf(f.summary) !== 'steady state')
    ? before
    : `steady state, or the ${before} of a measurement that ended in it`;
}

/** @param {string} text @returns {string} */
export const capital = (text) => text[0].toUpperCase() + text.slice(1);
