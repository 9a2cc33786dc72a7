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
  { name: 'stress', command: 'stress', describe: 'Run a scenario and write its report', load: () => import('./stress.js') },
  { name: 'report', command: 'report [run]', describe: 'Build the report of a run again', load: () => import('./report.js') },
  { name: 'logs', command: 'logs', describe: 'List the runs, or delete old ones', load: () => import('./logs.js') },
  { name: 'servers', command: 'servers', describe: 'List or build the servers', load: () => import('./servers.js') },
];
