// The controller of one run over simulated agents: finds and reserves them, runs one leg as `stress` does, and measures what
// that costs this process, the NATS server and the wire. The display is left out.

import { setTimeout as after } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { combinedHost } from '../../../client/plan/agents.js';
import { plan as makePlan } from '../../../client/plan/plan.js';
import { AgentGroup } from '../../../client/run/agents/agent-group.js';
import { openNats } from '../../../client/run/agents/connection.js';
import { findAgents } from '../../../client/run/agents/find-agents.js';
import { LegRun } from '../../../client/run/leg.js';
import { resolveScenario } from '../../../client/scenario/scenario.js';
import { createLogger } from '../../../client/store/event-log.js';
import { createRunFolder } from '../../../client/store/run-folder.js';
import { perSecond, readCounts, readCpu } from './readings.js';
import { followSamples } from './sample-times.js';

/** Of each worker. */
const CONNECTIONS = 50;
/** Seconds of the run before the window and after it. */
const BEFORE_SECONDS = 3;
const AFTER_SECONDS = 1;
const NO_LOGIN = { creds: null, nkey: null, token: null, ca: null, certificate: null, key: null };
/** Nothing connects to it: there are no engines. */
const TARGET = { address: '127.0.0.1', port: 9 };
const NO_DISPLAY = /** @type {any} */ ({
  sample() {},
  tick() {},
  legWarning() {},
  workersStart() {},
  workersEnd() {},
});
/** Of a leg whose server is not started. */
const NO_SERVER = { launcher: /** @type {any} */ (null), interrupted: new Promise(() => {}), answered: true };

/**
 * @typedef {object} Request
 * @property {string} url of the NATS server
 * @property {string} monitor its monitoring URL
 * @property {number} natsPid
 * @property {number[]} agentPids of the processes of agents
 * @property {number} agents
 * @property {number} workers of each
 * @property {number} transfers a second of each worker
 * @property {number} seconds of the window
 * @property {string} folder
 *
 * @typedef {object} Figures rates are per second of the window; CPU in ms of CPU per second
 * @property {number} messages that the NATS server received and sent
 * @property {number} bytes likewise, without the protocol's own
 * @property {number} controllerMessages of its connection, both ways
 * @property {number} controllerBytes likewise
 * @property {number} storedBytes that the stream grew by
 * @property {number} controllerCpu
 * @property {number} natsCpu
 * @property {number} agentsCpu of all simulated agents
 * @property {number[]} mergeMs of each sample: adding its intervals, and merging them
 * @property {number[]} sampleMs of each sample: making its line, and writing it
 * @property {number[]} delayMs of each sample: from the end of its second until it is written
 * @property {number} sampleBytes a line of samples.ndjson
 * @property {number} findMs until all have answered
 * @property {number} clocksMs until their clocks are compared
 * @property {number} clockErrorMs half of the shortest round trip, of the agent where it is longest
 * @property {number} planMs
 * @property {number} reserveMs
 * @property {number} readyMs until all workers are ready
 * @property {number} summaryMs to read the samples and to make the leg's summary
 * @property {number} releaseMs
 */

/**
 * @template T
 * @param {() => T | Promise<T>} work
 * @returns {Promise<[T, number]>} what it gives, and the ms that it took
 */
async function timed(work) {
  const begun = performance.now();
  const result = await work();
  return [result, performance.now() - begun];
}

/** @param {Request} request @param {AbortSignal} signal @returns {Promise<Figures>} */
export async function control(request, signal) {
  const { url, agents, workers, transfers, seconds, folder } = request;
  setFlagsFromString('--semi-space-growth-factor=1'); // as `stress` does
  const connection = await openNats({ url, login: NO_LOGIN }, 'controller');
  const scenario = scenarioOf(request);
  const [hellos, findMs] = await timed(() => findAgents(connection.nc, { count: agents, target: scenario.target }));
  const group = new AgentGroup(connection, { hellos });
  try {
    const [, clocksMs] = await timed(() => group.measureClocks());
    const clockErrorMs = Math.max(...group.agents.map(({ clock }) => clock.roundTripNs)) / 2e6;
    const [plan, planMs] = await timed(() => planFor(scenario, group));
    const runFolder = createRunFolder(folder, 'run');
    const [, reserveMs] = await timed(() => group.begin(runFolder.id, [TARGET.address]));
    const { log, close } = createLogger(`${runFolder.folder}/events.ndjson`, () => {});
    const t0 = { monotonicNs: process.hrtime.bigint(), epochMs: Date.now() };
    const context = { folder: runFolder, display: NO_DISPLAY, t0, log, legs: 1, rounds: 1, scenario, agents: group };
    const [planned] = plan.legs;
    const leg = new LegRun({ ...context, ...NO_SERVER }, planned, 0);
    const observed = await observe(leg, { ...request, ...connection, run: runFolder.id }, seconds, signal);
    const [, summaryMs] = await timed(() => leg.summary());
    check(leg, group, agents * workers * transfers);
    close();
    const [, releaseMs] = await timed(() => group.end());
    return {
      ...observed,
      sampleBytes: leg.samples.bytes / leg.samples.count,
      ...{ findMs, clocksMs, clockErrorMs, planMs, reserveMs, summaryMs, releaseMs },
    };
  } finally {
    await group.end();
    await group.close();
  }
}

