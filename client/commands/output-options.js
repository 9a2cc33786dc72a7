// Where runs and reports are written: the same two options for every command that reads or writes them.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = (/** @type {string} */ name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** @type {{logs: import('yargs').Options, report: import('yargs').Options}} */
export const outputOptions = {
  logs: {
    type: 'string',
    requiresArg: true,
    default: folder('logs'),
    coerce: resolveOne,
    description: "Folder for runs (default: Broadside's logs/)",
    group: 'Output:',
  },
  report: {
    type: 'string',
    requiresArg: true,
    default: folder('report'),
    coerce: resolveOne,
    description: "Folder for report pages (default: Broadside's report/)",
    group: 'Output:',
  },
};

/**
 * @param {string | string[]} path
 * @returns {string} absolute; the last one when given twice
 */
function resolveOne(path) {
  return resolve([path].flat().at(-1) ?? '.');
}
