// Runs git for the repository that a folder is in. Variables such as GIT_DIR would name another repository, and git
// sets them for hooks, aliases and `rebase --exec`; they are removed from the environment.

import { execFile } from 'node:child_process';

/** @type {Promise<string[]> | undefined} */
let variables;

/** @returns {Promise<string[]>} names of the variables that name a repository, its parts and its settings */
export async function repositoryVariables() {
  variables ??= run(['rev-parse', '--local-env-vars'], { env: process.env }).then(({ stdout }) => stdout.split('\n'));
  return (await variables).filter((name) => name !== '');
}

/**
 * @typedef {object} GitOptions
 * @property {string} cwd
 * @property {string[]} [settings]  such as gc.auto=0
 * @property {Record<string, string>} [env]  added to the environment
 * @property {string} [input]  standard input of git
 * @property {number} [timeoutMs]
 */

/**
 * Runs git for the repository that the folder is in, or that `env` names.
 * @param {string[]} args
 * @param {GitOptions} options
 * @returns {Promise<{ stdout: string, stderr: string }>} rejects with an error that has the same properties
 */
export async function git(args, { cwd, settings = [], env = {}, input = '', timeoutMs }) {
  const removed = await repositoryVariables();
  const inherited = Object.entries(process.env).filter(([name]) => !removed.includes(name));
  const words = [...settings.flatMap((setting) => ['-c', setting]), ...args];
  return run(words, { cwd, env: { ...Object.fromEntries(inherited), ...env }, input, timeoutMs });
}

/**
 * @param {string[]} words
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, input?: string, timeoutMs?: number }} options
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
function run(words, { cwd, env, input = '', timeoutMs }) {
  // git's messages are parsed, so they must be in English; without optional locks, reading a repository changes nothing
  const gitEnv = { ...env, LC_ALL: 'C.UTF-8', LANGUAGE: '', GIT_OPTIONAL_LOCKS: '0' };
  return new Promise((resolve, reject) => {
    const options = { cwd, env: gitEnv, maxBuffer: Infinity, timeout: timeoutMs };
    const child = execFile('git', words, options, (error, stdout, stderr) => {
      if (error) reject(Object.assign(error, { stdout, stderr }));
      else resolve({ stdout, stderr });
    });
    child.stdin?.on('error', () => {}).end(input); // git may end before it has read all
  });
}
