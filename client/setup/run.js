// Shared by the steps of set-up: a line on stderr with the time of each; programs whose output goes to a log file, and
// whose errors quote its last telling lines; npm, its cache, and the headers of Node.

import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { findProgram } from '../../servers/launcher/process/find-program.js';
import { tellingLines } from '../../servers/launcher/process/lines.js';
import { EnvironmentError } from '../errors.js';

/** @import { Settings } from './prepare.js' */

export { tellingLines };

/**
 * Prints how long the work took; a terminal shows the title while the work is running.
 * @template T
 * @param {Settings} settings
 * @param {string} title what is being done, for people
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function timed({ say }, title, work) {
  const { stderr } = process;
  const started = Date.now();
  if (stderr.isTTY) stderr.write(`${title} ...`);
  const result = await Promise.resolve(work()).finally(() => stderr.isTTY && stderr.write('\r\x1b[K'));
  say(`${title} took ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

/**
 * @param {Settings} settings
 * @param {object} step
 * @param {string} step.name of the log file
 * @param {string} step.title what is being done, for people
 * @param {string[]} step.command
 * @param {string} [step.folder] to run it in; else the root of the checkout
 * @param {Record<string, string>} [step.env] added to the environment
 * @param {() => string | null} [step.checkResult] called after exit status 0: why the step failed nevertheless
 * @param {string} [step.remedy] what to know or do when it fails
 * @param {() => {problem: string, text: string} | null} [step.explain] finds the cause of a failure
 */
export async function run(settings, step) {
  const { name, title, command, folder = settings.root, env = {}, remedy } = step;
  const { checkResult = () => null, explain = () => null } = step;
  await timed(settings, title, async () => {
    const { output, ending: status } = await outputOf(command, folder, env);
    const log = writeLog(settings, name, `$ ${command.join(' ')}\n${output}`);
    const ending = status ?? checkResult();
    if (ending === null) return;
    const cause = explain();
    throw failure(title, cause?.text ?? [ending, remedy].filter(Boolean).join('; '), {
      log,
      // A known cause says more than these lines.
      lines: cause === null ? reasonsIn(output) : [],
      data: { problem: cause?.problem ?? 'command-failed', step: name, command, ending },
    });
  });
}

/**
 * @param {string} title
 * @param {string} reason
 * @param {{log: string, lines: string[], data: Record<string, unknown>, cause?: unknown}} more
 */
export function failure(title, reason, { log, lines, data, cause }) {
  return new EnvironmentError([`${title} failed: ${reason} (all of the output: ${log})`, ...lines].join('\n'), {
    code: 'ESETUP',
    data: { ...data, log, lines },
    cause,
  });
}

/**
 * @param {Settings} settings
 * @param {string} name
 * @param {string} text
 * @returns {string} its path
 */
export function writeLog({ root }, name, text) {
  const log = join(root, 'client', 'setup', 'build', `${name}.log`);
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, text);
  return log;
}

/** @param {string} output @returns {string[]} */
function reasonsIn(output) {
  const lines = output.split('\n');
  const telling = tellingLines(lines);
  // node-gyp prints its own errors as a stack.
  const stack = lines.flatMap((line) => /^gyp ERR! stack (?! *at )(.*)/.exec(line)?.[1] ?? []);
  return telling.length > 0 ? telling : stack;
}

/**
 * @param {string[]} command
 * @param {string} cwd
 * @param {Record<string, string>} env
 * @returns {Promise<{output: string, ending: string | null}>} ending: null at exit status 0
 */
function outputOf([program, ...args], cwd, env) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const add = (/** @type {string} */ text) => void (output += text);
    // without a free descriptor, spawn sets neither and emits 'error'
    child.stdout?.setEncoding('utf8').on('data', add);
    child.stderr?.setEncoding('utf8').on('data', add);
    child.on('error', (error) => resolve({ output, ending: error.message }));
    child.on('close', (code, signal) => {
      resolve({ output, ending: code === 0 ? null : signal ? `ended by ${signal}` : `exit status ${code}` });
    });
  });
}

