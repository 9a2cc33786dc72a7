// Builds the guard and the servers that are not up to date. If everything is up to date, no process is started.
// Concurrent builds wait for each other. Builds run under the guard, so they end with the process that started them.

import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerError } from '../errors.js';
import { listServers } from '../manifest/list-servers.js';
import { firstUnmet } from '../manifest/requirements.js';
import { findCompiler } from '../process/find-program.js';
import { errnoText, startGuarded } from '../process/guarded.js';
import { lineSplitter, tailOf, tellingLines } from '../process/lines.js';
import { checkAvailability } from './availability.js';
import { withLock } from './lock.js';
import { isFresh, markFresh, outputOf, outputProblem } from './stamp.js';

/**
 * @import { Problem } from '../errors.js'
 * @import { ListedServer } from '../manifest/list-servers.js'
 * @import { Ending } from '../process/guarded.js'
 * @import { FoundServer } from './availability.js'
 * @import { Buildable } from './stamp.js'
 */

/** Lines of a build's output that are kept; the error shows those that tell the cause. */
const MAX_LINES = 400;
const PROCESS_FOLDER = fileURLToPath(new URL('../process', import.meta.url));
const COMPILER = [
  { command: 'cc', remedy: 'apt-get install build-essential' },
  { command: 'make', remedy: 'apt-get install build-essential' },
];
const GUARD = {
  folder: PROCESS_FOLDER,
  manifest: {
    build: { command: ['make', 'guard'], output: 'build/guard', sources: ['Makefile', 'guard.c', 'cpus.c', 'cpus.h'] },
  },
};

/**
 * @typedef {(line: string) => void} OnLine
 */

/**
 * Builds the guard and the named servers, or every available one.
 * @param {{names?: string[], language?: string, onLine?: OnLine, folder?: string}} [options] language: only the
 *   available servers in this language; onLine: gets the output of the builds; folder: where to look instead of
 *   servers/
 * @returns {Promise<{name: string, built: boolean}[]>} built: false: the server was up to date
 */
export async function build({ names, language, onLine = () => {}, folder } = {}) {
  const guard = await guardProgram(onLine);
  const listed = listServers({ folder });
  const wanted = names
    ? await Promise.all(names.map((name) => chooseServer(listed, name)))
    : (
        await checkAvailability(listed.filter((server) => language === undefined || server.language === language))
      ).filter(({ available }) => available);
  const builtTogether = await buildTogether(guard, wanted, onLine);
  const outcomes = [];
  for (const server of wanted) {
    const built = await ensureBuilt(server, server.name, onLine);
    outcomes.push({ name: server.name, built: built || builtTogether.has(server) });
  }
  return outcomes;
}

/**
 * Builds the make targets of each folder with one make, which uses all cores. If that fails, the servers are built one
 * by one afterwards, so that the error names the server.
 * @template {ListedServer} Server
 * @param {string} guard
 * @param {Server[]} servers
 * @param {OnLine} onLine
 * @returns {Promise<Set<Server>>} the servers that were built
 */
async function buildTogether(guard, servers, onLine) {
  /** @type {Map<string, Server[]>} */
  const groups = new Map();
  for (const server of servers) {
    const recipe = server.manifest.build;
    if (recipe?.command[0] !== 'make' || recipe.command.length !== 2 || isFresh(server)) continue;
    const lock = lockPath(server.folder, recipe);
    groups.set(lock, [...(groups.get(lock) ?? []), server]);
  }
  const built = new Set();
  for (const [lock, group] of groups) {
    if (group.length === 1) continue;
    await withLock(lock, async (setWorker) => {
      const pending = group.filter((server) => !isFresh(server)); // another process may have built servers meanwhile
      const targets = pending.map(({ manifest }) => manifest.build?.command[1] ?? '');
      const command = ['make', `-j${availableParallelism()}`, ...targets];
      const { problem } = await runBuild(guard, group[0].folder, command, { onLine, setWorker });
      if (problem !== null) return;
      for (const server of pending.filter((candidate) => outputProblem(candidate) === null)) {
        markFresh(server);
        built.add(server);
      }
    });
  }
  return built;
}

/**
 * Runs a command that builds a program of the user under the guard, so that it ends with this process.
 * @param {{what: string, folder: string, command: string, setWorker: (pid: number) => void, onLine?: OnLine}} options
 *   what: name of the program in an error; command: for the shell; setWorker: of the folder's lock
 * @throws {ServerError} EBUILD with the last lines of its output
 */
export async function buildByCommand({ what, folder, command, setWorker, onLine = () => {} }) {
  const words = ['/bin/sh', '-c', command];
  const { problem, lines } = await runBuild(await guardProgram(), folder, words, { onLine, setWorker });
  if (problem !== null) throw buildError(what, folder, [command], problem, lines);
}

/** @param {string} folder @param {{output: string}} recipe */
const lockPath = (folder, { output }) => join(folder, dirname(output), '.lock');

/**
 * @param {ListedServer[]} listed
 * @param {string} name
 * @returns {Promise<FoundServer>} available
 */
