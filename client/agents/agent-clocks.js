// Compares the clocks of a run's agents with this host's clock: before the run, and after each leg.
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError } from '../errors.js';
import { ownValue } from '../measure/objects.js';
import { askAgent } from './ask-agent.js';
import { clockErrorNs, clockOffset, ROUND_TRIPS } from './clock-offset.js';
import { isClockNs } from './shape.js';

/**
 * @import { Broker } from './broker.js'
 * @import { KnownAgent } from './known-agent.js'
 */

const ASK_MS = 5000;
/** Pause between the first round trips of two agents. */
const CLOCK_GAP_MS = 5;

/**
 * Measures the clock of each agent.
 * @param {Broker} broker @param {KnownAgent[]} agents
 * @throws {EnvironmentError} when an agent does not answer
 */
export async function measureClocks(broker, agents) {
  await inTurn(agents, async (agent) => {
    agent.clock = await measureClock(broker, agent);
  });
}

/**
 * Measures the clock of each agent again, and its drift since the legs began. An agent that does not answer keeps its
 * last clock.
 * @param {Broker} broker @param {KnownAgent[]} agents
 */
export async function measureDrifts(broker, agents) {
  await inTurn(agents, async (agent) => {
    const now = agent.lost === null ? await measureClock(broker, agent).catch(() => null) : null;
    agent.clock = now ?? agent.clock;
    const { clock, firstClock: before } = agent;
    agent.driftNs = Number(clock.exactOffsetNs - before.exactOffsetNs);
    agent.uncertaintyNs = Math.max(clockErrorNs(before), clockErrorNs(clock));
  });
}

/**
 * Begins with one agent after another: the round trips of hundreds of agents at once would delay each other in this
 * process.
 * @param {KnownAgent[]} agents @param {(agent: KnownAgent) => Promise<void>} use
 */
async function inTurn(agents, use) {
  await Promise.all(
    agents.map(async (agent, index) => {
      await wait(index * CLOCK_GAP_MS);
      await use(agent);
    }),
  );
}

/**
 * @param {Broker} broker @param {KnownAgent} agent
 * @throws {EnvironmentError} when it does not answer, or answers without a time
 */
async function measureClock(broker, { name }) {
  const trips = [];
  const begunAt = performance.now();
  for (let i = 0; i < ROUND_TRIPS && performance.now() - begunAt < ASK_MS; i += 1) {
    const sentNs = process.hrtime.bigint();
    const remoteNs = ownValue(await askAgent(broker, name, { type: 'clock' }, ASK_MS), 'ns');
    if (!isClockNs(remoteNs)) {
      throw new EnvironmentError(`agent ${name} does not say what time it is`, { code: 'EAGENTCLOCK', data: { name } });
    }
    trips.push({ sentNs, remoteNs, receivedNs: process.hrtime.bigint() });
  }
  return clockOffset(trips);
}
