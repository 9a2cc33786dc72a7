// Servers measured side by side, in slices: each leg is whole, sends only in its own slices, and bears what becomes of the others.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { assertInSlices } from '../fixtures/e2e-slices.js';

describe('a run in slices', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  const turns = {
    servers: ['epoll', 'select'],
    interleave: '100ms',
    connections: 20,
    pause: '0s',
    duration: '3s',
    ramp: { add: 1000, every: '1s' },
  };

  it('loads one server at a time, from a common start, and compares them block by block', async () => {
    const run = box.stress(turns);
    await run.endsWith(0);
    const { summary, legs } = await assertBooks(run);
    assert.deepEqual([summary.complete, legs.length], [true, 2]);
    assert.equal(legs[0].leg.startNs, legs[1].leg.startNs);
    for (const { leg, rows } of legs) {
      const slices = assertInSlices(run, leg, rows);
      const loadedNs = slices.lengthNs - slices.settleNs;
      assert.deepEqual([leg.slices.of, leg.slices.group, leg.connections.openAtEnd], [2, 1, 20]);
      assert.ok(Math.abs(leg.slices.loadedNs - 1.5e9 * (loadedNs / slices.lengthNs)) < 1e6, `${leg.slices.loadedNs}`);
      assert.equal(leg.slices.blocks.perSecond.length, 3);
    }
    const [epoll] = summary.cases;
    assert.equal(epoll.figures.perSecond.values.length, 3);
    assert.match(run.stdout, /2 servers side by side/);
  });

  it('says that a server works while others are loaded', async () => {
    const node = fileURLToPath(new URL('../fixtures/busy-idle-server.js', import.meta.url));
    const run = box.stress({ ...turns, servers: undefined }, [
      ...['--command', `busy=node '${node}' {port}`],
      ...['--servers', 'epoll'],
    ]);
    await run.endsWith(0);
    const [busy, epoll] = run
      .summary()
      .legs.sort((/** @type {any} */ a, /** @type {any} */ b) => (a.label < b.label ? -1 : 1));
    assert.deepEqual([busy.label, epoll.label], ['busy', 'epoll']);
    for (const { slices } of [busy, epoll]) assert.ok(slices.unloaded.ns > 0.2e9, `${slices.unloaded.ns} ns were read`);
    assert.ok(codesOf(busy.findings).includes('unloaded-work'));
    assert.ok(!codesOf(epoll.findings).includes('unloaded-work'));
  });

  it.slow('in open loop sends at the given rate in the slices of each server', async () => {
    const run = box.stress({ ...turns, rate: '2000/s', connections: 50 });
    await run.endsWith(0);
    const { legs } = await assertBooks(run);
    for (const { leg } of legs) {
      const expected = 2000 * 3 * 0.5 * (1 - 1 / 8);
      assert.ok(Math.abs(leg.steady.due - expected) < expected * 0.05, `${leg.steady.due} due, ${expected} expected`);
    }
  });

  it.slow('ends before its budget is used up where every mark is known', async () => {
    const servers = ['epoll', { name: 'epoll', as: 'slow', options: { work: '200us' } }];
    const run = box.stress({ ...turns, servers, duration: '6s', budget: '50s' });
    await run.endsWith(0);
    const { summary, legs } = await assertBooks(run);
    assert.equal(summary.config.looks, 4);
    for (const { leg } of legs) {
      assert.deepEqual([leg.endedBy, leg.complete], ['confident', true]);
      const blocks = leg.slices.blocks.perSecond.length;
      assert.ok(blocks >= 6 && blocks < 40, `${blocks} blocks`);
    }
    const marks = summary.comparisons.filter((/** @type {any} */ one) => one.figure === 'perSecond');
    assert.deepEqual(marks.map((/** @type {any} */ { mark }) => mark.code).sort(), ['best', 'worse']);
  });

  it.slow('measures the others where one server dies, and where one does not start', async () => {
    const run = box.stress({ ...turns, servers: [...turns.servers, 'multi-threaded'], duration: '4s' });
    await run.allOpen(20);
    process.kill(run.server('select'), 'SIGKILL');
    await run.endsWith(0);
    const { legs } = await assertBooks(run);
    const [epoll, select, threads] = legs.map(({ leg }) => leg);
    assert.equal(dataOf(select.warnings, 'server-ended')?.signal, 'SIGKILL');
    assert.equal(select.connections.openAtEnd, 0);
    for (const leg of [epoll, threads]) assert.deepEqual([leg.errors.total, leg.connections.openAtEnd], [0, 20]);
    const broken = box.stress({ ...turns, servers: undefined, commands: undefined }, [
      ...['--command', 'bad=false {port}'],
      ...['--servers', 'epoll,select'],
    ]);
    await broken.endsWith(1);
    const all = (await assertBooks(broken)).legs.map(({ leg }) => [leg.label, leg.endedBy, leg.complete]);
    assert.deepEqual(all.sort(), [
      ['bad', 'server-start', false],
      ['epoll', 'plan', true],
      ['select', 'plan', true],
    ]);
  });

  it.slow('that is interrupted drains all legs; twice, ends all of them', async () => {
    const run = box.stress({ ...turns, duration: '30s' });
    await run.allOpen(20);
    run.kill('SIGINT');
    await run.endsWith(130);
    const { legs } = await assertBooks(run);
    assert.deepEqual(
      legs.map(({ leg }) => [leg.endedBy, leg.complete, leg.transfers.unfinished]),
      [
        ['interrupted', false, 0],
        ['interrupted', false, 0],
      ],
    );
    const twice = box.stress({ ...turns, duration: '30s', transferTimeout: '60s', drainTimeout: '60s' });
    await twice.allOpen(20);
    for (const name of turns.servers) process.kill(twice.server(name), 'SIGSTOP');
    await twice.until('nothing is answered', () => twice.samples().at(-1).counters.transfers === 0);
    twice.kill('SIGINT');
    await twice.until('the first is heard', () => twice.stdout.includes(' received: draining'));
    await twice.until('the second is heard', () => {
      if (!twice.ending) twice.kill('SIGINT');
      return twice.ending;
    });
    await twice.endsWith(130);
    const ended = twice.summary().legs;
    assert.deepEqual(
      ended.map((/** @type {any} */ leg) => leg.endedBy),
      ['interrupted', 'interrupted'],
    );
    for (const leg of ended) assert.ok(codesOf(leg.warnings).includes('ended-at-once'));
  });

  it.slow('replaces a worker that dies, which keeps to the slices of its leg', async () => {
    const run = box.stress({ ...turns, duration: '6s' });
    await run.allOpen(20);
    const { pid } = run.events().find(({ event }) => event === 'forked');
    process.kill(pid, 'SIGKILL');
    await run.endsWith(0);
    const { legs } = await assertBooks(run);
    const lost = legs.filter(({ leg }) => leg.connections.lostWithWorker > 0);
    assert.equal(lost.length, 1);
    for (const { leg } of legs) assert.deepEqual([leg.complete, leg.connections.openAtEnd], [true, 20]);
  });
});
