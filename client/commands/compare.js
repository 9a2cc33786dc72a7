// `broadside compare <run> <baseline>`: what changed from one run to another, with 95 % intervals.

import { UsageError } from '../errors.js';
import { resultText } from '../judge/compare-runs/texts.js';
import { gateOutcome } from '../judge/gates.js';
import { runComparisonMarkdown } from '../exports/markdown.js';
import { print } from '../console/print.js';
import { runComparisonLines } from '../console/results-table.js';
import { styleFor, wrap } from '../console/terminal-text.js';
import { findRun } from '../store/run-list.js';
import { comparisonOf, EXIT_WORSE, readComparedRun } from './run-comparison.js';
import { folderOptions, json, tolerance } from './shared-options.js';

/**
 * @import { Argv } from 'yargs'
 * @import { Command } from './index.js'
 */

const WIDTH = 120;

/** @param {Argv} yargs */
export function builder(yargs) {
  return yargs
    .positional('run', { type: 'string', description: 'Run id, a part of it, a name or a folder' })
    .positional('baseline', { type: 'string', description: 'The run that it is compared with, likewise' })
    .options({
      tolerance,
      'allow-undecided': {
        type: 'boolean',
        description: 'With --tolerance: end with 0 where no figure is certainly worse, though one may be',
      },
      logs: folderOptions.logs,
      json,
      markdown: { type: 'boolean', description: 'Print the answer and a table for a pull request', group: 'Output:' },
    });
}

/** @type {Command['examples']} */
export const examples = [
  ['today yesterday', 'runs that were named with --name'],
  ['185310 184002 --tolerance 5%', 'parts of ids; ends with 99 if a figure is more than 5 % worse, or may be'],
];

/**
 * @param {{ run: string, baseline: string, tolerance?: string, 'allow-undecided'?: boolean, logs: string, json?:
 *   boolean, markdown?: boolean }} argv as typed
 */
export async function handler({ run, baseline, tolerance: given, 'allow-undecided': isAllowed, logs, ...output }) {
  const [{ parseTolerance }, { readPart }] = await Promise.all([import('./option-values.js'), import('./options.js')]);
  const share = parseTolerance(given);
  if (isAllowed && share === null) {
    throw new UsageError('--allow-undecided: nothing is judged without a tolerance; add --tolerance, such as 5%', {
      code: 'EOPTION',
      data: { option: 'allow-undecided', value: true },
    });
  }
  const { only } = readPart('output', output);
  const folder = await findRun(logs, run);
  const baseFolder = await findRun(logs, baseline);
  if (folder === baseFolder) {
    throw new UsageError(`${run} and ${baseline} are the same run: ${folder}`, {
      code: 'ECOMPARE',
      data: { run: folder },
    });
  }
  const comparison = comparisonOf(readComparedRun(folder), readComparedRun(baseFolder), share);
  const width = Math.min(process.stdout.isTTY ? process.stdout.columns : WIDTH, WIDTH);
  const text =
    only === 'json'
      ? JSON.stringify(comparison, null, 2)
      : only === 'markdown'
        ? runComparisonMarkdown(comparison).trimEnd()
        : [
            runComparisonLines(comparison, width, styleFor(process.stdout, process.env)),
            ...wrap(resultText(comparison), width),
          ].join('\n');
  print(text);
  const outcome = gateOutcome(comparison);
  if (outcome === 'failed' || (outcome === 'undecided' && !isAllowed)) process.exitCode = EXIT_WORSE;
}