export async function chooseServer(listed, name) {
  const [server] = await checkAvailability(listed.filter((candidate) => candidate.name === name).slice(0, 1));
  if (!server) {
    const known = listed.map((candidate) => candidate.name);
    throw new ServerError(`unknown server "${name}"; available names: ${known.join(', ')}`, {
      code: 'EUNKNOWN',
      data: { server: name, known },
    });
  }
  if (!server.available) {
    throw new ServerError(`server ${name} is not available: ${server.why}; ${server.remedy}`, {
      code: 'EUNAVAILABLE',
      data: { server: name, problem: server.problem },
    });
  }
  return server;
}

/**
 * @param {OnLine} [onLine]
 * @returns {Promise<string>} the path of the guard, which is built if necessary
 */
export async function guardProgram(onLine = () => {}) {
  if (!isFresh(GUARD)) {
    const unmet = await firstUnmet(COMPILER, { folder: PROCESS_FOLDER });
    if (unmet) {
      const { code, data, text, remedy } = unmet;
      throw new ServerError(`cannot build the guard: ${text}; ${remedy}`, {
        code: 'EUNAVAILABLE',
        data: { server: 'guard', problem: { code, data } },
      });
    }
    await ensureBuilt(GUARD, 'guard', onLine);
  }
  return outputOf(GUARD);
}

/**
 * @param {Buildable} server
 * @param {string} name
 * @param {OnLine} [onLine]
 * @returns {Promise<boolean>} false: it was up to date
 */
export async function ensureBuilt(server, name, onLine = () => {}) {
  const { folder, manifest } = server;
  const { build: recipe } = manifest;
  if (!recipe || isFresh(server)) return false;
  const guard = server === GUARD ? null : await guardProgram(onLine);
  return withLock(lockPath(folder, recipe), async (setWorker) => {
    if (isFresh(server)) return false; // another process has built it while we waited
    const { problem, lines } = await runBuild(guard, folder, recipe.command, { onLine, setWorker });
    const failure = problem ?? outputProblem(server);
    if (failure !== null) throw buildError(name, folder, recipe.command, failure, lines);
    markFresh(server);
    return true;
  });
}

/**
 * @param {string} server
 * @param {string} folder
 * @param {string[]} command
 * @param {Problem} problem
 * @param {string[]} output last lines of the build's output
 */
function buildError(server, folder, command, { code: reason, data, text }, output) {
  const lines = tellingLines(output);
  const what = `building ${server} failed (${command.join(' ')} in ${folder})`;
  // the exit status adds nothing to the build's output
  const message = reason === 'exit-status' && lines.length > 0 ? what : `${what}: ${text}`;
  return new ServerError([message, ...lines].join('\n'), {
    code: 'EBUILD',
    data: { server, command, reason, ...data, lines },
  });
}

/**
 * @param {string | null} guard null: the guard itself is built
 * @param {string} folder
 * @param {string[]} command
 * @param {{onLine: OnLine, setWorker: (pid: number) => void}} options setWorker: writes the building process into the
 *   lock file
 * @returns {Promise<{problem: Problem | null, lines: string[]}>} lines: the last lines of its output
 */
async function runBuild(guard, folder, [program, ...words], { onLine, setWorker }) {
  const compiler = findCompiler();
  /** @type {Record<string, string>} */
  const env = compiler === null ? {} : { CC: compiler };
  // make -B: the stamp has already compared contents; make would compare times
  const command = [program, ...(program === 'make' ? ['-B', '--no-print-directory'] : []), ...words];
  const tail = tailOf(MAX_LINES);
  const take = (/** @type {string} */ line) => {
    tail.add(line);
    onLine(line);
  };
  if (guard === null)
    return { problem: endingProblem(await runAlone(folder, command, { env, take })), lines: tail.lines() };
  const onOutput = (/** @type {string} */ _stream, /** @type {string} */ line) => take(line);
  const { pid, started, exited } = startGuarded(guard, command, { cwd: folder, env, onLine: onOutput });
  if (pid !== undefined) setWorker(pid);
  const startError = await started.then(
    () => null,
    (/** @type {ServerError} */ { message, data }) => ({ code: 'guard', data, text: message }),
  );
  const ending = await exited;
  if (ending.execErrno !== undefined) {
    const text = `cannot start ${program}: ${errnoText(ending.execErrno)}`;
    return { problem: { code: 'cannot-start', data: { program, errno: ending.execErrno }, text }, lines: [] };
  }
  return { problem: startError ?? endingProblem(ending), lines: tail.lines() };
}

/**
 * @param {Ending} ending
 * @returns {Problem | null} null: the build succeeded
 */
function endingProblem({ code: exitCode, signal }) {
  if (exitCode === 0) return null;
  return exitCode === null
    ? { code: 'signal', data: { signal }, text: `it was ended by ${signal ?? 'an unknown signal'}` }
    : { code: 'exit-status', data: { exitCode }, text: `it ended with exit status ${exitCode}` };
}

/**
 * Runs a build without the guard.
 * @param {string} folder
 * @param {string[]} command
 * @param {{env: Record<string, string>, take: OnLine}} options
 * @returns {Promise<Ending>}
 */
function runAlone(folder, [program, ...words], { env, take }) {
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) {
    // both are undefined if spawn runs out of descriptors
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
