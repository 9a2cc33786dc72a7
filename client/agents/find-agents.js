// Finds the agents that are connected to the NATS server: asks all of them until enough free agents have answered.
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError } from '../errors.js';
import { typed } from '../invocation.js';
import { counted } from '../words/format.js';
import { encode } from './codec.js';
import { readHello } from './hello.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import { subjects } from './subjects.js';

/**
 * @import { Endpoint } from '../../config/types.js'
 * @import { Broker } from './broker.js'
 * @import { Hello } from './messages.js'
 */

/** Time limit for answers; an agent first reads its machine's limits, which takes seconds with many sockets. */
const FIND_MS = 30_000;
/** Pause between two questions. */
const ASK_AGAIN_MS = 500;
/** After enough agents have answered, more may answer for this long, so that the choice does not depend on order. */
const SETTLE_MS = 300;

/**
 * @typedef {'free' | 'busy' | 'other-version'} AgentCondition
 * @typedef {{ count: number, target?: Endpoint, except?: string[], waitMs?: number }} Wanted  count: of agents; target:
 *   to connect to; except: names of agents to leave out
 */

/** @param {Hello} hello @returns {AgentCondition} */
function conditionOf({ run, version }) {
  if (version !== PROTOCOL_VERSION) return 'other-version';
  return run === null ? 'free' : 'busy';
}

/**
 * Asks for agents until as many as wanted are free, or the time is over.
 * @param {Broker} broker
 * @param {Wanted} wanted
 * @returns {Promise<Hello[]>} all that have answered, sorted by name
 */
async function discoverAgents(broker, { count, target, except = [], waitMs = FIND_MS }) {
  /** @type {Map<string, Hello>} */
  const hellos = new Map();
  const answerSubject = broker.answerSubject();
  const endAnswers = broker.subscribe(answerSubject, ({ data }) => {
    const hello = readHello(data);
    if (hello !== null && !except.includes(hello.name)) hellos.set(hello.name, hello);
  });
  const isEnough = () => freeAgents([...hellos.values()]).length >= count;
  const deadline = performance.now() + waitMs;
  while (!isEnough() && performance.now() < deadline) {
    broker.publish(subjects.discover, encode({ target: target ?? null }), { reply: answerSubject });
    const again = Math.min(deadline, performance.now() + ASK_AGAIN_MS);
    while (!isEnough() && performance.now() < again) await wait(20);
  }
  if (isEnough()) await wait(SETTLE_MS);
  endAnswers();
  return [...hellos.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {Hello[]} hellos @returns {Hello[]} those of free agents */
const freeAgents = (hellos) => hellos.filter((hello) => conditionOf(hello) === 'free');

/**
 * @param {Broker} broker
 * @param {Wanted} wanted
 * @returns {Promise<Hello[]>} of the first `count` free agents, sorted by name
 * @throws {EnvironmentError} when there are fewer
 */
export async function findAgents(broker, wanted) {
  const { count, waitMs = FIND_MS } = wanted;
  const hellos = await discoverAgents(broker, wanted);
  const free = freeAgents(hellos);
  if (free.length >= count) return free.slice(0, count);
  throw new EnvironmentError(tooFewText(hellos, count, waitMs), {
    code: 'EAGENTS',
    data: {
      wanted: count,
      free: free.map(({ name }) => name),
      others: hellos.filter((hello) => !free.includes(hello)).map(({ name }) => name),
    },
  });
}

/**
 * @param {Hello[]} hellos too few of free agents @param {number} count wanted @param {number} waitMs
 * @returns {string} lines: the number of free agents, why others cannot be used, what to do
 */
export function tooFewText(hellos, count, waitMs) {
  const free = freeAgents(hellos).map(({ name }) => name);
  const remarks = hellos.flatMap((hello) => {
    const condition = conditionOf(hello);
    if (condition === 'free') return [];
    return condition === 'busy'
      ? `${hello.name} works for run ${hello.run}`
      : `${hello.name} has another version of Broadside`;
  });
  return [
    `--agents ${count}: ${counted(free.length, 'free agent')} answered within ${waitMs / 1000} s` +
      (free.length === 0 ? '' : ` (${free.join(', ')})`),
    ...remarks,
    `start an agent on each host: ${typed('agent', '--nats URL --allow NETWORK')}`,
  ].join('\n');
}
