// The number of connections up to which a server serves all, and how many it serves of the maximum.
import assert from 'node:assert/strict';
import { rampServed } from '../../client/measure/ramp-served.js';

/**
 * @param {[requested: number, served?: number, idle?: number][]} steps @param {[requested: number, served: number]}
 *   [end] at the end of the steady state
 */
const servedOf = (steps, end) =>
  rampServed(
    /** @type {any} */ ({
      ramp: { steps: steps.map(([requested, served, idle]) => ({ requested, served, idle })) },
      ...(end ? { account: { requested: end[0], served: end[1], idle: 0 } } : {}),
    }),
  );

describe('what a ramp served', () => {
  it('is all up to a step, and less from the next one on; the last step counts as the steady state ended', () => {
    const broken = servedOf(
      [
        [200, 200],
        [400, 387],
        [600, 492],
        [800, 430],
      ],
      [800, 440],
    );
    assert.deepEqual(broken, {
      allUpTo: 200,
      broken: { requested: 400, served: 387 },
      last: { requested: 800, served: 440 },
      best: { requested: 600, served: 492 },
    });
  });

  it('is all where a later step served all, or the others were not asked yet', () => {
    const late = servedOf([
      [10, 9],
      [20, 18, 2],
    ]);
    assert.deepEqual([late?.allUpTo, late?.broken], [20, undefined]);
    const ended = servedOf(
      [
        [10, 10],
        [20, 19],
      ],
      [20, 20],
    );
    assert.deepEqual([ended?.allUpTo, ended?.broken], [20, undefined]);
  });

  it('breaks at the first step where none served all; falling steps of a profile do not count', () => {
    assert.deepEqual(servedOf([[10, 1]])?.broken, { requested: 10, served: 1 });
    const profile = servedOf(
      [
        [10, 10],
        [20, 12],
        [10, 10],
      ],
      [10, 10],
    );
    assert.deepEqual([profile?.allUpTo, profile?.last], [10, { requested: 20, served: 12 }]);
  });

  it('is not known without steps, or of steps that do not say it', () => {
    assert.equal(rampServed({}), undefined);
    assert.equal(servedOf([[10], [20]]), undefined);
  });
});
