// How people type a command of Broadside: with npm in a checkout, and by its name where the package is installed.

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPackage } from './engine/prebuilt.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IS_PACKAGE = isPackage(ROOT);

/** What comes before the name of a command. */
export const PROGRAM = IS_PACKAGE ? 'broadside' : 'npm run';
/** What prints the list of the commands. */
export const HELP = IS_PACKAGE ? 'broadside --help' : 'node client/cli.js --help';

/**
 * @param {Record<string, string | undefined>} env
 * @returns {string} the folder in which the command was typed; npm runs it in that of Broadside, also with `npm
 *   --prefix`
 */
export const typedIn = ({ npm_package_name: name, INIT_CWD: folder }) =>
  (name === 'broadside' && resolve(process.cwd()) === resolve(ROOT) && folder) || process.cwd();

/** @param {string} word @returns {string} that a shell takes for this word */
export const shellWord = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** @param {string} command @param {boolean} [installed] @returns {string} what comes before its arguments */
export const opening = (command, installed = IS_PACKAGE) =>
  installed ? `broadside ${command}` : `npm run ${command} --`;

/**
 * @param {string} command such as `report`; `setup` builds what there is to build
 * @param {string} [words] its arguments
 * @param {boolean} [installed]
 * @returns {string} the whole line
 */
export function typed(command, words = '', installed = IS_PACKAGE) {
  if (command === 'setup' && installed) return `node ${join(ROOT, 'client/setup/command.js')} --force`;
  return words === '' ? opening(command, installed).replace(/ --$/, '') : `${opening(command, installed)} ${words}`;
}
