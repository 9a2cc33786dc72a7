// Intervals that an engine had to extend over several seconds, because the JavaScript of its worker did not run. Pure.

import { warning } from '../words/warnings.js';

/**
 * @param {import('../measure/sample.js').Sample[]} samples of a leg
 * @returns {import('../words/warnings.js').Warning | null} null without any such interval
 */
export function mergedIntervalsWarning(samples) {
  const intervals = samples.reduce((sum, { mergedIntervals = 0 }) => sum + mergedIntervals, 0);
  return intervals === 0 ? null : warning('intervals-merged', { intervals });
}
