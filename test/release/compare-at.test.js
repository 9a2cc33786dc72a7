// Response times compared at the same rate: after the closed loop each server has a leg in open loop, at a share of the smallest
// throughput, and the table of servers has its response times from there.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rankingTable } from '../../client/judge/ranking-table.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { assertConforms } from '../fixtures/schemas.js';

describe('a run with compareAt', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  const compared = {
    servers: ['epoll', 'select'],
    interleave: '100ms',
    connections: 20,
    pause: '0s',
    duration: '1500ms',
    ramp: { add: 1000, every: '1s' },
  };

  it('adds a leg at the same rate for each server, side by side, and takes the response times from these', async () => {
    const run = box.stress({ ...compared, compareAt: '20%' });
    await run.endsWith(0);
    const { summary, legs } = await assertBooks(run);
    const plan = JSON.parse(readFileSync(join(String(run.folder), 'plan.json'), 'utf8'));
    assertConforms('plan', plan);
    assertConforms('summary', summary);
    assert.deepEqual([summary.complete, summary.config.loop, plan.legs.length], [true, 'closed', 4]);
    const [first, second, ...atRate] = legs.map(({ leg }) => leg);
    const smallest = Math.min(
      ...summary.cases.slice(0, 2).map((/** @type {any} */ one) => one.figures.perSecond.median),
    );
    const rate = atRate[0].comparedAt;
    assert.ok(rate <= 0.2 * smallest && rate > 0.19 * smallest, `${rate}, ${smallest}`);
    for (const leg of [first, second]) assert.deepEqual([leg.comparedAt, leg.steady.due], [undefined, undefined]);
    for (const leg of atRate) {
      assert.deepEqual([leg.comparedAt, leg.settings.rate, leg.slices.of, leg.slices.group], [rate, rate, 2, 2]);
      const expected = rate * 1.5 * (1 - 1 / 8);
      assert.ok(Math.abs(leg.steady.due - expected) < expected * 0.05, `${leg.steady.due} due, ${expected} expected`);
    }
    assert.equal(atRate[0].startNs, atRate[1].startNs);
    const { figures, points } = rankingTable(summary);
    const i = figures.findIndex(({ compared: { key } }) => key === 'p50Ns');
    assert.ok(figures[i].title?.endsWith('/s'), figures[i].title);
    for (const { label, cells } of points[0].rows) {
      const own = summary.cases.find((/** @type {any} */ one) => one.series === label);
      assert.deepEqual([cells[i].case, cells[i].median], [own.id, own.figures.p50Ns.median]);
    }
  });
});
