// The axis of drawn figures: its ticks are round values within it, two at least.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { drawnAxis, LEAST_GAP } from '../../client/judge/drawn-axis.js';

describe('an axis of drawn figures', () => {
  it('has two ticks or more, in order and within it, wherever its values lie', () => {
    const value = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(
        value,
        fc.double({ min: 1, max: 1e4, noNaN: true }),
        fc.constantFrom(...Object.values(LEAST_GAP)),
        (least, ratio, gap) => {
          const { ticks = [], shareOf = Number } = drawnAxis([{ value: least }, { value: least * ratio }], gap) ?? {};
          assert.ok(ticks.length > 1, String(ticks));
          const shares = ticks.map(shareOf);
          assert.ok(
            shares.every((share, i) => share >= 0 && share <= 1 && share > (shares[i - 1] ?? -1)),
            String(shares),
          );
        },
      ),
    );
  });
});
