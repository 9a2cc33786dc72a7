// Profiles: the value of a list of pieces at any time, in the scenario and in the plan, and each worker's share.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ROW_BYTES } from '../../client/measure/transfer-log.js';
import { rateText } from '../../client/words/load.js';
import { plan } from '../../client/plan/plan.js';
import {
  fallsOf,
  fewestOf,
  largestJump,
  lengthOf,
  peakOf,
  ratePoints,
  requestsOf,
} from '../../client/measure/profile.js';
import { assign } from '../../client/run/cluster/assignment.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { factsOf, refusalOf } from '../fixtures/codes.js';
import { host } from '../fixtures/hosts.js';

/** @param {Record<string, unknown>} content @param {import('../../client/scenario/flags.js').Flags} [flags] */
const scenarioOf = (content, flags) =>
  resolveScenario(
    {
      file: 'a.json',
      name: 'test',
      content: { servers: ['epoll'], connections: 100, ramp: { add: 100, every: '2s' }, ...content },
    },
    flags,
  );

const rate = [
  { rate: '100/s', for: '2s' },
  { rate: '100/s', to: '500/s', for: '4s' },
  { rate: '0/s', for: '500ms' },
];
const pieces = [
  { from: 100, to: 100, forNs: 2e9 },
  { from: 100, to: 500, forNs: 4e9 },
  { from: 0, to: 0, forNs: 5e8 },
];

describe('a profile of the rate', () => {
  it('is as long as the steady state, unless a length is given', () => {
    const { rateProfile, rate: peak, durationNs } = scenarioOf({ rate });
    assert.deepEqual([rateProfile, peak, durationNs], [pieces, 500, 6.5e9]);
    assert.equal(scenarioOf({ rate, duration: '1m' }).durationNs, 60e9);
    const constant = scenarioOf({ rate: '100/s' });
    assert.deepEqual([constant.rateProfile, constant.rate, constant.durationNs], [null, 100, 30e9]);
  });

  it('can be given as a flag, in JSON', async () => {
    const flags = flagsOf({ rate: '[{"rate": "1/s", "to": "2/s", "for": "1s"}]' });
    assert.deepEqual(scenarioOf({}, flags).rateProfile, [{ from: 1, to: 2, forNs: 1e9 }]);
    assert.equal(scenarioOf({ rate }, flagsOf({ rate: '7/s' })).rate, 7);
    const answer = (/** @type {Record<string, unknown>} */ argv) => refusalOf(() => scenarioOf({}, flagsOf(argv)));
    assert.deepEqual(await answer({ connections: '[{"connections": 10}]' }), ['connections[0].for missing']);
    assert.deepEqual(await answer({ rate: ['1/s', '2/s'] }), ['ETWICE rate']);
    assert.deepEqual(await answer({ rate: '[{"rate"' }), ['rate wrong-value']);
    assert.deepEqual(await answer({ rate: '[{"rate": "1/s"}]' }), ['rate[0].for missing']);
  });

  it('becomes points of the plan: one for a step, two for a line', () => {
    const {
      legs: [leg],
      expected,
    } = plan(scenarioOf({ rate }), host);
    assert.deepEqual(leg.rates, [
      { atNs: 0, rate: 100, line: false },
      { atNs: 2e9, rate: 100, line: false },
      { atNs: 6e9, rate: 500, line: true },
      { atNs: 6e9, rate: 0, line: false },
    ]);
    assert.equal(expected.transferLogBytes, 1400 * ROW_BYTES.parquet); // 200 + 1,200 requests
    assert.equal(plan(scenarioOf({}), host).legs[0].rates, undefined);
  });

  it('is divided over the workers by their connections', () => {
    const scenario = scenarioOf({ rate, connections: 5, workers: 2 });
    const {
      legs: [leg],
    } = plan(scenario, host);
    const shares = [0, 1].map((share) =>
      assign({ settings: scenario, leg, share, generation: 0, t0Ns: 0n, endpoints: [], log: null }),
    );
    assert.deepEqual(
      shares.map(({ rates }) => rates.map((point) => point.rate)),
      [
        [60, 60, 300, 0],
        [40, 40, 200, 0],
      ],
    );
    assert.ok(shares.every(({ rateFromNs }) => rateFromNs === leg.steadyFromNs));
  });

  it('is described before a run, including that its end is not reached', () => {
    const scenario = scenarioOf({ rate });
    assert.deepEqual(plan(scenario, host).warnings, []);
    assert.deepEqual(factsOf(plan(scenarioOf({ rate, duration: '5s' }), host).warnings), [
      ['profile-cut-short', { key: 'rate', profileNs: 6.5e9, durationNs: 5e9 }],
    ]);
  });

  it('schedules as many requests as the area below it', () => {
    const points = ratePoints(500, pieces, 0);
    assert.deepEqual(
      [0, 1e9, 2e9, 4e9, 6e9, 7e9].map((ns) => requestsOf(points, ns)),
      [0, 100, 200, 600, 1400, 1400],
    );
    const held = ratePoints(500, pieces, 3e9);
    assert.deepEqual(held[0], { atNs: 0, rate: 100, line: false });
    assert.equal(requestsOf(held, 9e9), 1700);
    assert.equal(requestsOf(ratePoints(70, null, 3e9), 2e9), 140);
    const value = fc.integer({ min: 0, max: 1000 });
    const piece = fc.record({ from: value, to: value, forNs: fc.integer({ min: 1, max: 10e9 }) });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (profile) => {
        const sum = profile.reduce((all, { from, to, forNs }) => all + (((from + to) / 2) * forNs) / 1e9, 0);
        const requested = requestsOf(ratePoints(peakOf(profile), profile, 0), lengthOf(profile));
        assert.ok(Math.abs(requested - sum) < 1e-6 * (1 + sum), `${requested} of ${sum}`);
      }),
    );
  });
});

