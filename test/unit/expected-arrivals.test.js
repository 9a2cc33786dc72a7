// The scheduled requests of one worker: its share of the rate's integral, exact for evenly spaced requests.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ExpectedArrivals, requestsUntil } from '../../client/run/cluster/expected-arrivals.js';

/** A step, a line up, one down to nothing, and nothing. */
const mountain = [
  { atNs: 0, rate: 1000, line: false },
  { atNs: 2e9, rate: 3000, line: true },
  { atNs: 3e9, rate: 0, line: true },
];
const settings = { connections: 30, arrivals: /** @type {const} */ ('constant') };
const leg = { rates: mountain, rampToNs: 1e9, steadyToNs: 9e9, workers: 1 };

describe('the expected requests of a worker', () => {
  it('are the integral of the rate', () => {
    const at = [-1, 0, 0.5, 1, 2, 2.5, 3, 4].map((seconds) => requestsUntil(mountain, seconds * 1e9));
    assert.deepEqual(at, [0, 0, 625, 1500, 4000, 5125, 5500, 5500]);
    const steps = mountain.slice(0, 2).map((point, i) => ({ ...point, atNs: i * 1e9, line: false }));
    assert.equal(requestsUntil(steps, 3e9), 1000 + 2 * 3000);
  });

  it('include a request from the instant at which it is due', () => {
    const dues = new ExpectedArrivals({ ...leg, rates: [{ atNs: 0, rate: 10, line: false }] }, settings);
    assert.deepEqual(
      [0, 1e9, 1e9 + 1000, 1.1e9, 1.1e9 + 1000, 2e9, 8.95e9, 20e9].map((ns) => dues.before(0, ns)),
      [0, 0, 1, 1, 2, 10, 80, 80],
    );
  });

  it('add up over workers and spans', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 9 }),
        (workers, tenths) => {
          const dues = new ExpectedArrivals({ ...leg, workers }, { ...settings, connections: 10 * workers });
          const ends = [0, ...tenths.sort((a, b) => a - b), 90].map((tenth) => tenth * 1e8);
          let sum = 0;
          for (let worker = 0; worker < workers; worker += 1) {
            let ofWorker = 0;
            ends.slice(1).forEach((toNs, i) => {
              ofWorker += dues.missed(worker, ends[i], toNs, ofWorker);
            });
            assert.equal(ofWorker, dues.before(worker, 9e9));
            sum += ofWorker;
          }
          assert.equal(sum, 5500);
        },
      ),
    );
  });

  it('are exactly the uncounted ones, or the expected value of random arrivals, and none in closed loop', () => {
    const dues = new ExpectedArrivals(leg, settings);
    assert.equal(dues.missed(0, 1.2e9, 2e9, 200), 1300);
    assert.equal(dues.missed(0, 1.2e9, 2e9, 190), 1310, 'also those that its engine had not come to');
    assert.equal(dues.missed(0, 1.2e9, 2e9, 1501), 0);
    assert.equal(dues.missed(0, 2e9, 2e9, 0), 0);
    assert.equal(new ExpectedArrivals(leg, { ...settings, arrivals: 'poisson' }).missed(0, 1.2e9, 2e9, 7), 1500 - 220);
    assert.equal(new ExpectedArrivals({ ...leg, rates: undefined }, settings).missed(0, 0, 9e9, 0), 0);
  });
});
