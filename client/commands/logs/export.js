// `broadside logs export [runs..]`: writes what runs measured in the formats of other tools: its times as HdrHistogram logs,
// a file a leg and kind of time, beside the samples they are made of; or rows for plotting, in one folder.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, UsageError } from '../../errors.js';
import { axisNames, rateFiles, usualAxis, volleyRows } from '../../results/plot-rows.js';
import { histogramLog } from '../../store/histogram-log.js';
import { findRun } from '../../store/run-list.js';

/** Kinds of times, and the files they go to. */
const FILES = Object.freeze({
  responseTime: 'response-time.hlog',
  serviceTime: 'service-time.hlog',
  connectTime: 'connect-time.hlog',
  handshakeTime: 'handshake-time.hlog',
  resumptionTime: 'resumption-time.hlog',
  recoveryTime: 'recovery-time.hlog',
});

/** @param {string} path @returns {any} */
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * The lines of samples.ndjson; what a cut run left of the last one is not among them.
 * @param {string} path
 * @returns {import('../../store/histogram-log.js').Interval[]}
 */
function samplesOf(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines.map((line) => JSON.parse(line));
}

/**
 * @param {string} runFolder
 * @returns {string[]} paths of the files written
 */
function exportLogs(runFolder) {
  const { run, legs } = json(join(runFolder, 'summary.json'));
  const { t0 } = json(join(runFolder, 'environment.json'));
  return legs.flatMap((/** @type {{ id: string, startNs?: number }} */ { id, startNs = 0 }) => {
    const samples = samplesOf(join(runFolder, id, 'samples.ndjson'));
    return Object.entries(FILES).flatMap(([name, file]) => {
      const log = histogramLog(samples, name, { title: `${run} ${id} ${name}`, startMs: t0.epochMs + startNs / 1e6 });
      if (log === null) return [];
      const path = join(runFolder, id, file);
      writeFileSync(path, log);
      return [path];
    });
  });
}

/**
 * @param {string} runFolder
 * @returns {import('../../results/plot-rows.js').LegOfRun[]} the legs that were begun
 */
function legsOf(runFolder) {
  const { legs } = json(join(runFolder, 'summary.json'));
  const plan = json(join(runFolder, 'plan.json'));
  const { cores } = json(join(runFolder, 'environment.json'));
  return legs.map((/** @type {any} */ leg) => ({
    leg,
    planned: plan.legs.find((/** @type {any} */ { id }) => id === leg.id) ?? {},
    cores,
  }));
}

/**
 * @param {string} folder is made
 * @param {{ file: string, text: string }[]} files
 * @returns {string[]} paths of the files written
 */
function writeInto(folder, files) {
  if (files.length === 0) return [];
  mkdirSync(folder, { recursive: true });
  return files.map(({ file, text }) => {
    const path = join(folder, file);
    writeFileSync(path, text);
    return path;
  });
}

/** @param {string} series @returns {string} a name for its file */
const fileOf = (series) => `${series.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '') || 'leg'}.dat`;

/**
 * Each writes runs in a format, and returns the paths of the files. Rows of several runs go into one folder.
 * @type {Record<string, (runFolders: string[], options: { by?: string, out?: string }) => string[]>}
 */
export const FORMATS = {
  hlog: (runFolders) => runFolders.flatMap(exportLogs),
  rates: (runFolders, { by, out = join(runFolders[0], 'rates') }) => {
    const legs = runFolders.flatMap(legsOf);
    const files = rateFiles(legs, by ?? usualAxis(legs));
    return writeInto(
      out,
      files.map(({ series, text }) => ({ file: fileOf(series), text })),
    );
  },
  volley: (runFolders, { out = join(runFolders[0], 'volley') }) =>
    writeInto(out, [{ file: 'volley.dat', text: volleyRows(runFolders.flatMap(legsOf)) }]),
};

/** @type {Record<string, import('yargs').Options>} */
export const options = {
  format: {
    type: 'string',
    requiresArg: true,
    description:
      'hlog: times as HdrHistogram logs; rates: a file for each label with lines "N RATE"; volley: rows "server clients ' +
      'cores mean stddev n" (default: hlog)',
  },
  by: {
    type: 'string',
    requiresArg: true,
    description: `With --format rates, what N is: ${axisNames.join(', ')} (default: what the legs differ in)`,
  },
  out: {
    type: 'string',
    requiresArg: true,
    description: 'Folder for rates and rows (required for several runs; default: a folder of the run)',
  },
};

/**
 * @param {{format?: unknown, by?: unknown, out?: unknown, runs?: string[]}} argv
 * @returns {{format: string, by: string | undefined, out: string | undefined}}
 * @throws {UsageError}
 */
export function readOptions({ format = 'hlog', by, out, runs = [] }) {
  const refuse = (/** @type {string} */ option, /** @type {unknown} */ value, /** @type {string} */ why) =>
    new UsageError(`--${option}: ${value === undefined ? '' : `${JSON.stringify(value)} `}${why}`, {
      code: 'EOPTION',
      data: { option, value: value ?? null },
    });
  if (typeof format !== 'string' || !Object.hasOwn(FORMATS, format)) {
    throw refuse('format', format, `is not a format; give one of ${Object.keys(FORMATS).join(', ')}`);
  }
  if (by !== undefined && format !== 'rates') throw refuse('by', by, 'is for --format rates only');
  if (by !== undefined && (typeof by !== 'string' || !axisNames.includes(by))) {
    throw refuse('by', by, `is not what a leg has a number of; give one of ${axisNames.join(', ')}`);
  }
  if (out !== undefined && format === 'hlog') throw refuse('out', out, 'is for rates and rows; times stay in their run');
  if (out !== undefined && typeof out !== 'string') throw refuse('out', out, 'is given more than once');
  if (out === undefined && format !== 'hlog' && runs.length > 1) {
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
    written = FORMATS[format](folders, how);
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new EnvironmentError(
      `${named} cannot be exported as ${format}: ${message}` +
        (code === 'ENOENT' ? '; a run that has not ended has no summary yet' : ''),
      { code: 'EEXPORT', data: { run: named, errno: code ?? null }, cause: error },
    );
  }
  const nothing = format === 'hlog' ? 'no transfer and no connection was timed' : 'no complete leg has such a figure';
  const text = asJson
    ? JSON.stringify({ run: named, files: written }, null, 2)
    : written.length === 0
      ? `${named}: ${nothing}`
      : written.join('\n');
  process.stdout.write(`${text}\n`);
}
