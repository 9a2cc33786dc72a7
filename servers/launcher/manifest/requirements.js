// Checks whether the requirements of a server are met: programs and their versions, C libraries, check commands. Each
// distinct probe runs once, probes of different servers run concurrently, and this process keeps their results.

import { spawn } from 'node:child_process';
import { isAbsolute, join } from 'node:path';
import { findCompiler, findProgram } from '../process/find-program.js';
import { lineSplitter, tailOf, tellingLines } from '../process/lines.js';

/** @import { Problem } from '../errors.js' */

/** A probe that takes longer counts as failed. */
const PROBE_MS = 30_000;

/**
 * @typedef {object} Requirement see config/schema/server.json
 * @property {string} [command]
 * @property {string} [atLeast]
 * @property {string[]} [version]
 * @property {string} [library]
 * @property {string} [probe]
 * @property {string[]} [check]
 * @property {'build' | 'run' | 'always'} [when]
 * @property {string} remedy
 *
 * @typedef {{exitCode: number | null, lines: string[]}} ProbeResult exitCode: null: the program could not be started or
 *   did not end
 */

/** @type {Map<string, Promise<ProbeResult>>} */
const results = new Map();

/**
 * @param {Requirement[]} requirements
 * @param {{folder: string, built?: boolean}} options folder: where checks and builds run; built: whether the server is
 *   built already; requirements of the build are then skipped, otherwise those of running it
 * @returns {Promise<(Problem & {remedy: string}) | null>} the first requirement that is not met
 */
export async function firstUnmet(requirements, { folder, built = false }) {
  for (const requirement of requirements) {
    // a library's header is never needed to run
    if (built && (requirement.when === 'build' || requirement.library !== undefined)) continue;
    if (!built && requirement.when === 'run') continue;
    const problem = await checkRequirement(requirement, folder);
    if (problem !== null) return { ...problem, remedy: requirement.remedy };
  }
  return null;
}

/**
 * @param {Requirement} requirement
 * @param {string} folder
 * @returns {Promise<Problem | null>} null: it is met
 */
async function checkRequirement({ command, atLeast, version = ['--version'], library, probe, check, when }, folder) {
  if (library !== undefined) return checkLibrary(library, probe ?? '', folder);
  if (check !== undefined) return runCheck(check, folder, when === 'run');
  if (command === 'cc' && findCompiler() === null) return noCompiler();
  const words = command === 'cc' ? compilerWords() : [command ?? ''];
  if (resolveProgram(words[0], folder) === null) return missingCommand(words[0]);
  return atLeast === undefined ? null : checkVersion([...words, ...version], command ?? '', atLeast, folder);
}

/** @param {string} command @returns {Problem} */
const missingCommand = (command) => ({
  code: 'missing-command',
  data: { command },
  text: `${command} is not installed`,
});

/** @returns {Problem} */
const noCompiler = () => ({ code: 'missing-compiler', data: {}, text: 'no C compiler is installed' });

/**
 * @param {string[]} words that print the version
 * @param {string} name
 * @param {string} atLeast
 * @param {string} folder
 * @returns {Promise<Problem | null>}
 */
async function checkVersion(words, name, atLeast, folder) {
  const result = await runOnce(words, folder);
  if (result.exitCode !== 0) return failedCommand(words, result);
  const version = versionIn(result.lines.join('\n'), atLeast);
  const data = { command: name, found: version, needed: atLeast };
  if (version === null) {
    const text = `"${commandText(words)}" prints no version number; version ${atLeast} is needed`;
    return { code: 'unknown-version', data, text };
  }
  if (!isLower(version, atLeast)) return null;
  return { code: 'old-version', data, text: `${name} is version ${version}, but ${atLeast} is needed` };
}

/**
 * @param {string} text
 * @param {string} form a version such as 1.19, whose number of parts is the least
 * @returns {string | null} the first version in the text that has as many parts or more
 */
export function versionIn(text, form) {
  const dots = form.split('.').length - 1;
  return new RegExp(`[0-9]+(?:\\.[0-9]+){${dots},}`).exec(text)?.[0] ?? null;
}

