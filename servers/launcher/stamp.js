// Whether a built server is up to date: a hash over its sources, its build command and the machine's architecture,
// written beside the output once a build has succeeded. Contents count, times do not.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** @typedef {{folder: string, manifest: {build?: {command: string[], output: string, sources: string[]}}}} Buildable */

/**
 * @param {Buildable} server
 * @returns {boolean} true when its output is there and made from the sources as they are; false without a build
 */
export function isFresh({ folder, manifest: { build } }) {
  if (!build || !existsSync(join(folder, build.output))) return false;
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
 * @param {{command: string[], sources: string[]}} build
 */
function hashOf(folder, { command, sources }) {
  const hash = createHash('sha256').update(JSON.stringify([command, process.arch, process.env.CC ?? '']));
  for (const path of sources.flatMap((source) => filesIn(join(folder, source)))) {
    const content = readFileSync(path);
    hash.update(`${path.slice(folder.length)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} path a file or a folder
 * @returns {string[]} the regular files below it; what is named itself must be there
 */
function filesIn(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).sort().map((name) => join(path, name)).flatMap((each) => {
    const found = statSync(each, { throwIfNoEntry: false });
    return found?.isDirectory() ? filesIn(each) : found?.isFile() ? [each] : [];
  });
}
