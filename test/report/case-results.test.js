// The share of the best that the overview of a run with rounds shows: of which figure, and which servers have one.

import assert from 'node:assert/strict';
import { casesOf } from '../../client/judge/cases.js';
import { sharesOf } from '../../report/model/case-results.js';

/** @param {string} name @param {number[]} rates @param {Record<string, any>} [over] */
const rounds = (name, rates, over = {}) =>
  rates.map((perSecond, i) => ({
    ...{ id: `${i}-${name}`, case: name, label: name, server: name, axes: {}, round: i + 1, complete: true },
    connections: { requested: 100, openAtEnd: 100, unansweredAtEnd: 0, opened: 100, reopened: 0 },
    steady: {
      transfers: 1000,
      failed: 0,
      unfinished: 0,
      perSecond,
      responseTimeNs: { p50: 1e6, p99: 1e9 / perSecond },
    },
    ...over,
  }));

/** @param {any[]} legs @param {'open' | 'closed'} [loop] */
const sharesIn = (legs, loop = 'closed') =>
  sharesOf(/** @type {any} */ ({ summary: { config: { workload: 'continuous', loop }, legs, cases: casesOf(legs) } }));

describe('the share of the best', () => {
  const fast = rounds('fast', [200, 202, 198]);
  const slow = rounds('slow', [100, 101, 100]);

  it('is that of the figure that ranks, with its interval', () => {
    const shares = sharesIn([...slow, ...fast]);
    assert.deepEqual(shares.get('fast'), { figure: 'perSecond', share: null, isWorse: false });
    const { figure, share, isWorse } = shares.get('slow') ?? assert.fail();
    assert.equal(isWorse, true);
    const near = rounds('near', [201, 199, 200]);
    assert.deepEqual(
      [...sharesIn([...near, ...fast]).values()].map((one) => one.isWorse),
      [false, false],
    );
    const [median, low, high] = share ?? assert.fail();
    assert.equal(figure, 'perSecond');
    assert.ok(low < median && median < high && low > 0.48 && high < 0.52, `${low} ${median} ${high}`);
    const [longer] = sharesIn([...slow, ...fast], 'open').get('slow')?.share ?? assert.fail();
    assert.ok(longer > 1.9, String(longer));
  });

  it('is of no server that left connections without a reply, nor of what was measured in too few rounds', () => {
    const short = { connections: { requested: 100, openAtEnd: 100, unansweredAtEnd: 90, opened: 100, reopened: 0 } };
    const shares = sharesIn([...slow, ...fast, ...rounds('some', [900, 910, 905], short), ...rounds('twice', [9, 9])]);
    assert.deepEqual([...shares.keys()], ['fast', 'slow']);
    assert.equal(sharesIn([...slow.slice(0, 1), ...fast.slice(0, 1)]).size, 0);
  });
});
