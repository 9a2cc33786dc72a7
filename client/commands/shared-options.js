// Options that commands share which read no scenario, so that these load nothing of it.

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPackage } from '../engine/prebuilt.js';

/** @import { Options } from 'yargs' */

export const OUTPUT = 'Output:';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A checkout keeps what is written; a package, which the next version replaces, leaves it where it was called. */
const [BASE, WHOSE] = isPackage(ROOT) ? [process.cwd(), './'] : [ROOT, "Broadside's "];

/** @param {string} name @param {string} description @returns {Options} whose last value counts */
const folder = (name, description) => ({
  ...{ type: 'string', requiresArg: true, group: OUTPUT, default: join(BASE, name) },
  coerce: (/** @type {string | string[]} */ path) => resolve([path].flat().at(-1) ?? '.'),
  description: `${description} (default: ${WHOSE}${name}/)`,
});

/** Where runs and pages are written. */
export const folderOptions = {
  logs: folder('logs', 'Folder for runs'),
  report: folder('report', 'Folder for report pages'),
};

/** @type {Options} */
export const tolerance = {
  ...{ type: 'string', requiresArg: true },
  description: 'End with 99 if a figure is worse by more than this, such as 5%, or may be (default: none)',
};

/** @type {Options} */
export const json = { type: 'boolean', description: 'Print JSON', group: OUTPUT };
