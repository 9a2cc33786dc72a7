// `broadside agent`: makes this host an agent for runs on other hosts. It only dials out, to the NATS server, and runs
// until it is ended. Its own options decide which targets it may send load to and what it may start.

import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import * as launcher from '../../../servers/launcher/index.js';
import { print } from '../../console/print.js';
import { EnvironmentError } from '../../errors.js';
import { readHost } from '../../machine/host.js';
import { addressTowards, ownAddresses } from '../../machine/own-addresses.js';
import { isLoopback } from '../../words/endpoint.js';
import { AgentServers } from '../agent-servers.js';
import { LOOPBACK, AllowList, parseNetwork } from '../allow-list.js';
import { ServerPermission } from '../server-permission.js';
import { isName, token } from '../subjects.js';
import { silenceMs } from './options.js';
import { matching, noMatch } from '../../scenario/keys/server-patterns.js';
import { mistakesError } from '../../scenario/mistakes.js';
import { describeMachine } from '../../store/environment.js';
import { missingOption, optionError, refusedOption } from '../../commands/option-values.js';
import { partOptions, readPart } from '../../commands/options.js';
import { folderOptions } from '../../commands/shared-options.js';

/**
 * @import { Options } from 'yargs'
 * @import { UsageError } from '../../errors.js'
 * @import { Agent } from '../agent.js'
 * @import { Broker } from '../broker.js'
 * @import { NatsServer } from '../connection.js'
 * @import { Command } from '../../commands/index.js'
 * @import { Endpoint } from '../../../config/types.js'
 */

/**
 * The options as typed.
 * @typedef {{ name?: string | string[], allow?: string[], deadline?: string, servers?: string[], commands?: boolean,
 *   host?: string, logs: string }} Given
 */

const DEADLINE_MS = 10_000;

/** @type {Record<string, Options>} */
export const builder = {
  ...partOptions('nats'),
  name: {
    type: 'string',
    requiresArg: true,
    description: 'Name of this agent: letters, digits, - and _ (default: the name of the host)',
    group: 'Agent:',
  },
  allow: {
    type: 'string',
    array: true,
    requiresArg: true,
    description: `Networks that it may send load to, such as 10.0.0.0/8 (default: ${LOOPBACK.join(' ')})`,
    group: 'Agent:',
  },
  deadline: {
    type: 'string',
    requiresArg: true,
    description: 'Stop the load when the NATS server has acknowledged nothing for this long (default: 10s)',
    group: 'Agent:',
  },
  servers: {
    type: 'string',
    array: true,
    requiresArg: true,
    description:
      "Servers that a run may start here (stress --server-agent): names, or patterns such as 'c/*' (default: none)",
    group: 'Agent:',
  },
  commands: {
    type: 'boolean',
    description:
      'Let a run start any command here, as this user: then whoever may publish at the NATS server can do so',
    group: 'Agent:',
  },
  host: {
    type: 'string',
    requiresArg: true,
    description: 'Address that these servers listen on (default: the one that reaches the NATS server)',
    group: 'Agent:',
  },
  logs: folderOptions.logs,
};

/** @type {Command['examples']} */
export const examples = [
  ['--nats nats://10.0.0.1:4222 --allow 10.0.0.0/8', 'for targets in 10/8'],
  ["--nats nats://10.0.0.1:4222 --name s1 --servers 'c/*' go", 'also starts these servers for a run'],
  ['--nats tls://nats.example:4222 --nats-creds agent.creds --name a1', 'over TLS, with credentials'],
];

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

