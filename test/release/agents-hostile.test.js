// Agents that say what no agent says, through a real NATS server: the controller loses each of them, and nothing else. Their workers
// are simulated; what is hostile is published by the test, as whoever may publish there can do.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream } from '@nats-io/jetstream';
import { names } from '../../client/engine/index.js';
import { combinedHost } from '../../client/plan/agents.js';
import { plan as makePlan } from '../../client/plan/plan.js';
import { Agent } from '../../client/run/agents/agent.js';
import { AgentGroup } from '../../client/run/agents/agent-group.js';
import { AllowList, LOOPBACK } from '../../client/run/agents/allow-list.js';
import { encode } from '../../client/run/agents/codec.js';
import { openNats } from '../../client/run/agents/connection.js';
import { findAgents } from '../../client/run/agents/find-agents.js';
import { streamOf, subjects } from '../../client/run/agents/subjects.js';
import { LegWorkers } from '../../client/run/cluster/primary.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { intervalMaker } from '../fixtures/made-up-intervals.js';
import { SimulatedWorkers } from '../fixtures/simulated-workers.js';
import { NO_LOGIN, startNats } from '../fixtures/e2e-agents.js';
import { until } from '../fixtures/e2e-processes.js';
import { host } from '../fixtures/hosts.js';
import { requireTool } from '../skip.js';

const CONNECTIONS = 10;
const TRANSFERS = 100;
const SECONDS = 4;
const USAGE = { cpuSeconds: 0, engineCpuSeconds: 0, waitSeconds: 0, rssBytes: 1, wallSeconds: 1 };
/** More than an agent may send at once. */
const FLOOD = 5000;

/** @param {number} bytes @returns {string} that decodes to so many */
const base64 = (bytes) => Buffer.alloc(bytes, 1).toString('base64');
const NO_ROWS = { $f64: '' };

/** An interval after those that its worker reports, over no time. @param {object} over */
const intervalOf = (over) => ({
  ...{ second: 3, phase: 'steady', fromNs: 2.5e9, toNs: 2.5e9, last: false, counters: {}, gauges: {}, histograms: {} },
  ...{ random: NO_ROWS, slowest: NO_ROWS },
  ...over,
});

/** @param {object} over */
const reporting = (over) => ({ type: 'interval', engine: 0, usage: USAGE, interval: intervalOf(over) });

/**
 * What is said in the name of an agent, by what is wrong with it; which: of its worker.
 * @type {Record<string, (which: { leg: string, worker: number, generation: number }) => unknown>}
 */
const ENTRIES = {
  'no-object': () => null,
  'no-type': () => ({ type: 'constructor' }),
  'no-clock': () => ({ type: 'beat', ns: 1 }),
  'long-integer': () => ({ type: 'beat', ns: { $int: '9'.repeat(100_000) } }),
  'wrong-which': (which) => ({ ...which, type: 'message', worker: 'length', message: { type: 'ready' } }),
  'other-worker': (which) => ({ ...which, worker: 0, type: 'message', message: reporting({}) }),
  'no-server-agent': () => ({ type: 'server', message: { type: 'answer', request: 1, value: [] } }),
  'ready-twice': (which) => ({ ...which, type: 'message', message: { type: 'ready' } }),
  'hello-twice': (which) => ({ ...which, type: 'message', message: { type: 'hello', pid: 1 } }),
  'no-engine': (which) => ({ ...which, type: 'message', message: { ...reporting({}), engine: 7 } }),
  'worker-failed': (which) => ({ ...which, type: 'message', message: { type: 'failed', message: 'x\u001b[2Jy' } }),
  'log-of-no-engine': (which) => ({
    ...which,
    type: 'message',
    message: { type: 'done', engine: 0, log: { rows: -1 } },
  }),
  ...Object.fromEntries(
    Object.entries({
      'attempts-unbalanced': { counters: { attempts: 1 } },
      'errors-unbalanced': { counters: { lost: 1 } },
      'times-unbalanced': { counters: { transfers: 1e6 } },
      'more-connections': { counters: { attempts: 1e6, opened: 1e6 } },
      'more-open': { gauges: { open: 1e6 } },
      'gauges-below-zero': { counters: { gaugesBelowZero: 1 } },
      'more-waiting': { gauges: { backingOff: 1e6 } },
      'lost-of-none': { gauges: { lostBackingOff: 1 } },
      'statuses-of-echo': { counters: { 'statuses.2xx': 1 } },
      unfair: {
        last: true,
        histograms: { perConnection: { values: { $f64: '' }, counts: { $f64: '' }, min: 0, max: 0, sum: 7 } },
      },
      'negative-count': { counters: { transfers: -1 } },
      'huge-count': { counters: { bytesSent: 1e15 } },
      'count-of-text': { counters: { bytesSent: '1' } },
      'names-with-paths': { counters: { '../../etc/passwd': 1 } },
      'wrong-second': { second: 7 },
      'wrong-phase': { phase: 'ramp' },
      'no-phase': { phase: '__proto__' },
      'next-year': { second: 31_536_000, fromNs: 2.5e9, toNs: 31_536_000e9 },
      'no-buckets': { histograms: { connectTime: { $hdr: base64(3), min: 1, max: 1, sum: 1 } } },
      'endless-bucket': {
        histograms: { connectTime: { $hdr: Buffer.from('ffffffffffffff7f01', 'hex').toString('base64') } },
      },
      'huge-histogram': {
        histograms: {
          connectTime: { values: { $f64: base64(320_000) }, counts: { $f64: base64(320_000) }, min: 1, max: 1, sum: 1 },
        },
      },
      'rows-of-nothing': { random: { $f64: Buffer.from(new Float64Array(5).fill(NaN).buffer).toString('base64') } },
      'long-quote': { quotes: [{ kind: 'error', state: 'busy', atNs: 1, bytes: 'x'.repeat(65) }] },
      'quote-of-no-kind': { quotes: [{ kind: '__proto__', state: 'busy', atNs: 1, bytes: 'x' }] },
      'no-tls-failure': { tlsFailure: { cause: 'x', step: 'open', reason: '' } },
    }).map(([name, over]) => [
      name,
      (/** @type {object} */ which) => ({ ...which, type: 'message', message: reporting(over) }),
    ]),
  ),
};

