// The reservation of agents for a run: each works for no other run until it is released, and the run has a stream for what
// is said in it.
import { RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { EnvironmentError } from '../../errors.js';
import { askAgent } from './ask-agent.js';
import { PROTOCOL_VERSION } from './codec.js';
import { isText } from './shape.js';
import { streamOf, subjects } from './subjects.js';

const ASK_MS = 5000;
/** For how long the server keeps what nobody has collected, and knows the ids of messages. */
const KEEP_NS = 7 * 24 * 3600e9;
const DUPLICATES_NS = 120e9;

/**
 * @typedef {import('@nats-io/transport-node').NatsConnection} NatsConnection
 * @typedef {import('@nats-io/jetstream').JetStreamManager} JetStreamManager
 * @typedef {import('./known-agent.js').KnownAgent} KnownAgent
 */

/** @param {string} run @param {string[]} names of agents @returns {string[]} what its stream takes: of the controller, and of these agents */
const takenBy = (run, names) => [subjects.to(run, '*'), ...names.map((name) => subjects.from(run, name))];

/** @param {JetStreamManager} jsm @param {string} run @param {string[]} names of its agents */
export async function makeStream(jsm, run, names) {
  await jsm.streams.add({
    name: streamOf(run),
    subjects: takenBy(run, names),
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_age: KEEP_NS,
    duplicate_window: DUPLICATES_NS,
  });
}

/**
 * @param {JetStreamManager} jsm @param {string} run @param {string[]} names of the agents whose reports it takes from now on
 * @returns {Promise<unknown>} null: there was no answer
 */
export const setSenders = (jsm, run, names) =>
  jsm.streams.update(streamOf(run), { subjects: takenBy(run, names) }).catch(() => null);

/** @param {JetStreamManager} jsm @param {string} run @returns {Promise<boolean>} false: there was none, or no answer */
export const deleteStream = (jsm, run) => jsm.streams.delete(streamOf(run)).catch(() => false);

/**
 * @param {NatsConnection} nc @param {string} run
 * @param {{ agents: KnownAgent[], serverAgent: KnownAgent | null, targets: string[] }} wanted agents: that send load;
 *   serverAgent: that starts the servers; targets: addresses
 * @throws {EnvironmentError} when one refuses, or does not answer; the others stay reserved
 */
export async function reserveAgents(nc, run, { agents, serverAgent, targets }) {
  /** @type {import('./messages.js').ReserveRequest} */
  const load = { type: 'reserve', version: PROTOCOL_VERSION, run, targets };
  const requests = agents.map(({ name }) => askAgent(nc, name, load, ASK_MS));
  if (serverAgent !== null) {
    requests.push(askAgent(nc, serverAgent.name, { ...load, targets: [], serves: true }, ASK_MS));
  }
  const refused = (await Promise.all(requests)).filter((answer) => answer?.ok !== true).map(asRefusal);
  if (refused.length === 0) return;
  throw new EnvironmentError(refused.map(({ text }) => text).join('\n'), {
    code: 'EAGENTREFUSED',
    data: { agents: refused.map(({ code, data }) => ({ code, data })) },
  });
}

/** @param {any} answer that is not a reservation @returns {Pick<import('./messages.js').Refusal, 'code' | 'data' | 'text'>} */
const asRefusal = (answer) =>
  isText(answer?.text) && isText(answer.code)
    ? answer
    : { code: 'agent-unclear', data: {}, text: 'an agent answers neither yes nor no to its reservation' };

/** @param {NatsConnection} nc @param {string} run @param {KnownAgent[]} agents those that are lost are not asked */
export async function releaseAgents(nc, run, agents) {
  const living = agents.filter(({ lost }) => lost === null);
  await Promise.all(living.map(({ name }) => askAgent(nc, name, { type: 'release', run }, ASK_MS).catch(() => null)));
}
