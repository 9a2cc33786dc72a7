// Where runs and reports are written: the same two options for every command that reads or writes them. A checkout keeps
// them; an installed package, which the next version replaces, leaves them in the folder where it was called.

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../errors.js';
import { isPackage } from '../engine/prebuilt.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [BASE, WHOSE] = isPackage(ROOT) ? [process.cwd(), './'] : [ROOT, "Broadside's "];

/** @type {{logs: import('yargs').Options, report: import('yargs').Options}} */
export const outputOptions = {
  logs: {
    type: 'string',
    requiresArg: true,
    default: join(BASE, 'logs'),
    coerce: resolveOne,
    description: `Folder for runs (default: ${WHOSE}logs/)`,
    group: 'Output:',
  },
  report: {
    type: 'string',
    requiresArg: true,
    default: join(BASE, 'report'),
    coerce: resolveOne,
    description: `Folder for report pages (default: ${WHOSE}report/)`,
    group: 'Output:',
  },
};

/**
 * What is printed is one thing.
 * @param {{ json?: boolean, markdown?: boolean, 'dry-run'?: boolean }} argv
 * @throws {UsageError}
 */
export function checkOutput({ json, markdown, 'dry-run': isDryRun }) {
  if (!markdown || !(json || isDryRun)) return;
  throw new UsageError(`--markdown: ${json ? '--json' : '--dry-run'} prints something else; omit one of them`, {
    code: 'EOPTION',
    data: { option: 'markdown', value: true },
  });
}

/**
 * @param {string | string[]} path
 * @returns {string} absolute; the last one when given twice
 */
function resolveOne(path) {
  return resolve([path].flat().at(-1) ?? '.');
}
