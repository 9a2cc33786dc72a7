// Profiles: what a list of pieces asks for at which time, in the scenario, in the plan, and what a worker gets of it.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describePlan } from '../../client/plan/dry-run.js';
import { ROW_BYTES } from '../../client/plan/limits/kernel.js';
import { plan } from '../../client/plan/plan.js';
import { lengthOf, peakOf, ratePoints, requestsOf } from '../../client/plan/profile.js';
import { assign } from '../../client/run/assignment.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host } from '../fixtures/hosts.js';

/** @param {Record<string, unknown>} content @param {import('../../client/scenario/flags.js').Flags} [flags] */
const scenarioOf = (content, flags) => resolveScenario({ file: 'a.json', name: 'test',
  content: { servers: ['epoll'], connections: 100, ramp: { add: 100, every: '2s' }, ...content } }, flags);

const rate = [{ rate: '100/s', for: '2s' }, { rate: '100/s', to: '500/s', for: '4s' }, { rate: '0/s', for: '500ms' }];
const pieces = [{ from: 100, to: 100, forNs: 2e9 }, { from: 100, to: 500, forNs: 4e9 }, { from: 0, to: 0, forNs: 5e8 }];

describe('a profile of the rate', () => {
  it('is as long as the steady state, unless that is said', () => {
    const { rateProfile, rate: peak, durationNs } = scenarioOf({ rate });
    assert.deepEqual([rateProfile, peak, durationNs], [pieces, 500, 6.5e9]);
    assert.equal(scenarioOf({ rate, duration: '1m' }).durationNs, 60e9);
    const constant = scenarioOf({ rate: '100/s' });
    assert.deepEqual([constant.rateProfile, constant.rate, constant.durationNs], [null, 100, 30e9]);
  });

  it('is a flag too, as JSON', () => {
    const flags = flagsOf({ rate: '[{"rate": "1/s", "to": "2/s", "for": "1s"}]' });
    assert.deepEqual(scenarioOf({}, flags).rateProfile, [{ from: 1, to: 2, forNs: 1e9 }]);
    assert.equal(scenarioOf({ rate }, flagsOf({ rate: '7/s' })).rate, 7);
    assert.throws(() => flagsOf({ rate: ['1/s', '2/s'] }), /--rate: given 2 times/);
    assert.throws(() => scenarioOf({}, flagsOf({ rate: '[{"rate"' })), /--rate: "\[\{.*is not a rate such as 50000\/s, or a list/);
  });

  for (const [what, wrong, message] of /** @type {[string, unknown, RegExp][]} */ ([
    ['without a length', [{ rate: '1/s' }], /a\.json: rate\[0\]\.for: missing; give a duration/],
    ['of no length', [{ rate: '1/s', for: '0s' }], /a\.json: rate\[0\]\.for: must be longer than 0s/],
    ['of nothing', [{ rate: '0/s', for: '1s' }], /rate: 0\/s is not a rate of requests at the peak of a profile/],
    ['of no pieces', [], /rate: \[\] is not a rate such as/],
    ['with a key that is not', [{ rate: '1/s', until: '2/s', for: '1s' }], /rate\[0\]\.until: unknown key/],
    ['without a unit', [{ rate: '100', for: '1s' }], /rate\[0\]\.rate: "100" is not a rate .*did you mean 100\/s\?/],
  ])) it(`${what} is refused`, () => assert.throws(() => scenarioOf({ rate: wrong }), message));

  it('belongs to a workload that a rate belongs to', () =>
    assert.throws(() => scenarioOf({ rate, workload: 'hold' }), /rate: a profile belongs to workload "continuous" or/));

  it('is points of the plan: a step is one, a line two', () => {
    const { legs: [leg], expected } = plan(scenarioOf({ rate }), host);
    assert.deepEqual(leg.rates, [{ atNs: 0, rate: 100, line: false }, { atNs: 2e9, rate: 100, line: false },
      { atNs: 6e9, rate: 500, line: true }, { atNs: 6e9, rate: 0, line: false }]);
    assert.equal(expected.transferLogBytes, 1400 * ROW_BYTES.parquet); // 200 + 1,200 requests
    assert.equal(plan(scenarioOf({}), host).legs[0].rates, undefined);
  });

  it('is divided over the workers by their connections', () => {
    const scenario = scenarioOf({ rate, connections: 5, workers: 2 });
    const { legs: [leg] } = plan(scenario, host);
    const shares = [0, 1].map((worker) => assign({ settings: scenario, leg, worker, generation: 0, t0Ns: 0n,
      endpoints: [], log: null }));
    assert.deepEqual(shares.map(({ rates }) => rates.map((point) => point.rate)),
      [[60, 60, 300, 0], [40, 40, 200, 0]]);
    assert.ok(shares.every(({ rateFromNs }) => rateFromNs === leg.steadyFromNs));
  });

  it('is said before a run, and that its end is not reached', () => {
    const scenario = scenarioOf({ rate });
    assert.match(describePlan(scenario, plan(scenario, host), host),
      /continuous: echo of 1KiB, 100 for 2s, 100 to 500 in 4s, 0 for 500ms a second on the connections that are free/);
    assert.deepEqual(plan(scenario, host).warnings, []);
    assert.match(plan(scenarioOf({ rate, duration: '5s' }), host).warnings.join(),
      /^rate: the profile lasts 6\.5s, and the steady state ends after 5s: its end is not reached/);
  });

  it('asks for the area below it', () => {
    const points = ratePoints(500, pieces, 0);
    assert.deepEqual([0, 1e9, 2e9, 4e9, 6e9, 7e9].map((ns) => requestsOf(points, ns)), [0, 100, 200, 600, 1400, 1400]);
    const held = ratePoints(500, pieces, 3e9);
    assert.deepEqual(held[0], { atNs: 0, rate: 100, line: false });
    assert.equal(requestsOf(held, 9e9), 1700);
    assert.equal(requestsOf(ratePoints(70, null, 3e9), 2e9), 140);
    const value = fc.integer({ min: 0, max: 1000 });
    const piece = fc.record({ from: value, to: value, forNs: fc.integer({ min: 1, max: 10e9 }) });
    fc.assert(fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (profile) => {
      const sum = profile.reduce((all, { from, to, forNs }) => all + (((from + to) / 2) * forNs) / 1e9, 0);
      const asked = requestsOf(ratePoints(peakOf(profile), profile, 0), lengthOf(profile));
      assert.ok(Math.abs(asked - sum) < 1e-6 * (1 + sum), `${asked} of ${sum}`);
    }));
  });
});