/** @returns {string[]} the npm that runs this process, else the npm beside this Node, else the npm on the PATH */
export function npmCommand() {
  const running = process.env.npm_execpath ?? '';
  if (basename(running) === 'npm-cli.js') return [process.execPath, running];
  const bundled = join(prefix(), 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return existsSync(bundled) ? [process.execPath, bundled] : ['npm'];
}

/**
 * @param {string} root of the checkout or the package
 * @returns {string} path of node-gyp: the dependency in a checkout; npm's own in a package
 */
export function nodeGyp(root) {
  const npm = npmCommand().at(-1) ?? '';
  const script = isAbsolute(npm) ? npm : findProgram(npm);
  for (const from of [join(root, 'package.json'), ...(script === null ? [] : [realpathSync(script)])]) {
    try {
      return createRequire(from).resolve('node-gyp/bin/node-gyp.js');
    } catch {
      // try npm's
    }
  }
  const text =
    'node-gyp, which comes with npm and builds the engine, is missing; install the npm that belongs to this Node';
  throw new EnvironmentError(text, { code: 'ETOOLS', data: { missing: ['node-gyp'], packages: ['npm'] } });
}

/**
 * Checks whether npm can write its cache. Without it, npm 10 tries for a minute, reports an internal failure, and exits
 * with 0.
 * @param {string} folder of npm's cache
 * @returns {string | null} the error code if this user cannot write there; null if they can
 */
export function cacheError(folder) {
  // A folder in it may belong to another user, such as to root after `sudo npm`.
  let existing = resolve(folder, '_cacache', 'tmp');
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
    return null;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? 'unknown';
  }
}

/** @throws {EnvironmentError} when this user cannot write npm's cache */
export function requireNpmCache() {
  // npm passes its settings to the scripts that it runs.
  const folder = process.env.npm_config_cache || npmSetting('cache') || join(homedir(), '.npm');
  const errno = cacheError(folder);
  if (errno === null) return;
  throw new EnvironmentError(
    `npm cannot write its cache ${folder} (${errno}), and the npm dependencies are not installed yet; set npm_config_cache=DIR ` +
      'to a folder that can be written',
    { code: 'ESETUP', data: { problem: 'npm-cache', folder, errno } },
  );
}

/**
 * Finds the headers of this Node: in npm's setting `nodedir`, else where Node was installed, as nvm, the official
 * tarball and Debian's libnode-dev lay them out. Node-API is the same in all versions, but the engine also uses the
 * OpenSSL inside Node, so headers of another version do not work.
 * @returns {string | null} null: the headers have to be downloaded
 * @throws {EnvironmentError} when `nodedir` has no headers
 */
export function nodeHeaders() {
  const named = process.env.npm_config_nodedir || process.env.NPM_CONFIG_NODEDIR;
  if (!named && headersIn(prefix())?.isOurs) return prefix();
  const configured = named || configuredFolder();
  if (configured === '') return null;
  // node-gyp expects the folder above include/node/; people also name include/node/ itself.
  const folder = [configured, join(configured, '..', '..')]
    .map((path) => resolve(path))
    .find((path) => headersIn(path));
  if (folder !== undefined) return folder;
  throw new EnvironmentError(
    `nodedir of npm's configuration (npm_config_nodedir) is ${configured}, and ${join(configured, HEADERS, 'node_api.h')} ` +
      `does not exist; name the folder in which include/node/ has the headers of Node ${process.version}, or remove it`,
    { code: 'ESETUP', data: { problem: 'no-headers-in-nodedir', nodedir: configured } },
  );
}

const HEADERS = join('include', 'node');
const prefix = () => dirname(dirname(process.execPath));

/** @param {string} folder @returns {{isOurs: boolean} | null} isOurs: of the major version of this Node */
function headersIn(folder) {
  try {
    const version = readFileSync(join(folder, HEADERS, 'node_version.h'), 'utf8');
    if (!existsSync(join(folder, HEADERS, 'node_api.h'))) return null;
    const [, major] = /^#define NODE_MAJOR_VERSION (\d+)/m.exec(version) ?? [];
    return { isOurs: process.versions.node.startsWith(`${major}.`) };
  } catch {
    return null;
  }
}

/** @returns {string} npm's setting `nodedir`; '' if it is not set */
const configuredFolder = () => (process.env.npm_execpath ? '' : npmSetting('nodedir'));

/**
 * @param {string} name of a setting of npm
 * @returns {string} '' if it is not set
 */
function npmSetting(name) {
  const [program, ...words] = npmCommand();
  const { stdout } = spawnSync(program, [...words, 'config', 'get', name], { encoding: 'utf8' });
  const text = (stdout ?? '').trim();
  return text === 'undefined' || text === 'null' ? '' : text;
}
