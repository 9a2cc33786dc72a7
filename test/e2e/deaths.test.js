// Processes of a run that die during a leg, and servers that never become ready: a worker is replaced and its losses
// are counted, a killed primary takes all other processes with it, a server's death is a result, and a server that
// cannot be measured is a missing leg after which the next leg runs.

import assert from 'node:assert/strict';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startTarget } from '../fixtures/e2e-server.js';

describe('a run in which', function () {
  this.timeout(120_000);
  /** The tests end their runs by SIGINT, when they have seen what they wait for. */
  const box = sandbox({ duration: '10m', pause: '50ms', backoff: { base: '50ms', cap: '200ms' } });

  it('a worker is killed replaces the worker, keeps what it had written, and reports what is missing', async () => {
    const run = box.stress({ servers: ['epoll'] });
    await run.allOpen(100);
    process.kill(run.workers()[0], 'SIGKILL');
    await run.until('a new fork takes its place', () => run.workers().length === 3);
    await run.until('its slots are open again', () => {
      const samples = run.samples();
      const reopened = samples.reduce((sum, { counters }) => sum + counters.reopened, 0);
      return reopened === 50 && samples.at(-1).gauges.open === 100;
    });
    run.kill('SIGINT');
    await run.endsWith(130);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    const data = dataOf(leg.warnings, 'worker-lost');
    assert.deepEqual([data?.how, data?.open], ['SIGKILL', 50]);
    assert.deepEqual(dataOf(run.events(), 'worker-lost'), data, 'the log of events says so too');
    const { opened, reopened, lostWithWorker, lost, openAtEnd } = leg.connections;
    assert.deepEqual([opened, reopened, lostWithWorker, lost, openAtEnd], [150, 50, 50, 0, 100]);
    assert.equal(leg.steady.perConnection, undefined, 'fairness is not known any more');
    assert.deepEqual(run.events().filter(({ event }) => event === 'lost').length, 1);
  });

  it('the primary is killed leaves no worker and no server behind', async () => {
    const run = box.stress({ servers: ['epoll'] });
    await run.allOpen(100);
    const family = run.processes();
    assert.ok(family.length >= 5, 'the primary, two workers, the guard and the server');
    assert.ok(run.workers().every((pid) => family.some((one) => one.pid === pid)));
    run.kill('SIGKILL');
    await run.until('all are gone', () => run.processes().length === 0);
    assert.ok(run.samples().length > 0, 'what was measured is there');
  });

  it('the server dies and returns reopens all connections, and measures their recovery', async () => {
    let target = await startTarget();
    try {
      const run = box.stress({ target: `127.0.0.1:${target.port}`, workers: 1 });
      await run.allOpen(100);
      await target.stop();
      const dead = await run.until('all are lost and refused', () =>
        run.samples().find(({ gauges, rejects }) => gauges.open === 0 && rejects.refused > 0),
      );
      target = await startTarget(target.port);
      await run.until('all are open again', () => run.samples().at(-1).gauges.open === 100);
      run.kill('SIGINT');
      await run.endsWith(130);
      const {
        summary,
        legs: [{ leg, rows }],
      } = await assertBooks(run);
      assert.ok(run.events().some(({ signal }) => signal === 'SIGINT'));
      assert.deepEqual([summary.complete, summary.endedBy, leg.endedBy], [false, 'interrupted', 'interrupted']);
      assert.deepEqual([leg.transfers.unfinished, leg.log.missing], [0, 0], 'it was drained');
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

  it('a server does not start reports the reason, runs the next leg, and exits with 1', async () => {
    const servers = [{ name: 'epoll', as: 'environment', env: { LD_TRACE_LOADED_OBJECTS: '1' } }, 'epoll'];
    const run = box.stress({ servers, workers: 1, transfers: 500 });
    await run.endsWith(1);
    const {
      summary,
      legs: [{ leg: environment }, { leg: whole }],
    } = await assertBooks(run);
    assert.deepEqual([summary.complete, summary.endedBy], [false, 'server-start']);
    assert.deepEqual([environment.endedBy, whole.endedBy], ['server-start', 'done']);
    assert.equal(environment.connections, undefined, 'absent rather than zero');
    assert.equal(whole.transfers.count, 500);
  });
});
