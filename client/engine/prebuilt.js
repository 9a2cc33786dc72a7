// Which file is the addon: the one that set-up has built here, or the one that the npm package brings for this machine
// (see .ci/package/). Set-up asks before anything is installed, hence built-in modules only.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

const BUILT = path('build/Release/engine.node');
const FOLDER = path('../../prebuilt');
const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * @typedef {object} Platform what was built for it, and what that needs
 * @property {string} interpreter the dynamic linker, which C programs name
 * @property {string} glibc the oldest version that has all that is used
 * @property {Record<string, string | null>} libraries linked statically: their versions; null: built without it
 * @property {string} compiler that has built the programs, as it names itself
 * @property {Record<string, string>} programs the SHA-256 of each, by its path in the platform's folder
 *
 * @typedef {{version: string, commit: string | null, openssl: string, platforms: Record<string, Platform>}} Prebuilt
 *   commit: of the sources; null: not known, or they were changed since; openssl: the major version of node's own
 *
 * @typedef {{code: string, data: Record<string, unknown>, text: string}} Unfit why prebuilt programs cannot be used
 */

/**
 * @param {string} [folder]
 * @returns {Prebuilt | null} null in a checkout, which has none
 */
export function readPrebuilt(folder = FOLDER) {
  const file = `${folder}/prebuilt.json`;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** @param {string} root @returns {boolean} whether it is an installed package, and no checkout */
export const isPackage = (root) => readPrebuilt(join(root, 'prebuilt')) !== null;

/** The addon: its own build comes first. @returns {string} */
export const addonPath = () => (existsSync(BUILT) || readPrebuilt() === null ? BUILT : prebuiltAddon(FOLDER, PLATFORM));

/** @param {string} folder @param {string} platform */
const prebuiltAddon = (folder, platform) => `${folder}/${platform}/client/engine/build/Release/engine.node`;

/**
 * @param {Prebuilt} prebuilt
 * @param {{folder?: string, platform?: string, openssl?: string, load?: (path: string) => unknown}} [machine]
 *   openssl: the version inside node; load: throws where the file cannot be loaded
 * @returns {Unfit | null} null when they can be used on this machine
 */
export function unfitness(prebuilt, { folder = FOLDER, platform = PLATFORM, openssl, load = loadAddon } = {}) {
  const found = prebuilt.platforms[platform];
  if (found === undefined) {
    const known = Object.keys(prebuilt.platforms);
    const text = `the package has programs for ${known.join(' and ')}, and this is ${platform}`;
    return { code: 'no-platform', data: { platform, known }, text };
  }
  const { interpreter, glibc } = found;
  if (!existsSync(interpreter)) {
    const text = `the programs of the package need glibc ${glibc} or later, and there is no ${interpreter}`;
    return { code: 'no-glibc', data: { interpreter, glibc }, text };
  }
  const version = openssl ?? process.versions.openssl ?? 'none';
  if (version.split('.')[0] !== prebuilt.openssl) {
    const text = `the engine of the package needs a node with OpenSSL ${prebuilt.openssl}, and this one has ${version}`;
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
 * Loads it for good, so that importing the engine costs nothing more.
 * @template Addon
 * @param {string} file
 * @returns {Addon} what the addon exports
 */
export const loadAddon = (file) => createRequire(import.meta.url)(file);
