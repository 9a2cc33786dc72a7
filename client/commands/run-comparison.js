// What `compare` and `stress --baseline` share: the options, and the reading and judging of two runs.

import { UsageError } from '../errors.js';
import { compareRuns } from '../results/compare-runs/index.js';
import { readDocument, readSummary } from '../store/read-run.js';

/** The exit code of a comparison that is worse than the tolerance allows. */
export const EXIT_WORSE = 99;

/** @type {import('yargs').Options} */
export const toleranceOption = {
  type: 'string',
  requiresArg: true,
  description:
    'End with 99 if a figure is worse by more than this, such as 5%, and outside its interval (default: none)',
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

/**
 * @param {string} folder of a run
 * @returns {import('../results/compare-runs/index.js').ComparedRun}
 * @throws {UsageError} when it has no summary
 */
export function readComparedRun(folder) {
  try {
    const summary = readSummary(folder);
    return {
      summary,
      scenario: readDocument(folder, 'scenario'),
      environment: readDocument(folder, 'environment'),
    };
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    const why =
      code === 'ENOENT' ? 'it has no summary yet; npm run report writes one of a run that was killed' : message;
    throw new UsageError(`${folder} cannot be compared: ${why}`, {
      code: 'ECOMPARE',
      data: { run: folder },
      cause: error,
    });
  }
}

/**
 * @param {import('../results/compare-runs/index.js').ComparedRun} run
 * @param {import('../results/compare-runs/index.js').ComparedRun} baseline
 * @param {number | null} tolerance
 * @returns {import('../results/compare-runs/index.js').RunsComparison}
 * @throws {UsageError} when they have no case in common
 */
export function comparisonOf(run, baseline, tolerance) {
  const found = compareRuns(run, baseline, tolerance);
  if (found !== null) return found;
  const labels = [run, baseline].map(({ summary }) => [
    ...new Set(summary.legs.map((/** @type {{ label: string }} */ { label }) => label)),
  ]);
  throw new UsageError(
    `${run.summary.run} and ${baseline.summary.run} have no case in common: ` +
      `${labels.map((one) => one.join(', ') || 'none').join(' in the first; ')} in the second`,
    { code: 'ECOMPARE', data: { run: run.summary.run, baseline: baseline.summary.run, labels } },
  );
}
