// Runs the steps of set-up that are out of date. A step is up to date when its inputs have the hash recorded in
// client/setup/build/stamp.json and its outputs exist.
// It imports built-in modules only, because it runs before anything is installed.

import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { print } from '../console/print.js';
import { readPrebuilt, unfitness } from '../engine/prebuilt.js';
import { EnvironmentError } from '../errors.js';
import { takeSecrets } from '../protocols/kept-secrets.js';
import { replaceFile } from '../store/replace-file.js';
import { addon, dependencies, servers, types, validators } from './steps.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {object} Settings
 * @property {string} root the checkout
 * @property {boolean} development whether tests and lint are to run, too
 * @property {(line: string) => void} say one line of progress
 */

/**
 * @typedef {object} Step
 * @property {string} name its key in the stamp
 * @property {boolean} builds whether it needs a compiler
 * @property {(settings: Settings) => string} inputs a hash of everything that decides the result
 * @property {(settings: Settings, outputs: string[]) => boolean} isThere whether these outputs exist
 * @property {(settings: Settings) => Promise<string[]>} run does the work; returns its outputs
 */

/** @typedef {Record<string, {inputs: string, outputs: string[]}>} Stamp */

/**
 * Resolves when the checkout is ready. Rejects with an EnvironmentError (exit code 3) whose message says what failed
 * or what to install: ESETUP, with `problem` in its data, or ETOOLS. Steps that were finished by then stay finished.
 * @param {{root?: string, development?: boolean, force?: boolean, steps?: Step[],
 *   say?: (line: string) => void}} [options]
 */
export async function prepare(options = {}) {
  takeSecrets(process.env); // builds inherit no secrets
  const { root = ROOT, development = false, force = false } = options;
  const { steps, why } = options.steps ? { steps: options.steps, why: '' } : stepsOf(root, { development, force });
  const say = options.say ?? ((line) => print(`set-up: ${line}`, process.stderr));
  const settings = { root, development, say };
  if (!force && pending(steps, settings).length === 0) return;

  const folder = join(root, 'client', 'setup', 'build');
  const release = await lockIn(folder, say);
  try {
    // Another set-up may have done the work while this one waited.
    const todo = force ? steps : pending(steps, settings);
    if (todo.length > 0) await work(todo, settings, why);
  } finally {
    release();
  }
}

/** @param {string} [root] @returns {string[]} the names of the steps that a set-up would run now */
export function staleSteps(root = ROOT) {
  const { steps } = stepsOf(root, { development: false, force: false });
  return pending(steps, { root, development: false, say: () => {} }).map(({ name }) => name);
}

/** @param {string} root @returns {boolean} whether npm installed it with its dependencies, such as from a git URL */
const isInstalledByNpm = (root) =>
  basename(dirname(root)) === 'node_modules' && !existsSync(join(root, 'package-lock.json'));

/**
 * A package contains everything but its dependencies, which npm installs; its C programs are built for some platforms.
 * On other platforms, and in a checkout, they are built here.
 * @param {string} root
 * @param {{development: boolean, force: boolean}} wanted  development: also the types; force: build the C programs of
 *   a package again, such as with libraries that the package does not use
 * @returns {{steps: Step[], why: string}} why: the reason to build in a package; '' elsewhere
 */
function stepsOf(root, { development, force }) {
  const folder = join(root, 'prebuilt');
  const prebuilt = readPrebuilt(folder);
  if (prebuilt === null) {
    const built = [validators, ...(development ? [types] : []), addon, servers];
    return { steps: isInstalledByNpm(root) ? built : [dependencies, ...built], why: '' };
  }
  const unfit = unfitness(prebuilt, { folder });
  if (unfit !== null) return { steps: unfit.code === 'other-openssl' ? [addon] : [addon, servers], why: unfit.text };
  return { steps: force ? [addon, servers] : [], why: '' };
}

/**
 * @param {string} folder created if it does not exist
 * @param {(line: string) => void} say
 * @returns {Promise<() => void>} releases the lock
 */
async function lockIn(folder, say) {
  const { acquireLock } = await import('../../servers/launcher/builder/lock.js');
  const parent = dirname(folder);
  try {
    mkdirSync(folder, { recursive: true });
    return await acquireLock(join(folder, 'lock'), (pid) => {
      say(`another set-up is running in this folder (process ${pid}); waiting`);
    });
  } catch (error) {
    // On a read-only file system, mkdir reports ENOENT.
    const errno = accessError(folder) ?? accessError(parent) ?? /** @type {NodeJS.ErrnoException} */ (error).code;
    if (errno === undefined) throw error;
    const problem = `this user cannot write ${folder} (${errno}), and Broadside is not set up yet`;
    const remedy = errno === 'EROFS' ? 'where the file system can be written' : 'as the owner of that folder';
    throw new EnvironmentError(`${problem}: run \`node ${join(parent, 'command.js')}\` ${remedy}`, {
      code: 'ESETUP',
      data: { problem: 'not-writable', folder, errno },
      cause: error,
    });
  }
}

/** @param {string} folder @returns {string | null} error code if it exists and cannot be written; null otherwise */
function accessError(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch (error) {
    const { code = null } = /** @type {NodeJS.ErrnoException} */ (error);
    return code === 'ENOENT' ? null : code;
  }
}

/**
 * @param {Step[]} todo
 * @param {Settings} settings
 * @param {string} why the reason to build in a package; '' elsewhere
 */
async function work(todo, settings, why) {
  if (why !== '') settings.say(`${why}; building from source`);
  if (todo.some(({ builds }) => builds)) (await import('./tools.js')).requireBuildTools();
  for (const step of todo) {
    const inputs = step.inputs(settings);
    const outputs = await step.run(settings);
    const stamp = { ...readStamp(settings.root), [step.name]: { inputs, outputs } };
    replaceFile(stampPath(settings.root), `${JSON.stringify(stamp, null, 2)}\n`);
  }
}

/**
 * @param {Step[]} steps
 * @param {Settings} settings
 * @returns {Step[]} those whose inputs changed or whose outputs are missing
 */
function pending(steps, settings) {
  const stamp = readStamp(settings.root);
  return steps.filter((step) => {
    const done = stamp[step.name];
    return !done || done.inputs !== step.inputs(settings) || !step.isThere(settings, done.outputs);
  });
}

/** @param {string} root */
const stampPath = (root) => join(root, 'client', 'setup', 'build', 'stamp.json');

/**
 * @param {string} root
 * @returns {Stamp} empty if the file is missing or unreadable: then every step runs again
 */
function readStamp(root) {
  try {
    return JSON.parse(readFileSync(stampPath(root), 'utf8'));
  } catch {
    return {};
  }
}
