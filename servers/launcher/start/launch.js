// What is run for a server or a command, with which arguments: the manifest's words and those that options add. The one
// thing to know: the placeholders ({port}, {host}, ...) are still in them, as the port is chosen for each try.

import { chooseServer, ensureBuilt } from '../builder/build.js';
import { listServers } from '../manifest/list-servers.js';
import { ServerError } from '../errors.js';
import { OF_ANY_SERVER } from './exchanges.js';
import { FAMILIES, familyOf } from './endpoint.js';

/**
 * @typedef {object} Launch
 * @property {string} name the server's, or 'command'
 * @property {string} label for people: the name, or the command itself
 * @property {string[]} words program and arguments, with placeholders
 * @property {boolean} byExchange whether an answered exchange makes it ready, too
 * @property {string} [cwd]
 * @property {string} speaks protocol it is started with
 * @property {string | null} authority of a server that speaks TLS: the file by which its certificate is checked
 */

/**
 * @param {import('./start.js').StartOptions} asked
 * @returns {Promise<Launch>} of something that is built
 */
export async function launchOf(asked) {
  const { name, command, protocol = 'echo', options = {}, words = [], folder, host = '127.0.0.1' } = asked;
  if (name === undefined) return launchOfCommand(command, protocol, options, words);
  const { manifest, ...server } = await chooseServer(listServers({ folder }), name);
  const spoken = manifest.protocols.includes(protocol);
  if (!spoken && !OF_ANY_SERVER.has(protocol)) {
    const known = manifest.protocols.join(', ');
    throw new ServerError(`the server ${name} does not speak "${protocol}"; it speaks: ${known}`, { code: 'EOPTION' });
  }
  const { listens = ['ipv4'] } = manifest;
  if (!listens.includes(familyOf(host))) {
    throw new ServerError(
      `the server ${name} does not listen on ${FAMILIES[familyOf(host)]}; it listens on: ${listens
        .map((family) => FAMILIES[family])
        .join(', ')}`,
      { code: 'EOPTION' },
    );
  }
  const added = Object.entries(options).flatMap(([key, value]) => wordsOf(manifest, key, value));
  await ensureBuilt({ folder: server.folder, manifest }, name);
  return {
    name,
    label: name,
    words: [...manifest.run, ...added, ...words],
    cwd: server.folder,
    byExchange: manifest.ready === 'exchange',
    speaks: spoken ? protocol : manifest.protocols[0],
    authority: manifest.tls ? manifest.tls.authority : null,
  };
}

/**
 * @param {string | undefined} command
 * @param {string} protocol
 * @param {Record<string, unknown>} options
 * @param {string[]} words
 * @returns {Launch}
 */
function launchOfCommand(command, protocol, options, words) {
  if (!command) throw new ServerError('neither a server nor a command to start', { code: 'EOPTION' });
  const [option] = Object.keys(options);
  if (option) {
    throw new ServerError(`a command takes no option "${option}": write it into the command`, { code: 'EOPTION' });
  }
  const script = words.length === 0 ? command : `${command} "$@"`;
  return {
    name: 'command',
    label: command,
    words: ['/bin/sh', '-c', script, 'sh', ...words],
    byExchange: true,
    speaks: protocol,
    authority: null,
  };
}

/**
 * @param {import('../manifest/manifest.js').Manifest} manifest
 * @param {string} key
 * @param {unknown} value
 * @returns {string[]} what an option adds to the command line
 */
function wordsOf({ name, options = {} }, key, value) {
  const words = options[key];
  // How many it takes is for the client to say; left alone, every server is what it is by itself.
  if (key === 'processes' && (value === 'auto' || (!words && value === 1))) return [];
  if (key === 'processes' && !words) {
    throw new ServerError(
      `the server ${name} is always one process, and options.processes asks for ${value}: leave it ` +
        `out for ${name}, or take a server that has it`,
      { code: 'EOPTION' },
    );
  }
  if (!words) {
    const known = Object.keys(options).join(', ') || 'none';
    throw new ServerError(`the server ${name} has no option "${key}"; it has: ${known}`, { code: 'EOPTION' });
  }
  if (words.some((word) => word.includes('{value}'))) {
    return words.map((word) => word.replaceAll('{value}', () => String(value)));
  }
  if (typeof value === 'boolean') return value ? words : [];
  throw new ServerError(`the server ${name} takes its option "${key}" as true or false, not ${JSON.stringify(value)}`, {
    code: 'EOPTION',
  });
}
