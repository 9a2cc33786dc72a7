// How and where a command of Broadside was typed: with npm in a checkout, with `npm --prefix` in another folder, or by
// its name. Help, hints and errors repeat what was typed, and paths are relative to the folder in which it was typed.

import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPackage } from './engine/prebuilt.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IS_PACKAGE = isPackage(ROOT);
const NAME = 'broadside';

/**
 * @typedef {object} Invocation
 * @property {string} program  what comes before the name of a command
 * @property {string} separator  what comes between the name of a command and its arguments, blanks included
 * @property {string} folder  in which the command was typed
 */

/**
 * @param {object} process
 * @param {string[]} process.argv
 * @param {Record<string, string | undefined>} process.env
 * @param {string} process.cwd
 * @param {{ root?: string, installed?: boolean }} [place]  root: the folder of Broadside; installed: from a package
 * @returns {Invocation}
 */
export function invocationOf({ argv: [, script = '', command], env, cwd }, place = {}) {
  const { root = ROOT, installed = IS_PACKAGE } = place;
  // npm runs a script in its package's folder; INIT_CWD is the folder in which npm was called
  const isNpmScript = env.npm_package_name === NAME && env.npm_lifecycle_event === command && isWithin(root, cwd);
  const folder = (isNpmScript && env.INIT_CWD) || cwd;
  if (!isNpmScript && (installed || basename(script) === NAME)) return { program: NAME, separator: ' ', folder };
  const prefix = isWithin(root, folder) || !isNpmScript ? '' : `--prefix ${shellWord(resolve(root))} `;
  return { program: `npm ${prefix}run`, separator: ' -- ', folder };
}

/** @param {string} folder @param {string} path @returns {boolean} */
const isWithin = (folder, path) => !relative(folder, path).startsWith('..');

/** @param {string} word @returns {string} the word, quoted for a shell if it needs quotes */
export const shellWord = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The invocation of this process. */
const TYPED = invocationOf({ argv: process.argv, env: process.env, cwd: process.cwd() });

export const { program: PROGRAM, folder: FOLDER } = TYPED;
/** The command that lists the commands. */
export const HELP =
  PROGRAM === NAME ? `${NAME} --help` : `node ${relative(FOLDER, join(ROOT, 'client/cli.js'))} --help`;
/** The checkout that contains the folder in which the command was typed; null outside a checkout. */
export const CHECKOUT = !IS_PACKAGE && isWithin(ROOT, FOLDER) ? ROOT : null;

/** @param {string} command @param {Invocation} [typed] @returns {string} the command line up to the arguments */
export const commandPrefix = (command, { program, separator } = TYPED) => `${program} ${command}${separator}`.trimEnd();

/**
 * @param {string} command such as `report`; `setup` builds everything again
 * @param {string} [words] its arguments
 * @param {Invocation} [invocation]
 * @returns {string} the whole command line
 */
export function typed(command, words = '', invocation = TYPED) {
  const { program } = invocation;
  if (command === 'setup' && program === NAME) return `node ${join(ROOT, 'client/setup/command.js')} --force`;
  return words === '' ? `${program} ${command}` : `${commandPrefix(command, invocation)} ${words}`;
}
