// Medians and ratios over rounds: worked values, and simulations in which the truth is known. The seeds are fixed, so
// the shares are the same in each run.
import assert from 'node:assert/strict';
import { medianBounds, medianOf, quantile975 } from '../../client/measure/statistics.js';
import { medianInterval, ratioInterval } from '../../client/judge/statistics/index.js';
import { autoregressive, exponential, normal, uniform } from '../fixtures/random-numbers.js';

const REPEATS = 3500;
/** Two standard errors of a share of 5 % in that many repeats: the simulation's own uncertainty. */
const UNCERTAINTY = 2 * Math.sqrt((0.05 * 0.95) / REPEATS);

/**
 * Distributions of a figure over rounds, each with its median.
 * @type {Record<string, { draw: (random: () => number) => () => number, median: number }>}
 */
const distributions = {
  normal: { draw: (random) => scaled(normal(random), (z) => 100 + 8 * z), median: 100 },
  'log-normal': { draw: (random) => scaled(normal(random), (z) => 100 * Math.exp(0.3 * z)), median: 100 },
  bimodal: {
    draw: (random) => scaled(normal(random), (z) => 100 * Math.exp((random() < 0.5 ? -0.1 : 0.1) + 0.06 * z)),
    median: 100,
  },
  'heavy tails': {
    draw: (random) => scaled(normal(random), (z) => 100 * Math.exp(random() < 0.1 ? 0.3 * z : 0.05 * z)),
    median: 100,
  },
  skewed: {
    draw: (random) => scaled(exponential(random), (x) => 100 * Math.exp(0.1 * x)),
    median: 100 * Math.exp(0.1 * Math.log(2)),
  },
};

/** @param {() => number} draw @param {(x: number) => number} change */
const scaled = (draw, change) => () => change(draw());

/** @param {number} n @param {() => number} draw */
const drawn = (n, draw) => Array.from({ length: n }, draw);

/**
 * @param {number} truth
 * @param {() => { low: number | null, high: number | null }} interval of new values at each call
 * @param {number} [repeats]
 * @returns {number} the share of intervals that contain the truth
 */
function coverage(truth, interval, repeats = REPEATS) {
  let contained = 0;
  for (let i = 0; i < repeats; i += 1) {
    const { low, high } = interval();
    if (low !== null && high !== null && low <= truth && truth <= high) contained += 1;
  }
  return contained / repeats;
}

/** @param {number} share @param {string} name @param {[number, number]} [range] */
const assertCovers = (share, name, [min, max] = [0.93, 0.97]) =>
  assert.ok(share >= min && share <= max, `${name}: ${(share * 100).toFixed(1)} % of the intervals contain the truth`);

