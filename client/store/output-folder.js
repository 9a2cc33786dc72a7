// Where runs and pages go when no option says so: to logs/ and report/ of a checkout for what is typed in it, elsewhere
// to .broadside/ of the folder in which a command was typed, which git ignores.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, FOLDER } from '../invocation.js';

const HIDDEN = '.broadside';

/** @param {string} name logs, report @returns {string} the path of that folder */
export const defaultFolder = (name) => (CHECKOUT === null ? join(FOLDER, HIDDEN, name) : join(CHECKOUT, name));

/** What the help says of it, before the name. */
export const DEFAULT_PLACE = CHECKOUT === null ? `${HIDDEN}/` : "Broadside's ";

/**
 * Makes a folder and those above it; a `.broadside` that is new among them is ignored by git.
 * @param {string} folder an absolute path
 */
export function makeFolder(folder) {
  const first = mkdirSync(folder, { recursive: true });
  const [, hidden] = new RegExp(`^(.*/\\${HIDDEN})(?:/|$)`).exec(folder) ?? [];
  if (first !== undefined && hidden?.startsWith(first)) writeFileSync(join(hidden, '.gitignore'), '*\n');
}
