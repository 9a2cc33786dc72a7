// When a leg that waits for transfers is given up: on samples made up here.
import assert from 'node:assert/strict';
import { DeadTarget } from '../../client/run/cluster/dead-target.js';

/** @param {number} second @param {{open?: number, opened?: number, transfers?: number, requested?: number}} [seen] */
const sample = (second, { open = 0, opened = 0, transfers = 0, requested = 10 } = {}) => ({
  fromNs: (second - 1) * 1e9,
  toNs: second * 1e9,
  counters: { opened, transfers },
  gauges: { open, requested },
});

describe('a dead target', () => {
  it('is one that opened no connection for as long as it was given', () => {
    const target = new DeadTarget(3e9);
    assert.deepEqual(
      [1, 2, 3, 4].map((second) => target.isDeadAfter(sample(second))),
      [false, false, true, true],
    );
  });

  it('is not one that opened a connection meanwhile, answered, or was requested to open none', () => {
    for (const alive of [{ open: 1 }, { opened: 1 }, { transfers: 1 }, { requested: 0 }]) {
      const target = new DeadTarget(2e9);
      assert.deepEqual(
        [sample(1), sample(2, alive), sample(3), sample(4)].map((one) => target.isDeadAfter(one)),
        [false, false, false, true],
        JSON.stringify(alive),
      );
    }
  });

  it('is not told by a sample without a time span', () => {
    const target = new DeadTarget(1e9);
    assert.equal(target.isDeadAfter({ ...sample(1), fromNs: 1e9 }), false);
  });
});
