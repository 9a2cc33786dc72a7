// The HdrHistogram log of a leg: the reference implementation reads it value for value.

import assert from 'node:assert/strict';
import * as hdr from 'hdr-histogram-js';
import { Histogram } from '../../client/measure/histogram.js';
import { seededRandom } from '../../client/measure/random.js';
import { histogramLogHead, histogramLogLine } from '../../client/store/histogram-log.js';

const START_MS = 1_700_000_000_000;
const LAYOUT = { lowestDiscernibleValue: 1, highestTrackableValue: 3.6e12, numberOfSignificantValueDigits: 3 };
const PERCENTS = [0, 10, 50, 90, 99, 99.9, 99.99, 100];

/** @param {string} phase @param {number} fromNs @param {number[]} values */
function sampleOf(phase, fromNs, values) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return { phase, fromNs, toNs: fromNs + 1e9, histograms: { responseTime: histogram.toLine(), serviceTime: null } };
}

describe('the HdrHistogram log of a leg', () => {
  const random = seededRandom(7);
  const values = [0, 1, 2, 3].map((exponent) =>
    Array.from({ length: 5000 }, () => Math.floor(1000 * 10 ** exponent * -Math.log(1 - random()))),
  );
  const samples = [
    sampleOf('ramp', 0, values[0]),
    sampleOf('steady', 1e9, values[1]),
    sampleOf('steady', 2e9, values[2]),
    sampleOf('steady', 3e9, []),
    sampleOf('drain', 4e9, values[3]),
  ];
  const linesOf = (/** @type {string} */ name) => samples.flatMap((sample) => histogramLogLine(sample, name) ?? []);
  const text = histogramLogHead({ title: 'a\nrun', startMs: START_MS }) + linesOf('responseTime').join('');

  it('is read by the reference implementation: times, tags and every count', () => {
    assert.match(
      text,
      /^#\[a run; values in ns\]\n#\[Histogram log format version 1\.3\]\n#\[StartTime: 1700000000\.000 /,
    );
    const reader = new hdr.HistogramLogReader(text);
    for (const [i, k] of [0, 1, 2, 4].entries()) {
      const read = /** @type {hdr.Histogram} */ (reader.nextIntervalHistogram());
      const expected = hdr.build(/** @type {any} */ (LAYOUT));
      for (const value of values[i]) expected.recordValue(value);
      assert.equal(read.tag, samples[k].phase);
      assert.equal(read.startTimeStampMsec, START_MS + k * 1000);
      assert.equal(read.endTimeStampMsec, START_MS + (k + 1) * 1000);
      assert.equal(read.totalCount, values[i].length);
      for (const percent of PERCENTS) {
        assert.equal(read.getValueAtPercentile(percent), expected.getValueAtPercentile(percent), `p${percent}`);
      }
    }
    assert.equal(reader.nextIntervalHistogram(), null);
  });

  it('has no line where nothing was timed', () => {
    assert.deepEqual([linesOf('serviceTime'), linesOf('connectTime')], [[], []]);
  });
});
