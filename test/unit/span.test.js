// Spans of time: those that a reader zooms to, and those that meet.
import assert from 'node:assert/strict';
import { joinedSpans } from '../../client/measure/spans.js';
import { fitSpan, moveSpan, spanWith, zoomSpan } from '../../report/browser/span.js';

/** @type {[number, number]} */
const WHOLE = [0, 60];

describe('report: spans of time', () => {
  it('stay within the axis, whichever end comes first; the whole axis is no zoom', () => {
    assert.deepEqual(fitSpan([10, 20], WHOLE), [10, 20]);
    assert.deepEqual(fitSpan([20, 10], WHOLE), [10, 20]);
    assert.deepEqual(fitSpan([55, 65], WHOLE), [50, 60]);
    assert.deepEqual(fitSpan([-4, 4], WHOLE), [0, 8]);
    assert.equal(fitSpan([0, 60], WHOLE), null);
    assert.equal(fitSpan([-10, 90], WHOLE), null);
  });

  it('do not get too short', () => {
    assert.deepEqual(fitSpan([30, 30], WHOLE), [29.75, 30.25]);
    let span = /** @type {[number, number] | null} */ (null);
    for (let i = 0; i < 50; i++) span = zoomSpan(span, WHOLE, 30, 1.5);
    assert.deepEqual(span, [29.75, 30.25]);
  });

  it('zoom about a moment, which keeps its place, and out again to the whole', () => {
    const closer = zoomSpan(null, WHOLE, 15, 2);
    assert.deepEqual(closer, [7.5, 37.5]);
    assert.deepEqual(zoomSpan([10, 20], WHOLE, 10, 2), [10, 15]);
    assert.equal(zoomSpan(closer, WHOLE, 15, 0.5), null);
  });

  it('move by a share of their length, up to the ends', () => {
    assert.deepEqual(moveSpan([10, 20], WHOLE, 0.5), [15, 25]);
    assert.deepEqual(moveSpan([10, 20], WHOLE, -5), [0, 10]);
    assert.equal(moveSpan(null, WHOLE, 1), null);
  });

  it('follow a moment that leaves them', () => {
    assert.deepEqual(spanWith([10, 20], WHOLE, 15), [10, 20]);
    assert.deepEqual(spanWith([10, 20], WHOLE, 21), [12, 22]);
    assert.deepEqual(spanWith([10, 20], WHOLE, 5), [4, 14]);
    assert.equal(spanWith(null, WHOLE, 5), null);
  });
});

describe('spans that meet or overlap', () => {
  it('are one, in any order', () => {
    const spans = (/** @type {number[][]} */ ...pairs) => pairs.map(([fromNs, toNs]) => ({ fromNs, toNs }));
    assert.deepEqual(joinedSpans(spans([5, 6], [0, 2], [1, 3], [3, 4], [0, 1])), spans([0, 4], [5, 6]));
  });
});
