// Legs side by side: they start together, take the length of their slices from the pilot, and end together with a
// budget.

import assert from 'node:assert/strict';
import { measuredLengths } from '../../client/plan/slices.js';
import { Histogram } from '../../client/measure/histogram.js';
import { withSteadyLengths } from '../../client/measure/slices.js';
import { LegGroup } from '../../client/run/cluster/leg-group.js';
import { evenSlices } from '../fixtures/even-slices.js';

const SECOND = 1e9;
const STEADY_FROM_NS = 5 * SECOND;
const SLICES = evenSlices({ fromNs: STEADY_FROM_NS });
SLICES.stages.splice(1, 0, { ...SLICES.stages[0], phase: 'pilot', fromNs: 3 * SECOND });

/**
 * Two legs of a group, with records of the calls to them.
 * @param {ConstructorParameters<typeof LegGroup>} of the group
 */
function groupOf(...of) {
  const group = new LegGroup(...of);
  const legs = [0, 1].map((index) => {
    const leg = {
      ...{ isOver: false, started: 0, ended: /** @type {string[]} */ ([]), changed: /** @type {any[]} */ ([]) },
      settings: { pipeline: 1, pauseNs: 0 },
      leg: {
        connections: 100,
        slices: { ...SLICES, index },
        steadyFromNs: STEADY_FROM_NS,
        steadyToNs: STEADY_FROM_NS + 10 * SECOND,
      },
      clock: {
        startNs: /** @type {bigint | null} */ (null),
        start: () => 7n,
        sinceStart: () => STEADY_FROM_NS - SECOND,
      },
      source: { startLeadNs: 0n, noticeNs: 50e6 },
      workers: { canStart: true },
      begin(/** @type {bigint} */ startNs) {
        leg.clock.startNs = startNs;
        leg.started += 1;
      },
      drain: (/** @type {string} */ reason) => void leg.ended.push(reason),
      changeSlices: (/** @type {any} */ slices) => void leg.changed.push(slices),
    };
    group.join(/** @type {any} */ (leg));
    return leg;
  });
  const observe = (/** @type {number} */ leg, /** @type {object} */ sample) =>
    group.observe(/** @type {any} */ (legs[leg]), /** @type {any} */ (sample));
  return { group, legs, observe };
}

describe('legs side by side', () => {
  it('start once, when all of them are ready', () => {
    const { group, legs } = groupOf();
    const started = () => legs.map((leg) => leg.started);
    legs[1].workers.canStart = false;
    group.startIfReady();
    assert.deepEqual(started(), [0, 0]);
    legs[1].workers.canStart = true;
    group.startIfReady();
    group.startIfReady();
    assert.deepEqual(started(), [1, 1]);
  });

  it('do not wait for one that has ended', () => {
    const { group, legs } = groupOf();
    legs[1].workers.canStart = false;
    group.leave(/** @type {any} */ (legs[1]));
    assert.deepEqual([legs[0].started, legs[1].started], [1, 0]);
  });

  it('have the slices that the throughput of each asks for, once each has a second of the pilot', () => {
    const { legs, observe } = groupOf();
    const times = new Histogram();
    times.record(1e6);
    /**
     * @param {number} leg
     * @param {number} transfers in 100 ms
     * @param {string} [phase]
     * @param {number} [secondsLeft] of the pilot
     */
    const pilot = (leg, transfers, phase = 'warmup', secondsLeft = 1) =>
      observe(leg, {
        ...{ phase, toNs: STEADY_FROM_NS - secondsLeft * SECOND },
        ...{ slices: { turnNs: 1e8, measuredNs: 1e8, transfers, late: 0, closed: 0 } },
        histograms: { responseTime: times.toLine() },
      });
    pilot(0, 1e6, 'ramp');
    pilot(0, 900, 'warmup', 2);
    pilot(0, 1000);
    assert.deepEqual(legs[0].changed, []);
    pilot(1, 500);
    pilot(0, 2000);
    const cycles = [10e6, 20e6].map((ns) => ({ cycleNs: ns, responseNs: ns }));
    const lengths = measuredLengths(cycles, 2, 10e9 / 2);
    for (const [index, { changed }] of legs.entries())
      assert.deepEqual(changed, [withSteadyLengths({ ...SLICES, index }, lengths)]);
  });

  /** @param {boolean[]} answers to whether enough is known, in turn */
  function withBudget(answers) {
    let asked = 0;
    const made = groupOf([SECOND, 2 * SECOND, 4 * SECOND], () => answers[asked++]);
    // of two legs, each is loaded for half of the time
    const come = (/** @type {number} */ leg, /** @type {number} */ seconds) =>
      made.observe(leg, { phase: 'steady', toNs: STEADY_FROM_NS + 2 * seconds * SECOND });
    return { come, ended: () => made.legs.map(({ ended }) => ended.join()), asked: () => asked };
  }

  it('end together at the first look at which enough is known, once each has come so far', () => {
    const { come, ended, asked } = withBudget([false, true]);
    come(0, 1);
    assert.equal(asked(), 0);
    come(1, 1);
    assert.equal(asked(), 1);
    come(0, 2);
    assert.deepEqual(ended(), ['', '']);
    come(1, 2);
    assert.deepEqual([ended(), asked()], [['confident', 'confident'], 2]);
  });

  it('are not asked about at the end of the budget, where they end anyway', () => {
    const { come, ended, asked } = withBudget([false, false, true]);
    for (let at = 1; at <= 4; at += 1) for (const leg of [0, 1]) come(leg, at);
    assert.deepEqual([ended(), asked()], [['', ''], 2]);
  });
});
