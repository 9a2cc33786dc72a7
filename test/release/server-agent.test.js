// Servers on a host of their own: an agent that starts and measures them, as a process of this host with an address of
// its own, a real NATS server, and what becomes of server and run when one of them is lost.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertSums, collectLogs, startAgents, startNats } from '../fixtures/e2e-agents.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { assertInSlices } from '../fixtures/e2e-slices.js';
import { requireTool } from '../skip.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

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
   * @param {(world: { nats: Awaited<ReturnType<typeof startNats>>, server: Run,
   *   stress: (scenario: Record<string, unknown>, flags?: string[]) => Run }) => Promise<void>} body
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

  /** @param {Run} run @param {string} name */
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
      assert.equal(described.address, ADDRESS);
      assert.ok(described.cores > 0 && described.limits.descriptors > 0);
      await server.until('it is free again', () => /is over/.test(server.stdout));
      assert.ok(server.processes().every(({ name }) => !['epoll', 'select'].includes(name)));
    });
  });

  const turns = { servers: ['epoll', 'select'], connections: 20, pause: '0s', ramp: { add: 1000, every: '1s' } };

  it('are loaded one at a time by two agents, from a common start, and compared block by block', async function () {
    await inWorld(this, { load: ['a', 'b'] }, async ({ stress }) => {
      const run = stress({ ...turns, interleave: '100ms', starts: 2, duration: '2s', transferLog: 'parquet' });
      await run.endsWith(0);
      await collectLogs(box, run);
      const { summary, legs } = await assertBooks(run);
      assert.deepEqual([summary.complete, legs.length], [true, 4]);
      assert.equal(new Set(legs.map(({ leg }) => leg.startNs)).size, 1);
      for (const { leg, rows } of legs) {
        assertInSlices(run, leg, rows);
        assertSums(leg);
        assert.deepEqual([leg.serverAgent, leg.slices.of, leg.connections.openAtEnd], ['s', 4, 20]);
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
});
