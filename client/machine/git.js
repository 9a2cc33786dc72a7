// The program git. It takes the repository from variables such as GIT_DIR wherever they are set, and git sets them for
// hooks, aliases and `rebase --exec`. Here it runs without them, for the repository that a folder is in.

import { execFile } from 'node:child_process';

/** @type {Promise<string[]> | undefined} */
let variables;

/** @returns {Promise<string[]>} the names of the variables that tell git of a repository, its parts and its settings */
export async function repositoryVariables() {
  variables ??= run(['rev-parse', '--local-env-vars'], { env: process.env }).then(({ stdout }) => stdout.split('\n'));
  return (await variables).filter((name) => name !== '');
}

/**
 * @typedef {object} GitOptions
 * @property {string} cwd
 * @property {string[]} [settings]  such as gc.auto=0
 * @property {Record<string, string>} [env]  added to the environment
 * @property {string} [input]  its standard input
 * @property {number} [timeoutMs]
 */

/**
 * Runs git for the repository that the folder is in, or that `env` names.
 * @param {string[]} args
 * @param {GitOptions} options
 * @returns {Promise<{ stdout: string, stderr: string }>} rejects with an error that has both
 */
export async function git(args, { cwd, settings = [], env = {}, input = '', timeoutMs }) {
  const left = await repositoryVariables();
  const inherited = Object.entries(process.env).filter(([name]) => !left.includes(name));
  const words = [...settings.flatMap((setting) => ['-c', setting]), ...args];
  return run(words, { cwd, env: { ...Object.fromEntries(inherited), ...env }, input, timeoutMs });
}

/**
 * @param {string[]} words
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv, input?: string, timeoutMs?: number }} options
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
function run(words, { cwd, env, input = '', timeoutMs }) {
  // Its messages are read, so they are in English; without optional locks it writes no index of a repository that it
  // looks at.
  const all = { ...env, LC_ALL: 'C.UTF-8', LANGUAGE: '', GIT_OPTIONAL_LOCKS: '0' };
  return new Promise((resolve, reject) => {
    const options = { cwd, env: all, maxBuffer: Infinity, timeout: timeoutMs };
    const child = execFile('git', words, options, (error, stdout, stderr) => {
      if (error) reject(Object.assign(error, { stdout, stderr }));
      else resolve({ stdout, stderr });
    });
    child.stdin?.on('error', () => {}).end(input); // git may end before it has read all
  });
}
