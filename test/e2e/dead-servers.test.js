// Servers that die during a leg, return, or never become ready: a server's death is a result, a server that cannot be
// measured is a missing leg, and the next leg runs.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';

describe('a run whose server dies', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  const backoff = { base: '50ms', cap: '200ms' };

  it.slow('during a leg counts errors, then refused attempts with back-off, and ends in time', async () => {
    const run = box.stress({ servers: ['epoll', 'multi-threaded'], duration: '4s', backoff });
    await run.allOpen(100);
    process.kill(run.server('epoll'), 'SIGKILL');
    await run.endsWith(0);
    const {
      summary,
      legs: [{ leg, samples }, { leg: next }],
    } = await assertBooks(run);
    assert.deepEqual([summary.complete, leg.endedBy, leg.connections.openAtEnd], [true, 'plan', 0]);
    assert.equal(leg.errors.reset + leg.errors.closed, 100, 'each connection is lost once');
    assert.equal(leg.errors.total, 100);
    assert.ok(leg.rejects.refused >= 100 && leg.rejects.refused === leg.rejects.total);
    assert.ok(
      leg.rejects.refused <= (100 * 4.2) / 0.1 + 300,
      `${leg.rejects.refused} refused: waits are 100 to 200 ms`,
    );
    const last = samples.filter(({ phase }) => phase === 'steady').at(-1);
    assert.equal(last.gauges.backingOff + last.gauges.connecting, 100);
    assert.equal(dataOf(leg.warnings, 'server-ended')?.signal, 'SIGKILL');
    assert.ok(leg.phases.endNs < 4.2e9 + 2.5e9, 'in time, without the drain timeout');
    assert.deepEqual([next.connections.openAtEnd, next.errors.total, next.warnings], [100, 0, []]);
  });

  it.slow('in part loses the connections of that part only, reopens them on the others, and reports it', async () => {
    const run = box.stress({ servers: [{ name: 'epoll', options: { processes: 3 } }], duration: '4s', backoff });
    await run.allOpen(100);
    const [, one] = run
      .processes()
      .filter(({ name }) => name === 'epoll')
      .map(({ pid }) => pid)
      .sort((a, b) => a - b);
    process.kill(one, 'SIGKILL');
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.equal(leg.connections.openAtEnd, 100);
    assert.ok(leg.errors.total > 0 && leg.errors.total < 100, `${leg.errors.total} lost`);
    assert.deepEqual([leg.connections.lost, leg.connections.reopened], [leg.errors.total, leg.errors.total]);
    assert.deepEqual(dataOf(leg.warnings, 'server-processes-lost'), { before: 4, now: 3 });
    assert.ok(run.events().some(({ source, msg }) => source === 'server' && /was ended by signal 9/.test(msg)));
  });

  it('and returns reopens all connections, and measures their recovery', async () => {
    let target = await startTarget();
    try {
      const run = box.stress({ target: `127.0.0.1:${target.port}`, duration: '7s', backoff });
      await run.allOpen(100);
      await target.stop();
      const dead = await run.until('all are lost and refused', () =>
        run.samples().find(({ gauges, rejects }) => gauges.open === 0 && rejects.refused > 0),
      );
      target = await startTarget(target.port);
      await run.endsWith(0);
      const {
        legs: [{ leg, rows }],
      } = await assertBooks(run);
      assert.deepEqual([leg.connections.openAtEnd, leg.connections.reopened, leg.errors.total], [100, 100, 100]);
      assert.deepEqual([leg.connections.opened, leg.rejects.total], [200, leg.rejects.refused]);
      assert.equal(leg.recoveryTimeNs.count, 100);
      assert.ok(leg.recoveryTimeNs.min > 25e6, 'the shortest first wait of the back-off');
      const deadNs = leg.startNs + dead.toNs;
      const across = rows?.filter(
        ({ status, start, response }) => status === 0 && start < deadNs && start + response > deadNs,
      );
      assert.deepEqual(across, [], 'waits are no part of a response time');
    } finally {
      await target.stop();
    }
  });

  it.slow('and is stopped for a while does not lose transfers', async () => {
    const target = await startTarget();
    try {
      const run = box.stress({
        target: `127.0.0.1:${target.port}`,
        duration: '5s',
        transferTimeout: '20s',
        drainTimeout: '10s',
      });
      await run.allOpen(100);
      target.kill('SIGSTOP');
      await run.until('nothing is answered', () => run.samples().some(({ counters }) => counters.transfers === 0));
      target.kill('SIGCONT');
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.deepEqual([leg.connections.openAtEnd, leg.errors.total, leg.transfers.unfinished], [100, 0, 0]);
      assert.ok(leg.steady.responseTimeNs.max > 5e8, 'but the wait is in the response times');
    } finally {
      await target.stop();
    }
  });

  it('at its start reports the reason, runs the next leg, and exits with 1', async () => {
    const servers = [{ name: 'epoll', as: 'environment', env: { LD_TRACE_LOADED_OBJECTS: '1' } }, 'epoll'];
    const run = box.stress({ servers });
    await run.endsWith(1);
    const {
      summary,
      legs: [{ leg: environment }, { leg: whole }],
    } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.endedBy], [false, 'server-start']);
    assert.deepEqual([environment.endedBy, whole.endedBy], ['server-start', 'plan']);
    assert.ok(run.stdout.includes(environment.failure.text), 'it is on the console');
    assert.equal(whole.connections.openAtEnd, 100);
  });

  it.slow('at its start by a command reports its stderr and its exit status', async () => {
    const run = box.stress({ command: 'echo out of luck on {port} >&2; exit 7' });
    await run.endsWith(1);
    const {
      summary,
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.endedBy, leg.endedBy], [false, 'server-start', 'server-start']);
    assert.equal(leg.failure.data.errorCode, 'EDIED');
    const { exitCode, stderr } = leg.failure.data.errorData;
    assert.equal(exitCode, 7);
    assert.match(stderr.at(-1), /^out of luck on \d+$/, 'its last line');
    assert.ok(run.stdout.includes(leg.failure.text), 'and on the console');
    assert.equal(leg.connections, undefined, 'absent rather than zero');
  });

  it.slow('because its fixed port is taken reports that', async () => {
    const other = createServer((socket) => void socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (other.address());
    try {
      const run = box.stress({ command: `: {port}; exec servers/c/build/epoll --port ${port}` });
      await run.endsWith(1);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.equal(leg.failure.data.errorCode, 'EDIED');
      assert.match(leg.failure.data.errorData.stderr.at(-1), /Address already in use/); // strerror(EADDRINUSE)
    } finally {
      other.close();
      await once(other, 'close');
    }
  });

  it.slow('or is never ready gives it up at the deadline', async function () {
    const run = box.stress({ command: 'echo still thinking >&2; : {port}; sleep 1000' });
    await run.endsWith(1);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.equal(leg.failure.data.errorCode, 'ENOTREADY');
    assert.deepEqual(leg.failure.data.errorData.stderr, ['still thinking']);
  });
});