/** @type {Record<string, (which: any) => Uint8Array>} */
const MESSAGES = {
  ...Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]) => [name, (which) => Buffer.from(encode([entry(which)]))]),
  ),
  'no-json': () => Buffer.from('[{'),
  'no-list': () => Buffer.from('5'),
};

describe('agents that say what no agent says', function () {
  this.timeout(60_000);
  const hostile = [...Object.keys(MESSAGES), 'flood', 'deaf'];
  const agentNames = ['a', ...hostile];
  /** @type {string} */
  let folder;
  /** @type {Awaited<ReturnType<typeof startNats>>} */
  let nats;
  /** @type {Agent[]} */
  let agents = [];

  before(async function () {
    requireTool(this, 'nats-server');
    folder = mkdtempSync(join(tmpdir(), 'broadside-hostile-'));
    nats = await startNats(folder);
    agents = await Promise.all(
      agentNames.map(async (name, index) => {
        const { nc } = await openNats({ url: nats.url, login: NO_LOGIN }, name);
        const workers = new SimulatedWorkers(intervalMaker({ names, transfers: TRANSFERS, seed: index }));
        return new Agent(nc, {
          ...{ name, version: '0', allow: new AllowList(LOOPBACK), logs: folder, deadlineMs: 6000, log: () => {} },
          ...{ readHost: async () => ({ ...host, addresses: [], towards: null }), workers },
        }).open();
      }),
    );
  });
  after(async () => {
    await Promise.all(agents.map((agent) => agent.close()));
    await nats?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('are lost, each for itself: the leg goes on, and counts what the others report', async () => {
    const connection = await openNats({ url: nats.url, login: NO_LOGIN }, 'controller');
    const attacker = await openNats({ url: nats.url, login: NO_LOGIN }, 'attacker');
    const hellos = await findAgents(connection.nc, { count: agentNames.length });
    const group = new AgentGroup(connection, { hellos, tolerated: hostile.length, timeoutMs: 20_000 });
    const run = '20260101-000000-hostile';
    try {
      await group.measureClocks();
      const settings = resolveScenario({
        name: 'hostile',
        content: {
          ...{ target: '127.0.0.1:7', connections: CONNECTIONS * agentNames.length, workers: 1 },
          ...{
            ramp: { add: 10_000, every: '1s' },
            duration: `${SECONDS - 1}s`,
            drainTimeout: '1s',
            transferLog: 'none',
          },
        },
      });
      const together = combinedHost(group.agents.map(({ name, hello }) => ({ name, host: hello.host })));
      const [leg] = makePlan(settings, together).legs;
      await group.begin(run, ['127.0.0.1']);
      const instances = [{ endpoints: [{ address: '127.0.0.1', port: 7 }], tls: null }];
      const t0Ns = process.hrtime.bigint();
      const source = group.forLeg(leg);
      const workers = new LegWorkers({ settings, leg, instances, t0Ns, folder, logging: false, source });
      /** @type {import('../../client/measure/sample-merge.js').Merged[]} */
      const samples = [];
      workers.on('merged', (merged) => {
        samples.push(merged);
        if (samples.length === 2) attack(leg.id);
      });
      const attack = (/** @type {string} */ id) => {
        const publisher = jetstream(attacker.nc);
        group.agents.forEach(({ name }, worker) => {
          const make = MESSAGES[name];
          if (make === undefined) return;
          const data = make({ leg: id, worker, generation: 0 });
          publisher.publish(subjects.from(run, name), data).catch(() => {});
        });
        for (let i = 0; i < FLOOD; i += 1)
          attacker.nc.publish(subjects.from(run, 'flood'), encode([{ type: 'beat', ns: 1n }]));
      };
      const outcome = await workers.run();
      assert.deepEqual([outcome.endedBy, outcome.failure], ['plan', undefined]);
      const lost = group.agents.filter((agent) => agent.lost !== null);
      assert.deepEqual(
        hostile.filter((name) => name !== 'deaf' && !lost.some((agent) => agent.name === name)),
        [],
        'those that are not lost',
      );
      assert.equal(
        lost.find(({ name }) => name === 'a'),
        undefined,
      );
      const own = group.agents.findIndex(({ name }) => name === 'a');
      const counted = samples.reduce((sum, { agents: parts }) => sum + (parts[own].counters.transfers ?? 0), 0);
      assert.equal(counted, TRANSFERS * SECONDS);
      for (const { counters, gauges } of samples) {
        for (const value of [...Object.values(counters), ...Object.values(gauges)]) {
          assert.ok(Number.isSafeInteger(value) && value >= 0);
        }
        assert.ok(gauges.open <= settings.connections);
      }
      const texts = outcome.warnings.map(({ text }) => text).join('');
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(texts, /[\u0000-\u0008\u001b]/);
      await until('the stream takes nothing of those that were shut out', async () => {
        const { config } = await connection.jsm.streams.info(streamOf(run));
        return (
          !config.subjects.includes(subjects.from(run, 'flood')) && config.subjects.includes(subjects.from(run, 'a'))
        );
      });
    } finally {
      await group.end();
      await group.close();
      await attacker.nc.close();
    }
  });
});