/**
 * @param {string} version
 * @param {string} atLeast
 * @returns {boolean} whether `version` is lower; missing parts count as 0
 */
export function isLower(version, atLeast) {
  const [has, needs] = [version, atLeast].map((text) => text.split('.').map(Number));
  const at = needs.findIndex((part, i) => part !== (has[i] ?? 0));
  return at >= 0 && (has[at] ?? 0) < needs[at];
}

/**
 * @param {string} library as after -l
 * @param {string} probe a C file that uses the functions that the server needs
 * @param {string} folder
 * @returns {Promise<Problem | null>}
 */
async function checkLibrary(library, probe, folder) {
  if (findCompiler() === null) return noCompiler();
  const flagsOf = (/** @type {string} */ name) => wordsIn(process.env[name] ?? '');
  const build = [...compilerWords(), ...flagsOf('CFLAGS'), probe, ...flagsOf('LDFLAGS'), `-l${library}`];
  const { exitCode, lines } = await runOnce([...build, '-o', '/dev/null'], folder);
  if (exitCode === 0) return null;
  const line = tellingLines(lines)[0]?.replace(/^\S+:\d+:\d+: /, '') ?? null;
  const text = `lib${library} is missing, incomplete or too old${line === null ? '' : ` (${line})`}`;
  return { code: 'missing-library', data: { library, line }, text };
}

/**
 * @param {string[]} words
 * @param {string} folder
 * @param {boolean} isOwn whether the command is the server, whose last line says what is missing
 * @returns {Promise<Problem | null>}
 */
async function runCheck(words, folder, isOwn) {
  if (resolveProgram(words[0], folder) === null) return missingCommand(words[0]);
  const result = await runOnce(words, folder);
  if (result.exitCode === 0) return null;
  const problem = failedCommand(words, result);
  return isOwn && problem.data.lastLine !== null ? { ...problem, text: String(problem.data.lastLine) } : problem;
}

/** @returns {string[]} */
const compilerWords = () => wordsIn(findCompiler() ?? 'cc');

/** @param {string} text */
const wordsIn = (text) => text.split(' ').filter(Boolean);

/**
 * @param {string} name
 * @param {string} folder that a relative path is relative to
 */
function resolveProgram(name, folder) {
  return findProgram(name.includes('/') && !isAbsolute(name) ? join(folder, name) : name);
}

/** @param {string[]} words */
const commandText = (words) => words.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ');

/**
 * @param {string[]} words
 * @param {ProbeResult} result
 * @returns {Problem}
 */
function failedCommand(words, { exitCode, lines }) {
  const command = commandText(words);
  const lastLine = lines.findLast((line) => line.trim() !== '')?.trim() ?? null;
  const how = exitCode === null ? 'could not be run' : `ended with exit status ${exitCode}`;
  const text = `"${command}" ${how}${lastLine === null ? '' : `: ${lastLine}`}`;
  return { code: 'failed-command', data: { command, exitCode, lastLine }, text };
}

/**
 * Runs a program to its end, once for the same words, folder and PATH.
 * @param {string[]} words
 * @param {string} folder
 * @returns {Promise<ProbeResult>}
 */
function runOnce(words, folder) {
  const path = resolveProgram(words[0], folder) ?? words[0];
  const key = JSON.stringify([path, words, folder, process.env.PATH]);
  const known = results.get(key);
  if (known !== undefined) return known;
  const result = run(path, words.slice(1), folder);
  results.set(key, result);
  return result;
}

/**
 * @param {string} program
 * @param {string[]} words
 * @param {string} cwd
 * @returns {Promise<ProbeResult>}
 */
function run(program, words, cwd) {
  const child = spawn(program, words, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PROBE_MS,
    killSignal: 'SIGKILL',
  });
  const tail = tailOf(50);
  for (const stream of [child.stdout, child.stderr]) {
    // both are undefined if spawn runs out of descriptors
    const split = lineSplitter(tail.add);
    stream?.on('data', split).on('end', () => split(null));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ exitCode: null, lines: [error.message] }));
    child.on('close', (exitCode) => {
      const lines = exitCode === null ? [`no end within ${PROBE_MS / 1000} s`] : tail.lines();
      resolve({ exitCode, lines });
    });
  });
}
