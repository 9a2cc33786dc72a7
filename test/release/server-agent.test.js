// Servers on a host of their own: an agent that starts and measures them, as a process of this host with an address of its own,
// a real NATS server, and what becomes of server and run when one of them is lost.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataOf } from '../fixtures/codes.js';
import { assertSums, startAgents, startNats } from '../fixtures/e2e-agents.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { assertInSlices } from '../fixtures/e2e-slices.js';
import { requireTool } from '../hooks.js';

const ADDRESS = '127.0.0.2';

/** @param {any} sample @returns {object} what its controller has read, and nobody else */
const readingsOf = ({ second, phase, server, serverMachine, serverKernel, listen, client, limitedBy }) => ({
  ...{ second, phase, server, serverMachine, serverKernel, listen, client, limitedBy },
});

describe('servers on a host of their own', function () {
  this.timeout(300_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });

  /**
   * Runs a body with a NATS server, an agent `s` for servers, and agents for the load.
   * @param {Mocha.Context} context
   * @param {{ flags?: string[], load?: string[] }} options  flags: of the agent for servers; load: names of the others
   * @param {(world: { nats: Awaited<ReturnType<typeof startNats>>, server: import('../fixtures/e2e-run.js').Run,
   *   stress: (scenario: Record<string, unknown>, flags?: string[]) => import('../fixtures/e2e-run.js').Run }) => Promise<void>} body
   */
  async function inWorld(context, { flags = ['--servers', 'epoll', 'select'], load = [] }, body) {
    requireTool(context, 'nats-server');
    const nats = await startNats(box.folder);
    try {
      const serving = await startAgents(box, nats.url, { names: ['s'], flags: ['--host', ADDRESS, ...flags] });
      const loading = await startAgents(box, nats.url, { names: load });
      const stress = (/** @type {Record<string, unknown>} */ scenario, /** @type {string[]} */ more = []) =>
        box.stress(scenario, [
          ...['--server-agent', 's', '--nats', nats.url],
          ...(load.length === 0 ? [] : ['--agents', String(load.length)]),
          ...(more.includes('--agent-timeout') ? [] : ['--agent-timeout', '20s']),
          ...more,
        ]);
      await body({ nats, server: serving.of.get('s') ?? assert.fail(), stress });
      await loading.stop();
      await serving.stop();
    } finally {
      await nats.stop();
    }
  }

  /** @param {import('../fixtures/e2e-run.js').Run} run @param {string} name */
  const readFile = (run, name) => JSON.parse(readFileSync(join(String(run.folder), name), 'utf8'));

  it('starts, measures and stops them there, one leg after the other', async function () {
    await inWorld(this, {}, async ({ stress, server }) => {
      const run = stress({ servers: ['epoll', 'select'], connections: 20, duration: '3s' });
      await run.endsWith(0);
      const { complete, legs } = run.summary();
      assert.deepEqual(
        [complete, legs.map((/** @type {any} */ one) => [one.server, one.serverAgent, one.endedBy])],
        [
          true,
          [
            ['epoll', 's', 'plan'],
            ['select', 's', 'plan'],
          ],
        ],
      );
      for (const leg of legs) {
        assert.match(leg.targets[0], /^127\.0\.0\.2:\d+$/);
        assert.ok(leg.transfers.count > 0 && leg.transfers.failed === 0);
        assert.ok(leg.serverUse.peakRssBytes > 0 && leg.serverUse.processes === 1);
        assert.ok(leg.serverKernel.TcpPassiveOpens >= 20, 'counters of the host of the server');
        assert.ok(leg.serverLimits.listen.sockets > 0 && leg.serverLimits.descriptors.peakUsed > 20);
        const steady = run.samples(leg.id).filter(({ phase }) => phase === 'steady');
        assert.ok(steady.length > 0);
        for (const sample of steady) {
          assert.ok(sample.server.cpuSeconds >= 0 && sample.server.threads > 0);
          assert.ok(sample.serverMachine.busy.length > 0);
        }
        assert.ok(steady.reduce((sum, sample) => sum + sample.server.cpuSeconds, 0) > 0);
      }
      const { server: described } = readFile(run, 'environment.json');
      assert.deepEqual([described.agent, described.address], ['s', ADDRESS]);
      assert.ok(described.cores > 0 && described.limits.descriptors > 0);
      await server.until('it is free again', () => /is over/.test(server.stdout));
      assert.ok(server.processes().every(({ name }) => !['epoll', 'select'].includes(name)));
    });
  });

  it('measures them under the load of other agents', async function () {
    await inWorld(this, { load: ['a', 'b'] }, async ({ stress }) => {
      const run = stress({ servers: ['epoll'], connections: 41, transfers: 3000, duration: '60s' });
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.serverAgent, leg.agents.map((/** @type {any} */ { name }) => name)], ['s', ['a', 'b']]);
      assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.transfers.unfinished], [3000, 0, 0]);
      assertSums(leg);
      assert.ok(leg.serverUse.peakRssBytes > 0 && leg.serverKernel.TcpPassiveOpens >= 41);
    });
  });

  const turns = { servers: ['epoll', 'select'], connections: 20, pause: '0s', ramp: { add: 1000, every: '1s' } };

  it('are loaded one at a time by two agents, from a common start, and compared block by block', async function () {
    await inWorld(this, { load: ['a', 'b'] }, async ({ stress, nats }) => {
      const run = stress({ ...turns, interleave: '100ms', duration: '4s', transferLog: 'parquet' });
      await run.endsWith(0);
      const words = ['collect', String(run.folder), '--nats', nats.url, '--report', run.report, '--transfer-logs'];
      await box.start([process.execPath, CLI, ...words]).endsWith(0);
      const { summary, legs } = await assertBooks(run);
      assert.deepEqual([summary.complete, legs.length], [true, 2]);
      assert.equal(legs[0].leg.startNs, legs[1].leg.startNs);
      for (const { leg, rows } of legs) {
        assertInSlices(run, leg, rows);
        assertSums(leg);
        assert.deepEqual([leg.serverAgent, leg.slices.of, leg.connections.openAtEnd], ['s', 2, 20]);
        const { perSecond, serverCpuPerTransferNs } = leg.slices.blocks;
        for (const blocks of [perSecond, serverCpuPerTransferNs]) {
          assert.equal(blocks.length, 4);
          assert.ok(blocks.every((/** @type {number | null} */ value) => value !== null && value > 0));
        }
      }
      const marks = summary.comparisons.filter((/** @type {any} */ { figure }) => figure === 'perSecond');
      assert.equal(marks.length, 2);
    });
  });

  it('are loaded in slices as long as a pilot asks for, by this host and by agents', async function () {
    for (const load of [[], ['a', 'b']]) {
      await inWorld(this, { load }, async ({ stress }) => {
        const run = stress({ ...turns, interleave: 'auto', duration: '4s' });
        await run.endsWith(0);
        const { complete, legs } = run.summary();
        assert.equal(complete, true);
        const changed = run.events().filter(({ msg }) => msg === 'slices change');
        assert.equal(changed.length, 2);
        for (const [i, leg] of legs.entries()) {
          const { lengthNs, settleNs, blocks } = leg.slices;
          assert.deepEqual([lengthNs, settleNs], [changed[i].slices.lengthNs, changed[i].slices.settleNs]);
          assert.equal(blocks.perSecond.length, 4 / Math.max(1, Math.round((2 * lengthNs) / 1e9)));
          assert.ok(leg.slices.late <= leg.steady.transfers * 0.02, `${leg.slices.late} came late`);
        }
      });
    }
  });

  it(
    'are measured to the end by agents whose controller is killed, and collect finishes all their legs',
    async function () {
      const flags = ['--servers', 'epoll', 'select', '--deadline', '3s'];
      await inWorld(this, { flags, load: ['a', 'b'] }, async ({ stress, nats }) => {
        const run = stress({ ...turns, interleave: 'auto', duration: '6s' });
        await run.until(
          'the slices are chosen',
          () => run.events().some(({ msg }) => msg === 'slices change'),
          120_000,
        );
        await run.until(
          'the steady state has begun',
          () => run.samples().some(({ phase }) => phase === 'steady'),
          120_000,
        );
        run.kill('SIGKILL');
        await run.ended();
        const words = ['collect', String(run.folder), '--nats', nats.url, '--report', run.report];
        await box.start([process.execPath, CLI, ...words]).endsWith(0);
        const { complete, legs } = run.summary();
        assert.deepEqual([complete, legs.length], [true, 2]);
        assert.notEqual(legs[0].targets[0], legs[1].targets[0]);
        for (const leg of legs) {
          assertSums(leg);
          assert.ok(
            leg.slices.blocks.perSecond.every((/** @type {number | null} */ value) => value !== null && value > 0),
          );
          assert.ok(Math.abs(leg.slices.turnNs - 3e9) < 1e6, `${leg.slices.turnNs}`);
        }
      });
    },
  );

  it('measures several instances over TLS, with the certificate of the server there', async function () {
    for (const tool of ['nginx', 'openssl']) requireTool(this, tool);
    await inWorld(this, { flags: ['--servers', 'nginx-https'] }, async ({ stress }) => {
      const run = stress({
        servers: ['nginx-https'],
        instances: 2,
        protocol: 'http',
        payload: undefined,
        tls: true,
        connections: 10,
        workers: 2,
      });
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.serverAgent, leg.instances.length, leg.errors.total, leg.rejects.total], ['s', 2, 0, 0]);
      assert.ok(leg.instances.every((/** @type {any} */ one) => one.transfers.count > 0));
      assert.ok(leg.serverUse.processes >= 2);
    });
  });

  it('are part of what doctor shows, with load of this host or of agents', async function () {
    await inWorld(this, { load: ['a'] }, async ({ nats }) => {
      const doctor = (/** @type {string[]} */ more) =>
        box.stress({ servers: ['epoll', 'go'] }, ['--server-agent', 's', '--nats', nats.url, '--json', ...more], {
          program: [process.execPath, CLI, 'doctor'],
        });
      const [here, divided] = [doctor([]), doctor(['--agents', '1'])];
      await Promise.all([here.endsWith(0), divided.endsWith(0)]);
      const [own, said] = [here, divided].map(({ stdout }) => JSON.parse(stdout));
      for (const { can, missing } of [own, said])
        assert.deepEqual([can, missing], [true, ['go']], 'it may not start go');
      assert.deepEqual([said.serverAgent, said.free], ['s', ['a']]);
      assert.deepEqual(
        said.agents.map((/** @type {any} */ { name, serves, share }) => [name, serves?.servers, share?.connections]),
        [
          ['a', undefined, 100],
          ['s', ['epoll', 'select'], undefined],
        ],
      );
      const limits = said.serverLimits.filter((/** @type {any} */ { code }) => code === 'server-descriptors');
      assert.ok(limits.some((/** @type {any} */ { servers }) => servers.includes('epoll')));
      const target = said.checks.find((/** @type {any} */ { code }) => code === 'agent-target');
      assert.deepEqual([target.exceeded, target.data.targets], [false, [ADDRESS]]);
    });
  });

  it('refuses what the agent does not permit, and starts nothing', async function () {
    await inWorld(this, { flags: ['--servers', 'epoll'] }, async ({ stress, server }) => {
      /** @type {[Record<string, unknown>, string][]} */
      const table = [
        [{ servers: ['select'] }, 'ESERVER'],
        [{ command: 'true {port}' }, 'ECOMMANDREFUSED'],
        [{ servers: [{ name: 'epoll', env: { A: '1' } }] }, 'EENVREFUSED'],
      ];
      for (const [scenario, expected] of table) {
        const run = stress(scenario, ['--json']);
        await run.endsWith(3);
        assert.equal(run.failure().code, expected);
      }
      assert.deepEqual(server.processes().length, 1);
    });
  });

  it('runs a command where the agent permits it, and reports how that ended', async function () {
    await inWorld(this, { flags: ['--commands'] }, async ({ stress }) => {
      const run = stress({ command: 'echo no licence >&2; exit 3; : {port}', connections: 1 });
      await run.endsWith(1);
      const [leg] = run.summary().legs;
      assert.deepEqual(
        [leg.endedBy, leg.failure.data.errorCode, leg.failure.data.errorData.exitCode],
        ['server-start', 'EDIED', 3],
      );
      assert.deepEqual(leg.failure.data.errorData.stderr, ['no licence']);
    });
  });

  it('reports a server that dies there', async function () {
    await inWorld(this, {}, async ({ stress, server }) => {
      const run = stress({ servers: ['epoll'], connections: 10, duration: '5s' });
      await run.allOpen(10);
      process.kill(server.server('epoll'), 'SIGKILL');
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.equal(dataOf(leg.warnings, 'server-ended')?.signal, 'SIGKILL');
      assert.ok(leg.connections.lost >= 10);
    });
  });

  it('loses no figure of the server when the NATS server is killed and started again', async function () {
    await inWorld(this, { flags: ['--servers', 'epoll', '--deadline', '60s'] }, async ({ stress, nats }) => {
      const run = stress({ servers: ['epoll'], connections: 10, transfers: 4000, pause: '20ms', duration: '60s' });
      await run.allOpen(10);
      await nats.stop();
      await nats.restart();
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.complete, leg.transfers.count, leg.connections.lost], [true, 4000, 0]);
      assert.ok(!leg.warnings.some((/** @type {any} */ { code }) => code.startsWith('server-')));
      assert.ok(leg.serverKernel.TcpPassiveOpens >= 10);
      assert.notEqual(run.samples().at(-1).server, null, 'it is read again');
    });
  });

  it('says why an agent has stopped a server by itself', async function () {
    await inWorld(this, {}, async ({ stress, server }) => {
      const run = stress({ servers: ['epoll'], connections: 10, duration: '5s' });
      await run.allOpen(10);
      server.kill('SIGTERM');
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual(dataOf(leg.warnings, 'server-agent-stopped'), { agent: 's', why: 'the agent is ended' });
      assert.ok(leg.connections.lost >= 10);
    });
  });

  it('ends a server whose agent is killed, and says so; the next leg does not begin', async function () {
    await inWorld(this, {}, async ({ stress, server }) => {
      const run = stress({ servers: ['epoll', 'select'], connections: 10, duration: '8s' }, ['--agent-timeout', '3s']);
      await run.allOpen(10);
      server.kill('SIGKILL');
      await run.endsWith(1);
      const [first, second] = run.summary().legs;
      assert.equal(dataOf(first.warnings, 'server-agent-lost')?.agent, 's');
      assert.ok(first.transfers.count > 0 && first.connections.lost >= 10);
      assert.equal(first.steady.server, undefined, 'what it used after the last reading is not known');
      assert.deepEqual([second.endedBy, second.failure.data.errorCode], ['server-start', 'ESERVERAGENTLOST']);
    });
  });

  it('keeps a server for the load of other agents, until collect finishes the run', async function () {
    await inWorld(
      this,
      { flags: ['--servers', 'epoll', '--deadline', '3s'], load: ['a'] },
      async ({ stress, server, nats }) => {
        const run = stress({ servers: ['epoll'], connections: 10, transfers: 5000, pause: '20ms', duration: '60s' });
        await run.until('10 are open', () => run.samples().some(({ gauges }) => gauges.open === 10), 120_000);
        run.kill('SIGKILL');
        await run.ended();
        const written = run.samples();
        const words = ['collect', String(run.folder), '--nats', nats.url, '--report', run.report];
        const collected = box.start([process.execPath, CLI, ...words]);
        await collected.endsWith(0);
        const { complete, exitCode, legs } = run.summary();
        assert.deepEqual([complete, exitCode], [true, 0]);
        const [leg] = legs;
        assert.ok(written.some((sample) => sample.server !== null && sample.serverKernel !== undefined));
        assert.deepEqual(
          run.samples().slice(0, written.length).map(readingsOf),
          written.map(readingsOf),
          'the readings of the controller are kept',
        );
        assert.equal(leg.steady?.server, undefined, 'its CPU time is not known to the end');
        assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.transfers.unfinished], [5000, 0, 0]);
        assert.deepEqual([leg.server, leg.serverAgent, leg.connections.lost], ['epoll', 's', 0]);
        assert.match(leg.targets[0], /^127\.0\.0\.2:\d+$/);
        assertSums(leg);
        await server.until('it is free again', () => /is over/.test(server.stdout));
        assert.ok(server.processes().every(({ name }) => name !== 'epoll'));
      },
    );
  });

  it('stops a server, and frees its agent, when the run is interrupted', async function () {
    await inWorld(this, {}, async ({ stress, server }) => {
      const run = stress({ servers: ['epoll', 'select'], connections: 10, duration: '60s' });
      await run.allOpen(10);
      run.kill('SIGINT');
      await run.endsWith(130);
      const { legs } = run.summary();
      assert.deepEqual([legs.length, legs[0].endedBy, legs[0].connections.lost], [1, 'interrupted', 0]);
      await server.until('it is free again', () => /is over: the controller has ended it/.test(server.stdout));
      assert.ok(server.processes().every(({ name }) => name !== 'epoll'));
    });
  });

  it('stops a server whose controller is killed', async function () {
    await inWorld(this, { flags: ['--servers', 'epoll', '--deadline', '2s'] }, async ({ stress, server }) => {
      const run = stress({ servers: ['epoll'], connections: 10, duration: '60s' });
      await run.allOpen(10);
      assert.ok(server.server('epoll') > 0);
      run.kill('SIGKILL');
      await run.ended();
      await server.until('it stops the server', () => /is over: the controller is gone/.test(server.stdout));
      await server.until('no server is left', () => server.processes().every(({ name }) => name !== 'epoll'));
    });
  });
});
