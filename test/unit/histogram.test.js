// Histograms against exact values, and against the reference implementation of their encoding.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Histogram, bucketOf, decode, encode, rangeOf, timesOf } from '../../client/measure/histogram.js';

/** @import { HistogramLine } from '../../client/measure/histogram.js' */

const value = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.integer({ min: 0, max: 3_600_000_000_000 }),
  fc.integer({ min: 0, max: 41 }).map((power) => 2 ** power),
  fc.integer({ min: 1, max: 41 }).map((power) => 2 ** power - 1),
);

/** @param {number[]} values */
function of(values) {
  const histogram = new Histogram();
  for (const recordedValue of values) histogram.record(recordedValue);
  return histogram;
}

describe('histogram', () => {
  it('puts every value into a bucket that contains it and is at most a thousandth wide', () => {
    fc.assert(
      fc.property(value, (recordedValue) => {
        const { low, width } = rangeOf(bucketOf(recordedValue));
        assert.ok(low <= recordedValue && recordedValue < low + width, `${recordedValue} is not in ${low} + ${width}`);
        assert.ok(width === 1 || width <= low / 1000);
      }),
    );
  });

  it('has exact count, extremes and mean, and percentiles within one bucket', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 300 }), (values) => {
        const histogram = of(values);
        const sorted = [...values].sort((a, b) => a - b);
        assert.equal(histogram.count, values.length);
        assert.equal(histogram.min, sorted[0]);
        assert.equal(histogram.max, sorted.at(-1));
        assert.equal(histogram.mean, values.reduce((sum, n) => sum + n, 0) / values.length);
        const percents = [0, 50, 90, 99, 99.9, 100];
        histogram.percentiles(percents).forEach((got, i) => {
          const exact = sorted[Math.max(0, Math.ceil((percents[i] / 100) * values.length) - 1)];
          const { low, width } = rangeOf(bucketOf(exact));
          assert.ok(got >= exact && got <= low + width - 1, `p${percents[i]} of ${values}: ${got}, not ${exact}`);
        });
      }),
    );
  });

  it('has in summaries and lines the percentile that each name says', () => {
    const histogram = of(Array.from({ length: 2000 }, (_, i) => i + 1));
    const named = { p50: 1000, p90: 1800, p95: 1900, p99: 1980, p99_9: 1998, p99_99: 2000 };
    const { count, min, mean, stddev, max, ...percentiles } = timesOf(histogram) ?? assert.fail();
    assert.deepEqual([count, min, mean, max, Math.round(stddev)], [2000, 1, 1000.5, 2000, 577]);
    assert.deepEqual(percentiles, named);
    const { p50, p90, p99, p99_9 } = histogram.toLine() ?? assert.fail();
    assert.deepEqual([p50, p90, p99, p99_9], [1000, 1800, 1980, 1998]);
  });

  it('survives a round trip through its line', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 100 }), (values) => {
        const histogram = of(values);
        const line = /** @type {HistogramLine} */ (histogram.toLine());
        const back = Histogram.fromLine(line);
        assert.deepEqual(back.sorted(), histogram.sorted());
        assert.deepEqual([back.count, back.min, back.max], [histogram.count, histogram.min, histogram.max]);
        assert.ok(Math.abs(back.mean - histogram.mean) <= histogram.mean * 1e-12);
      }),
    );
  });

  it('merges to the same result as if all values had been recorded in one', () => {
    fc.assert(
      fc.property(fc.array(value), fc.array(value), (a, b) => {
        const merged = of(a).merge(of(b));
        const whole = of([...a, ...b]);
        assert.deepEqual(merged.sorted(), whole.sorted());
        for (const key of /** @type {const} */ (['count', 'min', 'max', 'sum'])) assert.equal(merged[key], whole[key]);
      }),
    );
  });

  it("accepts the engine's arrays, keeps counts beyond 2^32, and is null when empty", () => {
    const recorded = { values: [5, 4096], counts: [2 ** 40, 3], min: 5, max: 4097, sum: 1 };
    const histogram = new Histogram().add(recorded).add(null);
    assert.equal(histogram.count, 2 ** 40 + 3);
    assert.deepEqual(
      [...decode(encode(histogram))],
      [5, 4096].map((value, i) => [bucketOf(value), recorded.counts[i]]),
    );
    assert.equal(new Histogram().toLine(), null);
    assert.equal(of([2, 4, 4, 4, 5, 5, 7, 9]).stddev, 2);
  });

  it('rejects anything that is not a histogram', () => {
    for (const text of ['AAAA', Buffer.alloc(40).toString('base64')])
      assert.throws(() => decode(text), /not a compressed HdrHistogram/);
  });
});
