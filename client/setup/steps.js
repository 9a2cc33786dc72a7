// The steps of set-up: npm dependencies, the validators and types of the schemas, the addon, the C servers. Each says
// what decides its result (inputs) and what it leaves (outputs); prepare.js decides from that whether it has to run.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPackage } from '../engine/prebuilt.js';
import { EnvironmentError } from '../errors.js';
import { filesBelow, hashFiles, installedHeaders, isSource } from '../../servers/launcher/builder/content-hash.js';
import { failure, nodeGyp, nodeHeaders, npmCommand, requireNpmCache, run, timed, writeLog } from './run.js';
import { findCompiler } from './tools.js';

/** @import { Settings, Step } from './prepare.js' */

/** The dependencies of set-up are optional ones, because the package needs none; a checkout needs them in any case. */
const SETUP_TOOLS = ['--include=optional'];
/** Development dependencies, even when NODE_ENV is production. */
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
      requireNpmCache();
      await run(settings, {
        name: 'npm-ci',
        title: 'installing the npm dependencies of package-lock.json',
        // With the level of `npm run --silent`, npm would fail without a message; with that of `warn`, often without a
        // cause.
        command: [
          ...npmCommand(),
          ...['ci', '--prefer-offline', '--loglevel=http', ...SETUP_TOOLS, ...(development ? DEVELOPMENT : [])],
        ],
        // Without a network, npm 10 reports an internal failure and exits with 0.
        checkResult: () => {
          const [mismatch] = mismatches(root, { development });
          return mismatch ? `npm ci ended with 0, but ${mismatch.text}` : null;
        },
        remedy: 'npm needs its registry once; a checkout whose node_modules is in place needs no network',
      });
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
    const files = [join(config, 'compile-validators.js'), ...filesBelow(join(config, 'schema'))];
    return hashFiles(root, [...files, join(root, 'package-lock.json')]);
  },
  isThere: allExist,
  run(settings) {
    return timed(settings, 'compiling the validators', async () => {
      const script = pathToFileURL(join(settings.root, 'config', 'compile-validators.js')).href;
      const { buildValidators } = await import(script);
      return buildValidators().map((/** @type {string} */ path) => join('config', path));
    });
  },
};

/** config/types.d.ts, for tsc and editors. @type {Step} */
export const types = {
  name: 'types',
  builds: false,
  inputs: ({ root }) => {
    const config = join(root, 'config');
    const files = [join(config, 'schema-types.js'), ...filesBelow(join(config, 'schema'))];
    return hashFiles(root, [...files, join(root, 'package-lock.json')]);
  },
  isThere: allExist,
  run(settings) {
    return timed(settings, 'making the types of the schemas', async () => {
      const { writeTypes } = await import(pathToFileURL(join(settings.root, 'config', 'schema-types.js')).href);
      return [join('config', await writeTypes())];
    });
  },
};

/** Sources of the generated enums and names in C. */
const FIELDS = ['setup/names-header.js', 'measure/fields.js', 'measure/causes.js'];

/** Part of the addon's hash, because its headers and flags come with the Node that builds it. */
const NODE = [process.version, process.versions.modules, process.arch, process.platform];

/** @type {Step} */
export const addon = {
  name: 'addon',
  builds: true,
  inputs: ({ root }) =>
    hashFiles(
      root,
      [
        ...sourcesBelow(join(root, 'client', 'engine'), /\.(c|h|gyp|gypi|sh)$/),
        ...FIELDS.map((file) => join(root, 'client', file)),
      ],
      [...NODE, process.env.CC ?? '', ...installedHeaders()],
    ),
  isThere: allExist,
  async run(settings) {
    const { root } = settings;
    const compiler = findCompiler() ?? 'cc';
    const folder = join(root, 'client', 'engine');
    const { writeNamesHeader } = await import('./names-header.js');
    const header = relative(root, writeNamesHeader(folder));
    const builder = nodeGyp(root);
    const nodedir = nodeHeaders();
    if (nodedir === null) {
      await run(settings, {
        name: 'node-headers',
        title: 'downloading the headers of Node',
        command: [process.execPath, builder, 'install', '--ensure'],
        explain: explainHeaders,
      });
    }
    await run(settings, {
      name: 'addon',
      title: 'building the engine',
      command: [process.execPath, builder, 'rebuild', '--jobs=max'],
      folder,
      // node-gyp always links with the C++ compiler; the engine has no C++, so the C compiler suffices.
      env: { CC: compiler, CXX: compiler, LINK: compiler, ...(nodedir && { npm_config_nodedir: nodedir }) },
    });
    const release = join(folder, 'build', 'Release');
    const built = readdirSync(release).filter((name) => name.endsWith('.node'));
    if (built.length === 0) {
      throw new EnvironmentError(`node-gyp left no addon in ${release}`, {
        code: 'ESETUP',
        data: { problem: 'no-addon', folder: release },
      });
    }
    return [header, ...built.map((name) => join('client', 'engine', 'build', 'Release', name))];
  },
};

