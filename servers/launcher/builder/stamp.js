// Whether a built server is up to date: a hash over its sources, its build command and the machine's architecture,
// written beside the output once a build has succeeded. Contents count, times do not. The source "." is all of the
// folder but what builds leave there.

import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** What builds leave in a folder and nobody writes; hidden files are not counted among its sources either. */
const RESULTS = new Set(['build', 'target', 'node_modules', '__pycache__']);

/**
 * @typedef {{command: string[], output: string, sources: string[]}} Recipe
 * @typedef {{folder: string, manifest: {build?: Recipe, run?: string[]}}} Buildable
 */

/**
 * @param {Buildable} server
 * @returns {string | null} what is wrong with what its build makes; null also without a build
 */
export function outputFault({ folder, manifest: { build, run = [] } }) {
  if (!build) return null;
  const { output } = build;
  const found = statSync(join(folder, output), { throwIfNoEntry: false });
  if (found === undefined) return `it made no ${output}`;
  if (run.length === 0 || normalize(run[0]) !== normalize(output)) return null;
  if (!found.isFile()) return `${output}, which is to be run, is no file`;
  try {
    accessSync(join(folder, output), constants.X_OK);
    return null;
  } catch {
    return `${output}, which is to be run, is not executable`;
  }
}

/**
 * @param {Buildable} server
 * @returns {boolean} true when its output is there and made from the sources as they are; false without a build
 */
export function isFresh(server) {
  const {
    folder,
    manifest: { build },
  } = server;
  if (!build || outputFault(server) !== null) return false;
  try {
    return readFileSync(stampPath(folder, build), 'utf8') === hashOf(folder, build);
  } catch {
    return false;
  }
}

/** @param {Buildable} server that has just been built */
export function markFresh({ folder, manifest: { build } }) {
  if (!build) return;
  const path = stampPath(folder, build);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, hashOf(folder, build));
  renameSync(`${path}.${process.pid}`, path);
}

/**
 * @param {string} folder
 * @param {{output: string}} build
 */
function stampPath(folder, { output }) {
  const path = join(folder, output);
  return join(dirname(path), `.${basename(path)}.stamp`);
}

/**
 * @param {string} folder
 * @param {{command: string[], output: string, sources: string[]}} build
 */
function hashOf(folder, { command, output, sources }) {
  const hash = createHash('sha256').update(JSON.stringify([command, process.arch, process.env.CC ?? '']));
  const own = (/** @type {string} */ name) => name !== output && !name.startsWith('.') && !RESULTS.has(name);
  const found = sources.flatMap((source) => (source === '.' ? below(folder, own) : filesIn(join(folder, source))));
  for (const path of found) {
    const content = readFileSync(path);
    hash.update(`${path.slice(folder.length)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** @param {string} path a file or a folder, which must be there */
function filesIn(path) {
  return statSync(path).isDirectory() ? below(path) : [path];
}

/**
 * @param {string} folder
 * @param {(name: string) => boolean} [counts] of what lies in it
 * @returns {string[]} the regular files below it
 */
function below(folder, counts = () => true) {
  return readdirSync(folder)
    .sort()
    .filter(counts)
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isDirectory() ? below(path) : found?.isFile() ? [path] : [];
    });
}
