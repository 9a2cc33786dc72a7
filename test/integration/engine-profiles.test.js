// The number of connections along a profile: where it falls, the server sees a FIN for each closed connection and no
// reset; where it rises, they are opened again. Also rates along a profile.

import assert from 'node:assert/strict';
import { causes } from '../fixtures/hostile/books.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { startHostile } from '../fixtures/hostile/server.js';

const MS = 1e6;

/** @param {[number, number, boolean?][]} points ms, slots, line */
const along = (points) => points.map(([ms, slots, line = false]) => ({ atNs: ms * MS, slots, line }));

overEachBackend('engine: profiles', function (run) {
  for (const [kind, wish] of /** @type {const} */ ([
    ['busy', { workload: 'continuous' }],
    ['pipelined', { workload: 'continuous', pipeline: 4 }],
    ['held', { workload: 'hold' }],
    ['pausing', { workload: 'continuous', pauseMs: 10_000 }],
  ])) {
    it(`closes ${kind} connections by FIN where it falls, and opens them again where it rises`, async () => {
      const server = await startHostile('echo');
      const leg = await run({
        ...wish,
        slots: 60,
        port: server.port,
        steadyFromMs: 0,
        steadyToMs: 1600,
        cutEveryMs: 100,
        schedule: along([
          [0, 40],
          [400, 10],
          [800, 10],
          [1200, 60, true],
        ]),
      });
      await server.closeEnded();
      const { opened, reopened, lost, failed, unfinished, abandoned, attempts } = leg.counters;
      assert.deepEqual([causes(leg.counters, 'errors'), causes(leg.counters, 'rejects')], [{}, {}]);
      assert.deepEqual([lost, failed, unfinished, attempts - opened - abandoned], [0, 0, 0, 0]);
      assert.equal(opened - reopened, 60, 'each slot was open');
      assert.ok(reopened >= 30, `${reopened} reopened`);
      assert.deepEqual([server.did.peerResets, server.did.peerEnds], [0, opened]);
      assert.equal(leg.spreads.recoveryTime.count, 0);
      assert.ok(
        leg.gaugesOverTime.some(({ requested, open }) => requested === 10 && open === 10),
        'ten were left for a while',
      );
      assert.equal(Math.max(...leg.gaugesOverTime.map(({ requested }) => requested)), 60);
    });
  }

  it('can end while it falls', async () => {
    const server = await startHostile('echo');
    const leg = await run({
      slots: 60,
      workload: 'continuous',
      port: server.port,
      steadyFromMs: 0,
      steadyToMs: 400,
      cutEveryMs: 100,
      schedule: along([
        [0, 60],
        [100, 60],
        [700, 0, true],
      ]),
    });
    await server.closeEnded();
    const { opened, lost, unfinished } = leg.counters;
    assert.deepEqual([opened, lost, unfinished, causes(leg.counters, 'errors')], [60, 0, 0, {}]);
    assert.deepEqual([server.did.peerResets, server.did.peerEnds], [0, 60]);
    assert.ok(leg.gauges.requested >= 15 && leg.gauges.requested <= 45, `${leg.gauges.requested} requested at the end`);
  });

  it('sends requests along the rates', async () => {
    const server = await startHostile('echo');
    const leg = await run({
      slots: 20,
      workload: 'continuous',
      port: server.port,
      steadyFromMs: 0,
      // what a busy machine delays can be sent until then
      steadyToMs: 4000,
      rates: [
        { atNs: 0, rate: 200, line: false },
        { atNs: 500 * MS, rate: 200, line: false },
        { atNs: 1000 * MS, rate: 600, line: true },
        { atNs: 1000 * MS, rate: 0, line: false },
      ],
    });
    await server.close();
    const { due, transfers, unsent } = leg.counters;
    // what is due before an engine on a busy machine has begun is left out
    assert.ok(due > 200 && due <= 300, `${due} due`);
    assert.deepEqual([transfers, unsent, server.did.requests], [due, 0, due]);
  });
});
