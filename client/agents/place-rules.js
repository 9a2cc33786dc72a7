// The rules for scenarios whose load comes from agents, or whose servers are started by an agent.

import { EnvironmentError } from '../errors.js';
import { typed } from '../invocation.js';
import { pointsOf } from '../measure/settings.js';
import { MOST_WORKERS } from '../plan/host-shares.js';
import { fileOf } from '../protocols/index.js';
import { isOwnAddress } from '../scenario/keys/address.js';
import { allCommands } from '../scenario/keys/commands.js';
import { checkBeside, familyName, isWrapped } from '../scenario/place-rules.js';
import { familyOf } from '../words/endpoint.js';

/**
 * @import { Data } from '../errors.js'
 * @import { OptionRules } from '../scenario/place-rules.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * @typedef {{ name: string, address: string, commands: boolean }} ServerAgent  commands: whether it may run commands
 */

/** The addresses, CPUs and files of the agents are not known here. @type {OptionRules} */
const AGENT_RULES = [
  [
    'target',
    ({ target, targets = [target] }) =>
      targets.some((endpoint) => endpoint !== undefined && familyOf(endpoint.host) === 'unix'),
    'a unix socket cannot be reached from another host; give HOST:PORT',
  ],
  [
    'pin',
    ({ pin }) => pin.client !== null || pin.cores !== null,
    'the CPUs of the agents are not known here; leave it out',
  ],
  ['sources', ({ sources }) => sources !== 'auto', 'the addresses of the agents are not known here; leave it out'],
  [
    'payloadFile',
    ({ payloadFile }) => payloadFile !== null,
    'the file is not on the agents; give a size with --payload',
  ],
  [
    'nats',
    ({ protocol, protocolOptions }) => fileOf(protocol, protocolOptions ?? {}) !== null,
    'the file for the login is not on the agents; measure a server that needs no login file',
  ],
  ['workers', ({ workers }) => workers !== 'auto' && workers > MOST_WORKERS, `an agent runs up to ${MOST_WORKERS}`],
  ['find', ({ find }) => find !== null, 'a search runs on one host; give the values with a sweep'],
  ['wrap', (scenario) => isWrapped(scenario, 'client'), 'agents run their workers without a wrapper; leave out client'],
  ['force', ({ force }) => force, 'a reduced load would have to be divided again; reduce connections instead'],
];

/** @type {OptionRules} */
const SERVER_AGENT_RULES = [
  [
    'target',
    ({ target }) => target !== undefined,
    'the server is already running; leave out --server-agent, or give servers',
  ],
  ['listen', ({ listen }) => listen === 'unix', 'a Unix socket cannot be reached from another host; leave it out'],
  [
    'pin',
    ({ pin }) => pin.server !== null || pin.cores !== null,
    'the CPUs of the agent are not known here; leave out server and cores',
  ],
  [
    'wrap',
    (scenario) => isWrapped(scenario, 'server'),
    'agents start servers without a wrapper; leave out server, or put the wrapper into command',
  ],
  [
    'command',
    ({ commands = [] }) => commands.some(({ folder }) => folder !== undefined),
    'the folder of a command, and the revision of --base, are on this host; leave out --server-agent',
  ],
  [
    'transport',
    ({ transport }) => transport !== 'tcp' && transport !== 'udp',
    'agents start servers over tcp and udp only; leave out --server-agent',
  ],
];

/**
 * Refuses settings that do not work from several hosts.
 * @param {Scenario} scenario @param {number} agents
 * @param {{ startsServers?: boolean }} [serverAgent]  startsServers: an agent starts the servers
 * @throws {UsageError}
 */
export function checkForAgents(scenario, agents, { startsServers = false } = {}) {
  const connections = Math.min(...pointsOf(scenario).map(({ settings }) => settings.connections));
  checkBeside(scenario, 'agents', 'EAGENTSCENARIO', [
    [
      'servers',
      ({ servers, commands, command }) => !startsServers && (servers ?? commands ?? command) !== undefined,
      'agents send load to a server that is already running, or that another agent starts; give --target HOST:PORT or --server-agent NAME',
    ],
    ...AGENT_RULES,
    [
      'connections',
      (settings) => settings.connections < agents,
      `${connections} cannot be divided over ${agents} agents; each needs at least one`,
    ],
  ]);
}

/**
 * Refuses settings that do not work with servers on an agent.
 * @param {Scenario} scenario
 * @throws {UsageError}
 */
export const checkForServerAgent = (scenario) =>
  checkBeside(scenario, 'server-agent', 'ESERVERAGENTSCENARIO', SERVER_AGENT_RULES);

/**
 * @type {{ code: string, when: (scenario: Scenario, agent: ServerAgent) => Data | false, why: (data: Data) => string
 *   }[]}
 */
const SERVER_AGENT_PERMISSIONS = [
  {
    code: 'EPUBLICTARGET',
    when: ({ allowPublicTarget }, { address }) => !allowPublicTarget && !isOwnAddress(address) && { address },
    why: ({ address }) =>
      `its servers listen on ${address}, which is neither a loopback nor a private address; give --allowPublicTarget if that ` +
      'machine is yours to stress',
  },
  {
    code: 'ESERVERAGENTFAMILY',
    when: ({ listen }, { address }) => familyOf(address) !== listen && { address, listen },
    why: ({ address, listen }) =>
      `its servers listen on ${address} (${familyName(familyOf(address))}), but listen is ${listen}; give --listen ` +
      `${familyOf(address)}, or start the agent with another --host`,
  },
  {
    code: 'ECOMMANDREFUSED',
    when: (scenario, agent) => {
      const commands = agent.commands ? [] : allCommands(scenario).map(({ command }) => command);
      return commands.length > 0 && { commands };
    },
    why: () => `it runs no commands; permit them there: ${typed('agent', '--commands')}`,
  },
  {
    code: 'EENVREFUSED',
    when: ({ servers = [] }, { commands }) => {
      const variables = commands ? [] : [...new Set(servers.flatMap(({ env }) => Object.keys(env ?? {})))];
      return variables.length > 0 && { variables };
    },
    why: ({ variables }) =>
      `it takes no environment variables (${variables.join(', ')}), as they can make a program run other code; leave out ` +
      `env, or permit it there: ${typed('agent', '--commands')}`,
  },
];

/**
 * @param {Scenario} scenario
 * @param {ServerAgent} agent
 * @throws {EnvironmentError} when this agent cannot or may not start the scenario's servers
 */
export function checkServerAgent(scenario, agent) {
  for (const { code, when, why } of SERVER_AGENT_PERMISSIONS) {
    const data = when(scenario, agent);
    if (!data) continue;
    throw new EnvironmentError(`--server-agent ${agent.name}: ${why(data)}`, {
      code,
      data: { name: agent.name, ...data },
    });
  }
}
