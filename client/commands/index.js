// The commands of `broadside`: one line each. A command's module is loaded only when it is asked for.

/**
 * @typedef {object} Command  what a module of this folder exports
 * @property {string} command
 * @property {string} describe
 * @property {((yargs: import('yargs').Argv) => unknown) | Record<string, import('yargs').Options>} [builder]
 * @property {(argv: any) => unknown} handler
 *
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} command   with its positionals
 * @property {string} describe
 * @property {() => Promise<Command>} load
 */

/** @type {Entry[]} */
export const commands = [
  entry('stress', 'Run a scenario and write its report', () => import('./stress.js')),
  entry('doctor', 'Say what on this machine is in the way of a scenario', () => import('./doctor.js')),
  entry('report [run]', 'Build the report of a run again', () => import('./report.js')),
  entry('logs', 'List the runs, delete old ones, or export the times of one', () => import('./logs.js')),
  entry('servers', 'List, build, start or verify the servers', () => import('./servers.js')),
];

/**
 * @param {string} command
 * @param {string} describe
 * @param {() => Promise<Command>} load
 * @returns {Entry}
 */
function entry(command, describe, load) {
  return { name: command.replace(/ .*/, ''), command, describe, load };
}
