// Spans of time: those that meet are one.

import assert from 'node:assert/strict';
import { joinedSpans } from '../../client/measure/spans.js';

describe('spans', () => {
  const spans = (/** @type {[number, number][]} */ ...pairs) => pairs.map(([fromNs, toNs]) => ({ fromNs, toNs }));

  it('that meet or overlap are one, in any order', () => {
    assert.deepEqual(joinedSpans(spans([5, 6], [0, 2], [1, 3], [3, 4], [0, 1])), spans([0, 4], [5, 6]));
    assert.deepEqual(joinedSpans([]), []);
  });
});
