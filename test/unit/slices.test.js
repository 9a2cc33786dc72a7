// Percentile intervals over the seconds of a leg: simulated seconds whose percentiles are known. The seeds are fixed.
import assert from 'node:assert/strict';
import { Histogram } from '../../client/measure/histogram.js';
import { batchSums, lagCorrelation } from '../../client/judge/statistics/autocorrelation.js';
import { percentileInterval, percentileIntervals } from '../../client/judge/statistics/slices.js';
import { autoregressive, normal, uniform } from '../fixtures/random-numbers.js';

const REPEATS = 200;
const TRANSFERS = 20_000;
/** Standard deviation of the logarithm of a transfer's time within a second, and of the seconds' own. */
const WITHIN = 0.5;
const BETWEEN = 0.15;

/** @param {number} x @returns {number} the normal distribution function (Abramowitz and Stegun, 26.2.17) */
function below(x) {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    0.3989422804 *
    Math.exp((-x * x) / 2) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x > 0 ? 1 - tail : tail;
}

/** Edges of the logarithms of times: fine where p99 is, with one bin for all below. */
const edges = [-Infinity, ...Array.from({ length: 81 }, (_, i) => 0.8 + i * 0.01), Infinity];
/** The times of these bins. */
const times = edges.map((edge) => Math.round(1e6 * Math.exp(Math.min(1.8, edge))));

/** @param {number} location @returns {Histogram} of a second: as many values between two edges as are to be expected */
function second(location) {
  const slice = new Histogram();
  const shares = edges.map((edge) => below((edge - location) / WITHIN));
  for (let i = 1; i < edges.length; i += 1) {
    slice.record(times[i], Math.round(TRANSFERS * (shares[i] - shares[i - 1])));
  }
  return slice;
}

/**
 * @param {number} share
 * @param {number[]} locations equally likely
 * @param {number} deviation
 * @returns {number} ns, up to one bin
 */
function percentileOf(share, locations, deviation) {
  const edge = edges.find(
    (location) =>
      locations.reduce((sum, at) => sum + below((location - at) / deviation), 0) / locations.length >= share,
  );
  return Math.round(1e6 * Math.exp(edge ?? NaN));
}

/** @param {Histogram[]} slices @returns {Histogram} */
const added = (slices) => slices.reduce((all, slice) => all.merge(slice), new Histogram());

/**
 * @param {number} n seconds
 * @param {() => () => number} series of the seconds' locations
 * @param {number} truth p99 in ns
 * @returns {number} the share of intervals of p99 that contain it
 */
function coverage(n, series, truth) {
  let contained = 0;
  for (let i = 0; i < REPEATS; i += 1) {
    const next = series();
    const slices = Array.from({ length: n }, () => second(next()));
    const [low, high] = percentileInterval(slices, added(slices), 99) ?? [NaN, NaN];
    if (low <= truth && truth <= high) contained += 1;
  }
  return contained / REPEATS;
}

/** One bin of the simulated histograms, and two standard errors of so few repeats. */
const UNCERTAINTY = 2 * Math.sqrt((0.05 * 0.95) / REPEATS);

/** @param {number} share @param {string} name */
const assertCovers = (share, name) =>
  assert.ok(
    share >= 0.93 - UNCERTAINTY && share <= 0.97 + UNCERTAINTY,
    `${name}: ${(share * 100).toFixed(1)} % of the intervals contain the truth`,
  );

describe('percentile intervals over seconds', () => {
  it('adds neighbours, and measures how much a value resembles the one before it', () => {
    assert.deepEqual(batchSums([1, 2, 3, 4, 5, 6, 7], 3), [3, 7, 18]);
    assert.equal(lagCorrelation([2, 2, 2]), 0);
    assert.ok(lagCorrelation([1, -1, 1, -1, 1, -1]) < -0.8);
    assert.ok(lagCorrelation([1, 2, 3, 4, 5, 6, 7, 8]) > 0.6);
  });

  it('gives none where the steady state is too short, or too few transfers are above the percentile', () => {
    const slices = Array.from({ length: 29 }, () => second(0));
    assert.equal(percentileIntervals({ times: slices, all: added(slices) }), undefined);
    const few = Array.from({ length: 30 }, () =>
      new Histogram().add({ values: [1e6, 2e6], counts: [9, 1], min: 1e6, max: 2e6, sum: 11e6 }),
    );
    assert.deepEqual(Object.keys(percentileIntervals({ times: few, all: added(few) }) ?? {}), ['p50', 'p90']);
  });

  it('contains the percentile itself, and is narrow where all seconds are alike', () => {
    const slices = Array.from({ length: 40 }, () => second(0));
    const { p50, p99 } = percentileIntervals({ times: slices, all: added(slices) }) ?? {};
    assert.ok(p50 && p99);
    const all = added(slices);
    assert.deepEqual([p50[0], p50[1]], [all.percentiles([50])[0], all.percentiles([50])[0]]);
    assert.ok(p99[0] <= all.percentiles([99])[0] && all.percentiles([99])[0] <= p99[1]);
  });

  for (const [name, memory] of /** @type {[string, number][]} */ ([
    ['independent', 0],
    ['autocorrelated (0.5)', 0.5],
  ])) {
    it(`covers the p99 of ${name} seconds in 93 to 97 % of cases`, () => {
      const truth = percentileOf(0.99, [0], Math.hypot(WITHIN, BETWEEN));
      const gaussian = normal(uniform(30));
      const series = () => {
        const next = autoregressive(gaussian, memory);
        return () => BETWEEN * next();
      };
      assertCovers(coverage(30, series, truth), name);
    });
  }

  it('covers the p99 of a server with two speeds', () => {
    const random = uniform(9);
    const truth = percentileOf(0.99, [-BETWEEN, BETWEEN], WITHIN);
    const series = () => () => (random() < 0.5 ? -BETWEEN : BETWEEN);
    assertCovers(coverage(30, series, truth), 'two speeds');
  });
});
