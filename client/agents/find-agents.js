// Which agents are connected to the NATS server: asks them who they are, until enough are free.
// The one thing to know: an agent that does not answer within the time is not known to exist.
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

/** For agents to answer; each reads the limits of its machine first, which takes seconds where it has many sockets. */
const FIND_MS = 30_000;
/** Between two questions who is there, until there are enough. */
const ASK_AGAIN_MS = 500;
/** Once there are enough, others may answer for this long, so that the choice does not depend on who is first. */
const SETTLE_MS = 300;

/**
 * @typedef {'free' | 'busy' | 'other-version'} AgentCondition
 * @typedef {{ count: number, target?: Endpoint, except?: string[], waitMs?: number }} Wanted  count: of agents; target:
 *   that they are to connect to; except: names of agents that are not meant
 */

/** @param {Hello} hello @returns {AgentCondition} whether a run can use it now */
function conditionOf({ run, version }) {
  if (version !== PROTOCOL_VERSION) return 'other-version';
  return run === null ? 'free' : 'busy';
}

/**
 * Asks who is there until as many agents as wanted are free, or the time is over.
 * @param {Broker} broker
 * @param {Wanted} wanted
 * @returns {Promise<Hello[]>} of all that have answered, in the order of their names
 */
async function discoverAgents(broker, { count, target, except = [], waitMs = FIND_MS }) {
  /** @type {Map<string, Hello>} */
  const found = new Map();
  const own = broker.ownSubject();
  const endAnswers = broker.subscribe(own, ({ data }) => {
    const hello = readHello(data);
    if (hello !== null && !except.includes(hello.name)) found.set(hello.name, hello);
  });
  const isEnough = () => freeAgents([...found.values()]).length >= count;
  const deadline = performance.now() + waitMs;
  while (!isEnough() && performance.now() < deadline) {
    broker.publish(subjects.discover, encode({ target: target ?? null }), { reply: own });
    const again = Math.min(deadline, performance.now() + ASK_AGAIN_MS);
    while (!isEnough() && performance.now() < again) await wait(20);
  }
  if (isEnough()) await wait(SETTLE_MS);
  endAnswers();
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param {Hello[]} hellos @returns {Hello[]} of those that a run can use */
const freeAgents = (hellos) => hellos.filter((hello) => conditionOf(hello) === 'free');

/**
 * @param {Broker} broker
 * @param {Wanted} wanted
 * @returns {Promise<Hello[]>} of `count` agents that are free, the first by their names
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
 * @param {Hello[]} hellos of fewer free agents than wanted @param {number} count wanted @param {number} waitMs
 * @returns {string} lines: how many there are, why others cannot be used, what to do
 */
export function tooFewText(hellos, count, waitMs) {
  const free = freeAgents(hellos).map(({ name }) => name);
  const remarks = hellos.flatMap((hello) => {
    const condition = conditionOf(hello);
    if (condition === 'free') return [];
    return condition === 'busy'
      ? `${hello.name} works for run ${hello.run}`
      : `${hello.name} is of another version of Broadside`;
  });
  return [
    `--agents ${count}: ${counted(free.length, 'free agent')} answered within ${waitMs / 1000} s` +
      (free.length === 0 ? '' : ` (${free.join(', ')})`),
    ...remarks,
    `start one on each host: ${typed('agent', '--nats URL --allow NETWORK')}`,
  ].join('\n');
}
