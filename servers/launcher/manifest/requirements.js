// Whether what a server requires is there: programs and their versions, C headers, checks of its own. The one thing to
// know: one process for each distinct probe, all at once, and its answer is kept as long as this process lives.

import { spawn } from 'node:child_process';
import { isAbsolute, join } from 'node:path';
import { tailOf, lineSplitter } from '../process/lines.js';
import { findCompiler, findProgram } from '../process/find-program.js';

/** A probe that has not ended by then counts as failed. */
const PROBE_MS = 30_000;

/**
 * @typedef {object} Requirement see config/schema/server.json
 * @property {string} [command]
 * @property {string} [atLeast]
 * @property {string[]} [version]
 * @property {string} [header]
 * @property {string[]} [check]
 * @property {'build' | 'always'} [when]
 * @property {string} remedy
 *
 * @typedef {{code: number | null, lines: string[]}} Answer code: null when it could not be started, or was ended
 */

/** @type {Map<string, Promise<Answer>>} */
const answers = new Map();

/**
 * @param {Requirement[]} requirements
 * @param {{folder: string, built?: boolean}} place folder: where checks run, and builds will; built: nothing is to be
 *   built, so what is for building only need not be there
 * @returns {Promise<{why: string, remedy: string} | null>} the first one that is not met
 */
export async function firstMissing(requirements, { folder, built = false }) {
  for (const requirement of requirements) {
    // A header is never needed to run.
    if (built && (requirement.when === 'build' || requirement.header !== undefined)) continue;
    const why = await whyMissing(requirement, folder);
    if (why !== null) return { why, remedy: requirement.remedy };
  }
  return null;
}

/**
 * @param {Requirement} requirement
 * @param {string} folder
 * @returns {Promise<string | null>} null when it is met
 */
async function whyMissing({ command, atLeast, version = ['--version'], header, check }, folder) {
  if (header !== undefined) return whyNoHeader(header, folder);
  if (check !== undefined) return whyFailing(check, folder);
  if (command === 'cc' && findCompiler() === null) return 'there is no C compiler';
  const words = command === 'cc' ? compilerWords() : [command ?? ''];
  if (pathOf(words[0], folder) === null) return `${words[0]} is not there`;
  return atLeast === undefined ? null : whyTooOld([...words, ...version], command ?? '', atLeast, folder);
}

/**
 * @param {string[]} words that print the version
 * @param {string} name
 * @param {string} atLeast
 * @param {string} folder
 */
async function whyTooOld(words, name, atLeast, folder) {
  const { code, lines } = await probe(words, folder);
  const found = versionIn(lines.join('\n'), atLeast);
  if (code !== 0) return `${shownWords(words)} ${ending(code, lines)}`;
  if (found === null) return `${shownWords(words)} names no version, ${atLeast} is needed`;
  return isLower(found, atLeast) ? `${name} ${found} is there, ${atLeast} is needed` : null;
}

/**
 * @param {string} text
 * @param {string} form a version such as 1.19: what is found has at least as many parts
 * @returns {string | null} the first such number
 */
export function versionIn(text, form) {
  const dots = form.split('.').length - 1;
  return new RegExp(`[0-9]+(?:\\.[0-9]+){${dots},}`).exec(text)?.[0] ?? null;
}

/**
 * @param {string} version
 * @param {string} atLeast
 * @returns {boolean} whether it is the lower one; parts that are not there count as 0
 */
export function isLower(version, atLeast) {
  const [has, needs] = [version, atLeast].map((each) => each.split('.').map(Number));
  const at = needs.findIndex((part, i) => part !== (has[i] ?? 0));
  return at >= 0 && (has[at] ?? 0) < needs[at];
}

/**
 * @param {string} header
 * @param {string} folder
 */
async function whyNoHeader(header, folder) {
  if (findCompiler() === null) return 'there is no C compiler';
  const words = [...compilerWords(), '-E', '-x', 'c', '-include', header, '-o', '/dev/null', '/dev/null'];
  return (await probe(words, folder)).code === 0 ? null : `the C header ${header} is not there`;
}

/**
 * @param {string[]} words
 * @param {string} folder
 */
async function whyFailing(words, folder) {
  if (pathOf(words[0], folder) === null) return `${words[0]} is not there`;
  const { code, lines } = await probe(words, folder);
  return code === 0 ? null : `${shownWords(words)} ${ending(code, lines)}`;
}

/** @returns {string[]} */
const compilerWords = () => (findCompiler() ?? 'cc').split(' ');

/**
 * @param {string} name
 * @param {string} folder that a relative path is relative to
 */
function pathOf(name, folder) {
  return findProgram(name.includes('/') && !isAbsolute(name) ? join(folder, name) : name);
}

/** @param {string[]} words */
const shownWords = (words) => words.map((word) => (/[\s"']/.test(word) ? JSON.stringify(word) : word)).join(' ');

/**
 * @param {number | null} code
 * @param {string[]} lines
 */
function ending(code, lines) {
  const last = lines.filter((line) => line.trim() !== '').at(-1);
  return (code === null ? 'cannot be run' : `ends with ${code}`) + (last === undefined ? '' : `: ${last.trim()}`);
}

/**
 * Runs a program to its end, once for the same words in the same place and environment.
 * @param {string[]} words
 * @param {string} folder
 * @returns {Promise<Answer>}
 */
function probe(words, folder) {
  const path = pathOf(words[0], folder) ?? words[0];
  const key = JSON.stringify([path, words, folder, process.env.PATH]);
  const known = answers.get(key);
  if (known !== undefined) return known;
  const answer = run(path, words.slice(1), folder);
  answers.set(key, answer);
  return answer;
}

/**
 * @param {string} program
 * @param {string[]} words
 * @param {string} cwd
 * @returns {Promise<Answer>}
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
    // neither is there when spawn finds no descriptor left
    const split = lineSplitter(tail.add);
    stream?.on('data', split).on('end', () => split(null));
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, lines: [error.message] }));
    child.on('close', (code) => {
      resolve({ code, lines: code === null ? [`not ended within ${PROBE_MS / 1000} s`] : tail.lines() });
    });
  });
}
