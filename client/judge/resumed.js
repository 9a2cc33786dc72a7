// The warning of a run that was resumed after an interruption. Pure.

import { warning } from '../words/warnings.js';

/**
 * @param {{ at: string, legs: string[], changed: string[] }} part @param {number} planned legs of the run
 * @returns {import('../words/warnings.js').Warning}
 */
export const resumedWarning = ({ at, legs, changed }, planned) =>
  warning('run-resumed', { at, legs, planned, changed });
