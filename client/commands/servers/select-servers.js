// Shared by the subcommands of `servers`: selects servers by names and patterns, and prints JSON.

import { print } from '../../console/print.js';
import { mistake, mistakesError } from '../../scenario/mistakes.js';
import { isPattern, matching, noMatch } from '../../scenario/keys/server-patterns.js';

/**
 * @import { FoundServer } from '../../../servers/launcher/builder/availability.js'
 * @import { ListedServer } from '../../../servers/launcher/manifest/list-servers.js'
 * @import { UsageError } from '../../errors.js'
 */

/** Loaded when a command runs, not for its help. */
export const launcher = () => import('../../../servers/launcher/index.js');

/**
 * @param {string[]} names and patterns; empty: all servers
 * @returns {Promise<{server: ListedServer, by: string[]}[]>} each server once, in the order of the list; by: the names
 *   and patterns that match it
 * @throws {UsageError} when a name or a pattern matches nothing
 */
export async function selectServers(names) {
  const { listServers } = await launcher();
  const listed = listServers();
  if (names.length === 0) return listed.map((server) => ({ server, by: [] }));
  const matches = names.map((text) => ({ text, servers: matching(text, listed) }));
  const mistakes = matches.filter(({ servers }) => servers.length === 0).map(({ text }) => noMatch(text, listed));
  if (mistakes.length > 0) throw mistakesError(mistakes, 'ESERVER');
  return listed.flatMap((server) => {
    const by = matches.filter(({ servers }) => servers.includes(server)).map(({ text }) => text);
    return by.length === 0 ? [] : [{ server, by }];
  });
}

/**
 * @param {string} text a name, or <language>/<name>
 * @returns {Promise<FoundServer>} an available server
 * @throws {UsageError} when no server has this name, or it is a pattern
 */
export async function selectServer(text) {
  if (isPattern(text)) {
    const why = 'a pattern; give the name of one server';
    throw mistakesError([mistake((path) => path, 'pattern-for-one', text, {}, why)], 'ESERVER');
  }
  const [{ server }] = await selectServers([text]);
  const { chooseServer } = await launcher();
  return chooseServer([server], server.name);
}

/** @param {unknown} json */
export function printJson(json) {
  print(JSON.stringify(json, null, 2));
}
