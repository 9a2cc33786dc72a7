// Change points on drawn series of which the truth is known: false alarms, shifts, and single odd runs. The seeds are fixed.

import assert from 'node:assert/strict';
import { changePoints } from '../../client/results/change-points.js';
import { exponential, normal, uniform } from '../fixtures/random-numbers.js';

const repeats = process.env.BROADSIDE_SLOW ? 1000 : 300;
/** Two standard errors of a share of 5 % in that many repeats. */
const uncertainty = 2 * Math.sqrt((0.05 * 0.95) / repeats);

/** @type {Record<string, (random: () => number) => () => number>} */
const NOISES = {
  'log-normal': (random) => {
    const z = normal(random);
    return () => 100 * Math.exp(0.05 * z());
  },
  skewed: (random) => {
    const x = exponential(random);
    return () => 100 * Math.exp(0.1 * x());
  },
  'heavy-tailed': (random) => {
    const z = normal(random);
    return () => 100 * Math.exp((random() < 0.1 ? 0.5 : 0.03) * z());
  },
};

/** @param {number} n @param {(i: number) => number} of */
const series = (n, of) => Array.from({ length: n }, (_, i) => of(i));

describe('change points', () => {
  for (const [name, noise] of Object.entries(NOISES)) {
    it(`are found in at most 5 % of ${name} series without a change`, () => {
      for (const n of [8, 20]) {
        const draw = noise(uniform(n));
        let alarms = 0;
        for (let i = 0; i < repeats; i += 1) if (changePoints(series(n, draw), i).length > 0) alarms += 1;
        assert.ok(alarms / repeats <= 0.05 + uncertainty, `${n} runs: ${alarms} of ${repeats}`);
      }
    });
  }

  it('are found where a figure falls by 20 %, within one run and with its ratio', () => {
    const z = normal(uniform(3));
    let right = 0;
    for (let i = 0; i < 60; i += 1) {
      const values = series(20, (k) => (k < 12 ? 100 : 80) * Math.exp(0.04 * z()));
      const near = changePoints(values, i).some(
        ({ index, ratio }) => Math.abs(index - 12) <= 1 && Math.abs(ratio - 0.8) < 0.06,
      );
      if (near) right += 1;
    }
    assert.ok(right >= 57, `${right} of 60`);
  });

  it('are two where it falls and recovers', () => {
    const z = normal(uniform(5));
    const values = series(30, (k) => (k < 10 || k >= 20 ? 100 : 60) * Math.exp(0.02 * z()));
    const found = changePoints(values);
    assert.deepEqual(
      found.map(({ index }) => index),
      [10, 20],
    );
    assert.ok(Math.abs(found[0].ratio - 0.6) < 0.03 && Math.abs(found[1].ratio - 1 / 0.6) < 0.1);
  });

  it('are not single odd runs, equal values, or a few values', () => {
    assert.deepEqual(changePoints(series(20, (k) => (k === 9 ? 300 : 100 + (k % 3)))), []);
    assert.deepEqual(changePoints(series(20, () => 5)), []);
    assert.deepEqual(changePoints([1, 1, 1, 9, 9]), []);
    assert.deepEqual(changePoints([]), []);
  });

  it('are the same each time, and of positive values only', () => {
    const values = series(20, (k) => (k < 10 ? 100 : 90) + (k % 4));
    assert.deepEqual(changePoints(values), changePoints(values));
    assert.throws(() => changePoints([1, 0, 2]), RangeError);
  });
});
