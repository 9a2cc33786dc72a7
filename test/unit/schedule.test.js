// The schedule: the points of a ramp, and that no slot is lost or duplicated in the division over workers.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { requestedAt, rampSchedule, shareOf, slotsOf } from '../../client/measure/schedule.js';

const ramps = fc.record({
  connections: fc.integer({ min: 1, max: 5000 }),
  add: fc.integer({ min: 1, max: 6000 }),
  everyNs: fc.integer({ min: 1, max: 10 ** 9 }),
  spread: fc.boolean(),
});
const workerCounts = fc.integer({ min: 1, max: 17 });

describe('schedule', () => {
  it('adds a step at 0, at `every`, at 2 x `every` and so on, and ends one `every` after the last', () => {
    const { points, endNs } = rampSchedule(2500, { add: 1000, everyNs: 5e9, spread: false });
    assert.deepEqual(points, [
      { atNs: 0, slots: 1000, line: false },
      { atNs: 5e9, slots: 2000, line: false },
      { atNs: 10e9, slots: 2500, line: false },
    ]);
    assert.equal(endNs, 15e9);
  });

  it('spreads a linear ramp with the same slope', () => {
    const { points, endNs } = rampSchedule(2500, { add: 1000, everyNs: 5e9, spread: true });
    assert.deepEqual(points, [
      { atNs: 0, slots: 0, line: false },
      { atNs: 12.5e9, slots: 2500, line: true },
    ]);
    assert.equal(endNs, 15e9);
    assert.deepEqual(
      [0, 1e9, 5e9, 12.4999e9, 12.5e9, 20e9].map((at) => requestedAt(points, at)),
      [0, 200, 1000, 2499, 2500, 2500],
    );
  });

  it('never decreases, reaches all connections, and has shares that add up at all times; on a line, to within one slot per worker', () => {
    fc.assert(
      fc.property(
        ramps,
        workerCounts,
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        ({ connections, ...ramp }, workers, part) => {
          const all = Array.from({ length: workers }, (_, worker) => worker);
          const slots = all.map((worker) => slotsOf(connections, worker, workers));
          assert.equal(
            slots.reduce((left, right) => left + right),
            connections,
          );
          assert.ok(Math.max(...slots) - Math.min(...slots) <= 1, `${slots}`);
          const { points, endNs } = rampSchedule(connections, ramp);
          assert.equal(requestedAt(points, endNs), connections);
          for (const [index, { slots }] of points.entries()) assert.ok(slots >= (points[index - 1]?.slots ?? 0));
          const at = Math.round(part * endNs);
          const sum = all
            .map((worker) => requestedAt(shareOf(points, worker, workers), at))
            .reduce((left, right) => left + right);
          const off = Math.abs(sum - requestedAt(points, at));
          assert.ok(ramp.spread ? off <= workers : off === 0, `${sum} at ${at}, off by ${off}`);
        },
      ),
    );
  });
});
