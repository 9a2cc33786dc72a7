// Key `untilConfident`: its grammar, what it is refused with, when a leg may end, and what is said where it was not enough.
import assert from 'node:assert/strict';
import { checkSteadyState } from '../../client/judge/findings/index.js';
import { steadySlices } from '../../client/judge/findings/steady-slices.js';
import { confidenceText, ConfidenceRule, precisionsOf } from '../../client/judge/findings/confidence.js';
import { Histogram } from '../../client/measure/histogram.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

/** @param {any} scenario */
const resolve = (scenario) => resolveScenario({ content: { servers: ['epoll'], connections: 10, ...scenario } });

/** @param {any} scenario @returns {string[]} path and code of each mistake */
function refusal(scenario) {
  try {
    resolve(scenario);
  } catch (error) {
    return /** @type {any} */ (error).data.mistakes.map((/** @type {any} */ { path, code }) => `${path} ${code}`);
  }
  return [];
}

/** @param {number} n @param {number} [spread] of the times from second to second @returns {any[]} samples of a steady state */
const seconds = (n, spread = 0) =>
  Array.from({ length: n }, (_, i) => {
    const times = new Histogram();
    for (let k = 0; k < 100; k += 1) times.record(Math.round((1e6 + 1e4 * k) * (1 + spread * ((i * 7) % 5))), 20);
    const from = 5 + i;
    return {
      phase: 'steady',
      fromNs: from * 1e9,
      toNs: (from + 1) * 1e9,
      counters: { transfers: 2000 },
      histograms: { responseTime: times.toLine() },
    };
  });

const rule = { shares: { p50: 0.05, p99: 0.05 }, minNs: 30e9 };

/** @param {any[]} samples @param {any} given @returns {number | null} after how many seconds the leg may end */
function endOf(samples, given = rule) {
  const confidence = new ConfidenceRule(given);
  const found = samples.findIndex((sample) => confidence.observe(sample));
  return found === -1 ? null : found + 1;
}

describe('key untilConfident', () => {
  it('plans for its maximum, and keeps duration as the least', () => {
    const { untilConfident, durationNs } = resolve({ duration: '20s', untilConfident: { p99: '5%', maximum: '2m' } });
    assert.deepEqual([untilConfident, durationNs], [{ shares: { p99: 0.05 }, minNs: 20e9 }, 120e9]);
    assert.equal(resolve({ untilConfident: { p50: '2.5%' } }).durationNs, 300e9);
    assert.equal(resolve({}).untilConfident, null);
    assert.equal(confidenceText({ shares: { p99: 0.05 }, minNs: 20e9 }), 'until p99 is known to ±5 %, at least 20 s');
  });

  it('is refused where it names no percentile, an impossible precision or length', () => {
    assert.deepEqual(refusal({ untilConfident: {} }), ['untilConfident no-percentile']);
    assert.deepEqual(refusal({ untilConfident: { p99: '0%' } }), ['untilConfident.p99 out-of-range']);
    assert.deepEqual(refusal({ untilConfident: { p99: '100%' } }), ['untilConfident.p99 out-of-range']);
    const short = { duration: '20s', untilConfident: { p99: '5%', maximum: '20s' } };
    assert.deepEqual(refusal(short), ['untilConfident.maximum maximum-below-duration']);
    assert.equal(refusal({ untilConfident: { p99: '5%', maximum: '200h' } })[0], 'untilConfident.maximum out-of-range');
    assert.equal(refusal({ untilConfident: { p99: '5' } }).length, 1);
    assert.equal(refusal({ untilConfident: { p98: '5%' } }).length, 1);
  });

  it('is refused where percentile intervals cannot be had', () => {
    const untilConfident = { p99: '5%' };
    for (const [given, code] of /** @type {[any, string][]} */ ([
      [{ workload: 'once' }, 'key-not-for-workload'],
      [{ workload: 'hold' }, 'hold-without-heartbeat'],
      [{ rate: [{ rate: '1/s', for: '9s' }] }, 'confidence-with-profile'],
      [{ connections: [{ connections: 5, for: '9s' }] }, 'confidence-with-profile'],
      [{ transfers: 1000 }, 'confidence-with-end'],
      [{ lifetime: { transfers: 10, reopen: false } }, 'confidence-with-end'],
    ])) {
      assert.deepEqual(refusal({ ...given, untilConfident }), [`untilConfident ${code}`], JSON.stringify(given));
    }
    assert.deepEqual(refusal({ workload: 'hold', heartbeat: '1s', untilConfident }), []);
  });

  it('ends a leg when its intervals are narrow, every 10 s, and not before the least length', () => {
    assert.equal(endOf(seconds(60)), 30);
    assert.equal(endOf(seconds(60), { ...rule, minNs: 40e9 }), 40);
    assert.equal(endOf(seconds(60), { ...rule, minNs: 5e9 }), 30, 'fewer seconds have no interval');
    assert.equal(endOf(seconds(29)), null);
    assert.equal(endOf(seconds(60, 0.5)), null, 'the seconds differ too much');
    assert.equal(endOf(seconds(60), null), null);
    const ramp = seconds(60).map((sample) => ({ ...sample, phase: 'ramp' }));
    assert.equal(endOf(ramp), null, 'only the steady state counts');
  });

  it('reads each second once, however long it takes', () => {
    const { fromLine } = Histogram;
    let read = 0;
    Histogram.fromLine = (line) => {
      read += 1;
      return fromLine(line);
    };
    try {
      assert.equal(endOf(seconds(200, 0.5), { ...rule, shares: { p50: 1e-9, p99: 1e-9 } }), null);
    } finally {
      Histogram.fromLine = fromLine;
    }
    assert.equal(read, 200);
  });

  it('says what was not reached', () => {
    assert.deepEqual(checkSteadyState(seconds(40), { untilConfident: rule }).findings, []);
    const { findings } = checkSteadyState(seconds(40, 0.5), { untilConfident: rule });
    const found = findings.find(({ code }) => code === 'not-confident');
    assert.deepEqual(
      [found?.severity, found?.data.missed[0].percentile, found?.data.missed[0].wanted],
      ['caution', 'p50', 0.05],
    );
    assert.ok(found?.data.missed[0].reached > 0.05);
    assert.deepEqual(precisionsOf(steadySlices([]), { p99: 0.05 }), [
      { percentile: 'p99', wanted: 0.05, reached: null },
    ]);
  });
});
