// Builds the guard and the servers that are not up to date. The one thing to know: a warm build starts no process, and
// two at once wait for each other.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { discover } from './discover.js';
import { ServerError } from './errors.js';
import { lineSplitter, tailOf } from './lines.js';
import { withLock } from './lock.js';
import { isFresh, markFresh } from './stamp.js';
import { findCompiler, firstMissing } from './tools.js';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const COMPILER = [
  { command: 'cc', remedy: 'apt-get install build-essential' },
  { command: 'make', remedy: 'apt-get install build-essential' },
];
const GUARD = {
  folder: FOLDER,
  manifest: {
    build: { command: ['make', 'guard'], output: 'build/guard', sources: ['Makefile', 'guard.c', 'cpus.c', 'cpus.h'] },
  },
};

/** @typedef {(line: string) => void} OnLine */

/**
 * The guard, and the named servers or every available one.
 * @param {{names?: string[], onLine?: OnLine, folder?: string}} [options]
 * @returns {Promise<{name: string, built: boolean}[]>} built: false when it was up to date
 */
export async function build({ names, onLine = () => {}, folder } = {}) {
  await guardProgram(onLine);
  const found = await discover({ folder });
  const wanted = names ? names.map((name) => chooseServer(found, name)) : found.filter(({ available }) => available);
  const done = [];
  for (const server of wanted) done.push({ name: server.name, built: await ensureBuilt(server, server.name, onLine) });
  return done;
}

/**
 * @param {import('./discover.js').FoundServer[]} found
 * @param {string} name
 */
export function chooseServer(found, name) {
  const server = found.find((each) => each.name === name);
  if (!server) {
    const known = found.map((each) => each.name).join(', ');
    throw new ServerError(`there is no server "${name}"; there are: ${known}`, { code: 'EUNKNOWN' });
  }
  if (!server.available) {
    throw new ServerError(`the server ${name} is not available: ${server.why}; ${server.remedy}`, {
      code: 'EUNAVAILABLE',
    });
  }
  return server;
}

/**
 * @param {OnLine} [onLine]
 * @returns {Promise<string>} the guard's path, built if need be
 */
export async function guardProgram(onLine = () => {}) {
  if (!isFresh(GUARD)) {
    const missing = firstMissing(COMPILER);
    if (missing) {
      throw new ServerError(`the guard cannot be built: ${missing.why}; ${missing.remedy}`, { code: 'EUNAVAILABLE' });
    }
    await ensureBuilt(GUARD, 'guard', onLine);
  }
  return join(FOLDER, GUARD.manifest.build.output);
}

/**
 * @param {import('./stamp.js').Buildable} server
 * @param {string} name
 * @param {OnLine} [onLine]
 * @returns {Promise<boolean>} false when there was nothing to do
 */
export async function ensureBuilt(server, name, onLine = () => {}) {
  const { folder, manifest } = server;
  const { build: recipe } = manifest;
  if (!recipe || isFresh(server)) return false;
  return withLock(join(folder, dirname(recipe.output), '.lock'), async () => {
    if (isFresh(server)) return false; // the one we waited for has done it
    const { code, lines } = await run(folder, recipe.command, onLine);
    if (code !== 0 || !existsSync(join(folder, recipe.output))) {
      const what = `building ${name} failed (${recipe.command.join(' ')} in ${folder})`;
      throw new ServerError([what, ...lines].join('\n'), { code: 'EBUILD' });
    }
    markFresh(server);
    return true;
  });
}

/**
 * @param {string} folder
 * @param {string[]} command
 * @param {OnLine} onLine
 * @returns {Promise<{code: number | null, lines: string[]}>} lines: the last of its output
 */
function run(folder, [program, ...words], onLine) {
  const compiler = findCompiler();
  const env = { ...process.env, ...(compiler === null ? {} : { CC: compiler }) };
  // -B where it is make: the stamp has decided already, and it goes by contents where make goes by times.
  const all = program === 'make' ? ['-B', '--no-print-directory', ...words] : words;
  const child = spawn(program, all, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const tail = tailOf(20);
  const take = (/** @type {string} */ line) => {
    tail.add(line);
    onLine(line);
  };
  for (const stream of [child.stdout, child.stderr]) { // neither is there when spawn finds no descriptor left
    const split = lineSplitter(take);
    stream?.on('data', split).on('end', () => split(null));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, lines: [error.message] }));
    child.on('close', (code) => resolve({ code, lines: tail.lines() }));
  });
}
