// `broadside agent`: makes this host one that runs of other hosts can use. It only dials out, to the NATS server, and stays
// until it is ended. The one thing to know: which targets it may send load to is decided here, not by the controller.

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { readHost } from '../machine/host.js';
import { LOOPBACK, AllowList, parseNetwork } from '../run/agents/allow-list.js';
import { isName, token } from '../run/agents/subjects.js';
import { durationMs, natsOf, natsOptions } from './agents.js';
import { missingOption, refusedOption } from './option-values.js';
import { outputOptions } from './output-options.js';

const DEADLINE_MS = 10_000;

/** @type {Record<string, import('yargs').Options>} */
export const builder = {
  ...natsOptions,
  name: {
    type: 'string',
    requiresArg: true,
    description: 'The name of this agent: letters, digits, - and _ (default: the name of the host)',
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
  logs: outputOptions.logs,
};

/** @type {import('./index.js').Command['examples']} */
export const examples = [
  ['--nats nats://10.0.0.1:4222 --allow 10.0.0.0/8', 'for targets in 10/8'],
  ['--nats tls://nats.example:4222 --nats-creds agent.creds --name a1', 'over TLS, with credentials'],
];

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** @param {any} argv */
export async function handler(argv) {
  const { nats, ...own } = agentOf(argv);
  const [{ openNats }, { Agent }] = await Promise.all([
    import('../run/agents/connection.js'),
    import('../run/agents/agent.js'),
  ]);
  const log = (/** @type {string} */ line) => process.stdout.write(`agent ${own.name}: ${line}\n`);
  const { nc } = await openNats(nats, `broadside agent ${own.name}`);
  const options = {
    ...own,
    version,
    log,
    logs: argv.logs,
    readHost: (/** @type {any} */ target) => readHost({ logs: argv.logs, target }),
  };
  /** @type {import('../run/agents/agent.js').Agent} */
  let agent;
  try {
    agent = await new Agent(nc, options).open();
  } catch (error) {
    await nc.close();
    throw error;
  }
  log(`ready at ${nc.getServer()}; it may send load to ${own.allow.texts.join(', ')}`);
  await ended(nc);
  await agent.close();
}

/**
 * @param {any} argv
 * @returns {{ nats: import('../run/agents/connection.js').NatsServer, name: string, allow: AllowList, deadlineMs: number }}
 * @throws {import('../errors.js').UsageError}
 */
export function agentOf(argv) {
  const nats = natsOf(argv);
  if (nats === null)
    throw missingOption('nats', '--nats is missing: an agent is reached through a NATS server; give nats://HOST:4222');
  const name = argv.name ?? token(hostname()).slice(0, 63);
  if (Array.isArray(name) || !isName(name)) {
    throw refusedOption('name', name, 'give up to 63 letters, digits, - and _, beginning with a letter or a digit');
  }
  const allowed = argv.allow ?? LOOPBACK;
  const wrong = allowed.find((/** @type {string} */ text) => parseNetwork(String(text)) === null);
  if (wrong !== undefined) throw refusedOption('allow', wrong, 'give a network such as 10.0.0.0/8 or fd00::/8');
  const deadlineMs = durationMs('deadline', argv.deadline, 1000) ?? DEADLINE_MS;
  return { nats, name, allow: new AllowList(allowed), deadlineMs };
}

/** @param {import('@nats-io/transport-node').NatsConnection} nc @returns {Promise<void>} at a signal, or when the server refuses it */
async function ended(nc) {
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  await new Promise((/** @type {(value: void) => void} */ resolve) => {
    for (const signal of signals) process.once(signal, () => resolve());
    void nc.closed().then(() => resolve());
  });
}
