// Servers measured side by side, in slices: each leg is whole, and sends only in its own slices.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownLengths, slicesUntil } from '../../client/measure/slices.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { assertInSlices } from '../fixtures/e2e-slices.js';

describe('a run in slices', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('loads one start of one server at a time, from a common start, and compares them block by block', async () => {
    const run = box.stress({
      ...{ servers: ['epoll', 'select'], interleave: '50ms', connections: 20, pause: '5ms', starts: 2 },
      ...{ ramp: { add: 1000, every: '1s' }, duration: '1s' },
    });
    await run.endsWith(0);
    const { summary, legs } = await assertBooks(run);
    assert.deepEqual([summary.complete, legs.length], [true, 4]);
    assert.equal(new Set(legs.map(({ leg }) => leg.startNs)).size, 1);
    assert.equal(new Set(legs.map(({ leg }) => leg.targets[0])).size, 4, 'each start is a server of its own');
    for (const { leg, rows } of legs) {
      const slices = assertInSlices(run, leg, rows);
      const { measuredNs } = ownLengths(slices);
      assert.deepEqual([leg.slices.of, leg.slices.group, leg.connections.opened], [4, 1, 20]);
      assert.ok(Math.abs(leg.slices.measuredNs - 10 * measuredNs) < 1e6, `${leg.slices.measuredNs}`);
      assert.equal(leg.slices.blocks.perSecond.length, 2);
    }
    const [epoll] = summary.cases;
    const { values, parts } = epoll.figures.perSecond;
    assert.deepEqual(
      [epoll.legs.length, values.length, parts.map((/** @type {any} */ { start }) => start)],
      [2, 4, [1, 2]],
    );
    assert.match(run.stdout, /Starts of a server differ by/);
  });

  it('has slices in which a closed loop loops: each connection has several replies in the measured part', async () => {
    const run = box.stress({
      ...{
        servers: ['epoll', 'select'],
        interleave: 'auto',
        connections: 100,
        starts: 1,
        duration: '1s',
        ramp: { add: 1000, every: '1s' },
      },
    });
    await run.endsWith(0);
    const { legs } = await assertBooks(run);
    const plan = JSON.parse(readFileSync(join(String(run.folder), 'plan.json'), 'utf8'));
    for (const [index, { leg, rows }] of legs.entries()) {
      const { slices, steadyToNs } = plan.legs[index];
      assert.deepEqual(
        slices.stages.map((/** @type {any} */ { phase }) => phase),
        ['ramp', 'pilot', 'steady'],
      );
      const { fromNs: steadyFromNs } = slices.stages.at(-1);
      const list = slicesUntil(slices, steadyToNs).filter(({ fromNs }) => fromNs >= steadyFromNs - 1);
      const replies = new Map();
      for (const { start, response, connection } of rows ?? []) {
        const atNs = start + response - leg.startNs;
        const isMeasured = list.some(({ measuredFromNs, loadedToNs }) => atNs >= measuredFromNs && atNs < loadedToNs);
        if (isMeasured) replies.set(connection, (replies.get(connection) ?? 0) + 1);
      }
      const least = Math.min(...replies.values());
      assert.ok(replies.size === 100 && least >= 3 * list.length, `${leg.id}: ${least} in ${list.length} slices`);
    }
  });
});
