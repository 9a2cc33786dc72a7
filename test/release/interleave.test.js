// Servers measured side by side, in slices, one of which dies or does not start.

import assert from 'node:assert/strict';
import { dataOf } from '../fixtures/codes.js';
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