/** @param {Given} argv */
export async function handler(argv) {
  const { nats, permission, host, ...settings } = agentOf(argv);
  const [{ openNats }, { Agent }] = await Promise.all([import('../connection.js'), import('../agent.js')]);
  const log = (/** @type {string} */ line) => print(`agent ${settings.name}: ${line}`);
  const broker = await openNats(nats, `broadside agent ${settings.name}`);
  const readOwnHost = (/** @type {Endpoint | undefined} */ target = undefined) =>
    readHost({ logs: settings.logs, target });
  const options = {
    ...settings,
    version,
    log,
    readHost: readOwnHost,
    describe: async () => describeMachine(await readOwnHost()),
  };
  /** @type {Agent} */
  let agent;
  try {
    const address = permission.isAny ? (host ?? (await addressOf(broker.server))) : null;
    const servers = address === null ? undefined : new AgentServers(settings.name, { launcher, permission, address });
    agent = await new Agent(broker, { ...options, servers }).open();
  } catch (error) {
    await broker.close();
    throw error;
  }
  const started = [...permission.patterns, ...(permission.commands ? ['any command'] : [])];
  const starts = started.length === 0 ? '' : `, and start ${started.join(', ')} for a run`;
  log(`ready at ${broker.server}; it may send load to ${settings.allow.texts.join(', ')}${starts}`);
  await ended(broker);
  await agent.close();
  process.exit(); // at once: a connection to the NATS server that is still being opened would keep it for minutes
}

/**
 * @param {Given} argv
 * @returns {{ nats: NatsServer, name: string, allow: AllowList, deadlineMs: number,
 *   permission: ServerPermission, host: string | null, logs: string }}
 * @throws {UsageError}
 */
export function agentOf(argv) {
  const nats = readPart('nats', argv);
  if (nats === null)
    throw missingOption('nats', '--nats is missing: an agent is reached through a NATS server; give nats://HOST:4222');
  const name = argv.name ?? token(hostname()).slice(0, 63);
  if (Array.isArray(name) || !isName(name)) {
    throw refusedOption('name', name, 'give up to 63 letters, digits, - and _, beginning with a letter or a digit');
  }
  const allowed = argv.allow ?? LOOPBACK;
  const wrong = allowed.find((/** @type {string} */ text) => parseNetwork(String(text)) === null);
  if (wrong !== undefined) throw refusedOption('allow', wrong, 'give a network such as 10.0.0.0/8 or fd00::/8');
  const deadlineMs = silenceMs('deadline', argv.deadline) ?? DEADLINE_MS;
  const settings = { nats, name, allow: new AllowList(allowed), deadlineMs, logs: argv.logs };
  return { ...settings, permission: permissionOf(argv), host: hostOf(argv) };
}

/** @param {Given} argv @returns {ServerPermission} @throws {UsageError} */
function permissionOf({ servers = [], commands = false }) {
  const patterns = servers.map(String);
  const listed = launcher.listServers();
  const wrong = patterns.find((/** @type {string} */ text) => matching(text, listed).length === 0);
  if (wrong !== undefined) throw mistakesError([noMatch(wrong, listed)], 'ESERVER');
  return new ServerPermission(patterns, commands);
}

/** @param {Given} argv @returns {string | null} @throws {UsageError} */
function hostOf({ host, servers, commands }) {
  if (host === undefined) return null;
  if (servers === undefined && !commands) throw optionError('host', host, 'needs --servers or --commands');
  const isOwn = isIP(host) !== 0 && (isLoopback(host) || ownAddresses().some(({ address }) => address === host));
  if (!isOwn) throw refusedOption('host', host, 'give an address of this machine that the clients reach');
  return host;
}

/**
 * @param {string} server host and port, as the NATS client writes them
 * @returns {Promise<string>} the address of this machine that reaches it
 * @throws {EnvironmentError}
 */
async function addressOf(server) {
  const { hostname: name, port } = new URL(`nats://${server}`);
  const { address } = await lookup(name.replace(/^\[|\]$/g, ''));
  const sourceAddress = await addressTowards({ host: address, port: Number(port || 4222) });
  if (sourceAddress !== null) return sourceAddress;
  throw new EnvironmentError(`no address of this machine reaches ${server}; give one with --host`, {
    code: 'EAGENTHOST',
    data: { server },
  });
}

/** @param {Broker} broker @returns {Promise<void>} resolves at a signal, or when the connection is closed */
async function ended(broker) {
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  await new Promise((/** @type {(value: void) => void} */ resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
    void broker.closed().then(() => resolve());
  });
}
