// Chooses the file of the addon: the one that set-up has built, or the one in the npm package for this machine (see
// .ci/package/). Set-up calls this before anything is installed, so it imports only built-in modules.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

const BUILT = path('build/Release/engine.node');
const FOLDER = path('../../prebuilt');
const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * @typedef {object} Platform the programs built for a platform, and their requirements
 * @property {string} interpreter path of the dynamic linker
 * @property {string} glibc the oldest version that suffices
 * @property {Record<string, string | null>} libraries versions of the statically linked libraries; null: built without
 * @property {string} compiler name and version, as it prints them
 * @property {Record<string, string>} programs the SHA-256 of each, by its path in the platform's folder
 *
 * @typedef {{version: string, commit: string | null, openssl: string, platforms: Record<string, Platform>}} Prebuilt
 *   commit: of the sources; null if unknown, or if they were changed since; openssl: its major version in node
 *
 * @typedef {{code: string, data: Record<string, unknown>, text: string}} Unfit why prebuilt programs cannot run
 */

/**
 * @param {string} [folder]
 * @returns {Prebuilt | null} null in a checkout
 */
export function readPrebuilt(folder = FOLDER) {
  const file = `${folder}/prebuilt.json`;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** @param {string} root @returns {boolean} whether it is an installed package, not a checkout */
export const isPackage = (root) => readPrebuilt(join(root, 'prebuilt')) !== null;

/** @returns {string} path of the addon; a local build takes precedence over the package's */
export const addonPath = () => (existsSync(BUILT) || readPrebuilt() === null ? BUILT : prebuiltAddon(FOLDER, PLATFORM));

/** @param {string} folder @param {string} platform */
const prebuiltAddon = (folder, platform) => `${folder}/${platform}/client/engine/build/Release/engine.node`;

/**
 * @param {Prebuilt} prebuilt
 * @param {{folder?: string, platform?: string, openssl?: string, load?: (path: string) => unknown}} [machine]
 *   openssl: the version in node; load: throws if the file cannot be loaded
 * @returns {Unfit | null} null if the programs can run on this machine
 */
export function unfitness(prebuilt, { folder = FOLDER, platform = PLATFORM, openssl, load = loadAddon } = {}) {
  const requirements = prebuilt.platforms[platform];
  if (requirements === undefined) {
    const known = Object.keys(prebuilt.platforms);
    const text = `the package has programs for ${known.join(' and ')}, but this machine is ${platform}`;
    return { code: 'no-platform', data: { platform, known }, text };
  }
  const { interpreter, glibc } = requirements;
  if (!existsSync(interpreter)) {
    const text = `the programs of the package need glibc ${glibc} or later, but ${interpreter} does not exist`;
    return { code: 'no-glibc', data: { interpreter, glibc }, text };
  }
  const version = openssl ?? process.versions.openssl ?? 'none';
  if (version.split('.')[0] !== prebuilt.openssl) {
    const text = `the engine of the package needs a node with OpenSSL ${prebuilt.openssl}, but this node has ${version}`;
    return { code: 'other-openssl', data: { found: version, needed: prebuilt.openssl }, text };
  }
  try {
    load(prebuiltAddon(folder, platform));
    return null;
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return { code: 'not-loadable', data: { message }, text: `the engine of the package cannot be loaded: ${message}` };
  }
}

/**
 * Loads an addon. It stays loaded, so that a later import of the engine is cheap.
 * @template Addon
 * @param {string} file
 * @returns {Addon} what the addon exports
 */
export const loadAddon = (file) => createRequire(import.meta.url)(file);
