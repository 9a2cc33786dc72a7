// Profiles against real servers: the scheduled requests and the open connections follow them, and console and page show
// them.

import assert from 'node:assert/strict';
import { pageText } from '../fixtures/page-text.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';

describe('a run along a profile', function () {
  this.timeout(120_000);
  const box = sandbox();
  const few = { servers: ['epoll'], connections: 20, ramp: { add: 20, every: '1s' }, pause: '0s', duration: undefined };

  for (const arrivals of ['constant', 'poisson']) {
    const add = arrivals === 'constant' ? it : it.slow;
    add(`sends requests along its steps and lines, ${arrivals}`, async () => {
      const rate = [
        { rate: '200/s', for: '1s' },
        { rate: '200/s', to: '1000/s', for: '2s' },
        { rate: '0/s', for: '1s' },
        { rate: '400/s', for: '1s' },
      ];
      const run = box.stress({ ...few, rate, arrivals });
      await run.endsWith(0);
      const {
        legs: [{ leg, samples, rows }],
      } = await assertBooks(run);
      assert.equal(leg.phases.steadyToNs - leg.phases.steadyFromNs, 5e9, 'the steady state is as long as the profile');
      const steady = samples.filter(({ phase }) => phase === 'steady');
      assert.deepEqual(
        steady.map(({ second }) => second),
        [2, 3, 4, 5, 6],
      );
      for (const [i, right] of [200, 400, 800, 0, 400].entries()) {
        // of Poisson arrivals six standard deviations; the log has when each was due, except those never sent
        const slack = 2 + leg.transfers.unsent + (arrivals === 'constant' ? 0 : 6 * Math.sqrt(right));
        const due = rows?.filter(({ start }) => Math.floor((start - leg.startNs) / 1e9) === i + 1).length ?? NaN;
        assert.ok(Math.abs(due - right) <= slack, `second ${i}: ${due} of ${right}`);
        // the samples count them when they are seen, which on a busy machine is later
        const seen = steady[i].counters.due;
        assert.ok(Math.abs(seen - right) <= slack + 200, `second ${i}: ${seen} of ${right} seen`);
      }
      assert.equal(leg.errors.total, 0);
      assert.equal(leg.transfers.count + leg.transfers.unsent, leg.transfers.due);
      const page = pageText(run.report, run.summary().run);
      assert.match(page, /200\/s for 1 s, 200\/s to 1,000\/s in 2 s, 0\/s for 1 s, 400\/s for 1 s/);
    });
  }

  it.slow('opens connections, closes them by FIN and opens them again along its steps and lines', async () => {
    const connections = [
      { connections: 40, for: '1500ms' },
      { connections: 100, for: '1s' },
      { connections: 100, to: 20, for: '2s' },
      { connections: 0, for: '1s' },
      { connections: 60, for: '1500ms' },
    ];
    const run = box.stress({ ...few, connections, ramp: { add: 40, every: '1s' }, servers: ['epoll'] });
    await run.endsWith(0);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run, { planned: true });
    assert.equal(leg.phases.steadyToNs - leg.phases.steadyFromNs, 7e9);
    assert.deepEqual(
      [leg.connections.requested, leg.connections.requestedAtEnd, leg.connections.openAtEnd],
      [100, 60, 60],
    );
    // at the ends of seconds 1 to 8, of which the first is the ramp: in the middle of a step, or on the line
    const requested = [40, 40, 100, 80, 40, 0, 60, 60];
    for (const [i, right] of requested.entries()) {
      const { gauges } = samples.find(({ second, phase }) => second === i + 1 && phase !== 'drain');
      assert.ok(
        Math.abs(gauges.requested - right) <= 12,
        `second ${i + 1}: ${gauges.requested} requested, not about ${right}`,
      );
      assert.ok(gauges.open <= gauges.requested + 20, `second ${i + 1}: ${gauges.open} open of ${gauges.requested}`);
    }
    assert.deepEqual([leg.errors.total, leg.rejects.total, leg.connections.lost, leg.transfers.failed], [0, 0, 0, 0]);
    assert.equal(leg.transfers.unfinished, 0);
    assert.ok(leg.connections.reopened >= 60 && leg.connections.reopened <= 64, `${leg.connections.reopened} reopened`);
    assert.equal(leg.recoveryTimeNs, undefined, 'nothing was lost');
    assert.equal(leg.steady.perConnection, undefined);
    assert.match(run.stdout, /open at the end +60\n/);
    const page = pageText(run.report, run.summary().run);
    assert.match(page, /40 for 1\.5 s, 100 for 1 s, 100 to 20 in 2 s, 0 for 1 s, 60 for 1\.5 s/);
    assert.match(page, /up to 100 connections/);
  });

  it.slow('reports a peak between two samples', async () => {
    const connections = [
      { connections: 10, for: '1200ms' },
      { connections: 150, for: '500ms' },
      { connections: 10, for: '1300ms' },
    ];
    const run = box.stress({ ...few, connections, ramp: { add: 10, every: '1s' } });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    const { requested, requestedAtEnd, peakOpen } = leg.connections;
    assert.deepEqual([requested, requestedAtEnd], [150, 10]);
    assert.ok(peakOpen > 10 && peakOpen <= 150, `${peakOpen} open at the most`);
  });

  it.slow('works with the shipped scenario profile-peak: up, a spike, and down again', async () => {
    const folders = box.folders();
    const run = box.start([process.execPath, CLI, 'stress', '--config', 'profile-peak', ...folders]);
    await run.endsWith(0);
    const {
      legs: [{ leg, samples }],
    } = await assertBooks(run, { planned: true });
    const { requested, requestedAtEnd, openAtEnd } = leg.connections;
    assert.deepEqual([requested, requestedAtEnd, openAtEnd], [800, 50, 50]);
    assert.deepEqual([leg.errors.total, leg.rejects.total], [0, 0]);
    assert.equal(leg.phases.steadyToNs - leg.phases.steadyFromNs, 15e9);
    const area = 2 * 200 + 4 * 1100 + 2 * 2000 + 2 * 5000 + 4 * 1100 + 200;
    assert.ok(Math.abs(leg.transfers.due - area) <= 6 * Math.sqrt(area), `${leg.transfers.due} due, not about ${area}`);
    assert.equal(leg.transfers.count + leg.transfers.unsent, leg.transfers.due);
    const dueIn = (/** @type {number} */ from, /** @type {number} */ to) =>
      samples
        .filter(({ second, phase }) => phase !== 'drain' && second > from && second <= to)
        .reduce((sum, { counters }) => sum + counters.due, 0);
    assert.ok(dueIn(9, 11) > 2 * dueIn(7, 9) * 0.8, `${dueIn(9, 11)} due in the spike, ${dueIn(7, 9)} before it`);
    assert.ok(dueIn(14, 16) < dueIn(7, 9) / 2, 'and few at the end');
  });

  it.slow('queues requests while there are no connections', async () => {
    const connections = [
      { connections: 10, for: '1500ms' },
      { connections: 0, for: '1s' },
      { connections: 10, for: '1500ms' },
    ];
    const run = box.stress({ ...few, connections, ramp: { add: 10, every: '500ms' }, rate: '400/s' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.ok(Math.abs(leg.transfers.due - 1600) <= 2, `${leg.transfers.due} due`);
    assert.deepEqual([leg.errors.total, leg.connections.lost], [0, 0]);
    assert.ok(leg.transfers.unsent < 200, 'what waited was sent, except what a stall at the end leaves');
    assert.ok(leg.transfers.late + leg.transfers.unsent >= 300, `${leg.transfers.late} late`);
    assert.ok(leg.steady.responseTimeNs.max >= 750e6, `max ${leg.steady.responseTimeNs.max}`);
  });
});
