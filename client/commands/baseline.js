// The options of `compare` and `stress --baseline`: the run that is compared with, and how much worse is tolerated.

import { UsageError } from '../errors.js';

/** @import { Options } from 'yargs' */

/** @typedef {{ run: string, tolerance: number | null }} BaselineOption  run: an id, a part of it, a name or a folder */

/** @type {Options} */
export const toleranceOption = {
  type: 'string',
  requiresArg: true,
  description: 'End with 99 if a figure is worse by more than this, such as 5%, or may be (default: none)',
};

/**
 * @param {unknown} given as typed
 * @returns {number | null} a share; null: none was given
 * @throws {UsageError}
 */
export function parseTolerance(given) {
  if (given === undefined) return null;
  if (typeof given !== 'string' || !/^[0-9]+(\.[0-9]+)?%$/.test(given)) {
    throw new UsageError(`--tolerance: ${JSON.stringify(given)} is not a percentage, such as 5%`, {
      code: 'EOPTION',
      data: { option: 'tolerance', value: given },
    });
  }
  return Number(given.slice(0, -1)) / 100;
}

/** @type {Record<string, Options>} */
export const baselineOptions = {
  baseline: {
    type: 'string',
    requiresArg: true,
    description: 'Compare the results with this run: an id, a part of it, a name or a folder',
    group: 'Output:',
  },
  tolerance: { ...toleranceOption, description: `With --baseline: ${toleranceOption.description}`, group: 'Output:' },
};

/**
 * @param {{ baseline?: unknown, tolerance?: unknown, 'dry-run'?: boolean }} argv
 * @returns {BaselineOption | null} null: none was given
 * @throws {UsageError}
 */
export function baselineOf({ baseline, tolerance, 'dry-run': dryRun }) {
  const refuse = (/** @type {string} */ option, /** @type {unknown} */ value, /** @type {string} */ why) =>
    new UsageError(`--${option}: ${why}`, { code: 'EOPTION', data: { option, value } });
  const share = parseTolerance(tolerance);
  if (baseline === undefined) {
    if (share !== null) throw refuse('tolerance', tolerance, 'there is nothing to compare with; add --baseline RUN');
    return null;
  }
  if (typeof baseline !== 'string') throw refuse('baseline', baseline, 'is given more than once');
  if (dryRun) throw refuse('baseline', baseline, '--dry-run measures nothing to compare; omit one of them');
  return { run: baseline, tolerance: share };
}
