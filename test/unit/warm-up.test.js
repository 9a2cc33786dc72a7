// A warm-up by count: the steady state begins at the same future instant for all workers, never later than planned; of a whole leg in
// simulation.test.js.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { WarmUp, nextSecond } from '../../client/run/cluster/warm-up.js';

const planned = { warmupTransfers: 100, steadyFromNs: 60e9, steadyToNs: 70e9 };
const S = 1e9;

/** @param {number} transfers @param {import('../../client/run/cluster/messages.js').Phase} [phase] */
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

  it('counts its transfers over all workers, and sets its end once', () => {
    const warmUp = new WarmUp(planned);
    assert.equal(warmUp.observe(interval(1000, 'ramp'), 2 * S), null);
    assert.equal(warmUp.observe(interval(50), 3 * S), null);
    assert.deepEqual(warmUp.observe(interval(50), 3.01 * S), { fromNs: 4 * S, toNs: 14 * S });
    assert.deepEqual(warmUp.steady, { fromNs: 4 * S, toNs: 14 * S });
    assert.equal(warmUp.observe(interval(50), 3.02 * S), null);
    assert.equal(warmUp.fellShort('steady', 2 * S), null);
    const timed = new WarmUp({ ...planned, warmupTransfers: null });
    assert.equal(timed.observe(interval(1e9), 3 * S), null);
  });

  it('lasts no longer than planned, and reports once if that was too short', () => {
    const warmUp = new WarmUp(planned);
    warmUp.observe(interval(99), 59.99 * S);
    for (const phase of /** @type {const} */ (['ramp', 'warmup', 'drain']))
      assert.equal(warmUp.fellShort(phase, 2 * S), null);
    const { code, data } = warmUp.fellShort('steady', 2 * S) ?? {};
    assert.deepEqual([code, data], ['warmup-short', { elapsedNs: 58 * S, transfers: 99, wanted: 100 }]);
    assert.equal(warmUp.fellShort('steady', 2 * S), null);
    const late = new WarmUp(planned);
    assert.equal(late.observe(interval(100), 59.99 * S), null, 'the steady state begins as planned, and that is soon');
    assert.equal(late.fellShort('steady', 2 * S), null);
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
