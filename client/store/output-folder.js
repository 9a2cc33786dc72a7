// The default folders of runs and pages: logs/ and report/ of the checkout for commands typed in it; elsewhere
// .broadside/ in the folder in which the command was typed, which git ignores.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, FOLDER } from '../invocation.js';

const HIDDEN = '.broadside';

/** @param {string} name logs or report @returns {string} the path of that folder */
export const defaultFolder = (name) => (CHECKOUT === null ? join(FOLDER, HIDDEN, name) : join(CHECKOUT, name));

/** The default folder in the help, without the name. */
export const DEFAULT_PLACE = CHECKOUT === null ? `${HIDDEN}/` : "Broadside's ";

/**
 * Makes a folder and its parents; if it makes `.broadside`, git ignores that.
 * @param {string} folder an absolute path
 */
export function makeFolder(folder) {
  const firstMade = mkdirSync(folder, { recursive: true });
  const [, hidden] = new RegExp(`^(.*/\\${HIDDEN})(?:/|$)`).exec(folder) ?? [];
  if (firstMade !== undefined && hidden?.startsWith(firstMade)) writeFileSync(join(hidden, '.gitignore'), '*\n');
}
