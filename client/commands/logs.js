// `broadside logs` lists the runs; `logs prune --keep N` deletes all but the newest N; `logs export` writes what
// one measured in the formats of other tools.

import { textTable } from '../console/text-table.js';
import { UsageError } from '../errors.js';
import { listRuns, pruneRuns } from '../store/run-list.js';
import { bytes, NOT_MEASURED } from '../words/format.js';
import { failuresText, figureTexts, measuredText } from '../judge/run-digest.js';
import { options as exportOptions, perform as exportRun } from './logs/export.js';
import { outputOptions } from './output-options.js';

/** @param {import('yargs').Argv} yargs */
function add(yargs) {
  return yargs
    .options({ logs: outputOptions.logs, json: { type: 'boolean', description: 'Print JSON', global: true } })
    .command(
      'prune',
      'Delete all runs except the newest; a run in progress is kept',
      (inner) =>
        inner.option('keep', { type: 'string', requiresArg: true, description: 'Number of runs to keep (required)' }),
      prune,
    )
    .command(
      'export [runs..]',
      'Export the times or rates of runs for other tools',
      (inner) =>
        inner
          .positional('runs', {
            type: 'string',
            array: true,
            description: 'Run ids, parts of them, names or folders (default: the newest run)',
          })
          .options(exportOptions),
      (/** @type {any} */ argv) => exportRun(argv),
    );
}

export const subcommands = { names: ['prune', 'export'], add };

/** @type {import('./index.js').Command['examples']} */
export const examples = [
  ['', 'the runs, with what each measured'],
  ['prune --keep 10', 'delete all but the newest ten'],
  ['export --format intervals', 'a line for each second of the newest run, as CSV'],
  ['export today --format markdown', 'a summary of a run for a pull request'],
];

/** @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {import('../store/run-list.js').Run[]} runs */
function totalSize(runs) {
  return bytes(runs.reduce((sum, run) => sum + run.bytes, 0));
}

/** @param {number} count */
function runsText(count) {
  return `${count} ${count === 1 ? 'run' : 'runs'}`;
}

/** @type {import('../console/text-table.js').Column<import('../store/run-list.js').Run>[]} */
const COLUMNS = [
  { title: 'run', left: true, text: ({ id }) => id },
  { title: 'started', left: true, text: ({ date }) => date },
  { title: 'measured', left: true, text: ({ digest }) => (digest === null ? NOT_MEASURED : measuredText(digest)) },
  { title: 'transfers/s', text: ({ digest }) => (digest === null ? NOT_MEASURED : figureTexts(digest).perSecond) },
  { title: 'p99', text: ({ digest }) => (digest === null ? NOT_MEASURED : figureTexts(digest).p99) },
  { title: 'legs', text: ({ legs, legsComplete }) => `${legsComplete}/${legs}` },
  { title: 'state', left: true, text: ({ state }) => state },
  { title: 'size', text: (run) => bytes(run.bytes) },
  { title: 'failures', left: true, text: ({ digest }) => (digest === null ? '' : failuresText(digest)) },
];

/** @param {{logs: string, json?: boolean}} argv */
export async function handler({ logs, json }) {
  const runs = await listRuns(logs);
  if (json) print(JSON.stringify(runs, null, 2));
  else if (runs.length === 0) print(`No runs in ${logs}.`);
  else {
    print(textTable(COLUMNS, runs).lines.join('\n'));
    print(`${runsText(runs.length)}, ${totalSize(runs)} in ${logs}`);
  }
}

/** @param {any} argv logs, json, keep as typed */
async function prune({ logs, json, keep }) {
  if (keep === undefined)
    throw new UsageError('prune requires --keep N (e.g. --keep 10)', { code: 'EKEEP', data: { keep: null } });
  if (!/^[0-9]+$/.test(keep)) {
    throw new UsageError(`--keep: ${JSON.stringify(keep)} is not a whole number, such as 10`, {
      code: 'EKEEP',
      data: { keep },
    });
  }
  const { deleted, kept } = await pruneRuns(logs, Number(keep));
  if (json) print(JSON.stringify({ deleted: deleted.map(({ id }) => id), kept: kept.map(({ id }) => id) }, null, 2));
  else {
    for (const run of deleted) print(`deleted ${run.id} (${bytes(run.bytes)})`);
    print(
      `${runsText(deleted.length)} deleted (${totalSize(deleted)}), ${runsText(kept.length)} kept (${totalSize(kept)})`,
    );
  }
}
