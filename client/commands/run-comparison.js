// Reads and compares two runs, for `compare` and `stress --baseline`.

import { UsageError } from '../errors.js';
import { compareRuns, haveCommonCase } from '../judge/compare-runs/index.js';
import { findRun } from '../store/run-list.js';
import { readDocument, readSummary } from '../store/read-run.js';

/**
 * @import { RunSummary, Search } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { ComparedRun, RunsComparison } from '../judge/compare-runs/index.js'
 * @import { BaselineOption } from './options.js'
 */

/** The exit code of a comparison that is worse than the tolerance allows, or undecided. */
export const EXIT_WORSE = 99;

/** @typedef {{ run: ComparedRun, tolerance: number | null }} Baseline */

/**
 * @param {string} folder of a run
 * @returns {ComparedRun}
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
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${folder} cannot be compared: ${error.message}`, {
      code: 'ECOMPARE',
      data: { run: folder },
      cause: error,
    });
  }
}

/** @param {RunSummary} summary @param {Search} search of the run @returns {UsageError} */
const searchRefusal = ({ run }, search) =>
  new UsageError(
    `${run} is a search (find): each of its legs has another value, so they cannot be compared. Its answer is ` +
      `${search.answers.map(({ label, answer }) => `${label}: ${answer}`).join('; ')}. Search for both in one run (several ` +
      `--servers or --command), or measure both at one ${search.maximise === 'rate' ? 'rate' : 'number of connections'} with --rounds 5`,
    { code: 'ECOMPARE', data: { run } },
  );

/**
 * @param {ComparedRun} run
 * @param {ComparedRun} baseline
 * @param {number | null} tolerance
 * @returns {RunsComparison}
 * @throws {UsageError} when they have no case in common, or one of them is a search
 */
export function comparisonOf(run, baseline, tolerance) {
  for (const { summary } of [run, baseline])
    if (summary.search !== undefined) throw searchRefusal(summary, summary.search);
  const comparison = compareRuns(run, baseline, tolerance);
  if (comparison !== null) return comparison;
  const labels = [run, baseline].map(({ summary }) => [...new Set(summary.legs.map(({ label }) => label))]);
  throw new UsageError(
    `${run.summary.run} and ${baseline.summary.run} have no case in common: ` +
      `${labels.map((names) => names.join(', ') || 'none').join(' in the first; ')} in the second`,
    { code: 'ECOMPARE', data: { run: run.summary.run, baseline: baseline.summary.run, labels } },
  );
}

/**
 * @param {BaselineOption} option
 * @param {string} logs
 * @returns {Promise<Baseline>}
 * @throws {UsageError} when there is no such run, or it has no summary
 */
export async function readBaseline({ run, tolerance }, logs) {
  return { run: readComparedRun(await findRun(logs, run)), tolerance };
}

/**
 * @param {Baseline} baseline
 * @param {Plan} plan
 * @throws {UsageError} when one of them is a search, or they have no case in common
 */
export function checkBaseline(baseline, { legs, search }) {
  if (search !== undefined) {
    throw new UsageError(
      '--baseline: a search (find) measures other values each time, so there is nothing to compare; omit one of them',
      { code: 'EOPTION', data: { option: 'baseline', value: baseline.run.summary.run } },
    );
  }
  const cases = [...new Map(legs.map(({ case: id, label, axes }) => [id, { label, axes }])).values()];
  const { summary } = baseline.run;
  if (summary.search !== undefined) throw searchRefusal(summary, summary.search);
  if (haveCommonCase(cases, summary)) return;
  const labels = [...new Set(summary.legs.map(({ label }) => label))];
  throw new UsageError(
    `--baseline: ${summary.run} measured ${labels.join(', ') || 'nothing'}, and this run measures ` +
      `${[...new Set(cases.map(({ label }) => label))].join(', ')}; there is nothing to compare`,
    { code: 'ECOMPARE', data: { baseline: summary.run, labels } },
  );
}
