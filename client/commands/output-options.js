// Where runs and reports are written: the same two options for every command that reads or writes them. A checkout
// keeps them; an installed package, which the next version replaces, leaves them in the folder where it was called.

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../errors.js';
import { isPackage } from '../engine/prebuilt.js';

/** @import { Options } from 'yargs' */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [BASE, WHOSE] = isPackage(ROOT) ? [process.cwd(), './'] : [ROOT, "Broadside's "];

/** @type {{logs: Options, report: Options}} */
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

/** Each with those that print something else. @type {[option: string, others: string[]][]} */
const EXCLUSIVE = [
  ['markdown', ['json', 'dry-run', 'debug']],
  ['debug', ['dry-run', 'live', 'agents', 'server-agent']],
];

/**
 * What is printed is one thing.
 * @param {Record<string, unknown>} argv
 * @throws {UsageError}
 */
export function checkOutput(argv) {
  for (const [option, others] of EXCLUSIVE) {
    const other = others.find((one) => argv[option] && argv[one] !== undefined && argv[one] !== false);
    if (other === undefined) continue;
    throw new UsageError(`--${option}: does not go together with --${other}; leave one of them out`, {
      code: 'EOPTION',
      data: { option, other, value: true },
    });
  }
}

/**
 * @param {string | string[]} path
 * @returns {string} absolute; the last one when given twice
 */
function resolveOne(path) {
  return resolve([path].flat().at(-1) ?? '.');
}
