// The knee: worked examples of each rule, simulations with noise over many seeds, and its texts.
import assert from 'node:assert/strict';
import { failuresOf, findKnee } from '../../client/measure/knee.js';
import { autoregressive, normal, uniform } from '../fixtures/random-numbers.js';

/**
 * @import { Second } from '../../client/measure/knee.js'
 * @import { RampStep } from '../../client/measure/ramp.js'
 */

/**
 * A step that is as it should be: 1,000 requested a step.
 * @param {number} n
 * @param {Partial<RampStep>} [given]
 * @returns {RampStep}
 */
const step = (n, given = {}) => ({
  ...{ step: n, fromNs: (n - 1) * 5e9, toNs: n * 5e9, requested: n * 1000, open: n * 1000 },
  ...{ unanswered: 0, rejects: 0, errors: 0, perSecond: 10_000, p50Ns: n * 1e8, p99Ns: n * 1e8 },
  ...given,
});

/**
 * Stages of four seconds each, 10,000/s in all, p99 at the mean.
 * @param {(Partial<RampStep> & { seconds?: Partial<Second>[] })[]} given a step each
 */
const ramp = (...given) =>
  given.map(({ seconds = [{}, {}, {}, {}], ...change }, i) => {
    const stepOfRamp = step(i + 1, change);
    const usual = { perSecond: Number(stepOfRamp.perSecond), p99Ns: stepOfRamp.p99Ns, inFlight: stepOfRamp.requested };
    const before = given[i - 1] && (given[i - 1].requested ?? i * 1000);
    return {
      ...{ first: stepOfRamp, last: stepOfRamp, before, failures: failuresOf([stepOfRamp]) },
      seconds: seconds.map((a) => ({ ...usual, ...a })),
    };
  });

/** @param {ReturnType<typeof ramp>} stages @param {boolean} [paced] @returns {unknown} */
function kneeOf(stages, paced = false) {
  const result = findKnee(stages, paced);
  if ('undetermined' in result) return result.undetermined.code;
  return result.knee && [result.knee.requested, ...result.knee.why];
}

/** Four seconds of a stage. @param {number[]} perSecond @returns {{ seconds: Partial<Second>[] }} */
const rates = (...perSecond) => ({ seconds: perSecond.map((rate) => ({ perSecond: rate })) });
/** @param {Partial<Second>} second @returns {{ seconds: Partial<Second>[] }} four times */
const always = (second) => ({ seconds: [second, second, second, second] });

describe('knee', () => {
  const [low, lower] = [{ perSecond: 7000 }, { perSecond: 6000 }];
  const none = { perSecond: 0, p99Ns: undefined };
  const scatter = rates(4000, 16_000, 7000, 13_000);
  const slower = rates(2400, 9600, 4200, 7800);
  const idle = always({ otherCores: 0.1, cores: 2 });
  const [busy, alike] = [0.6, 0.2].map((otherCores) => always({ otherCores, cores: 2, perSecond: 6000 }));
  const slow = always({ p99Ns: 2e9 });
  const slowOnce = { seconds: [{ p99Ns: 2e9 }, {}, {}, {}] };
  const alwaysSlow = always({ p99Ns: 5e9 });

  /** @type {[string, Parameters<typeof ramp>, unknown][]} */
  const rows = [
    ['throughput holds, replies arrive and nothing fails', [{}, {}, {}], null],
    ['some are always new', [{}, {}, { unanswered: 50, openedLastSecond: 60 }], null],
    ['throughput rises', [{ perSecond: 10 }, { perSecond: 20 }, { perSecond: 30 }], null],
    ['nothing is sent at first', [none, none, {}], null],
    ['throughput comes back', [{}, { perSecond: 5000 }, {}], null],
    ['throughput falls by 9 %', [{}, { perSecond: 9100 }, { perSecond: 9100 }, { perSecond: 9100 }], null],
    ['throughput falls after it has risen', [{ perSecond: 5000 }, {}, low, low], [3000, 'throughput']],
    ['the scatter of the seconds may explain it', [scatter, scatter, slower, slower], 'scatter'],
    ['no stage confirms it', [{}, {}, {}, { perSecond: 8000 }], 'scatter'],
    ['no stage confirms it, but it is far below', [{}, {}, {}, lower], [4000, 'throughput']],
    ['too few stages', [{}, {}], 'short-steps'],
    ['stages that are too short', [{}, {}, { seconds: [{}, {}] }], 'short-steps'],
    ['other programs took more of the machine', [idle, idle, busy, busy], 'background-load'],
    ['other programs took hardly more', [idle, idle, alike, alike], [3000, 'throughput']],
    ['p99 is longer in each second', [{}, {}, slow, slow], [3000, 'responseTime']],
    ['p99 is longer in one second', [{}, {}, slowOnce, slowOnce], null],
    ['p99 was always longer', [alwaysSlow, alwaysSlow, alwaysSlow], null],
    ...['unanswered', 'rejects', 'errors', 'delayed', 'connecting'].map(
      (key) => /** @type {any} */ ([`too many ${key}`, [{}, {}, { [key]: 4 }], [3000, 'failures']]),
    ),
    ['failures just at the bound', [{}, {}, { unanswered: 1, rejects: 1, delayed: 1 }], null],
    ['failures from the start', [{ errors: 2 }, { errors: 3 }, { errors: 4 }], [1000, 'failures']],
  ];

  it('is where the rules say, or is not, or is not determined', () => {
    for (const [what, stages, expected] of rows) assert.deepEqual(kneeOf(ramp(...stages)), expected, what);
  });

  it('has what fell, from where, and what failed', () => {
    const fallen = findKnee(ramp({}, {}, low, lower), false);
    assert.deepEqual('knee' in fallen && fallen.knee, {
      ...{ step: 3, requested: 3000, why: ['throughput'], perSecond: 7000 },
      best: { step: 1, perSecond: 10_000 },
    });
    const failed = findKnee(ramp({}, {}, { delayed: 4, connecting: 300 }), false);
    assert.deepEqual('knee' in failed && failed.knee?.failures, { delayed: 4, connecting: 300 });
  });

  it('is also where p99 exceeds five times that of the first stage, for a paced load', () => {
    const stages = ramp({ p99Ns: 1e6 }, { p99Ns: 2e6 }, { p99Ns: 5e6 + 1 });
    assert.deepEqual([kneeOf(stages, true), kneeOf(stages, false)], [[3000, 'slower'], null]);
  });

  it('says between which numbers it is where one stage is unsure', () => {
    const result = findKnee(ramp({}, {}, rates(7500, 8000, 9300, 9200), { perSecond: 3000, rejects: 9 }), false);
    assert.deepEqual('knee' in result && [result.knee?.from, result.knee?.requested], [2000, 4000]);
  });
});