describe('statistics over rounds', () => {
  it("takes Student's quantiles from a table, and beyond it from an expansion", () => {
    assert.equal(quantile975(2), 4.3027);
    assert.equal(quantile975(30), 2.0423);
    for (const [degrees, published] of [
      [31, 2.0395],
      [40, 2.0211],
      [60, 2.0003],
      [120, 1.9799],
    ]) {
      assert.ok(Math.abs(quantile975(degrees) - published) < 1e-4, `${degrees}: ${quantile975(degrees)}`);
    }
  });

  it('takes the median, and its interval from three rounds on', () => {
    assert.equal(medianOf([3, 1, 2]), 2);
    assert.equal(medianOf([4, 1, 3, 2]), 2.5);
    const none = { low: null, high: null, method: 'too-few-rounds' };
    assert.deepEqual(medianInterval([]), { median: null, rounds: 0, ...none });
    assert.deepEqual(medianInterval([7]), { median: 7, rounds: 1, ...none });
    assert.deepEqual(medianInterval([7, 8, null, undefined, NaN]), { median: 7.5, rounds: 2, ...none });
    const { median, low, high, method } = medianInterval([Math.E, 1, 1 / Math.E]);
    assert.equal(median, 1);
    assert.ok(Math.abs(Math.log(high ?? 0) - 4.3027 / Math.sqrt(3)) < 1e-9, `${high}`);
    assert.ok(Math.abs((low ?? 0) * (high ?? 0) - 1) < 1e-9);
    assert.equal(method, 'student-t-log');
  });

  it('works with zeros and equal values, and keeps the median inside', () => {
    assert.deepEqual(medianInterval([5, 5, 5]).high, 5);
    const zeros = medianInterval([0, 0, 3]);
    assert.deepEqual([zeros.method, zeros.median, zeros.low], ['student-t', 0, 0]);
    assert.ok(Number(medianInterval([-1, 0, 3]).low) < -1);
    const split = medianInterval([1, 1, 1, 1, 1, 2, 2, 2, 2]);
    assert.equal(split.low, 1, 'the mean of the logarithms alone would exclude it');
  });

  it('takes bounds from the order of ten rounds or more', () => {
    const { method, low, high } = medianInterval(drawn(11, () => 1).map((value, i) => value + i));
    assert.equal(method, 'order-statistics');
    assert.ok(low !== null && low > 2 && low < 3 && high !== null && high > 9 && high < 10, `${low} ${high}`);
    const six = medianBounds([1, 2, 3, 4, 5, 6]);
    assert.deepEqual(
      six.map((bound) => bound.toFixed(3)),
      ['1.357', '5.643'],
      'worked by hand: 5/14 of the way inwards',
    );
  });

  it('compares by pairs, and has no ratio of what is not positive', () => {
    const ratio = ratioInterval([
      [20, 10],
      [44, 22],
      [6, 3],
      [null, 3],
    ]);
    assert.deepEqual(ratio, { median: 2, low: 2, high: 2, rounds: 3, method: 'student-t-log', p: 0 });
    assert.deepEqual(ratioInterval([[1, 0]]), {
      median: null,
      low: null,
      high: null,
      rounds: 1,
      method: 'not-positive',
    });
    assert.equal(ratioInterval([[2, 1]]).low, null);
  });

  for (const [name, { draw, median }] of Object.entries(distributions)) {
    it(`covers the median of ${name} values in 93 to 97 % of cases`, () => {
      // with fewer rounds of two speeds all of them often have the same one: see the next test
      const rounds = [3, 5, 10].filter((n) => name !== 'bimodal' || n >= 5);
      for (const n of rounds) {
        const value = draw(uniform(n));
        assertCovers(
          coverage(median, () => medianInterval(drawn(n, value))),
          `${n} rounds`,
        );
      }
    });

    it(`finds a difference in at most 5 % of pairs of the same ${name} values`, () => {
      for (const n of [3, 10]) {
        const value = draw(uniform(100 + n));
        const share = coverage(1, () =>
          ratioInterval(drawn(n, () => value()).map((drawnValue) => [drawnValue, value()])),
        );
        assert.ok(share >= 0.95 - UNCERTAINTY, `${n} rounds: ${((1 - share) * 100).toFixed(1)} % false alarms`);
      }
    });
  }

  it('does not cover two speeds with three rounds, which may all have had the same one', () => {
    const value = distributions.bimodal.draw(uniform(1));
    assertCovers(
      coverage(100, () => medianInterval(drawn(3, value))),
      '3 rounds',
      [0.88, 0.93],
    );
  });

  it('finds the ratio although the machine drifts, which pairs by round remove', () => {
    for (const n of [3]) {
      const gaussian = normal(uniform(n));
      const widths = { paired: 0, unpaired: 0 };
      const share = coverage(2, () => {
        const machine = drawn(n, () => 0).map((_, i) => 1 + (0.5 * i) / (n - 1));
        const pairs = machine.map((speed) => [
          200 * speed * Math.exp(0.03 * gaussian()),
          100 * speed * Math.exp(0.03 * gaussian()),
        ]);
        const paired = ratioInterval(/** @type {[number, number][]} */ (pairs));
        const unpaired = ratioInterval(pairs.map(([first], i) => [first, pairs[n - 1 - i][1]]));
        widths.paired += Math.log(Number(paired.high) / Number(paired.low));
        widths.unpaired += Math.log(Number(unpaired.high) / Number(unpaired.low));
        return paired;
      });
      assertCovers(share, `${n} rounds`);
      assert.ok(widths.unpaired > 3 * widths.paired, `${n} rounds: ${widths.unpaired / widths.paired}`);
    }
  });

  it('finds the ratio although the speed of the machine is autocorrelated', () => {
    const gaussian = normal(uniform(5));
    for (const n of [3]) {
      const share = coverage(1.1, () => {
        const machine = autoregressive(gaussian, 0.8);
        return ratioInterval(
          drawn(n, machine).map((z) => {
            const speed = Math.exp(0.2 * z);
            return [110 * speed * Math.exp(0.04 * gaussian()), 100 * speed * Math.exp(0.04 * gaussian())];
          }),
        );
      });
      assertCovers(share, `${n} rounds`);
    }
  });
});
