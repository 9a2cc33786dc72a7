// `broadside logs export [run]`: writes the times of a run as HdrHistogram logs, a file a leg and kind of time, beside
// the samples they are made of.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../../errors.js';
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

/** @param {{logs: string, run?: string, json?: boolean}} argv */
export async function perform({ logs, run, json: asJson }) {
  const runFolder = await findRun(logs, run);
  let written;
  try {
    written = exportLogs(runFolder);
  } catch (error) {
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new EnvironmentError(
      `${runFolder}: its times cannot be written as .hlog: ${message}` +
        (code === 'ENOENT' ? '; a run that has not ended has no summary yet' : ''),
      { code: 'EEXPORT', data: { run: runFolder, errno: code ?? null }, cause: error },
    );
  }
  const text = asJson
    ? JSON.stringify({ run: runFolder, files: written }, null, 2)
    : written.length === 0
      ? `${runFolder}: no transfer and no connection was timed`
      : written.join('\n');
  process.stdout.write(`${text}\n`);
}
