// What the package holds: the files that package.json names and git lists, without what only a checkout needs, and what
// is made for it.

import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError } from '../../client/errors.js';
import { git } from '../../client/machine/git.js';
import { npmCommand } from '../../client/setup/run.js';

/**
 * @param {string} folder of a package
 * @param {string[]} words after `npm`
 * @returns {string} what npm prints
 */
export function npm(folder, words) {
  const [program, ...first] = npmCommand();
  return execFileSync(program, [...first, ...words], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, npm_config_loglevel: 'error' },
  });
}

/**
 * @typedef {object} Packed
 * @property {string} filename
 * @property {number} size of the tarball, in bytes
 * @property {number} unpackedSize
 * @property {{path: string, size: number}[]} files
 *
 * @param {string} folder
 * @param {string[]} [flags]
 * @returns {Packed} what `npm pack` puts into the tarball
 */
export function pack(folder, flags = []) {
  const answer = JSON.parse(npm(folder, ['pack', '--json', '--ignore-scripts', ...flags]));
  return /** @type {Packed} */ (Object.values(answer)[0]);
}

/** Gives files the modes that git knows, whatever the umask. @param {string} folder */
export function setModes(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/**
 * Copies what package.json names and git lists: what else lies in a checkout is its user's.
 * @param {string} root of a checkout @param {string} target a folder that gets the package's files
 * @throws {EnvironmentError} git lists nothing there
 */
export async function copySources(root, target) {
  const listed = await git(['ls-files', '-z'], { cwd: root }).catch(({ message, stderr = '' }) => {
    const why = stderr.trim() || message;
    throw new EnvironmentError(`the package holds what git lists, which fails: ${why}; make it in a clone`, {
      code: 'EPACKAGE',
      data: { root, reason: why },
    });
  });
  const tracked = new Set(listed.stdout.split('\0'));
  const files = pack(root, ['--dry-run']).files.filter(({ path }) => tracked.has(path));
  for (const { path } of files) cpSync(join(root, path), join(target, path));
  // Compiled validators: the package has nothing to compile them with.
  cpSync(join(root, 'config', 'build'), join(target, 'config', 'build'), { recursive: true });
}

/**
 * Without what is optional, which set-up needs in a checkout: ajv, since the validators come compiled, and node-gyp,
 * since npm has one where the engine has to be built.
 * @param {Record<string, any>} manifest of the checkout, which is private so that nobody publishes it without its
 *   programs
 * @returns {Record<string, any>} of the package
 */
export function packageManifest(manifest) {
  const { private: _private, scripts: _scripts, files: _files, ...published } = manifest;
  const { devDependencies: _tools, optionalDependencies: _ofSetUp, ...rest } = published;
  return { ...rest, man: ['./broadside.1'], os: ['linux'] };
}

/**
 * @param {{packages: Record<string, any>, [key: string]: any}} lock package-lock.json
 * @returns {object} npm-shrinkwrap.json: the versions that the tests have run with, for whoever installs the package
 */
export function shrinkwrap({ packages, ...lock }) {
  const { devDependencies: _tools, optionalDependencies: _ofSetUp, ...own } = packages[''];
  const isLeftOut = (/** @type {any} */ { dev, optional, devOptional }) => dev || optional || devOptional;
  const kept = Object.entries(packages).filter(([path, entry]) => path !== '' && !isLeftOut(entry));
  return { ...lock, packages: { '': { ...own, os: ['linux'] }, ...Object.fromEntries(kept) } };
}

/** @param {string} root @param {string} target */
export function writeManifests(root, target) {
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const write = (/** @type {string} */ name, /** @type {object} */ content) =>
    writeFileSync(join(target, name), `${JSON.stringify(content, null, 2)}\n`);
  write('package.json', packageManifest(read('package.json')));
  write('npm-shrinkwrap.json', shrinkwrap(read('package-lock.json')));
}