/** @param {Request} request */
const scenarioOf = ({ agents, workers, seconds }) =>
  resolveScenario({
    name: 'bench',
    content: {
      target: `${TARGET.address}:${TARGET.port}`,
      connections: agents * workers * CONNECTIONS,
      workers,
      ...{ ramp: { add: agents * workers * CONNECTIONS, every: '1s' }, warmup: '0s', transferLog: 'none' },
      duration: `${BEFORE_SECONDS + seconds + AFTER_SECONDS - 1}s`,
    },
  });

/** As `stress` plans it. @param {import('../../../client/scenario/scenario.js').Scenario} scenario @param {AgentGroup} group */
function planFor(scenario, group) {
  return makePlan(scenario, combinedHost(group.agents.map(({ name, hello }) => ({ name, host: hello.host }))));
}

/**
 * Runs the leg, with readings at both ends of a window in its steady state. They are in the middle of a second, so that none
 * of them divides what belongs to one sample.
 * @param {LegRun} leg @param {import('./readings.js').World} world @param {number} seconds @param {AbortSignal} signal
 */
async function observe(leg, world, seconds, signal) {
  const begun = performance.now();
  const running = leg.measure({ instances: [TARGET], pids: [], read: () => null, stop: async () => {} });
  running.catch(() => {}); // awaited below
  const times = followSamples(leg);
  const startNs = await Promise.race([startOf(leg), running.then(() => 0n)]);
  const readyMs = performance.now() - begun;
  const untilSecond = (/** @type {number} */ second) => {
    const aheadNs = startNs + BigInt(second * 1e9) - process.hrtime.bigint();
    return after(Math.max(0, Number(aheadNs) / 1e6), undefined, { signal });
  };
  await untilSecond(BEFORE_SECONDS + 0.5);
  const [countsBefore, cpuBefore] = [await readCounts(world), readCpu(world)];
  await untilSecond(BEFORE_SECONDS + seconds + 0.5);
  const [cpu, counts] = [readCpu(world), await readCounts(world)];
  await running;
  const inWindow = times.filter(({ second }) => second > BEFORE_SECONDS && second <= BEFORE_SECONDS + seconds);
  return {
    readyMs,
    ...perSecond(countsBefore, counts),
    ...perSecond(cpuBefore, cpu),
    mergeMs: inWindow.map(({ mergeMs }) => mergeMs),
    sampleMs: inWindow.map(({ sampleMs }) => sampleMs),
    delayMs: inWindow.map(({ delayMs }) => delayMs),
  };
}

/** @param {LegRun} leg @returns {Promise<bigint>} */
const startOf = ({ workers }) => new Promise((resolve) => void workers?.once('start', resolve));

/**
 * @param {LegRun} leg @param {AgentGroup} group @param {number} perSecond transfers that all workers report in a second
 * @throws {Error} when something is missing
 */
function check(leg, group, perSecond) {
  const { outcome } = leg;
  if (group.lost.length > 0) throw new Error(`${group.lost.length} agents were lost`);
  if (outcome?.endedBy !== 'plan') throw new Error(`the leg was ended by ${outcome?.endedBy}`);
  const steady = leg.series.samples().filter(({ phase }) => phase === 'steady');
  const transfers = steady.reduce((sum, { counters }) => sum + counters.transfers, 0);
  const all = perSecond * Math.round((leg.leg.steadyToNs - leg.leg.steadyFromNs) / 1e9);
  if (transfers !== all) throw new Error(`${transfers} of ${all} transfers are in the samples`);
}
