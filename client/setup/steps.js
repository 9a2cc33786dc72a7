// The steps of set-up: npm dependencies, the validators of the schemas, the addon, the C servers. Each says what decides
// its result (inputs) and what it leaves (outputs); prepare.js decides from that whether it has to run.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPackage } from '../engine/prebuilt.js';
import { EnvironmentError } from '../errors.js';
import { mismatches } from './dependencies.js';
import { filesBelow, hashFiles } from '../../servers/launcher/builder/content-hash.js';
import { builtIn, sourcesBelow } from './fingerprint.js';
import { nodeHeaders, npmCommand, run } from './run.js';
import { findProgram } from './tools.js';

/** @typedef {import('./prepare.js').Step} Step */

/** Even when NODE_ENV is production. */
const DEVELOPMENT = ['--include=dev'];

/** @type {Step} */
export const dependencies = {
  name: 'dependencies',
  builds: false,
  inputs: ({ root }) => hashFiles(root, [join(root, 'package-lock.json')]),
  isThere: ({ root, development }, [trace, extent]) => {
    return installTrace(root) === trace && (extent === 'all' || !development);
  },
  async run(settings) {
    const { root, development } = settings;
    if (mismatches(root, { development }).length > 0) {
      await run(settings, {
        name: 'npm-ci',
        title: 'installing the npm dependencies of package-lock.json',
        // With the level of `npm run --silent`, npm would fail without a message.
        command: [...npmCommand(), 'ci', '--prefer-offline', '--loglevel=warn', ...(development ? DEVELOPMENT : [])],
        remedy: 'npm needs its registry once; a checkout whose node_modules is in place needs no network',
      });
      const [wrong] = mismatches(root, { development });
      if (wrong) {
        throw new EnvironmentError(`npm ci reported success, but ${wrong.text}`, {
          code: 'ESETUP',
          data: { problem: 'dependencies-differ', mismatch: { code: wrong.code, ...wrong.data } },
        });
      }
    }
    return [installTrace(root), mismatches(root, { development: true }).length === 0 ? 'all' : 'without development'];
  },
};

/** @type {Step} */
export const validators = {
  name: 'validators',
  builds: false,
  inputs: ({ root }) => {
    const config = join(root, 'config');
    const files = [join(config, 'validators.js'), ...filesBelow(join(config, 'schema'))];
    return hashFiles(root, [...files, join(root, 'package-lock.json')]);
  },
  isThere: allExist,
  async run({ root }) {
    const { buildValidators } = await import(pathToFileURL(join(root, 'config', 'validators.js')).href);
    return buildValidators().map((/** @type {string} */ path) => join('config', path));
  },
};

/** Node-API is stable over versions, but its headers and flags come with the node that builds: hence the hash of it. */
const NODE = [process.version, process.versions.modules, process.arch, process.platform];

/** Libraries that are built with when they are there: their coming or going is a reason to build again. */
const OPTIONAL_LIBRARIES = ['uv.h', 'liburing.h', 'openssl/ssl.h', 'usrsctp.h'].map(
  (name) => `${name} ${existsSync(join('/usr/include', name))}`,
);

/** @type {Step} */
export const addon = {
  name: 'addon',
  builds: true,
  inputs: ({ root }) =>
    hashFiles(root, sourcesBelow(join(root, 'client', 'engine'), /\.(c|h|gyp|gypi|sh)$/), [
      ...NODE,
      ...OPTIONAL_LIBRARIES,
    ]),
  isThere: allExist,
  async run(settings) {
    const { root } = settings;
    const folder = join(root, 'client', 'engine');
    // In an installed package it may be in a folder further up.
    const nodeGyp = createRequire(join(root, 'package.json')).resolve('node-gyp/bin/node-gyp.js');
    const headers = nodeHeaders();
    await run(settings, {
      name: 'addon',
      title: 'building the engine',
      command: [process.execPath, nodeGyp, 'rebuild', '--jobs=max', ...(headers ? [`--nodedir=${headers}`] : [])],
      folder,
      // node-gyp links with the C++ driver whatever the language; nothing here is C++, so the C one will do.
      env: findProgram('c++') || findProgram('g++') ? {} : { CXX: 'cc', LINK: 'cc' },
      remedy: headers
        ? ''
        : `node's headers are not installed with ${process.execPath}, so node-gyp has to download them`,
    });
    const release = join(folder, 'build', 'Release');
    const built = readdirSync(release).filter((name) => name.endsWith('.node'));
    if (built.length === 0) {
      throw new EnvironmentError(`node-gyp left no addon in ${release}`, {
        code: 'ESETUP',
        data: { problem: 'no-addon', folder: release },
      });
    }
    return built.map((name) => join('client', 'engine', 'build', 'Release', name));
  },
};

/** Of the servers, those in C alone: the first run needs no other toolchain, and waits for none. */
const C_FOLDERS = ['servers/c', 'servers/launcher'];
/** @param {string} root */
const cFolders = (root) => C_FOLDERS.map((folder) => join(root, folder)).filter((folder) => existsSync(folder));

/** @type {Step} */
export const servers = {
  name: 'servers',
  builds: true,
  inputs: ({ root }) =>
    hashFiles(
      root,
      cFolders(root).flatMap((folder) => sourcesBelow(folder, /\.(c|h|mk|json)$|(^|\/)Makefile$/)),
      [process.arch, ...OPTIONAL_LIBRARIES],
    ),
  isThere: allExist,
  async run({ root, say }) {
    say('building the servers in C');
    const started = Date.now();
    /** @type {string[]} */
    const lines = [];
    try {
      const { build, ignorePrebuilt } = await import('../../servers/launcher/index.js');
      if (isPackage(root)) ignorePrebuilt();
      await build({ language: 'c', onLine: (/** @type {string} */ line) => lines.push(line) });
    } catch (error) {
      process.stderr.write(lines.map((line) => `${line}\n`).join(''));
      const { message, code, data } = /** @type {Error & { code?: string, data?: object }} */ (error);
      throw new EnvironmentError(`building the servers in C failed: ${message}`, {
        code: 'ESETUP',
        data: { problem: 'servers-not-built', errorCode: code ?? null, errorData: data ?? {} },
        cause: error,
      });
    }
    say(`building the servers in C took ${((Date.now() - started) / 1000).toFixed(1)} s`);
    return cFolders(root)
      .flatMap(builtIn)
      .map((path) => relative(root, path));
  },
};

/**
 * @param {import('./prepare.js').Settings} settings
 * @param {string[]} outputs relative to the root
 */
function allExist({ root }, outputs) {
  return outputs.every((path) => existsSync(join(root, path)));
}

/**
 * What npm leaves at the end of an install, and rewrites whenever it changes anything.
 * @param {string} root
 */
function installTrace(root) {
  const found = statSync(join(root, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  return found ? `${found.size} ${found.mtimeMs}` : 'absent';
}
