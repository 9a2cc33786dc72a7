// What cannot be done with a server that an agent starts on a host of its own. Pure.

import { EnvironmentError, UsageError } from '../errors.js';
import { typed } from '../invocation.js';
import { FAMILIES, familyOf } from '../results/endpoint.js';
import { isSctp } from '../results/transport.js';
import { allCommands } from '../scenario/keys/commands.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {{ name: string, address: string, commands: boolean }} ServerAgent  commands: whether it runs any command */

/** @param {{ server?: string } | undefined} wrap */
const wrapsServer = (wrap) => wrap?.server !== undefined;

/**
 * @param {Scenario} scenario
 * @throws {UsageError} where no agent could do it
 */
export function checkForServerAgent({ target, servers = [], listen, pin, wrap, transport, tls }) {
  /** @type {[string, boolean, string][]} */
  const rules = [
    ['target', target !== undefined, 'the server is already running; leave out --server-agent, or give servers'],
    ['listen', listen === 'unix', 'a Unix socket cannot be reached from another host; leave it out'],
    [
      'pin',
      pin.server !== null || pin.cores !== null,
      'the CPUs of the agent are not known here; leave out server and cores',
    ],
    [
      'wrap',
      wrapsServer(wrap) || servers.some((one) => wrapsServer(one.wrap)),
      'an agent starts a server as it is; leave out server, or put the wrapper into command',
    ],
    ['transport', isSctp(transport), 'a server over SCTP is started on this host only; leave out --server-agent'],
    [
      'tls.certificate',
      tls !== null && tls.certificate !== null,
      'the agent, which has no certificate of the client, must try the server first; leave it out',
    ],
  ];
  const broken = rules.filter(([, applies]) => applies);
  if (broken.length === 0) return;
  throw new UsageError(broken.map(([key, , why]) => `${key}: with --server-agent: ${why}`).join('\n'), {
    code: 'ESERVERAGENTSCENARIO',
    data: { keys: broken.map(([key]) => key) },
  });
}

/**
 * @param {Scenario} scenario
 * @param {ServerAgent} agent
 * @throws {EnvironmentError} where this agent cannot or may not do it
 */
export function checkServerAgent(scenario, agent) {
  const { listen, servers = [] } = scenario;
  const family = familyOf(agent.address);
  const refuse = (/** @type {string} */ code, /** @type {string} */ why, /** @type {object} */ data) => {
    throw new EnvironmentError(`--server-agent ${agent.name}: ${why}`, { code, data: { name: agent.name, ...data } });
  };
  if (family !== listen) {
    refuse(
      'ESERVERAGENTFAMILY',
      `its servers listen on ${agent.address} (${FAMILIES[family]}), but listen is ${listen}; give --listen ${family}, or start the agent with another --host`,
      { address: agent.address, listen },
    );
  }
  if (agent.commands) return;
  const commands = allCommands(scenario).map(({ command }) => command);
  if (commands.length > 0) {
    refuse('ECOMMANDREFUSED', `it runs no commands; permit them there: ${typed('agent', '--commands')}`, {
      commands,
    });
  }
  const variables = [...new Set(servers.flatMap(({ env }) => Object.keys(env ?? {})))];
  if (variables.length > 0) {
    refuse(
      'EENVREFUSED',
      `it takes no environment variables (${variables.join(', ')}), as they can make a program run other code; leave out env, or permit it there: ${typed('agent', '--commands')}`,
      { variables },
    );
  }
}
