// The tools that came before (servers/PREDECESSORS.md) and what each adds to the commands: one line each. All that is
// theirs is in their rooms, the folders beside this file; no other code names them.

import { ace } from './ace/index.js';
import { raids } from './raids/index.js';
import { volley } from './volley/index.js';

/**
 * @typedef {object} Predecessor
 * @property {import('../commands/index.js').Entry[]} [commands]  of `broadside`
 * @property {() => Promise<{ formats: Record<string, import('../commands/logs/formats.js').LegsFormat> }>} [formats]  of
 *   `logs export`
 * @property {ServersCommand[]} [serversCommands]  of `servers`
 *
 * @typedef {object} ServersCommand  it takes names of servers and patterns
 * @property {string} name
 * @property {string} describe
 * @property {Record<string, import('yargs').Options>} options
 * @property {(argv: any) => Promise<void>} perform
 */

/** @type {Predecessor[]} in the order of the help */
export const predecessors = [volley, ace, raids];
