// The older tools (servers/PREDECESSORS.md) and the commands and formats that each adds. Their code is in the folders
// beside this file; no other code names them.

/**
 * @import { Options } from 'yargs'
 * @import { Entry } from '../commands/index.js'
 * @import { LegsFormat } from '../commands/logs/formats.js'
 */

/**
 * @typedef {object} Predecessor
 * @property {Entry[]} [commands]  of `broadside`
 * @property {() => Promise<{ formats: Record<string, LegsFormat> }>} [formats]  of
 *   `logs export`
 * @property {ServersCommand[]} [serversCommands]  of `servers`
 *
 * @typedef {object} ServersCommand  a subcommand that takes names of servers, or patterns
 * @property {string} name
 * @property {string} describe
 * @property {Record<string, Options>} options
 * @property {(argv: any) => Promise<void>} perform
 */

/**
 * Volley (2015): its ping-pong test as a command, the rows of its experiments, servers as folders for its Makefile.
 * @type {Predecessor}
 */
const volley = {
  commands: [
    {
      name: 'volley',
      positionals: '',
      describe: "Run volley's ping-pong test against a server",
      load: () => import('./volley/command.js'),
    },
  ],
  formats: () => import('./volley/rows.js'),
  serversCommands: [
    {
      name: 'export',
      describe: 'Write servers as folders for the Makefile and bench.sh of volley',
      options: {
        volley: {
          type: 'string',
          requiresArg: true,
          description: "Volley's folder of servers, which gets a folder broadside-NAME for each (required)",
        },
      },
      perform: async (argv) => (await import('./volley/export-servers.js')).exportServers(argv),
    },
  ],
};

/** ACE (2003): its round-trip test as a command. @type {Predecessor} */
const ace = {
  commands: [
    {
      name: 'ace',
      positionals: '',
      describe: "Run ACE's round-trip test against a server",
      load: () => import('./ace/command.js'),
    },
  ],
};

/** Raids: its files of rates. @type {Predecessor} */
const raids = { formats: () => import('./raids/rates.js') };

/** @type {Predecessor[]} in the order of the help */
export const predecessors = [volley, ace, raids];
