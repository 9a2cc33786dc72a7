// Runs one program of the set-up: a line when it starts and one when it is done, both on stderr; its own output goes
// to a log file and is shown only when it fails.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { EnvironmentError } from '../errors.js';

/**
 * @param {import('./prepare.js').Settings} settings
 * @param {object} step
 * @param {string} step.name of the log file
 * @param {string} step.title what is being done, for people
 * @param {string[]} step.command
 * @param {string} [step.folder] to run it in; else the root of the checkout
 * @param {string} [step.remedy] what to know or do when it fails
 * @param {Record<string, string>} [step.env] added to the environment
 */
export async function run({ root, say }, { name, title, command, folder = root, remedy = '', env = {} }) {
  say(title);
  const started = Date.now();
  const { output, ending } = await outputOf(command, folder, env);
  const log = join(root, 'client', 'setup', 'build', `${name}.log`);
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, `$ ${command.join(' ')}\n${output}`);
  if (ending !== null) {
    process.stderr.write(`$ ${command.join(' ')}\n${output.trimEnd()}\n`);
    const advice = remedy && `; ${remedy}`;
    throw new EnvironmentError(`${title} failed: ${ending} (its output is above, and in ${log})${advice}`, {
      code: 'ESETUP',
      data: { problem: 'command-failed', step: name, command, ending, log },
    });
  }
  say(`${title} took ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/**
 * @param {string[]} command
 * @param {string} cwd
 * @param {Record<string, string>} env
 * @returns {Promise<{output: string, ending: string | null}>} ending is null when it ended well
 */
function outputOf([program, ...args], cwd, env) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const add = (/** @type {string} */ text) => void (output += text);
    // neither is there when spawn finds no descriptor left; its 'error' comes all the same
    child.stdout?.setEncoding('utf8').on('data', add);
    child.stderr?.setEncoding('utf8').on('data', add);
    child.on('error', (error) => resolve({ output, ending: error.message }));
    child.on('close', (code, signal) => {
      resolve({ output, ending: code === 0 ? null : signal ? `ended by ${signal}` : `exit status ${code}` });
    });
  });
}

/** @returns {string[]} the npm that runs us, or the one that came with this node, or the one on the PATH */
export function npmCommand() {
  const running = process.env.npm_execpath ?? '';
  if (basename(running) === 'npm-cli.js') return [process.execPath, running];
  const own = join(prefix(), 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return existsSync(own) ? [process.execPath, own] : ['npm'];
}

/** @returns {string | null} the folder node was installed to when its headers are there too: then nothing is fetched */
export function nodeHeaders() {
  return existsSync(join(prefix(), 'include', 'node', 'node_api.h')) ? prefix() : null;
}

const prefix = () => dirname(dirname(process.execPath));
