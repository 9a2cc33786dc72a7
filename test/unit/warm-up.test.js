// A warm-up by count: the steady state begins at the same future instant for all workers, never later than planned; of
// a whole leg in simulation.test.js.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { WarmUp, nextSecond } from '../../client/run/cluster/warm-up.js';

/** @import { Phase } from '../../client/measure/sample-merge.js' */

const planned = { warmupTransfers: 100, steadyFromNs: 60e9, steadyToNs: 70e9 };
const S = 1e9;

/** @param {number} transfers @param {Phase} [phase] */
const interval = (transfers, phase = 'warmup') => ({ phase, counters: { transfers } });

describe('a warm-up by count', () => {
  it('ends at a full second that all workers learn of in time', () => {
    for (const [at, next, notice] of [
      [0, 1],
      [0.95, 1],
      [0.951, 2],
      [1, 2],
      [0.5, 1, 0.5 * S],
      [0.501, 2, 0.5 * S],
    ]) {
      assert.equal(nextSecond(at * S, notice), next * S);
    }
  });

  it('never starts the steady state earlier, and keeps its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 70e9 }), (atNs) => {
        const steady = new WarmUp(planned).observe(interval(100), atNs);
        if (steady === null) return assert.ok(nextSecond(atNs) >= planned.steadyFromNs);
        assert.ok(steady.fromNs >= atNs + 50e6 && steady.fromNs < planned.steadyFromNs && steady.fromNs % S === 0);
        assert.equal(steady.toNs - steady.fromNs, 10e9);
      }),
    );
  });
});
