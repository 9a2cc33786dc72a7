// Checks whether the output of a build is up to date, by a stamp that a successful build writes next to it: a hash over
// its sources, its build command, the machine's architecture and its libraries. The source "." is the whole folder
// without the outputs of builds.

import { accessSync, constants, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { filesBelow, hashFiles, installedHeaders, isSource } from './content-hash.js';
import { prebuiltProgram } from './prebuilt.js';

/** @import { Problem } from '../errors.js' */

/**
 * @typedef {{command: string[], output: string, sources: string[]}} Recipe
 * @typedef {{folder: string, manifest: {build?: Recipe, run?: string[]}}} Buildable
 */

/**
 * @param {Buildable} server
 * @returns {Problem | null} why the output of its build cannot be used; null also if it has no build
 */
export function outputProblem({ folder, manifest: { build, run = [] } }) {
  if (!build) return null;
  const { output } = build;
  const data = { output };
  const stats = statSync(join(folder, output), { throwIfNoEntry: false });
  if (stats === undefined) return { code: 'no-output', data, text: `the build did not create ${output}` };
  if (run.length === 0 || normalize(run[0]) !== normalize(output)) return null;
  if (!stats.isFile()) return { code: 'output-not-a-file', data, text: `${output} is not a regular file` };
  try {
    accessSync(join(folder, output), constants.X_OK);
    return null;
  } catch {
    return { code: 'output-not-executable', data, text: `${output} is not executable` };
  }
}

/**
 * @param {Buildable} server
 * @returns {boolean} whether its program is built from the current sources, or prebuilt; false if it has no build
 */
export function isFresh(server) {
  return isBuilt(server) || prebuiltOf(server) !== null;
}

/**
 * @param {Buildable} server that has been built, or needs no build
 * @param {string[]} [words] a command of its manifest; default: the command that runs it
 * @returns {string[]} the command; if its program is the output of the build and prebuilt, with the absolute path
 */
export function wordsOf(server, words = server.manifest.run ?? []) {
  const { build } = server.manifest;
  const isOutput = build !== undefined && words.length > 0 && normalize(words[0]) === normalize(build.output);
  const prebuilt = isOutput && !isBuilt(server) ? prebuiltOf(server) : null;
  return prebuilt === null ? words : [prebuilt, ...words.slice(1)];
}

/**
 * @param {Buildable} server
 * @returns {string} the path of the output of its build, built or prebuilt
 */
export function outputOf(server) {
  const built = join(server.folder, server.manifest.build?.output ?? '');
  return isBuilt(server) ? built : (prebuiltOf(server) ?? built);
}

/** @param {Buildable} server */
const prebuiltOf = ({ folder, manifest: { build } }) => (build ? prebuiltProgram(join(folder, build.output)) : null);

/**
 * @param {Buildable} server
 * @returns {boolean} whether its output exists and was built from the current sources; false if it has no build
 */
function isBuilt(server) {
  const { folder, manifest } = server;
  const { build } = manifest;
  if (!build || outputProblem(server) !== null) return false;
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
 * @param {Recipe} build
 */
function hashOf(folder, { command, output, sources }) {
  const files = sources.flatMap((source) => {
    if (source === '.') return filesBelow(folder, (path) => path !== normalize(output) && isSource(path));
    const path = join(folder, source);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
  const libraries = command[0] === 'make' ? installedHeaders() : [];
  return hashFiles(folder, files, [command, process.arch, process.env.CC ?? '', libraries]);
}
