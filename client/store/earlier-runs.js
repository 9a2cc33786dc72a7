// Reads what earlier runs in the logs folder measured, the newest ones.

import { join } from 'node:path';
import { runIds } from './run-list.js';
import { readDocument, readSummary } from './read-run.js';

/** More runs tell little more, and take time to read. */
const MOST_RUNS = 20;

/**
 * @param {string} logs @param {string} except id of a run
 * @returns {Promise<import('../results/earlier-spread.js').EarlierRun[]>} those that have ended; one that cannot be read is omitted
 */
export async function readEarlierRuns(logs, except) {
  const ids = (await runIds(logs)).filter((id) => id !== except).slice(0, MOST_RUNS);
  return ids.flatMap((id) => {
    const folder = join(logs, id);
    const environment = readDocument(folder, 'environment');
    if (environment === null) return [];
    try {
      return [{ summary: readSummary(folder), environment }];
    } catch {
      return []; // still running, or killed
    }
  });
}
