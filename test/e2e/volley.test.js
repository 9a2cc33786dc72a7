// Volley's ping-pong test against a server of the collection that ends at the zero word; and what it is made of: a
// common start, and connections that end for good.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, ROOT, sandbox } from '../fixtures/e2e-run.js';

const SECOND_NS = 1e9;

describe("volley's ping-pong test", function () {
  this.timeout(240_000);
  const box = sandbox();

  it.slow('has the same round trips for each connection, and ends the server', async () => {
    const program = join(ROOT, 'servers/c/build/epoll');
    const server = spawn(program, ['-p', '0', '--protocol', 'volley', '--volley-stop']);
    try {
      const [line] = await once(server.stdout, 'data');
      const { port } = JSON.parse(String(line));
      const ended = once(server, 'exit');
      const run = box.start([process.execPath, CLI, 'volley', '-c', '20', '-p', String(port), ...box.folders()]);
      const { code } = await run.ended(220_000);
      assert.equal(code, 0, run.story());
      const [, count] = /^\d+us \d+\.\d\dus (\d+)\n$/.exec(run.stdout) ?? [];
      const [{ connections, transfers, steady }] = run.summary().legs;
      assert.deepEqual([steady.perConnection.min, steady.perConnection.max], [50_000, 50_000]);
      assert.deepEqual([connections.opened, connections.reopened, transfers.count], [20, 0, 1_000_000]);
      assert.ok(Number(count) >= 1_000_000, run.stdout);
      assert.deepEqual(await ended, [0, null]);
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('starts its connections together, each after it was verified', async () => {
    const run = box.stress({
      ...{ servers: ['epoll'], protocol: 'volley', payload: undefined, volley: { verify: true }, pause: '0s' },
      ...{ connections: 30, ramp: { add: 10, every: '200ms' }, start: 'together', duration: '60s' },
      lifetime: { transfers: 50, reopen: false },
    });
    await run.endsWith(0);
    const {
      legs: [{ leg, rows }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([leg.endedBy, leg.connections.opened, leg.connections.reopened], ['done', 30, 0]);
    assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.errors.total], [30 * 50, 0, 0]);
    assert.deepEqual([leg.steady.perConnection.min, leg.steady.perConnection.max], [50, 50]);
    const startNs = leg.startNs + leg.steady.fromNs;
    assert.ok(leg.steady.fromNs >= 0.4 * SECOND_NS);
    assert.ok(
      (rows ?? []).every(({ start }) => start >= startNs),
      'no transfer before the ramp is over',
    );
  });

  it.slow('rejects connections of a server that answers the first word wrongly', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      const target = `127.0.0.1:${port}`;
      const run = box.stress(
        {
          target,
          protocol: 'volley',
          payload: undefined,
          volley: { verify: true },
          connections: 5,
        },
        ['--force'],
      );
      await run.ended();
      const [leg] = run.summary().legs;
      assert.equal(leg.connections.opened, 0, run.story());
      assert.equal(leg.rejects.greeting, leg.rejects.total);
      assert.ok(leg.rejects.total >= 5, run.story());
    } finally {
      server.close();
    }
  });
});
