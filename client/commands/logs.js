// `broadside logs` lists the runs; `logs prune --keep N` deletes all but the newest N; `logs export` writes their
// results in the formats of other tools.

import { print } from '../console/print.js';
import { textTable } from '../console/text-table.js';
import { EnvironmentError, UsageError } from '../errors.js';
import { insteadOf } from '../scenario/removed.js';
import { findRun, listRuns, pruneRuns } from '../store/run-list.js';
import { bytes, NOT_MEASURED } from '../words/format.js';
import { failuresText, figureTexts, measuredText } from '../judge/run-digest.js';
import { FORMATS } from './logs/formats.js';
import { folderOptions } from './shared-options.js';

/**
 * @import { Argv, Options } from 'yargs'
 * @import { Column } from '../console/text-table.js'
 * @import { Run } from '../store/run-list.js'
 * @import { Command } from './index.js'
 * @import { Format } from './logs/formats.js'
 * @import { Typed } from './option-rows.js'
 */

/**
 * @typedef {{ logs: string, runs?: string[], json?: boolean, format?: unknown, by?: unknown, out?: unknown }}
 *   ExportArguments
 */

/** @param {Argv} yargs */
function add(yargs) {
  return yargs
    .options({ logs: folderOptions.logs, json: { type: 'boolean', description: 'Print JSON', global: true } })
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
      exportRuns,
    );
}

export const subcommands = { names: ['prune', 'export'], add };

/** @type {Command['examples']} */
export const examples = [
  ['', 'the runs, with what each measured'],
  ['prune --keep 10', 'delete all but the newest ten'],
  ['export', 'the response times of the newest run, as HdrHistogram logs'],
  ['export today --format markdown', 'a summary of a run for a pull request'],
];

/** @param {Run[]} runs */
function totalSize(runs) {
  return bytes(runs.reduce((sum, run) => sum + run.bytes, 0));
}

/** @param {number} count */
function runsText(count) {
  return `${count} ${count === 1 ? 'run' : 'runs'}`;
}

/** @type {Column<Run>[]} */
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

/** @param {Typed} argv */
async function prune(argv) {
  const { logs, json, keep } = /** @type {{ logs: string, json?: boolean, keep?: string }} */ (argv);
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

const DEFAULT_FORMAT = 'hlog';

/** @param {(format: Format) => boolean} isMeant @returns {string} names of formats, such as "rates and volley" */
const formatNames = (isMeant) =>
  Object.keys(FORMATS)
    .filter((name) => isMeant(FORMATS[name]))
    .join(' and ');

/** @type {Record<string, Options>} */
const exportOptions = {
  format: {
    type: 'string',
    requiresArg: true,
    description: `${Object.entries(FORMATS)
      .map(([name, { description }]) => `${name}: ${description}`)
      .join('; ')} (default: ${DEFAULT_FORMAT})`,
  },
  by: {
    type: 'string',
    requiresArg: true,
    description: Object.entries(FORMATS)
      .flatMap(([name, { by }]) => (by ? [`With --format ${name}, the number N of each line: ${by.join(', ')}`] : []))
      .concat('(default: what the legs differ in)')
      .join(' '),
  },
  out: {
    type: 'string',
    requiresArg: true,
    description:
      `Folder for the files, not of ${formatNames(({ out }) => out === 'run')} (required for ` +
      `${formatNames(({ out }) => out === 'folder')} of several runs; default: the run, or a folder in it)`,
  },
};

/**
 * @param {{format?: unknown, by?: unknown, out?: unknown, runs?: string[]}} argv
 * @returns {{format: string, by: string | undefined, out: string | undefined}}
 * @throws {UsageError}
 */
export function readOptions({ format = DEFAULT_FORMAT, by, out, runs = [] }) {
  const refuse = (/** @type {string} */ option, /** @type {unknown} */ value, /** @type {string} */ why) =>
    new UsageError(`--${option}: ${value === undefined ? '' : `${JSON.stringify(value)} `}${why}`, {
      code: 'EOPTION',
      data: { option, value: value ?? null },
    });
  const instead = insteadOf('format', format);
  if (instead !== undefined) throw refuse('format', format, `was removed; ${instead}`);
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format)) {
    throw refuse('format', format, `is not a format; give one of ${Object.keys(FORMATS).join(', ')}`);
  }
  const { by: axes, out: place } = FORMATS[format];
  if (by !== undefined && axes === undefined) {
    throw refuse('by', by, `is for --format ${formatNames(({ by: axisNames }) => axisNames !== undefined)} only`);
  }
  if (by !== undefined && (typeof by !== 'string' || !axes?.includes(by))) {
    throw refuse('by', by, `is not a number of a leg; give one of ${axes?.join(', ')}`);
  }
  if (out !== undefined && place === 'run') {
    throw refuse('out', out, `is not for ${format}; its files are written into the folders of the legs`);
  }
  if (out !== undefined && typeof out !== 'string') throw refuse('out', out, 'is given more than once');
  if (out !== undefined && place === 'file' && runs.length > 1) {
    throw refuse('out', out, `is for a single run: ${format} is a single file, which each run would replace`);
  }
  if (out === undefined && place === 'folder' && runs.length > 1) {
    throw refuse('out', out, 'missing; several runs are exported into one folder');
  }
  return { format, by, out };
}

/** @param {Typed} argv */
async function exportRuns(argv) {
  const { logs, runs = [], json: asJson, ...given } = /** @type {ExportArguments} */ (argv);
  const { format, ...how } = readOptions({ ...given, runs });
  const folders = await Promise.all((runs.length === 0 ? [undefined] : runs).map((run) => findRun(logs, run)));
  const named = folders.join(', ');
  let written;
  try {
    written = FORMATS[format].write(folders, how);
  } catch (error) {
    const { message, code, syscall } = /** @type {NodeJS.ErrnoException} */ (error);
    if (syscall === undefined) throw error;
    throw new EnvironmentError(`${named} cannot be exported as ${format}: ${message}`, {
      code: 'EEXPORT',
      data: { run: named, errno: code ?? null },
      cause: error,
    });
  }
  const text = asJson
    ? JSON.stringify({ run: named, files: written }, null, 2)
    : written.length === 0
      ? `${named}: ${FORMATS[format].nothing}`
      : written.join('\n');
  print(text);
}
