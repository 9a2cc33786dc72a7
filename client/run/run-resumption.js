// A run that is resumed: takes away the summary of its end, so that it is in progress again, and notes that it is resumed. What
// its legs have measured stays until they have been run again.
import { resumedWarning, changedConditions, RESUMED_FILE } from '../store/resumable-run.js';

/**
 * @param {import('../store/resumable-run.js').ResumableRun} resumed
 * @param {{ legs: { id: string }[] }} plan
 * @param {Record<string, any>} environment of this process
 * @returns {{ parts: import('../store/resumable-run.js').Part[], warnings: import('../words/warnings.js').Warning[],
 *   environment: Record<string, any> }} parts: of each time it was resumed; environment: the conditions of the run's start, with
 *   this process
 */
export function resumeRun({ folder, complete, parts: before, environment: first }, { legs: planned }, environment) {
  const done = new Set(complete.map(({ id }) => id));
  const legs = planned.map(({ id }) => id).filter((id) => !done.has(id));
  folder.remove(['summary.json', 'junit.xml']);
  const parts = [...before, { at: new Date().toISOString(), legs, changed: changedConditions(first, environment) }];
  folder.writeJson(RESUMED_FILE, parts);
  const warnings = parts.map((part) => resumedWarning(part, planned.length));
  return { parts, warnings, environment: { ...first, process: environment.process } };
}
