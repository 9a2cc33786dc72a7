// A run over several hosts: agents as processes of this host, a real NATS server, what becomes of the run when one of them is
// lost, and what doctor and collect ask of them.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { decode } from '../../client/run/agents/codec.js';
import { subjects } from '../../client/run/agents/subjects.js';
import { dataOf } from '../fixtures/codes.js';
import { assertSums, inWorld, startAgents } from '../fixtures/e2e-agents.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { refused } from '../fixtures/refused.js';

/**
 * @param {import('@nats-io/transport-node').NatsConnection} nc @param {string} subject @param {(message: any) => boolean} isMeant
 * @returns {Promise<void>} when such a message has come
 */
const firstMessage = (nc, subject, isMeant) =>
  new Promise((resolve) => {
    nc.subscribe(subject, { callback: (_, { data }) => void (isMeant(decode(data)) && resolve()) });
  });

describe('a run over several hosts', function () {
  this.timeout(300_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });

  /** @param {import('../fixtures/e2e-run.js').Run} run @param {string} url of the NATS server @param {string[]} [flags] */
  const collect = (run, url, flags = ['--transfer-logs']) =>
    box.start([process.execPath, CLI, 'collect', String(run.folder), '--nats', url, '--report', run.report, ...flags]);

  it('adds up to the unit: two agents, a number of transfers, and each of them in the log', async function () {
    await inWorld(this, box, { names: ['a', 'b'] }, async ({ stress, agents, nats }) => {
      const run = stress({ connections: 101, transfers: 3000, duration: '60s', transferLog: 'parquet' });
      await run.endsWith(0);
      const { complete, legs } = run.summary();
      assert.equal(complete, true);
      const [leg] = legs;
      assert.deepEqual(
        leg.agents.map((/** @type {any} */ { name, connections, workers }) => [name, connections, workers]),
        [
          ['a', 51, [0]],
          ['b', 50, [1]],
        ],
      );
      assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.transfers.unfinished], [3000, 0, 0]);
      assertSums(leg);
      const samples = run.samples();
      for (const index of [0, 1]) {
        const own = samples.reduce((sum, sample) => sum + sample.agents[index].transfers, 0);
        assert.equal(own, leg.agents[index].transfers.count);
      }
      for (const agent of agents.of.values()) {
        await agent.until('it is free again', () => /is over/.test(agent.stdout));
      }
      assert.equal(leg.log, undefined, 'the agents have it');
      await collect(run, nats.url).endsWith(0);
      const { legs: collected } = await assertBooks(run);
      assert.deepEqual(collected[0].leg.log, { rows: 3000, missing: 0, kind: 'parquet' });
      assert.equal(collected[0].rows?.length, 3000);
    });
  });

  it.slow('divides each point of a sweep', async function () {
    await inWorld(this, box, { names: ['a', 'b', 'c'] }, async ({ stress }) => {
      const run = stress({ connections: undefined, sweep: { connections: [4, 20] } });
      await run.endsWith(0);
      const { legs } = run.summary();
      assert.deepEqual(
        legs.map((/** @type {any} */ { axes, agents }) => [
          axes.connections,
          agents.map((/** @type {any} */ { connections, workers }) => [connections, workers]),
        ]),
        [
          [
            4,
            [
              [2, [0]],
              [1, [1]],
              [1, [2]],
            ],
          ],
          [
            20,
            [
              [7, [0]],
              [7, [1]],
              [6, [2]],
            ],
          ],
        ],
      );
      for (const leg of legs) {
        assert.equal(leg.connections.requested, leg.axes.connections);
        assertSums(leg);
      }
    });
  });

  it.slow('waits for its first agent without a word on stdout, and hears the one that starts then', async function () {
    await inWorld(this, box, { names: [] }, async ({ stress, nats }) => {
      const listener = await connect({ servers: new URL(nats.url).host, reconnect: false });
      const asked = firstMessage(listener, subjects.discover, () => true);
      await listener.flush();
      const run = stress({ connections: 4 }, ['--json'], 1);
      await asked;
      await listener.close();
      const again = await connect({ servers: new URL(nats.url).host, reconnect: false });
      await again.flush();
      const agents = await startAgents(box, nats.url, { names: ['late'] });
      await run.endsWith(0);
      const { legs } = JSON.parse(run.stdout);
      assert.deepEqual(
        legs[0].agents.map((/** @type {any} */ { name }) => name),
        ['late'],
      );
      await agents.stop();
    });
  });

  it('is preceded by doctor: the agents, and what the share of each needs', async function () {
    await inWorld(this, box, { names: ['a', 'b'] }, async ({ nats, target }) => {
      const words = [process.execPath, CLI, 'doctor', '--agents', '2', '--nats', nats.url, ...box.folders(), '--json'];
      const load = ['--target', `127.0.0.1:${target.port}`, '--connections', '101'];
      const [idle, loaded] = [[], load].map((more) => box.start([...words, ...more]));
      await Promise.all([idle.endsWith(0), loaded.endsWith(0)]);
      const machine = JSON.parse(idle.stdout);
      assert.deepEqual([machine.can, machine.wanted, machine.free], [true, 2, ['a', 'b']]);
      for (const { state, allow, machine: host, clockUncertaintyNs, share } of machine.agents) {
        assert.deepEqual([state, allow, share], ['free', ['127.0.0.0/8', '::1/128'], undefined]);
        assert.ok(host.cores > 0 && host.ports > 0 && host.descriptors > 0 && host.memoryAvailableBytes > 0);
        assert.ok(clockUncertaintyNs > 0);
      }
      const { can, agents, checks } = JSON.parse(loaded.stdout);
      assert.equal(can, true);
      assert.deepEqual(
        agents.map((/** @type {any} */ { name, share }) => [name, share.connections, share.fits]),
        [
          ['a', 51, true],
          ['b', 50, true],
        ],
      );
      assert.ok(agents[0].share.limits.some((/** @type {any} */ { code }) => code === 'local-ports'));
      assert.ok(checks.some((/** @type {any} */ { code, exceeded }) => code === 'agent-target' && !exceeded));
    });
  });

  it.slow(
    'is not possible, as doctor says, with too few agents, or with agents that refuse the target',
    async function () {
      await inWorld(this, box, { names: ['a', 'b'], flags: ['--allow', '10.0.0.0/8'] }, async ({ nats, target }) => {
        const doctor = (/** @type {string} */ count, /** @type {string[]} */ more = []) =>
          box.start([
            process.execPath,
            CLI,
            'doctor',
            '--agents',
            count,
            '--nats',
            nats.url,
            ...box.folders(),
            ...more,
          ]);
        const load = ['--target', `127.0.0.1:${target.port}`, '--connections', '10'];
        const [few, text, refusing] = [
          doctor('3', [...load, '--json']),
          doctor('3', load),
          doctor('2', [...load, '--json']),
        ];
        await Promise.all([few.endsWith(3), text.endsWith(3), refusing.endsWith(3)]);
        const said = JSON.parse(few.stdout);
        assert.deepEqual([said.can, said.wanted, said.free], [false, 3, ['a', 'b']]);
        assert.match(text.stdout, /\n--agents 3: 2 free agents .*\(a, b\)\n/);
        const { can, checks, agents: found } = JSON.parse(refusing.stdout);
        assert.equal(can, false);
        assert.deepEqual(
          checks
            .filter((/** @type {any} */ { exceeded }) => exceeded)
            .map((/** @type {any} */ { code, servers }) => [code, servers]),
          [
            ['agent-target', ['a']],
            ['agent-target', ['b']],
          ],
        );
        assert.ok(found.every((/** @type {any} */ { share }) => !share.fits));
      });
    },
  );

  it.slow('names the agent whose transfer log is gone, and gets it when it is there again', async function () {
    await inWorld(this, box, { names: ['a', 'b'] }, async ({ stress, nats, agents }) => {
      const run = stress({
        connections: 20,
        transfers: 2000,
        duration: '60s',
        transferLog: 'parquet',
      });
      await run.endsWith(0);
      for (const agent of agents.of.values()) {
        await agent.until('it is free again', () => /is over/.test(agent.stdout));
      }
      const [own] = readdirSync(join(box.folder, 'agent-b'));
      const [from, aside] = [join(box.folder, 'agent-b', own), join(box.folder, 'aside')];
      renameSync(from, aside);
      const lacking = collect(run, nats.url);
      await lacking.endsWith(1);
      assert.match(lacking.stdout, /transfers-1\.arrows of agent b is missing/);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.log.kind, leg.log.rows + leg.log.missing], ['parquet', 2000]);
      assert.ok(leg.log.missing > 0 && leg.log.rows > 0);
      assert.equal(dataOf(leg.warnings, 'log-file-missing')?.file, 'transfers-1.arrows');

      const gone = agents.of.get('b') ?? assert.fail();
      gone.kill('SIGTERM');
      await gone.ended();
      const silent = collect(run, nats.url);
      await silent.endsWith(1);
      assert.match(silent.stdout, /transfers-1\.arrows of agent b is missing/);

      renameSync(aside, from);
      const again = await startAgents(box, nats.url, { names: ['b'] });
      await collect(run, nats.url).endsWith(0);
      const { legs } = await assertBooks(run);
      assert.deepEqual(legs[0].leg.log, { rows: 2000, missing: 0, kind: 'parquet' });
      assert.equal(dataOf(legs[0].leg.warnings, 'log-file-missing'), undefined);
      await collect(run, nats.url).endsWith(0);
      await again.stop();
    });
  });

  it.slow('gets a transfer log although the NATS server is killed meanwhile', async function () {
    await inWorld(this, box, { names: ['a'] }, async ({ stress, nats, agents }) => {
      const run = stress({ connections: 50, transfers: 200_000, duration: '90s', pause: '0ms', transferLog: 'arrow' });
      await run.endsWith(0);
      const agent = agents.of.get('a') ?? assert.fail();
      await agent.until('it is free again', () => /is over/.test(agent.stdout));
      const listener = await connect({ servers: new URL(nats.url).host, reconnect: false });
      const asked = firstMessage(listener, subjects.agent('a'), ({ type }) => type === 'log-part');
      await listener.flush();
      const collected = collect(run, nats.url);
      await asked;
      await nats.restart();
      await collected.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual(leg.log, { rows: 200_000, missing: 0, kind: 'arrow' });
      assert.ok(existsSync(join(String(run.folder), leg.id, 'transfers-0.arrows')));
    });
  });

  it.slow('refuses a target that an agent does not permit, and starts nothing', async function () {
    await inWorld(this, box, { names: ['a'], flags: ['--allow', '10.0.0.0/8'] }, async ({ stress }) => {
      const run = stress({}, ['--json']);
      await run.endsWith(3);
      const { code, data } = run.failure();
      assert.equal(code, 'EAGENTREFUSED');
      assert.deepEqual(
        data.agents.map((/** @type {any} */ one) => [one.code, one.data.refused, one.data.allow]),
        [['agent-refuses-target', ['127.0.0.1'], ['10.0.0.0/8']]],
      );
    });
  });

  for (const tolerated of [0, 1]) {
    it.slow(
      `keeps the seconds of an agent that is killed${tolerated ? ', and may tolerate it' : ''}`,
      async function () {
        await inWorld(this, box, { names: ['a', 'b', 'c'] }, async ({ stress, agents }) => {
          const flags = ['--agent-timeout', '3s', ...(tolerated ? ['--tolerate', '1'] : [])];
          const run = stress({ connections: 30, duration: '8s' }, flags);
          await run.allOpen(30);
          const lost = agents.of.get('b') ?? assert.fail();
          lost.kill('SIGKILL');
          await run.endsWith(tolerated ? 0 : 1);
          const { complete, legs } = run.summary();
          const [leg] = legs;
          assert.deepEqual([complete, leg.complete], [tolerated === 1, tolerated === 1]);
          assert.deepEqual(dataOf(leg.warnings, 'agent-lost')?.agent, 'b');
          assert.deepEqual(
            leg.agents.map((/** @type {any} */ agent) => agent.agentLost ?? false),
            [false, true, false],
          );
          assert.ok(leg.agents[1].transfers.count > 0);
          assert.equal(leg.connections.lostWithWorker, 10);
          assertSums(leg);
        });
      },
    );
  }

  it.slow('loses nothing when the NATS server is killed and started again', async function () {
    await inWorld(this, box, { names: ['a', 'b'], flags: ['--deadline', '60s'] }, async ({ stress, nats }) => {
      const run = stress({ connections: 20, transfers: 4000, pause: '20ms', duration: '60s' });
      await run.allOpen(20);
      await nats.stop();
      await nats.restart();
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.complete, leg.transfers.count, leg.transfers.unfinished], [true, 4000, 0]);
      assertSums(leg);
    });
  });

  it.slow('is finished by collect when the controller is killed', async function () {
    await inWorld(this, box, { names: ['a', 'b'] }, async ({ stress, nats }) => {
      const load = { connections: 20, transfers: 10_000, pause: '20ms', duration: '60s', transferLog: 'parquet' };
      const run = stress({ ...load, thresholds: ['p99 < 1us'] });
      await run.until('20 are open', () => run.samples().some(({ gauges }) => gauges.open === 20), 120_000);
      run.kill('SIGKILL');
      await run.ended();
      await collect(run, nats.url).endsWith(99);
      const { complete, exitCode, verdict, legs } = run.summary();
      assert.deepEqual([complete, exitCode, verdict.passed], [true, 99, false]);
      assert.match(readFileSync(join(String(run.folder), 'junit.xml'), 'utf8'), /<testsuites [^>]* failures="1"/);
      const [leg] = legs;
      assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.transfers.unfinished], [10_000, 0, 0]);
      assert.ok(dataOf(leg.warnings, 'leg-collected'));
      assertSums(leg);
      assert.deepEqual(leg.log, { rows: 10_000, missing: 0, kind: 'parquet' });
      const again = await refused(['collect', String(run.folder), '--nats', nats.url, '--report', run.report]);
      assert.deepEqual([again.code, again.exitCode], ['ECOLLECTED', 2]);
    });
  });

  it.slow('an agent that is cut off stops its load by itself', async function () {
    await inWorld(this, box, { names: ['a'], flags: ['--deadline', '2s'] }, async ({ stress, nats, agents }) => {
      const run = stress({ connections: 10, duration: '600s' }, ['--agent-timeout', '60s']);
      await run.allOpen(10);
      nats.signal('SIGSTOP');
      const agent = agents.of.get('a') ?? assert.fail();
      await agent.until('it stops the load', () => /the load is stopped/.test(agent.stdout));
      nats.signal('SIGCONT');
      await run.endsWith(1);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.complete, leg.failure.code], [false, 'agent-stopped']);
      assert.equal(dataOf(leg.warnings, 'agent-stopped')?.agent, 'a');
      assertSums(leg);
    });
  });
});
