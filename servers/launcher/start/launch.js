// Determines the command line of a server or a command: the arguments of the manifest and those that options add.
// Placeholders ({port}, {host}, ...) are replaced later, because the port is chosen for each attempt.

import { chooseServer, ensureBuilt } from '../builder/build.js';
import { wordsOf } from '../builder/stamp.js';
import { ServerError } from '../errors.js';
import { listServers } from '../manifest/list-servers.js';
import { FAMILIES, familyOf, hostsOf } from './endpoint.js';

/**
 * @import { Manifest, Transport } from '../manifest/manifest.js'
 * @import { StartOptions } from './start.js'
 */

/** Protocols of the client with which any server can be measured. */
const ANY_SERVER_PROTOCOLS = new Set(['raw', 'stream']);

/**
 * @typedef {object} Launch
 * @property {string} name of the server, or 'command'
 * @property {string} label for people: the name, or the command itself
 * @property {string[]} words program and arguments, with placeholders
 * @property {boolean} byConnection whether an accepted connection also shows that it is ready
 * @property {string} [cwd]
 * @property {string} speaks the protocol that it is started with
 * @property {string | null} authority the file that its certificate is checked against; null: it does not speak TLS
 */

/**
 * @param {StartOptions} options
 * @returns {Promise<Launch>} resolves when the server has been built
 */
export async function prepareLaunch({
  name,
  command,
  cwd,
  protocol = 'echo',
  options = {},
  words = [],
  folder,
  host = '127.0.0.1',
  transport = 'tcp',
}) {
  if (name === undefined) return { ...launchCommand(command, protocol, options, words, transport), cwd };
  const server = await chooseServer(listServers({ folder }), name);
  const { manifest } = server;
  const isSpoken = manifest.protocols.includes(protocol);
  if (!isSpoken && !ANY_SERVER_PROTOCOLS.has(protocol)) {
    const known = manifest.protocols;
    throw optionError(`server ${name} does not speak "${protocol}"; its protocols: ${known.join(', ')}`, {
      server: name,
      reason: 'protocol',
      protocol,
      known,
    });
  }
  const transportWords = wordsOfTransport(manifest, transport);
  checkFamily(manifest, host, transport);
  const added = Object.entries(options).flatMap(([key, value]) => optionWords(manifest, key, value));
  await ensureBuilt(server, name);
  return {
    name,
    label: name,
    words: [...wordsOf(server), ...transportWords, ...added, ...words],
    cwd: server.folder,
    byConnection: manifest.ready === 'connection',
    speaks: isSpoken ? protocol : manifest.protocols[0],
    authority: manifest.tls ? manifest.tls.authority : null,
  };
}

/**
 * The transport of the connection that shows whether a server is ready. A server of UDP also listens on the same port
 * of TCP.
 * @param {{transport?: Transport}} options
 * @returns {Transport}
 */
export const readyTransport = ({ transport = 'tcp' }) => (transport === 'udp' ? 'tcp' : transport);

/**
 * @param {string} message
 * @param {Record<string, unknown>} data
 */
const optionError = (message, data) => new ServerError(message, { code: 'EOPTION', data });

/** @param {Manifest} manifest @param {Transport} transport @returns {string[]} */
function wordsOfTransport({ name, transports = ['tcp'], ready, udp }, transport) {
  if (!transports.includes(transport)) {
    throw optionError(`server ${name} has no transport "${transport}"; its transports: ${transports.join(', ')}`, {
      server: name,
      reason: 'transport',
      transport,
      known: transports,
    });
  }
  if (transport === 'tcp') return [];
  if (transport === 'udp' && udp !== undefined) return udp;
  if (ready === 'line') return ['--transport', transport];
  throw optionError(`server ${name} cannot be started over ${transport}: it prints no ready line`, {
    server: name,
    reason: 'ready-line',
    transport,
  });
}

/**
 * @param {Manifest} manifest
 * @param {string} host with SCTP also a list of addresses of one family, separated by commas
 * @param {Transport} transport
 */
function checkFamily({ name, listens = ['ipv4'] }, host, transport) {
  const [first, ...furtherHosts] = hostsOf(host);
  if (furtherHosts.length > 0 && transport === 'tcp') {
    throw optionError(`server ${name} cannot listen on ${host}: several addresses need SCTP`, {
      server: name,
      reason: 'several-addresses',
      host,
    });
  }
  const family = familyOf(first);
  if (family === 'unix' && transport !== 'tcp') {
    throw optionError(`server ${name} cannot listen on ${host} over ${transport}, which has no unix sockets`, {
      server: name,
      reason: 'transport-family',
      transport,
      family,
    });
  }
  if (listens.includes(family)) return;
  const known = listens.map((name) => FAMILIES[name]).join(', ');
  throw optionError(`server ${name} cannot listen on ${FAMILIES[family]}; it can listen on: ${known}`, {
    server: name,
    reason: 'family',
    family,
    known: listens,
  });
}

/**
 * @param {string | undefined} command
 * @param {string} protocol
 * @param {Record<string, unknown>} options
 * @param {string[]} words
 * @param {Transport} transport over SCTP no connection can be tried
 * @returns {Launch}
 */
function launchCommand(command, protocol, options, words, transport) {
  if (!command) throw optionError('neither a server nor a command was given', { reason: 'nothing-to-start' });
  const [option] = Object.keys(options);
  if (option) {
    throw optionError(`a command has no option "${option}"; put the arguments into the command`, {
      reason: 'option',
      option,
      known: [],
    });
  }
  const script = words.length === 0 ? command : `${command} "$@"`;
  return {
    name: 'command',
    label: command,
    words: ['/bin/sh', '-c', script, 'sh', ...words],
    byConnection: readyTransport({ transport }) === 'tcp',
    speaks: protocol,
    authority: null,
  };
}

/**
 * @param {Manifest} manifest
 * @param {string} key
 * @param {unknown} value
 * @returns {string[]} arguments that the option adds to the command line
 */
function optionWords({ name: server, options = {} }, key, value) {
  const words = options[key];
  // the client replaces "auto" by a number; used without the client, the launcher leaves the server's default
  if (key === 'processes' && (value === 'auto' || (!words && value === 1))) return [];
  if (!words && key === 'processes') {
    throw optionError(
      `server ${server} always runs as one process, but options.processes is ${value}; remove the option, or use a ` +
        'server that has it',
      { server, reason: 'processes', option: key, value },
    );
  }
  if (!words) {
    const known = Object.keys(options);
    throw optionError(`server ${server} has no option "${key}"; its options: ${known.join(', ') || 'none'}`, {
      server,
      reason: 'option',
      option: key,
      known,
    });
  }
  if (words.some((word) => word.includes('{value}'))) {
    return words.map((word) => word.replaceAll('{value}', () => String(value)));
  }
  if (typeof value === 'boolean') return value ? words : [];
  throw optionError(`option "${key}" of server ${server} must be true or false, not ${JSON.stringify(value)}`, {
    server,
    reason: 'value',
    option: key,
    value,
  });
}
