// Finds the agent that starts the servers of a run, asks what it can start, and makes the launcher that uses it.
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError } from '../errors.js';
import { typed } from '../invocation.js';
import { isObject } from '../measure/objects.js';
import { askAgent } from './ask-agent.js';
import { isHello } from './hello.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import { RemoteLauncher } from './remote-launcher.js';
import { isText, NOTHING } from './shape.js';

/**
 * @import { AgentGroup } from './agent-group.js'
 * @import { Broker } from './broker.js'
 * @import { KnownAgent } from './known-agent.js'
 * @import { Availability, Hello, Serves } from './messages.js'
 */

/** Time limit for the agent's answer; it first reads the limits of its machine. */
const FIND_MS = 30_000;
const ASK_MS = 10_000;
/** Time limit for the agent to check what is installed: it starts the tools of each language. */
const AVAILABILITY_MS = 60_000;
const ASK_AGAIN_MS = 500;

/**
 * @param {Broker} broker @param {string} name @param {number} [waitMs]
 * @returns {Promise<Hello & { serves: Serves }>}
 * @throws {EnvironmentError} when it does not answer, is not free, or starts no servers
 */
export async function findServerAgent(broker, name, waitMs = FIND_MS) {
  const hello = await askHello(broker, name, waitMs);
  const { run, version, serves } = hello;
  const why =
    version !== PROTOCOL_VERSION
      ? 'it has another version of Broadside'
      : run !== null
        ? `it works for run ${run}`
        : !serves
          ? `it starts no servers; permit some there: ${typed('agent', '--servers NAME')}, or --commands`
          : null;
  if (why === null) return /** @type {Hello & { serves: Serves }} */ (hello);
  throw new EnvironmentError(`--server-agent ${name}: ${why}`, {
    code: 'ESERVERAGENT',
    data: { name, run, version, serves: serves ?? null },
  });
}

/** @param {Broker} broker @param {string} name @param {number} waitMs @returns {Promise<Hello>} */
async function askHello(broker, name, waitMs) {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const answer = await askAgent(broker, name, { type: 'hello' }, ASK_MS).catch(() => null);
    if (isHello(answer) && answer.name === name) return answer;
    if (performance.now() > deadline) {
      throw new EnvironmentError(
        `--server-agent ${name}: no agent with this name answered within ${waitMs / 1000} s\n` +
          `start it there: ${typed('agent', `--nats URL --name ${name} --servers NAME`)}`,
        { code: 'ESERVERAGENT', data: { name } },
      );
    }
    await wait(ASK_AGAIN_MS);
  }
}

/**
 * @template {{ name: string }} Server
 * @param {Broker} broker @param {string} name of the agent @param {Server[]} servers
 * @returns {Promise<(Server & Availability)[]>} whether the agent can and may start each
 */
export async function availabilityOn(broker, name, servers) {
  const names = servers.map((server) => server.name);
  const answers = await askAgent(broker, name, { type: 'servers', names }, AVAILABILITY_MS);
  return servers.map((server, i) => ({ ...server, ...availabilityFrom(Array.isArray(answers) ? answers[i] : null) }));
}

/** @param {unknown} problem @returns {problem is NonNullable<Availability['problem']>} */
const isProblem = (problem) => isObject(problem) && isText(problem.code) && isObject(problem.data);

/** @param {unknown} answer of an agent, about one server @returns {Availability} */
function availabilityFrom(answer) {
  const textOf = (/** @type {unknown} */ text) => (isText(text) ? text : null);
  const { available, why, remedy, problem } = isObject(answer) ? answer : NOTHING;
  return {
    available: available === true,
    ...{ why: textOf(why), remedy: textOf(remedy), problem: isProblem(problem) ? problem : null },
  };
}

/**
 * @param {Broker} broker @param {string} name
 * @returns {Promise<Record<string, unknown>>} its host as in environment.json
 */
export async function environmentOf(broker, name) {
  const answer = await askAgent(broker, name, { type: 'environment' }, ASK_MS);
  return isObject(answer) ? answer : {};
}

/**
 * @param {AgentGroup} group with a serverAgent
 * @returns {RemoteLauncher}
 */
export function launcherOn(group) {
  const agent = /** @type {KnownAgent} */ (group.serverAgent);
  const launcher = new RemoteLauncher({
    name: agent.name,
    address: agent.hello.serves?.address ?? '',
    offsetNs: () => agent.clock.exactOffsetNs,
    send: (message) => group.send(agent, { type: 'server', message }),
    outlivesController: group.sendsLoad,
  });
  group.on('server', (message) => launcher.receive(message));
  group.on('server-lost', (how) => launcher.lose(how));
  return launcher;
}
