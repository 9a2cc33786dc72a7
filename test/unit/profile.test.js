// Profiles: the value of a list of pieces at any time, in the scenario and in the plan, and each worker's share.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ROW_BYTES } from '../../client/measure/transfer-log.js';
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
import { factsOf } from '../fixtures/codes.js';
import { host } from '../fixtures/hosts.js';

/** @import { Flags } from '../../client/scenario/flags.js' */

/** @param {Record<string, unknown>} content @param {Flags} [flags] */
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

describe('a profile of the rate', () => {
  it('is as long as the steady state, unless a length is given', () => {
    const { rateProfile, rate: peak, durationNs } = scenarioOf({ rate });
    assert.deepEqual([rateProfile, peak, durationNs], [pieces, 500, 6.5e9]);
    assert.equal(scenarioOf({ rate, duration: '1m' }).durationNs, 60e9);
    const constant = scenarioOf({ rate: '100/s' });
    assert.deepEqual([constant.rateProfile, constant.rate, constant.durationNs], [null, 100, 10e9]);
  });

  it('can be given as a flag, in JSON', () => {
    const flags = flagsOf({ rate: '[{"rate": "1/s", "to": "2/s", "for": "1s"}]' });
    assert.deepEqual(scenarioOf({}, flags).rateProfile, [{ from: 1, to: 2, forNs: 1e9 }]);
    assert.equal(scenarioOf({ rate }, flagsOf({ rate: '7/s' })).rate, 7);
  });

  it('is reported where it is longer than the steady state', () => {
    for (const [key, profile] of Object.entries({ rate, connections }))
      assert.deepEqual(factsOf(plan(scenarioOf({ [key]: profile, duration: '5s' }), host).warnings), [
        ['profile-cut-short', { key, profileNs: key === 'rate' ? 6.5e9 : 7e9, durationNs: 5e9 }],
      ]);
    assert.deepEqual(plan(scenarioOf({ rate }), host).warnings, []);
  });

  it('becomes points of the plan: one for a step, two for a line', () => {
    const { legs, expected } = plan(scenarioOf({ rate }), host);
    assert.deepEqual(legs[0].rates, [
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
    const [leg] = plan(scenario, host).legs;
    const shares = [0, 1].map((share) =>
      assign({ settings: scenario, leg, share, generation: 0, t0Ns: 0n, endpoints: [], log: null }),
    );
    const rates = shares.map((share) => share.rates.map((point) => point.rate).join(' '));
    assert.deepEqual(rates, ['60 60 300 0', '40 40 200 0']);
    assert.equal(shares[0].settings.rateFromNs, leg.steadyFromNs);
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

describe('a profile of the connections', () => {
  it('is as long as the steady state, and its peak is the number of connections', () => {
    const { connections: peak, connectionsProfile, durationNs } = scenarioOf({ connections });
    assert.deepEqual([peak, connectionsProfile, durationNs], [400, ofConnections, 7e9]);
    assert.equal(scenarioOf({ connections, rate: [{ rate: '1/s', for: '9s' }] }).durationNs, 9e9);
    const flags = flagsOf({ connections: '[{"connections": 3, "to": 7, "for": "1s"}]' });
    assert.equal(scenarioOf({ connections }, flags).connections, 7);
    const constant = scenarioOf({ connections }, flagsOf({ connections: '12' }));
    assert.deepEqual([constant.connections, constant.connectionsProfile, constant.durationNs], [12, null, 10e9]);
  });

  it('starts after the ramp to its first number and after a warm-up', () => {
    const [leg] = plan(scenarioOf({ connections, warmup: '3s' }), host).legs;
    assert.deepEqual(leg.schedule, [{ atNs: 0, slots: 100, line: false }]);
    assert.deepEqual([leg.rampToNs, leg.steadyFromNs, leg.steadyToNs, leg.connections], [2e9, 5e9, 12e9, 400]);
    assert.deepEqual(leg.profile, [
      { atNs: 5e9, slots: 100, line: false },
      { atNs: 7e9, slots: 400, line: false },
      { atNs: 11e9, slots: 50, line: true },
      { atNs: 11e9, slots: 0, line: false },
    ]);
    const [fromZero] = plan(scenarioOf({ connections: [{ connections: 0, to: 9, for: '1s' }] }), host).legs;
    assert.deepEqual([fromZero.schedule, fromZero.rampToNs], [[], 0]);
    assert.deepEqual(fromZero.profile, [
      { atNs: 0, slots: 0, line: false },
      { atNs: 1e9, slots: 9, line: true },
    ]);
    assert.equal(plan(scenarioOf({}), host).legs[0].profile, undefined);
  });

  it('is checked against limits by its peak and by its steepest increase', () => {
    const limits = plan(scenarioOf({ connections, ramp: { add: 50 } }), host).limits;
    const needed = (/** @type {string} */ name) => limits.find((limit) => limit.name === name)?.needed;
    assert.equal(needed('accept queue'), 300);
    assert.deepEqual([largestJump(ofConnections), fallsOf(ofConnections), fewestOf(ofConnections)], [300, 400, 50]);
    assert.equal(fewestOf([{ from: 0, to: 10, forNs: 1 }]), 1, 'of a line that begins at none');
  });

  it('leaves every worker with a connection for its share of a rate', () => {
    const few = [{ connections: 1, to: 50, for: '1s' }];
    assert.equal(plan(scenarioOf({ connections: few, rate: '10/s' }), host).legs[0].workers, 1);
    assert.equal(plan(scenarioOf({ connections: few }), host).legs[0].workers, 2);
  });
});
