// Servers measured side by side, in slices: a server that works while others are loaded, a budget, and servers that die or do not start.

import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run in slices', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  const turns = {
    servers: ['epoll', 'select'],
    interleave: '100ms',
    starts: 1,
    connections: 20,
    pause: '0s',
    duration: '1500ms',
    ramp: { add: 1000, every: '1s' },
  };

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

  it('ends before its budget is used up where the marks that rank are known', async () => {
    const servers = ['epoll', { name: 'epoll', as: 'slow', options: { work: '200us' } }];
    const run = box.stress({ ...turns, servers, duration: '3s', budget: '25s' });
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

  it('measures the others where one server dies, and where one does not start', async () => {
    const run = box.stress({ ...turns, servers: [...turns.servers, 'multi-threaded'] });
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
});
