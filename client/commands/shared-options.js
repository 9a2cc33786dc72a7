// Options shared with commands that read no scenario; this file loads no code of scenarios.

import { resolve } from 'node:path';
import { DEFAULT_PLACE, defaultFolder } from '../store/output-folder.js';

/** @import { Options } from 'yargs' */

export const OUTPUT = 'Output:';

/** @param {string} name @param {string} description @returns {Options} whose last value counts */
const folder = (name, description) => ({
  ...{ type: 'string', requiresArg: true, group: OUTPUT, default: defaultFolder(name) },
  coerce: (/** @type {string | string[]} */ path) => resolve([path].flat().at(-1) ?? '.'),
  description: `${description} (default: ${DEFAULT_PLACE}${name}/)`,
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
