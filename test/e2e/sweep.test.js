// A sweep over numbers of connections, whose legs end after a number of transfers.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { assertBooks, modelOf } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a sweep', function () {
  this.timeout(180_000);
  const box = sandbox({ workers: 1 });

  it('has a leg for each server and number, with no more transfers in each than planned', async () => {
    const http = { protocol: 'http', payload: undefined, http: { keepAlive: false } };
    const ends = { pause: '0s', start: 'together', transfers: 301, duration: '60s' };
    const sweep = { connections: [1, 20] };
    const run = box.stress({ ...http, ...ends, servers: ['epoll', 'multi-threaded'], connections: undefined, sweep });
    await run.endsWith(0);
    const { legs, summary } = await assertBooks(run, { planned: true });
    assert.deepEqual(
      legs.map(({ leg }) => [leg.id, leg.label, leg.series, leg.axes]),
      [1, 20].flatMap((n, i) =>
        ['epoll', 'multi-threaded'].map((name, j) => [
          `0${2 * i + j + 1}-${name}-${n}-connection${n === 1 ? '' : 's'}`,
          `${name}, ${n} connection${n === 1 ? '' : 's'}`,
          name,
          { connections: n },
        ]),
      ),
    );
    assert.equal(summary.config.connections, 20);
    for (const { leg } of legs) {
      assert.deepEqual([leg.transfers.count, leg.errors.total, leg.endedBy, leg.complete], [301, 0, 'done', true]);
      assert.equal(leg.connections.requested, leg.axes.connections);
      const { transfers, fromNs, toNs, perSecond } = leg.steady;
      assert.ok(Math.abs(perSecond - (transfers * 1e9) / (toNs - fromNs)) < 1);
    }
    const { charts } = modelOf(join(run.report, `${summary.run}.html`));
    const [drawn] = charts.filter((/** @type {any} */ { id }) => id === 'sweep-throughput');
    assert.deepEqual(
      drawn.panels[0].datasets.map((/** @type {any} */ { label, points }) => [
        label,
        points.map((/** @type {number[]} */ [n]) => n),
      ]),
      [
        ['epoll', [1, 20]],
        ['multi-threaded', [1, 20]],
      ],
    );
  });
});
