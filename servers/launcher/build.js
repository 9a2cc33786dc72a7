// Builds the guard and the servers that are not up to date. The one thing to know: a warm build starts no process, and
// two at once wait for each other.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkAvailability, listServers } from './discover.js';
import { ServerError } from './errors.js';
import { lineSplitter, tailOf } from './lines.js';
import { withLock } from './lock.js';
import { firstMissing } from './requirements.js';
import { isFresh, markFresh } from './stamp.js';
import { findCompiler } from './tools.js';

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
 * The guard, and the named servers, or every available one.
 * @param {{names?: string[], language?: string, onLine?: OnLine, folder?: string}} [options] language: of the available
 *   ones, only those in it
 * @returns {Promise<{name: string, built: boolean}[]>} built: false when it was up to date
 */
export async function build({ names, language, onLine = () => {}, folder } = {}) {
  await guardProgram(onLine);
  const listed = listServers({ folder });
  const wanted = names ? await Promise.all(names.map((name) => chooseServer(listed, name)))
    : (await checkAvailability(listed.filter((server) => language === undefined || server.language === language)))
      .filter(({ available }) => available);
  const together = await makeTogether(wanted, onLine);
  const done = [];
  for (const server of wanted) {
    const built = await ensureBuilt(server, server.name, onLine);
    done.push({ name: server.name, built: built || together.has(server) });
  }
  return done;
}

/**
 * Servers of one folder that are targets of make are made by one make, which uses all cores. Where that fails they are
 * made one by one afterwards, which tells whose fault it was.
 * @template {import('./discover.js').ListedServer} Server
 * @param {Server[]} servers
 * @param {OnLine} onLine
 * @returns {Promise<Set<Server>>} those that were made
 */
async function makeTogether(servers, onLine) {
  /** @type {Map<string, Server[]>} */
  const groups = new Map();
  for (const server of servers) {
    const { folder, manifest: { build: recipe } } = server;
    if (recipe?.command[0] !== 'make' || recipe.command.length !== 2 || isFresh(server)) continue;
    const lock = lockOf(folder, recipe);
    groups.set(lock, [...(groups.get(lock) ?? []), server]);
  }
  const made = new Set();
  for (const [lock, group] of groups) {
    if (group.length === 1) continue;
    await withLock(lock, async () => {
      const pending = group.filter((server) => !isFresh(server)); // another process may have built some meanwhile
      const targets = pending.map(({ manifest }) => manifest.build?.command[1] ?? '');
      const { code } = await run(group[0].folder, ['make', `-j${availableParallelism()}`, ...targets], onLine);
      if (code !== 0) return;
      for (const server of pending.filter(hasOutput)) {
        markFresh(server);
        made.add(server);
      }
    });
  }
  return made;
}

/** @param {string} folder @param {{output: string}} recipe */
const lockOf = (folder, { output }) => join(folder, dirname(output), '.lock');

/** @param {import('./stamp.js').Buildable} server */
const hasOutput = ({ folder, manifest: { build: recipe } }) =>
  recipe !== undefined && existsSync(join(folder, recipe.output));

/**
 * @param {import('./discover.js').ListedServer[]} listed
 * @param {string} name
 * @returns {Promise<import('./discover.js').FoundServer>} one that is available
 */
export async function chooseServer(listed, name) {
  const [server] = await checkAvailability(listed.filter((each) => each.name === name).slice(0, 1));
  if (!server) {
    const known = listed.map((each) => each.name).join(', ');
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
    const missing = await firstMissing(COMPILER, { folder: FOLDER });
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
  return withLock(lockOf(folder, recipe), async () => {
    if (isFresh(server)) return false; // the one we waited for has done it
    const { code, lines } = await run(folder, recipe.command, onLine);
    if (code !== 0 || !hasOutput(server)) {
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
