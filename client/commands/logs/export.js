// `broadside logs export [runs..]`: writes what runs measured in the formats of other tools.

import { EnvironmentError, UsageError } from '../../errors.js';
import { findRun } from '../../store/run-list.js';
import { FORMATS } from './formats.js';

const DEFAULT_FORMAT = 'hlog';

/** @param {(format: import('./formats.js').Format) => boolean} is @returns {string} such as "hlog and hgrm" */
const formatsThat = (is) =>
  Object.keys(FORMATS)
    .filter((name) => is(FORMATS[name]))
    .join(' and ');

/** @type {Record<string, import('yargs').Options>} */
export const options = {
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
      `Folder for the files, not of ${formatsThat(({ out }) => out === 'run')} (required for ` +
      `${formatsThat(({ out }) => out === 'folder')} of several runs; default: the run, or a folder in it)`,
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
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format)) {
    throw refuse('format', format, `is not a format; give one of ${Object.keys(FORMATS).join(', ')}`);
  }
  const { by: axes, out: place } = FORMATS[format];
  if (by !== undefined && axes === undefined) {
    throw refuse('by', by, `is for --format ${formatsThat((each) => each.by !== undefined)} only`);
  }
  if (by !== undefined && (typeof by !== 'string' || !axes?.includes(by))) {
    throw refuse('by', by, `is not what a leg has a number of; give one of ${axes?.join(', ')}`);
  }
  if (out !== undefined && place === 'run') {
    throw refuse('out', out, `is not for ${format}; its files are written into the folders of the legs`);
  }
  if (out !== undefined && typeof out !== 'string') throw refuse('out', out, 'is given more than once');
  if (out !== undefined && place === 'file' && runs.length > 1) {
    throw refuse('out', out, `is for one run: ${format} is one file, and each run would replace that of the one before`);
  }
  if (out === undefined && place === 'folder' && runs.length > 1) {
    throw refuse('out', out, 'missing; several runs are exported into one folder');
  }
  return { format, by, out };
}

/** @param {{logs: string, runs?: string[], json?: boolean, format?: unknown, by?: unknown, out?: unknown}} argv */
export async function perform({ logs, runs = [], json: asJson, ...given }) {
  const { format, ...how } = readOptions({ ...given, runs });
  const folders = await Promise.all((runs.length === 0 ? [undefined] : runs).map((run) => findRun(logs, run)));
  const named = folders.join(', ');
  let written;
  try {
    written = FORMATS[format].write(folders, how);
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new EnvironmentError(
      `${named} cannot be exported as ${format}: ${message}` +
        (code === 'ENOENT' ? '; a run that has not ended has no summary yet' : ''),
      { code: 'EEXPORT', data: { run: named, errno: code ?? null }, cause: error },
    );
  }
  const text = asJson
    ? JSON.stringify({ run: named, files: written }, null, 2)
    : written.length === 0
      ? `${named}: ${FORMATS[format].nothing}`
      : written.join('\n');
  process.stdout.write(`${text}\n`);
}
