// The reservation of agents for a run: each works for no other run until it is released, and the run has a stream for what
// is said in it.
import { EnvironmentError } from '../../errors.js';
import { askAgent } from './ask-agent.js';
import { PROTOCOL_VERSION } from './codec.js';
import { isText } from './shape.js';
import { streamOf, subjects } from './subjects.js';

const ASK_MS = 5000;

/**
 * @typedef {import('./broker.js').Broker} Broker
 * @typedef {import('./known-agent.js').KnownAgent} KnownAgent
 */

/** @param {string} run @param {string[]} names of agents @returns {string[]} what its stream takes: of the controller, and of these agents */
const takenBy = (run, names) => [subjects.to(run, '*'), ...names.map((name) => subjects.from(run, name))];

/** @param {Broker} broker @param {string} run @param {string[]} names of its agents */
export const makeStream = (broker, run, names) => broker.makeStream(streamOf(run), takenBy(run, names));

/**
 * @param {Broker} broker @param {string} run @param {string[]} names of the agents whose reports it takes from now on
 * @returns {Promise<unknown>} null: there was no answer
 */
export const setSenders = (broker, run, names) =>
  broker.changeStream(streamOf(run), takenBy(run, names)).catch(() => null);

/** @param {Broker} broker @param {string} run @returns {Promise<unknown>} null: there was none, or no answer */
export const deleteStream = (broker, run) => broker.deleteStream(streamOf(run)).catch(() => null);

/**
 * @param {Broker} broker @param {string} run
 * @param {{ agents: KnownAgent[], serverAgent: KnownAgent | null, targets: string[] }} wanted agents: that send load;
 *   serverAgent: that starts the servers; targets: addresses
 * @throws {EnvironmentError} when one refuses, or does not answer; the others stay reserved
 */
export async function reserveAgents(broker, run, { agents, serverAgent, targets }) {
  /** @type {import('./messages.js').ReserveRequest} */
  const load = { type: 'reserve', version: PROTOCOL_VERSION, run, targets };
  const requests = agents.map(({ name }) => askAgent(broker, name, load, ASK_MS));
  if (serverAgent !== null) {
    requests.push(askAgent(broker, serverAgent.name, { ...load, targets: [], serves: true }, ASK_MS));
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

/** @param {Broker} broker @param {string} run @param {KnownAgent[]} agents those that are lost are not asked */
export async function releaseAgents(broker, run, agents) {
  const living = agents.filter(({ lost }) => lost === null);
  await Promise.all(
    living.map(({ name }) => askAgent(broker, name, { type: 'release', run }, ASK_MS).catch(() => null)),
  );
}
