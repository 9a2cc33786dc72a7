// The list of the commands of `broadside`. A command's module is loaded only when it is used.

import { commands as agentCommands } from '../agents/index.js';
import { predecessors } from '../predecessors/index.js';

/** @import { Argv, Options } from 'yargs' */

/**
 * @typedef {object} Command  the exports of a command's module
 * @property {((yargs: Argv) => unknown) | Record<string, Options>} [builder]
 * @property {(argv: never) => unknown} handler  argv: values of the builder's options
 * @property {{names: string[], add: (yargs: Argv) => unknown}} [subcommands]
 * @property {Record<string, string>} [refused]  options of `stress` that the command does not have, with what to do
 *   instead
 * @property {string[]} [everyday]  the options that --help shows; absent: all
 * @property {[string, string][]} [examples]  arguments and what they do, for the help
 * @property {string} [epilogue]  the last lines of the help
 *
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} positionals  such as `[run]`; '' for none
 * @property {string} describe
 * @property {() => Promise<Command>} load
 */

/** @type {Entry[]} */
export const commands = [
  entry('stress [url]', 'Run a scenario and write its report', () => import('./stress.js')),
  entry('max [url]', 'Find the greatest rate for each of several goals, such as p99 < 5ms', () => import('./max.js')),
  entry('doctor [url]', 'Show what this machine has, or whether it can run a scenario', () => import('./doctor.js')),
  ...agentCommands,
  entry('report [run]', 'Rebuild the report of a run', () => import('./report.js')),
  entry('compare <run> <baseline>', 'Compare a run with an earlier one', () => import('./compare.js')),
  entry('logs', 'List runs, delete old ones, or export the times of a run', () => import('./logs.js')),
  ...predecessors.flatMap((predecessor) => predecessor.commands ?? []),
  entry('servers', 'List, build, start or verify servers', () => import('./servers.js')),
];

/**
 * @param {string} command with its positionals
 * @param {string} describe
 * @param {() => Promise<Command>} load
 * @returns {Entry}
 */
function entry(command, describe, load) {
  const [name, ...positionals] = command.split(' ');
  return { name, positionals: positionals.join(' '), describe, load };
}
