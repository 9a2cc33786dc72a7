// When a leg that waits for transfers is given up, on made-up samples.
import assert from 'node:assert/strict';
import { DeadTarget } from '../../client/run/cluster/dead-target.js';

/**
 * @param {number} second
 * @param {{ counters?: Record<string, number>, gauges?: Record<string, number> }} [seen]
 */
const sample = (second, { counters, gauges } = {}) => ({
  fromNs: (second - 1) * 1e9,
  toNs: second * 1e9,
  counters: { attempts: 3, opened: 0, transfers: 0, 'rejects.refused': 3, ...counters },
  gauges: { requested: 10, open: 0, connecting: 0, backingOff: 10, ...gauges },
});

describe('a dead target', () => {
  it('is one that opened no connection during the whole allowed time', () => {
    const target = new DeadTarget(3e9);
    assert.deepEqual(
      [1, 2, 3, 4].map((second) => target.isDeadAfter(sample(second))),
      [false, false, true, true],
    );
  });

  it('is not one that is alive meanwhile, was not tried, or was beyond a limit of the client', () => {
    /** @type {Parameters<typeof sample>[1][]} */
    const rows = [
      { gauges: { open: 1 } },
      { counters: { opened: 1 } },
      { counters: { transfers: 1 } },
      { counters: { attempts: 0 }, gauges: { backingOff: 0 } },
      { counters: { 'rejects.local': 3 } },
    ];
    for (const seen of rows) {
      const target = new DeadTarget(2e9);
      const dead = [sample(1), sample(2, seen), sample(3), sample(4)].map((second) => target.isDeadAfter(second));
      assert.deepEqual(dead, [false, false, false, true], JSON.stringify(seen));
    }
  });

  it('is not detected from a sample without a time span', () => {
    const target = new DeadTarget(1e9);
    assert.equal(target.isDeadAfter({ ...sample(1), fromNs: 1e9 }), false);
  });
});
