// The options of a run over several hosts, for `stress`, `doctor`, `agent` and `collect`.

import { readFileSync } from 'node:fs';
import { keepPasswordOf, keepUnseen } from '../protocols/kept-secrets.js';
import { withoutLogin } from '../words/endpoint.js';
import { HIDDEN } from '../words/secrets.js';
import { parseDuration } from '../words/units.js';
import { typed } from '../invocation.js';
import { BEAT_MS, MISSED_BEATS } from '../run/agents/messages.js';
import { isName } from '../run/agents/subjects.js';
import { numberOf, refusedOption } from './option-values.js';

/**
 * @import { Options } from 'yargs'
 * @import { UsageError } from '../errors.js'
 * @import { NatsServer } from '../run/agents/connection.js'
 */

const GROUP = 'Agents:';
const LEAST_SILENCE_MS = MISSED_BEATS * BEAT_MS;
const MAX_AGENTS = 1000;

/** @type {Record<string, Options>} */
export const natsOptions = {
  nats: {
    type: 'string',
    requiresArg: true,
    description:
      'URL of the NATS server, with JetStream: nats://host:4222 or tls://host:4222; it may contain a user and password',
    group: GROUP,
  },
  'nats-creds': file('Log in to NATS with this credentials file'),
  'nats-nkey': file('Log in to NATS with the nkey seed in this file'),
  'nats-token': file('Log in to NATS with the token in this file'),
  'nats-ca': file('PEM file of the authority that signed the certificate of the NATS server'),
  'nats-cert': file('PEM file of the client certificate for the NATS server; needs --nats-key'),
  'nats-key': file('PEM file of the private key of that certificate'),
};

/** @type {Record<string, Options>} */
export const agentsOptions = {
  agents: {
    type: 'string',
    requiresArg: true,
    description: 'Divide the load over this many agents (other hosts), found through --nats',
    group: GROUP,
  },
  ...natsOptions,
};

/** @type {Record<string, Options>} */
export const agentLossOptions = {
  tolerate: {
    type: 'string',
    requiresArg: true,
    description: 'Number of agents that may be lost without making the run incomplete (default: 0)',
    group: GROUP,
  },
  'agent-timeout': {
    type: 'string',
    requiresArg: true,
    description: 'An agent from which nothing came for this long is lost (default: 3s, three missed reports)',
    group: GROUP,
  },
};

/** @param {string} description @returns {Options} */
function file(description) {
  return { type: 'string', requiresArg: true, description, group: GROUP };
}

/** @type {Record<string, Options>} */
export const serverAgentOptions = {
  'server-agent': {
    type: 'string',
    requiresArg: true,
    description: 'Start the servers on the agent of this name, found through --nats, and measure them there',
    group: GROUP,
  },
};

/** The options that say how to log in. */
const LOGINS = /** @type {const} */ (['nats-creds', 'nats-nkey', 'nats-token']);

/**
 * @param {any} argv
 * @returns {NatsServer | null} null where --nats was not given
 * @throws {UsageError}
 */
export function natsOf(argv) {
  const others = Object.keys(natsOptions).filter((name) => name !== 'nats' && argv[name] !== undefined);
  if (argv.nats === undefined) {
    if (others.length > 0) throw refusedOption(others[0], argv[others[0]], 'it needs --nats URL');
    return null;
  }
  const given = String(argv.nats);
  const url = URL.canParse(given) ? new URL(given) : null;
  if (Array.isArray(argv.nats) || url === null || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '') {
    const shown = url === null ? given.replace(/.*@/s, '...@') : withoutLogin(given);
    throw refusedOption('nats', shown, 'give one URL such as nats://host:4222');
  }
  const ways = [...LOGINS.filter((name) => argv[name] !== undefined), ...(url.username === '' ? [] : ['nats'])];
  if (ways.length > 1)
    throw refusedOption(
      ways[0],
      argv[ways[0]],
      `there is one way to log in; leave out ${ways
        .slice(1)
        .map((name) => `--${name}`)
        .join(', ')}`,
    );
  if ((argv['nats-cert'] === undefined) !== (argv['nats-key'] === undefined)) {
    const one = argv['nats-cert'] === undefined ? 'nats-key' : 'nats-cert';
    throw refusedOption(one, argv[one], 'give --nats-cert and --nats-key together');
  }
  for (const name of others) readable(name, argv[name]);
  const token = argv['nats-token'] === undefined ? null : readable('nats-token', argv['nats-token']).trim();
  if (token !== null) keepUnseen(token, HIDDEN);
  keepPasswordOf(url);
  return {
    url: given,
    login: {
      creds: argv['nats-creds'] ?? null,
      nkey: argv['nats-nkey'] ?? null,
      token,
      ca: argv['nats-ca'] ?? null,
      certificate: argv['nats-cert'] ?? null,
      key: argv['nats-key'] ?? null,
    },
  };
}

/** @param {string} option @param {unknown} path @returns {string} */
function readable(option, path) {
  try {
    return readFileSync(String(path), 'utf8');
  } catch (error) {
    throw refusedOption(option, path, `the file cannot be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`);
  }
}

/**
 * @typedef {{ count: number, nats: NatsServer, tolerated: number, timeoutMs: number | undefined, serverAgent: string |
 *   null }} AgentsWanted  count: of those that send load; 0: this host does; serverAgent: null where servers are
 *   started here
 *
 * @param {any} argv of `stress` or `doctor`
 * @returns {AgentsWanted | null} null: the run is on this host
 * @throws {UsageError}
 */
export function agentsWanted(argv) {
  const nats = natsOf(argv);
  const count = numberOf('agents', argv.agents, { range: [1, MAX_AGENTS] }) ?? 0;
  const serverAgent = serverAgentOf(argv);
  if (count === 0) {
    const some = serverAgent === null ? ['nats', 'tolerate', 'agent-timeout'] : ['tolerate'];
    const [useless] = some.filter((name) => argv[name] !== undefined);
    if (useless !== undefined) throw refusedOption(useless, withoutLogin(String(argv[useless])), 'it needs --agents N');
    if (serverAgent === null) return null;
  }
  if (nats === null) {
    const option = count === 0 ? 'server-agent' : 'agents';
    throw refusedOption(option, argv[option], 'agents are found through a NATS server; give --nats URL');
  }
  const tolerated = count === 0 ? 0 : (numberOf('tolerate', argv.tolerate, { range: [0, count - 1] }) ?? 0);
  return { count, nats, tolerated, timeoutMs: silenceMs('agent-timeout', argv['agent-timeout']), serverAgent };
}

/** @param {any} argv @returns {string | null} @throws {UsageError} */
function serverAgentOf({ 'server-agent': name = null }) {
  if (name === null || (typeof name === 'string' && isName(name))) return name;
  throw refusedOption('server-agent', name, `give the name of one agent, as in ${typed('agent', '--name NAME')}`);
}

/**
 * How long the other side may be silent; agent and controller each say something about once a second.
 * @param {string} option @param {string | undefined} given @returns {number | undefined}
 */
export function silenceMs(option, given) {
  if (given === undefined) return undefined;
  const ns = Array.isArray(given) ? NaN : (parseDuration(given) ?? NaN);
  if (ns >= LEAST_SILENCE_MS * 1e6) return ns / 1e6;
  throw refusedOption(option, given, `give a duration of at least ${LEAST_SILENCE_MS / 1000}s, such as 10s`);
}