/** @returns {{problem: string, text: string}} */
function explainHeaders() {
  const text =
    `${process.execPath} came without the headers of Node ${process.version}, which the engine is built with. Use a Node from nvm ` +
    "or the official tarball; beside Debian's nodejs, apt-get install libnode-dev; or set npm_config_nodedir=DIR, where " +
    'DIR/include/node/ has the headers of this version';
  return { problem: 'no-headers', text };
}

/** Set-up builds only the servers in C, so that the first run needs no other toolchain. */
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
      [process.arch, process.env.CC ?? '', ...installedHeaders()],
    ),
  isThere: allExist,
  async run(settings) {
    const { root } = settings;
    const title = 'building the servers in C';
    await timed(settings, title, async () => {
      /** @type {string[]} */
      const output = [];
      const { build, ignorePrebuilt } = await import('../../servers/launcher/index.js');
      if (isPackage(root)) ignorePrebuilt();
      try {
        await build({ language: 'c', onLine: (/** @type {string} */ line) => output.push(line) });
      } catch (error) {
        const { message, code = null, data = {} } = /** @type {Error & { code?: string, data?: object }} */ (error);
        const [reason, ...lines] = message.split('\n');
        const log = writeLog(settings, 'servers', `${output.join('\n')}\n`);
        const facts = { problem: 'servers-not-built', errorCode: code, errorData: data };
        throw failure(title, reason, { log, lines, data: facts, cause: error });
      }
      writeLog(settings, 'servers', `${output.join('\n')}\n`);
    });
    return cFolders(root)
      .flatMap(programsIn)
      .map((path) => relative(root, path));
  },
};

/**
 * @param {Settings} settings
 * @param {string[]} outputs relative to the root
 */
function allExist({ root }, outputs) {
  return outputs.every((path) => existsSync(join(root, path)));
}

/**
 * @param {string} root
 * @returns {string} size and time of the record that npm writes at each change of node_modules
 */
function installTrace(root) {
  const record = statSync(join(root, 'node_modules', '.package-lock.json'), { throwIfNoEntry: false });
  return record ? `${record.size} ${record.mtimeMs}` : 'absent';
}

/**
 * @param {string} folder
 * @param {RegExp} pattern that the path has to match
 * @returns {string[]} the sources below the folder, in a fixed order
 */
export function sourcesBelow(folder, pattern) {
  return filesBelow(folder, isSource).filter((path) => pattern.test(path));
}

/**
 * @param {string} folder
 * @returns {string[]} the programs in the `build` folders below it
 */
function programsIn(folder) {
  return filesBelow(folder, (path) => !/(^|\/)(\.[^/]*|node_modules)$/.test(path))
    .filter((path) => path.slice(folder.length).includes('/build/'))
    .filter((path) => (statSync(path).mode & 0o111) !== 0);
}

/** @typedef {{version?: string, integrity?: string, dev?: boolean, os?: string[], cpu?: string[],
 *   link?: boolean}} Entry a package in a lock file; os, cpu: the only platforms of the package */

/**
 * @typedef {object} Mismatch a package that is missing, or differs from the lock file
 * @property {string} code no-lock-file, not-installed, missing, other-version, other-content
 * @property {Record<string, unknown>} data
 * @property {string} text
 */

/**
 * Compares package-lock.json with the record that npm writes in node_modules at the end of an install. An interrupted
 * install has no record. A node_modules that was copied here needs no network.
 * @param {string} root the checkout
 * @param {{development: boolean}} options
 * @returns {Mismatch[]} empty if all packages match
 */
function mismatches(root, { development }) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  if (wanted === null) return [{ code: 'no-lock-file', data: {}, text: 'package-lock.json is missing' }];
  const installed = packagesOf(join(root, 'node_modules', '.package-lock.json'));
  if (installed === null) {
    return [{ code: 'not-installed', data: {}, text: 'node_modules has not been installed, or not to the end' }];
  }
  return compare(wanted, installed, {
    development,
    isThere: (path) => existsSync(join(root, path, 'package.json')),
  });
}

/**
 * @param {Record<string, Entry>} wanted
 * @param {Record<string, Entry>} installed
 * @param {{development: boolean, isThere: (path: string) => boolean}} options
 * @returns {Mismatch[]}
 */
export function compare(wanted, installed, { development, isThere }) {
  return Object.entries(wanted).flatMap(([path, want]) => {
    if (path === '' || want.link || (want.dev && !development)) return [];
    const actual = installed[path];
    const missing = { code: 'missing', data: { path }, text: `${path} is missing` };
    // npm does not install packages for other platforms.
    if (!actual) return want.os || want.cpu ? [] : [missing];
    if (actual.version !== want.version) {
      const text = `${path} is ${actual.version}, package-lock.json has ${want.version}`;
      return [{ code: 'other-version', data: { path, found: actual.version, wanted: want.version }, text }];
    }
    if (actual.integrity !== want.integrity) {
      const text = `${path} ${actual.version} is not the one in package-lock.json`;
      return [{ code: 'other-content', data: { path, version: actual.version }, text }];
    }
    return isThere(path) ? [] : [missing];
  });
}

/**
 * @param {string} path of a lock file
 * @returns {Record<string, Entry> | null} null if the file is missing or unreadable
 */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}
