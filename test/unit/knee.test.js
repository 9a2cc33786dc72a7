// The knee: worked examples of each rule, and the definition itself against many ramps.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { kneeLine } from '../../client/results/phrases/knee.js';
import { findKnee } from '../../client/results/knee.js';

/** @typedef {import('../../client/results/ramp.js').RampStep} RampStep */

/** A step that is as it should be: 1,000 requested a step, 10,000/s in all, p99 at the mean. @param {number} n */
function step(n, /** @type {Partial<RampStep>} */ given = {}) {
  const requested = n * 1000;
  return {
    step: n,
    fromNs: (n - 1) * 1e9,
    toNs: n * 1e9,
    requested,
    open: requested,
    unanswered: 0,
    rejects: 0,
    errors: 0,
    perSecond: 10_000,
    p50Ns: requested * 1e5,
    p99Ns: requested * 1e5,
    ...given,
  };
}

/** @param {Partial<RampStep>[]} given */
const ramp = (...given) => given.map((one, i) => step(i + 1, one));

/** @param {RampStep[]} steps @param {boolean} [paced] */
function kneeOf(steps, paced = false) {
  const knee = findKnee(steps, paced);
  return knee && [knee.requested, ...knee.why];
}

describe('knee', () => {
  it('does not exist while throughput holds, replies arrive and nothing fails', () => {
    assert.equal(findKnee(ramp({}, {}, {}), false), null);
    assert.equal(
      findKnee(ramp({}, {}, { unanswered: 50, openedLastSecond: 60 }), false),
      null,
      'on a line some are always new',
    );
    assert.equal(findKnee(ramp({}, {}, { unanswered: 50, openedLastSecond: 10 }), false)?.step, 3);
    assert.equal(
      findKnee(ramp({}, {}, { open: 0, maxInFlight: 3000 }), false),
      null,
      'reconnect: few are open at a time',
    );
    assert.equal(findKnee(ramp({}, {}, { open: 0 }), false)?.step, 3);
    assert.equal(findKnee(ramp({ perSecond: 10 }, { perSecond: 20 }, { perSecond: 30 }), false), null);
    assert.equal(findKnee(ramp({ perSecond: 0, p99Ns: undefined }, { perSecond: 0, p99Ns: undefined }), true), null);
  });

  it('is where throughput falls permanently below 90 % of the best so far', () => {
    const falling = ramp(
      { perSecond: 100 },
      { perSecond: 89 },
      { perSecond: 91 },
      { perSecond: 89 },
      { perSecond: 60 },
    );
    assert.deepEqual(findKnee(falling, false), {
      step: 4,
      requested: 4000,
      why: ['throughput'],
      best: { step: 1, perSecond: 100 },
    });
    assert.equal(kneeOf(ramp({ perSecond: 100 }, { perSecond: 90 }, { perSecond: 90 })), null, 'just at the bound');
    assert.deepEqual(kneeOf(ramp({ perSecond: 50 }, { perSecond: 100 }, { perSecond: 80 })), [3000, 'throughput']);
  });

  it('compares throughput with earlier steps only', () => {
    const rising = [{ perSecond: 10 }, { perSecond: 20 }, { perSecond: 100, rejects: 99 }, { perSecond: 60 }];
    assert.deepEqual(findKnee(ramp(...rising), false), {
      step: 3,
      requested: 3000,
      why: ['failures'],
      best: { step: 3, perSecond: 100 },
    });
    const failing = ramp({ perSecond: 10, rejects: 9 }, { perSecond: 20, rejects: 9 }, { perSecond: 5 });
    assert.deepEqual(findKnee(failing, false), {
      step: 1,
      requested: 1000,
      why: ['failures'],
      best: { step: 1, perSecond: 10 },
    });
  });

  it('is where p99 exceeds three times open / throughput', () => {
    // 2,000 open and 10,000/s: the mean is 0.2 s
    assert.deepEqual(kneeOf(ramp({}, { p99Ns: 0.6e9 + 1 }, { p99Ns: 1e9 })), [2000, 'responseTime']);
    assert.equal(kneeOf(ramp({}, { p99Ns: 0.6e9 }, { p99Ns: 0.9e9 })), null, 'just at the bound');
  });

  it('is where more than a thousandth of the requested connections was not served', () => {
    assert.deepEqual(kneeOf(ramp({}, { unanswered: 1, rejects: 1, errors: 1 }, { errors: 4 })), [2000, 'failures']);
    assert.equal(kneeOf(ramp({}, { unanswered: 1, rejects: 1 }, { errors: 3 })), null, 'just at the bound');
  });

  it('is also where p99 exceeds five times that of the first step, for a paced load', () => {
    const slow = ramp({ p99Ns: 1e6 }, { p99Ns: 5e6 }, { p99Ns: 5e6 + 1 });
    assert.deepEqual(kneeOf(slow, true), [3000, 'slower']);
    assert.equal(kneeOf(slow, false), null);
    assert.equal(kneeOf(ramp({ p99Ns: undefined }, { p99Ns: 1 }, { p99Ns: 9 }), true), null, 'nothing to hold to');
  });

  it('names every rule that holds there, even if another one holds later', () => {
    assert.deepEqual(kneeOf(ramp({}, { perSecond: 10, rejects: 9 }, { perSecond: 10 }, { errors: 99 })), [
      2000,
      'throughput',
      'failures',
    ]);
    assert.deepEqual(kneeOf(ramp({ rejects: 9 }, { rejects: 9 }, { rejects: 9 })), [1000, 'failures'], 'at once');
    assert.equal(kneeOf(ramp({}, { perSecond: 10 }, {})), null, 'it comes back');
  });

  it('matches its definition for any ramp', () => {
    const anyStep = fc.record({
      open: fc.nat(20),
      unanswered: fc.nat(1),
      rejects: fc.nat(1),
      errors: fc.nat(1),
      perSecond: fc.nat(20),
      p99Ns: fc.option(fc.integer({ min: 1, max: 8e9 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 1, maxLength: 6 }), fc.boolean(), (given, paced) => {
        const steps = ramp(...given);
        const bestUpTo = (/** @type {number} */ n) => Math.max(...steps.slice(0, n).map(({ perSecond }) => perSecond));
        const holds = (
          /** @type {RampStep} */ { step: n, requested, open, unanswered, rejects, errors, perSecond, p99Ns },
        ) => ({
          throughput: perSecond / bestUpTo(n) < 0.9,
          responseTime: p99Ns !== undefined && p99Ns / 1e9 > (3 * open) / perSecond,
          failures: (unanswered + rejects + errors) / requested > 0.001,
          slower: paced && p99Ns !== undefined && p99Ns > 5 * (steps[0].p99Ns ?? Infinity),
        });
        const any = (/** @type {RampStep} */ one) => Object.values(holds(one)).some(Boolean);
        const expected = steps.find((_, i) => steps.slice(i).every(any));
        const knee = findKnee(steps, paced);
        assert.equal(knee?.step, expected?.step);
        if (!knee || !expected) return;
        assert.deepEqual(
          knee.why,
          Object.entries(holds(expected))
            .filter(([, is]) => is)
            .map(([rule]) => rule),
        );
        assert.equal(knee.best.perSecond, bestUpTo(knee.step));
        assert.equal(steps[knee.best.step - 1].perSecond, knee.best.perSecond);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the line about the knee', () => {
  it('states its position, figures and rules', () => {
    const steps = ramp({ perSecond: 114_000, p99Ns: 2e6 }, { perSecond: 45_000, p99Ns: 412e6, rejects: 12, errors: 3 });
    const of = (/** @type {any[]} */ ...why) =>
      kneeLine({ steps, knee: { step: 2, requested: 2000, why, best: { step: 1, perSecond: 114_000 } } });
    const head = 'knee at 2,000 connections: 45,000/s, p99 412 ms; ';
    assert.equal(of('throughput'), `${head}throughput is below 90 % of the best so far (114,000/s at 1,000)`);
    assert.equal(
      of('responseTime', 'failures'),
      `${head}p99 exceeds 3 × open ÷ throughput (44.4 ms); 12 rejects and 3 errors are 0.75 % of the requested connections, more than 0.1 %`,
    );
    assert.equal(of('slower'), `${head}p99 exceeds 5 × that of the first step (2 ms)`);
  });

  it('states that the first step is already the knee', () => {
    const steps = ramp({ errors: 9 }, { errors: 9 }, { errors: 9 });
    assert.equal(
      kneeLine({ steps, knee: findKnee(steps, false) }),
      'knee already at 1,000 connections: 10,000/s, p99 100 ms; 9 errors are 0.9 % of the requested connections, more than 0.1 %',
    );
  });

  it('states that there is none, and is empty without a ramp', () => {
    assert.equal(kneeLine({ steps: ramp({}, {}, {}), knee: null }), 'no knee up to 3,000 connections');
    assert.equal(kneeLine(undefined), null);
  });

  it('names no time when no request was answered', () => {
    const steps = ramp({}, { perSecond: 0, p99Ns: undefined, p50Ns: undefined, unanswered: 2000 }, {});
    const knee = findKnee(steps.slice(0, 2), false);
    assert.equal(
      kneeLine({ steps, knee }),
      'knee at 2,000 connections: 0/s; throughput is below 90 % of the best so far (10,000/s at 1,000); ' +
        '2,000 unanswered are 100 % of the requested connections, more than 0.1 %',
    );
  });
});
