// `broadside report [run]`: rebuilds the page of a run from its folder; the page of a run in progress has the results
// so far. A run that was killed first gets its missing summary.

import { setFlagsFromString } from 'node:v8';
import { print } from '../console/print.js';
import { makeOutputFolder, writeInto } from '../store/run-folder.js';
import { writeMissingSummary } from '../store/missing-summary.js';
import { findRun } from '../store/run-list.js';
import { folderOptions, json as printJson } from './shared-options.js';

/**
 * @import { Argv } from 'yargs'
 * @import { Command } from './index.js'
 */

/**
 * A leg of a week has a million samples, and the report keeps little of them: with this flag, the heap grows less at a
 * time.
 */
const SMALL_HEAP = '--heap-growing-percent=100';

/** @param {Argv} yargs */
export function builder(yargs) {
  return yargs
    .positional('run', {
      type: 'string',
      description: 'Run id, a part of it, a name or a folder (default: the newest)',
    })
    .options({ ...folderOptions, json: printJson });
}

/** @type {Command['examples']} */
export const examples = [
  ['', 'the page of the newest run'],
  ['today', 'of a run that was named with --name'],
  ['--logs /tmp/logs --report /tmp/pages', 'of a run in another folder'],
];

/** @param {{run?: string, logs: string, report: string, json?: boolean}} argv */
export async function handler({ run, logs, report: reportFolder, json }) {
  setFlagsFromString(SMALL_HEAP);
  const runFolder = await findRun(logs, run);
  await writeInto('logs', runFolder, () => writeMissingSummary(runFolder));
  makeOutputFolder('report', reportFolder);
  const { buildReport } = await import('../../report/index.js');
  const { page, index } = await writeInto('report', reportFolder, () =>
    buildReport({ runFolder, reportFolder, index: true }),
  );
  print(json ? JSON.stringify({ run: runFolder, page, index }, null, 2) : `${page}\n${index}`);
}