/**
 * Ten percent, of neighbours that resemble each other.
 * @type {(memory: number) => (random: () => number) => () => number}
 */
const resembling = (memory) => (random) => {
  const next = autoregressive(normal(random), memory);
  return () => 1 + 0.1 * next();
};

/** Factors of the throughput, second by second. @type {Record<string, (random: () => number) => () => number>} */
const NOISES = {
  calm: (random) => () => 1 + 0.03 * normal(random)(),
  'independent, 10 %': resembling(0),
  'AR(1) 0.6, 10 %': resembling(0.6),
  'AR(1) 0.9, 10 %': resembling(0.9),
  'other programs for 2 to 6 s': (random) => {
    let [left, loss] = [0, 0];
    return () => {
      left -= 1;
      if (left < 0 && random() < 0.06) [left, loss] = [2 + Math.floor(random() * 5), 0.2 + 0.4 * random()];
      return (left >= 0 ? 1 - loss : 1) * (1 + 0.05 * normal(random)());
    };
  },
  'levels that change every 33 s': (random) => {
    let level = 1;
    return () => {
      if (random() < 0.03) level = 1 + 0.15 * normal(random)();
      return level * (1 + 0.05 * normal(random)());
    };
  },
};

/**
 * @param {keyof typeof NOISES} name
 * @param {number} seed
 * @param {(n: number) => number} curve of the throughput by stage
 * @returns {ReturnType<typeof findKnee>} of a ramp of eight steps of five seconds, and ten of steady state
 */
function simulate(name, seed, curve) {
  const random = uniform(7919 * seed + 13);
  const noise = NOISES[name](random);
  const stages = Array.from({ length: 8 }, (_, i) => ({
    seconds: Array.from({ length: i === 7 ? 14 : 4 }, () => {
      const perSecond = Math.max(1000, 10_000 * curve(i + 1) * noise());
      return { perSecond, p99Ns: ((1.8 + 0.5 * random()) * (i + 1) * 1e12) / perSecond };
    }),
  }));
  return findKnee(ramp(...stages), false);
}

describe('knee, of throughput that scatters', () => {
  const seeds = Array.from({ length: 200 }, (_, i) => i);

  for (const name of Object.keys(NOISES)) {
    it(`is falsely found in at most 1 of 20 ramps of a server that does not degrade: ${name}`, () => {
      const results = seeds.map((seed) => simulate(name, seed, () => 1));
      const knees = results.filter((result) => 'knee' in result && result.knee !== null).length;
      assert.ok(knees <= seeds.length / 20, `${knees} of ${seeds.length}`);
      if (name === 'calm') assert.ok(results.every((result) => 'knee' in result && result.knee === null));
    });

    it(`is found within one step of where the throughput halves, or not determined: ${name}`, () => {
      const results = seeds.map((seed) => simulate(name, seed, (n) => (n >= 5 ? 0.5 : 1)));
      const steps = results.flatMap((result) => ('knee' in result ? [result.knee?.step ?? 0] : []));
      const near = steps.filter((at) => Math.abs(at - 5) <= 1).length;
      assert.ok(near >= seeds.length / 2, `${near} of ${seeds.length} near step 5`);
      assert.ok(near >= 0.95 * steps.length, `${steps.length - near} of ${steps.length} elsewhere`);
      if (name === 'calm') assert.ok(results.every((result) => 'knee' in result && result.knee?.step === 5));
    });
  }
});
