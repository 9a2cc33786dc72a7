// The formats of `broadside logs export`: each writes runs as files for other tools.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../../errors.js';
import { predecessors } from '../../predecessors/index.js';
import { runMarkdown } from '../../exports/markdown.js';
import { metricsOf } from '../../exports/metrics.js';
import { prometheusText } from '../../exports/prometheus-text.js';
import { histogramLogHead, histogramLogLine } from '../../store/histogram-log.js';
import { readDocument, readSummary, samplesIn } from '../../store/read-run.js';
import { FileReplacement } from '../../store/replace-file.js';

/**
 * @import { LegSummary, PlannedLeg } from '../../../config/types.js'
 * @import { Environment } from '../../store/environment.js'
 */

/**
 * @typedef {{ by?: string, out?: string }} How
 * @typedef {object} Format
 * @property {string} description
 * @property {'run' | 'file' | 'folder'} out  folder of its files. run: the folder of each run; file: the same, or for
 *   a single run --out; folder: --out, or a new folder in the first run's
 * @property {string} nothing  why no file was written
 * @property {readonly string[]} [by]  values of --by; absent: the format has no --by
 * @property {(runFolders: string[], how: How) => string[]} write  returns the paths of the files
 *
 * @typedef {{ leg: LegSummary, planned: Partial<PlannedLeg>, cores: number }} LegOfRun  leg: of the summary; planned:
 *   of the plan; cores: of the machine
 * @typedef {object} LegsFormat  writes the legs of one or more runs
 * @property {string} description
 * @property {readonly string[]} [by]
 * @property {(legs: LegOfRun[], by?: string) => { file: string, text: string }[]} filesOf  without incomplete
 *   legs
 */

/** Kinds of times, and the names of their files. */
const TIMES = Object.freeze(
  /** @type {const} */ ({
    responseTime: 'response-time',
    serviceTime: 'service-time',
    connectTime: 'connect-time',
    handshakeTime: 'handshake-time',
    resumptionTime: 'resumption-time',
    recoveryTime: 'recovery-time',
  }),
);

const WRITTEN_AT_ONCE = 2 ** 18;

const NO_TIMES = 'no transfer and no connection was timed';

/** A file that is created when its first part is written. */
class TextFile {
  /** @param {string} folder @param {string} name */
  constructor(folder, name) {
    this.path = join(folder, name);
    /** @type {FileReplacement | null} */
    this.replacement = null;
    /** @type {string[]} */
    this.parts = [];
    this.length = 0;
  }

  /** @param {string} part */
  write(part) {
    this.replacement ??= new FileReplacement(this.path);
    this.parts.push(part);
    this.length += part.length;
    if (this.length >= WRITTEN_AT_ONCE) this.flush();
  }

  flush() {
    this.replacement?.write(this.parts.join(''));
    this.parts = [];
    this.length = 0;
  }

  /** @returns {string[]} its path; empty if nothing was written */
  end() {
    if (this.replacement === null) return [];
    this.flush();
    this.replacement.commit();
    return [this.path];
  }
}

/**
 * Writes all files, or none of them if one cannot be written.
 * @param {TextFile[]} files @param {() => void} write
 * @returns {string[]} paths of the files that have content
 */
function writeFiles(files, write) {
  try {
    write();
    return files.flatMap((file) => file.end());
  } catch (error) {
    for (const { replacement } of files) replacement?.discard();
    throw error;
  }
}

/**
 * @param {string} folder @param {string} name @param {Iterable<string>} parts of its content
 * @returns {string[]} the path; empty without parts
 */
function writeText(folder, name, parts) {
  const file = new TextFile(folder, name);
  return writeFiles([file], () => {
    for (const part of parts) file.write(part);
  });
}

/** @param {string} runFolder @returns {Environment} @throws {EnvironmentError} */
function conditionsOf(runFolder) {
  const environment = readDocument(runFolder, 'environment');
  if (environment !== null) return environment;
  const path = join(runFolder, 'environment.json');
  throw new EnvironmentError(`${path} cannot be read; the run cannot be exported without it`, {
    code: 'ENOENVIRONMENT',
    data: { path },
  });
}

/** @param {string} runFolder @returns {string[]} */
function writeHistogramLogs(runFolder) {
  const { run, legs } = readSummary(runFolder);
  const { t0 } = conditionsOf(runFolder);
  return legs.flatMap(({ id, startNs = 0 }) => {
    const logs = Object.entries(TIMES).map(([name, file]) => ({
      name,
      head: histogramLogHead({ title: `${run} ${id} ${name}`, startMs: t0.epochMs + startNs / 1e6 }),
      file: new TextFile(join(runFolder, id), `${file}.hlog`),
    }));
    return writeFiles(
      logs.map(({ file }) => file),
      () => {
        for (const sample of samplesIn(runFolder, id)) {
          for (const { name, head, file } of logs) {
            const line = histogramLogLine(sample, name);
            if (line !== null) file.write(file.replacement === null ? head + line : line);
          }
        }
      },
    );
  });
}

/**
 * @param {string} runFolder
 * @returns {LegOfRun[]} the legs that have begun
 */
function legsOf(runFolder) {
  const { legs } = readSummary(runFolder);
  const plan = readDocument(runFolder, 'plan');
  const { cores } = conditionsOf(runFolder);
  return legs.map((leg) => ({
    leg,
    planned: plan?.legs.find(({ id }) => id === leg.id) ?? {},
    cores,
  }));
}

/**
 * @param {string} folder created if it does not exist
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

/**
 * @param {string} name of the file @param {(runFolder: string) => Iterable<string>} partsOf content
 * @returns {Format['write']} writes a file for each run
 */
const writeFilePerRun =
  (name, partsOf) =>
  (runFolders, { out }) =>
    runFolders.flatMap((runFolder) => {
      const parts = partsOf(runFolder);
      if (out !== undefined && !existsSync(out)) mkdirSync(out, { recursive: true });
      return writeText(out ?? runFolder, name, parts);
    });

/** @param {{ formats: Record<string, LegsFormat> }} [predecessor] @returns {[string, Format][]} */
const formatsOfLegs = ({ formats } = { formats: {} }) =>
  Object.entries(formats).map(([name, { filesOf, ...format }]) => [
    name,
    {
      ...format,
      out: 'folder',
      nothing: 'no complete leg has such a figure',
      write: (runFolders, { by, out = join(runFolders[0], name) }) =>
        writeInto(out, filesOf(runFolders.flatMap(legsOf), by)),
    },
  ]);

/** @type {Record<string, Format>} */
export const FORMATS = {
  hlog: {
    description: 'times as HdrHistogram logs, a line for each second',
    out: 'run',
    nothing: NO_TIMES,
    write: (runFolders) => runFolders.flatMap(writeHistogramLogs),
  },
  prometheus: {
    description: 'broadside.prom, for the textfile collector of the node exporter',
    out: 'file',
    nothing: 'the run has no figures',
    write: writeFilePerRun('broadside.prom', (runFolder) => [prometheusText(metricsOf(readSummary(runFolder)))]),
  },
  markdown: {
    description: 'summary.md, the answer and a table for a pull request',
    out: 'file',
    nothing: 'the run has no figures',
    write: writeFilePerRun('summary.md', (runFolder) => [runMarkdown(readSummary(runFolder))]),
  },
  ...Object.fromEntries((await Promise.all(predecessors.map(({ formats }) => formats?.()))).flatMap(formatsOfLegs)),
};
