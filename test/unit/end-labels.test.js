// Names at the ends of lines: none lies on another, and none is far from its line.
import assert from 'node:assert/strict';
import { placeLabels } from '../../report/browser/against.js';

/** @param {number[]} ends px from the top @returns {ReturnType<typeof placeLabels>} in a chart of 200 px */
const placed = (...ends) =>
  placeLabels(
    ends.map((at, i) => ({ text: `s${i}`, colour: '#000', at })),
    7,
    193,
  );

describe('names at the ends of lines', () => {
  it('stay at their lines where they have room, and else move apart by as little as that takes', () => {
    assert.deepEqual(
      placed(150, 20).map(({ text, y }) => [text, y]),
      [
        ['s1', 20],
        ['s0', 150],
      ],
    );
    assert.deepEqual(
      placed(100, 104).map(({ y }) => y),
      [95, 109],
    );
    assert.deepEqual(
      placed(0, 2).map(({ y }) => y),
      [7, 21],
      'within the chart',
    );
  });

  it('are left out where many lines end at one place, and no two touch', () => {
    const many = placed(...Array.from({ length: 29 }, (_, i) => 100 + i / 2), 20);
    assert.ok(many.length > 4 && many.length < 14, `${many.length}`);
    many.forEach(({ at, y }, i) => {
      assert.ok(Math.abs(at - y) <= 35, `${at} at ${y}`);
      if (i > 0) assert.ok(y - many[i - 1].y >= 14);
    });
    assert.ok(many.some(({ text }) => text === 's29'));
    assert.deepEqual(placed(), []);
  });
});