const connections = [
  { connections: 100, for: '2s' },
  { connections: 400, to: 50, for: '4s' },
  { connections: 0, for: '1s' },
];
const ofConnections = [
  { from: 100, to: 100, forNs: 2e9 },
  { from: 400, to: 50, forNs: 4e9 },
  { from: 0, to: 0, forNs: 1e9 },
];

describe('a profile of the connections', () => {
  it('is as long as the steady state, and its peak is the number of connections', () => {
    const { connections: peak, connectionsProfile, durationNs } = scenarioOf({ connections });
    assert.deepEqual([peak, connectionsProfile, durationNs], [400, ofConnections, 7e9]);
    assert.equal(scenarioOf({ connections, rate: [{ rate: '1/s', for: '9s' }] }).durationNs, 9e9);
    const flags = flagsOf({ connections: '[{"connections": 3, "to": 7, "for": "1s"}]' });
    assert.equal(scenarioOf({ connections }, flags).connections, 7);
    assert.deepEqual(
      [scenarioOf({ connections }, flagsOf({ connections: '12' }))].map((one) => [
        one.connections,
        one.connectionsProfile,
        one.durationNs,
      ]),
      [[12, null, 30e9]],
    );
  });

  it('starts after the ramp to its first number and after a warm-up', () => {
    const {
      legs: [leg],
    } = plan(scenarioOf({ connections, warmup: '3s' }), host);
    assert.deepEqual(leg.schedule, [{ atNs: 0, slots: 100, line: false }]);
    assert.deepEqual([leg.rampToNs, leg.steadyFromNs, leg.steadyToNs, leg.connections], [2e9, 5e9, 12e9, 400]);
    assert.deepEqual(leg.profile, [
      { atNs: 5e9, slots: 100, line: false },
      { atNs: 7e9, slots: 400, line: false },
      { atNs: 11e9, slots: 50, line: true },
      { atNs: 11e9, slots: 0, line: false },
    ]);
    assert.deepEqual(
      plan(scenarioOf({ connections: [{ connections: 0, to: 9, for: '1s' }] }), host).legs.map(
        ({ schedule, rampToNs, profile }) => ({ schedule, rampToNs, profile }),
      ),
      [
        {
          schedule: [],
          rampToNs: 0,
          profile: [
            { atNs: 0, slots: 0, line: false },
            { atNs: 1e9, slots: 9, line: true },
          ],
        },
      ],
    );
    assert.equal(plan(scenarioOf({}), host).legs[0].profile, undefined);
  });

  it('is described before a run', () => {
    assert.deepEqual(factsOf(plan(scenarioOf({ connections, duration: '5s' }), host).warnings), [
      ['profile-cut-short', { key: 'connections', profileNs: 7e9, durationNs: 5e9 }],
    ]);
  });

  it('is checked against limits by its peak and by its steepest increase', () => {
    const limits = plan(scenarioOf({ connections, ramp: { add: 50 } }), host).limits;
    const needed = (/** @type {string} */ name) => limits.find((limit) => limit.name === name)?.needed;
    assert.equal(needed('accept queue'), 300);
    assert.deepEqual([largestJump(ofConnections), fallsOf(ofConnections), fewestOf(ofConnections)], [300, 400, 50]);
    assert.equal(
      fewestOf([
        { from: 0, to: 10, forNs: 1 },
        { from: 0, to: 0, forNs: 1 },
      ]),
      1,
    );
  });

  it('leaves every worker with a connection for its share of a rate', () => {
    const few = [{ connections: 1, to: 50, for: '1s' }];
    assert.equal(plan(scenarioOf({ connections: few, rate: '10/s' }), host).legs[0].workers, 1);
    assert.equal(plan(scenarioOf({ connections: few }), host).legs[0].workers, 2);
  });
});

describe('a rate as text', () => {
  it('is a number, or the pieces of its profile', () => {
    const said = (/** @type {Parameters<typeof rateText>[0]} */ scenario) => rateText(scenario);
    assert.equal(said({ rate: null, rateProfile: null }), null);
    assert.equal(said({ rate: 2000, rateProfile: null }), '2,000/s');
    const rateProfile = [
      { from: 100, to: 100, forNs: 2e9 },
      { from: 100, to: 500, forNs: 1e10 },
    ];
    assert.equal(said({ rate: 500, rateProfile }), '100/s for 2 s, 100/s to 500/s in 10 s');
  });
});
