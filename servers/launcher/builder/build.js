// Builds the guard and the servers that are not up to date. The one thing to know: a warm build starts no process, and
// two at once wait for each other. A build is
// run by the guard: it ends with the process that asked for it.

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listServers } from '../manifest/list-servers.js';
import { ServerError } from '../errors.js';
import { checkAvailability } from './availability.js';
import { startGuarded } from '../process/guarded.js';
import { lineSplitter, tailOf } from '../process/lines.js';
import { withLock } from './lock.js';
import { firstMissing } from '../manifest/requirements.js';
import { isFresh, markFresh, outputFault } from './stamp.js';
import { findCompiler } from '../process/find-program.js';

const FOLDER = fileURLToPath(new URL('../process', import.meta.url));
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
  const guard = await guardProgram(onLine);
  const listed = listServers({ folder });
  const wanted = names
    ? await Promise.all(names.map((name) => chooseServer(listed, name)))
    : (
        await checkAvailability(listed.filter((server) => language === undefined || server.language === language))
      ).filter(({ available }) => available);
  const together = await makeTogether(guard, wanted, onLine);
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
 * @template {import('../manifest/list-servers.js').ListedServer} Server
 * @param {string} guard
 * @param {Server[]} servers
 * @param {OnLine} onLine
 * @returns {Promise<Set<Server>>} those that were made
 */
async function makeTogether(guard, servers, onLine) {
  /** @type {Map<string, Server[]>} */
  const groups = new Map();
  for (const server of servers) {
    const {
      folder,
      manifest: { build: recipe },
    } = server;
    if (recipe?.command[0] !== 'make' || recipe.command.length !== 2 || isFresh(server)) continue;
    const lock = lockOf(folder, recipe);
    groups.set(lock, [...(groups.get(lock) ?? []), server]);
  }
  const made = new Set();
  for (const [lock, group] of groups) {
    if (group.length === 1) continue;
    await withLock(lock, async (hand) => {
      const pending = group.filter((server) => !isFresh(server)); // another process may have built some meanwhile
      const targets = pending.map(({ manifest }) => manifest.build?.command[1] ?? '');
      const command = ['make', `-j${availableParallelism()}`, ...targets];
      const { fault } = await run(guard, group[0].folder, command, { onLine, hand });
      if (fault !== null) return;
      for (const server of pending.filter((each) => outputFault(each) === null)) {
        markFresh(server);
        made.add(server);
      }
    });
  }
  return made;
}

/** @param {string} folder @param {{output: string}} recipe */
const lockOf = (folder, { output }) => join(folder, dirname(output), '.lock');

/**
 * @param {import('../manifest/list-servers.js').ListedServer[]} listed
 * @param {string} name
 * @returns {Promise<import('./availability.js').FoundServer>} one that is available
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
  const guard = server === GUARD ? null : await guardProgram(onLine);
  return withLock(lockOf(folder, recipe), async (hand) => {
    if (isFresh(server)) return false; // the one we waited for has done it
    const { fault, lines } = await run(guard, folder, recipe.command, { onLine, hand });
    const why = fault ?? outputFault(server);
    if (why !== null) {
      const what = `building ${name} failed (${recipe.command.join(' ')} in ${folder})`;
      // Where it has said something itself, that is the reason, and an exit status tells nothing beside it.
      const first = fault?.startsWith('it ended with exit status') && lines.length > 0 ? what : `${what}: ${why}`;
      throw new ServerError([first, ...lines].join('\n'), { code: 'EBUILD' });
    }
    markFresh(server);
    return true;
  });
}

/**
 * @param {string | null} guard null: it is the guard that is built
 * @param {string} folder
 * @param {string[]} command
 * @param {{onLine: OnLine, hand: (pid: number) => void}} options hand: the lock to whoever has the build
 * @returns {Promise<{fault: string | null, lines: string[]}>} lines: the last of its output
 */
async function run(guard, folder, [program, ...words], { onLine, hand }) {
  const compiler = findCompiler();
  /** @type {Record<string, string>} */
  const env = compiler === null ? {} : { CC: compiler };
  // -B where it is make: the stamp has decided already, and it goes by contents where make goes by times.
  const command = [program, ...(program === 'make' ? ['-B', '--no-print-directory'] : []), ...words];
  const tail = tailOf(20);
  const take = (/** @type {string} */ line) => {
    tail.add(line);
    onLine(line);
  };
  if (guard === null) {
    const fault = endingFault(await runAlone(folder, command, { env, take }));
    return { fault, lines: tail.lines() };
  }
  const onOutput = (/** @type {string} */ _stream, /** @type {string} */ line) => take(line);
  const { pid, started, exited } = startGuarded(guard, command, { cwd: folder, env, onLine: onOutput });
  if (pid !== undefined) hand(pid);
  const unstarted = await started.then(
    () => null,
    (/** @type {Error} */ { message }) => message,
  );
  const ending = await exited;
  const last = tail.lines().at(-1) ?? '';
  if (ending.code === 127 && last.startsWith(`cannot start ${program}: `)) return { fault: last, lines: [] };
  return { fault: unstarted ?? endingFault(ending), lines: tail.lines() };
}

/**
 * @param {import('../process/guarded.js').Ending} ending
 * @returns {string | null} null when it ended as it should
 */
function endingFault({ code, signal }) {
  if (code === 0) return null;
  return code === null ? `it was ended by ${signal ?? 'something unknown'}` : `it ended with exit status ${code}`;
}

/**
 * @param {string} folder
 * @param {string[]} command
 * @param {{env: Record<string, string>, take: OnLine}} options
 * @returns {Promise<import('../process/guarded.js').Ending>}
 */
function runAlone(folder, [program, ...words], { env, take }) {
  const all = { ...process.env, ...env };
  const child = spawn(program, words, { cwd: folder, env: all, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    // neither is there when spawn finds no descriptor left
    const split = lineSplitter(take);
    stream?.on('data', split).on('end', () => split(null));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => {
      take(error.message);
      resolve({ code: 127, signal: null });
    });
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}
