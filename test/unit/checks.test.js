// The checks that a leg's measurement makes of itself: what they find in made-up seconds, and how rarely without cause.
import assert from 'node:assert/strict';
import { checkSteadyState } from '../../client/judge/findings/steady-state.js';
import { dependenceOf, trendOf, kendallScore, slopeOf } from '../../client/judge/findings/stationarity.js';
import { steadySlices } from '../../client/judge/findings/steady-slices.js';
import { Histogram } from '../../client/measure/histogram.js';
import { finding } from '../../client/judge/findings/finding.js';
import { warning } from '../../client/words/warnings.js';
import { findingLines } from '../../client/console/result-lines.js';
import { findingText, findingsOf as findingsIn, groupedFindings } from '../../client/judge/findings/index.js';
import { autoregressive, normal, uniform } from '../fixtures/random-numbers.js';

/** @param {number[]} transfers of each second @param {any} [given] of all samples @returns {any[]} samples */
const seconds = (transfers, given = {}) =>
  transfers.map((count, i) => {
    const times = new Histogram();
    times.record(1e6, count - 50);
    times.record(5e6, 50);
    return {
      phase: 'steady',
      fromNs: i * 1e9,
      toNs: (i + 1) * 1e9,
      counters: { transfers: count },
      histograms: { responseTime: times.toLine() },
      gauges: {},
      ...given,
    };
  });

/** @param {any[]} legs complete, of summary.json @returns {any} its summary */
const summaryOf = (legs) => ({ legs: legs.map((leg) => ({ id: leg.label, complete: true, ...leg })) });
/** @param {any[]} legs */
const findingsOf = (legs) => findingsIn(summaryOf(legs));

/** @param {any[]} samples @param {any} [load] @returns {string[]} */
const codesOf = (samples, load = {}) => checkSteadyState(samples, load).findings.map(({ code }) => code);

describe('checks of the measurement', () => {
  it('cut the steady state into seconds, with what was in flight at its end', () => {
    const [steady, short] = seconds([100, 60]);
    const ramp = { ...steady, phase: 'ramp' };
    const drain = { ...steady, phase: 'drain' };
    const { slices } = steadySlices([ramp, steady, { ...short, toNs: short.fromNs + 1e8 }, drain]);
    assert.equal(slices.length, 1);
    assert.deepEqual([slices[0].transfers, slices[0].times.count, slices[0].toNs], [160, 260, 1.1e9]);
    assert.deepEqual(steadySlices([ramp, drain]).slices, []);
  });

  it('measure a trend by ranks', () => {
    const rising = [1, 2, 3, 4, 5, 6, 7, 8];
    assert.ok(Math.abs(kendallScore(rising) - 27 / Math.sqrt((8 * 7 * 21) / 18)) < 1e-12, 'all 28 pairs rise');
    assert.equal(kendallScore(rising.toReversed()), -kendallScore(rising));
    assert.equal(kendallScore([5, 5, 5, 5, 5, 5, 5, 5]), 0);
    assert.equal(slopeOf([1, 3, 5, 7, 900]), 2, 'an outlier does not move it');
  });

  it('find a drift of throughput, and say by how much', () => {
    const falling = Array.from({ length: 30 }, (_, i) => 1000 - 10 * i + (i % 3));
    const { findings } = checkSteadyState(seconds(falling), {});
    assert.deepEqual(
      findings.map(({ code, severity, data: { figure } }) => [code, severity, figure]),
      [['drift', 'caution', 'perSecond']],
    );
    assert.ok(Math.abs(findings[0].data.change + 0.317) < 0.02, `${findings[0].data.change}`);
    assert.deepEqual(codesOf(seconds(falling.map((n) => 5000 + n))), [], 'less than 10 %');
  });

  it('find phases that last for several seconds, and nothing in even seconds', () => {
    const phases = Array.from({ length: 40 }, (_, i) => (Math.floor(i / 5) % 2 === 0 ? 1000 : 700));
    assert.deepEqual(codesOf(seconds(phases)), ['slices-dependent']);
    assert.deepEqual(codesOf(seconds(phases.map(() => 1000))), []);
    assert.deepEqual(codesOf(seconds(phases.slice(0, 9))), [], 'too short to tell');
  });

  it('leave a load that changes as planned alone', () => {
    const falling = seconds(Array.from({ length: 40 }, (_, i) => 2000 - 10 * i));
    assert.deepEqual(codesOf(falling), ['drift']);
    for (const load of [
      { rateProfile: [] },
      { connectionsProfile: [] },
      { workload: 'once' },
      { lifetime: { reopen: false } },
    ]) {
      assert.deepEqual(checkSteadyState(falling, load), { findings: [] });
    }
  });

  it('give percentile intervals from 30 seconds on', () => {
    const even = Array.from({ length: 30 }, (_, i) => 3000 + (i % 2));
    const { intervals } = checkSteadyState(seconds(even), {});
    assert.ok(intervals?.p50 && intervals.p99, JSON.stringify(intervals));
    assert.equal(checkSteadyState(seconds(even.slice(1)), {}).intervals, undefined);
  });

  it('raise few false alarms, also where neighbouring seconds resemble each other a little', () => {
    const gaussian = normal(uniform(1));
    for (const [memory, most] of [
      [0, 0.02],
      [0.3, 0.05],
    ]) {
      for (const n of [10, 30]) {
        let trends = 0;
        let dependent = 0;
        for (let i = 0; i < 500; i += 1) {
          const series = autoregressive(gaussian, memory);
          const values = Array.from({ length: n }, () => 100 * Math.exp(0.1 * series()));
          if (trendOf(values) !== null) trends += 1;
          if (memory === 0 && dependenceOf(values) !== null) dependent += 1;
        }
        assert.ok(trends / 500 <= most, `${n} s, memory ${memory}: ${trends} of 500 drift`);
        assert.ok(dependent / 500 <= 0.05, `${n} s: ${dependent} of 500 dependent`);
      }
    }
  });

  it('are listed by severity, with the leg that each is about', () => {
    const one = (/** @type {any} */ severity) => ({ code: severity, severity, data: {}, text: severity });
    const legs = [
      { label: 'a', findings: [one('note'), one('caution')] },
      { label: 'b', findings: [one('problem')] },
      { label: 'c' },
    ];
    assert.deepEqual(
      findingsOf(legs).map(({ label, code }) => [label, code]),
      [
        ['b', 'problem'],
        ['a', 'caution'],
        ['a', 'note'],
      ],
    );
    const rounds = findingsOf([legs[0], { label: 'a', round: 2 }, { label: 'a', round: 3, findings: [one('note')] }]);
    assert.deepEqual(
      rounds.map(({ code, rounds: n, of }) => [code, n, of]),
      [
        ['caution', [1], 3],
        ['note', [1, 3], 3],
      ],
    );
    const same = ['client-delay', 'stalls-waiting', 'drift'].map((code) => ({ ...one('caution'), code }));
    assert.deepEqual(
      findingsOf([{ label: 'a', findings: same }]).map(({ code }) => code),
      ['drift', 'stalls-waiting', 'client-delay'],
      'of the same severity the server before the client',
    );
    const many = groupedFindings(summaryOf(['a', 'b', 'c'].map((label) => ({ label, findings: [one('note')] }))));
    assert.deepEqual(
      many.map(({ label, others }) => [label, others]),
      [['a', ['b', 'c']]],
    );
    const linesOf = (/** @type {any[]} */ some) =>
      findingLines({ ...summaryOf(some), cases: [], config: {} }, 80, (_tone, text) => text);
    assert.equal(linesOf(legs).length, 3);
    assert.deepEqual(linesOf([{ label: 'c' }]), []);
    const short = { label: 'd', connections: { requested: 9, unansweredAtEnd: 4 }, endedBy: 'plan' };
    assert.deepEqual(
      findingsOf([{ ...short, findings: [one('note')] }]).map(({ code }) => code),
      ['not-served', 'note'],
    );
    assert.deepEqual(linesOf([short]), [], 'the headline tells it');
  });

  it('are in one list with the warnings of legs and run: the end of a server once, with its last lines', () => {
    const lost = (/** @type {number} */ worker) =>
      warning(
        'worker-lost',
        /** @type {any} */ ({ worker, how: 'SIGKILL', started: true, reported: false, stderr: '' }),
      );
    const lastLines = ['x'.repeat(99), 'out of', 'memory'];
    const ended = warning('server-ended', { signal: 'SIGSEGV', exitCode: null, leftBehind: 0, lastLines });
    const legs = [
      { id: '1', label: 'a', warnings: [warning('server-output', { line: 'memory' }), ended] },
      { id: '2', label: 'b', warnings: [lost(1), lost(2), warning('server-output', { line: 'hello' })] },
    ];
    const planned = warning('pin-overlap', { cpus: [1], client: null, server: null });
    const left = { code: 'few', data: { servers: ['a', 'b'] }, text: 'few' };
    const list = groupedFindings({ ...summaryOf(legs), warnings: [planned, planned, left] });
    assert.deepEqual(
      list.map(({ code, label, times, others, leg }) => [code, label, times, others, leg]),
      [
        ['server-ended', 'a', 1, [], '1'],
        ['worker-lost', 'b', 2, [], '2'],
        ['server-output', 'b', 1, [], '2'],
        ['pin-overlap', '', 1, [], undefined],
        ['few', 'a', 1, ['b'], undefined],
      ],
    );
    assert.ok(list[0].text.endsWith('out of | memory'), list[0].text);
    assert.ok(findingText(list[1]).includes('twice'));
  });
});

describe('what is found', () => {
  it('is said in one line of the console, with a label before it', () => {
    const use = { cpu: 0.284, wait: 0.316 };
    const times = { p99AboveNs: 4.85e9, serviceP99AboveNs: 3.01e9 };
    const descriptors = /** @type {const} */ ({ code: 'descriptors', limit: 1_048_576 });
    const queue = /** @type {const} */ ({ code: 'accept-queue', limit: 4096 });
    const stalls = { count: 17, longestNs: 1.04e9, totalNs: 9e9, atNs: [206.4e9, 210.1e9, 222.2e9] };
    /** @type {import('../../client/judge/findings/finding.js').Finding[]} */
    const found = [
      finding('drift', { figure: 'p50Ns', change: -0.234 }),
      .../** @type {const} */ (['local', 'thread', 'cores', 'turns', 'replies']).map((cause) =>
        finding('likely-limit', { limit: 'machine', cause, client: use, server: use }),
      ),
      finding('slices-dependent', { figure: 'perSecond', correlation: 0.54 }),
      finding('stalls', stalls),
      finding('stalls-waiting', stalls),
      finding('sent-late', { due: 60_000, late: 12_345, unsent: 9999, ...times }),
      finding('slices-short', { late: 1, share: 0.123, lengthNs: 1e9, settleNs: 167e6 }),
      finding('slices-apart', { errorNs: 16.7e6, settleNs: 12.5e6 }),
      finding('unloaded-work', { cores: 0.123, unloadedSeconds: 12, loadedSeconds: 34 }),
      finding('connection-limit', { served: 1234, requested: 10_000, closed: 99_999, neverAnswered: 8766 }),
      finding('idle-closed', { count: 9999, minNs: 112e6, p50Ns: 563e6, maxNs: 1.02e9 }),
      finding('backlog-full', {
        ...{ sockets: 2, backlog: 4096, peakQueue: 4097, drops: 9, delayed: 1721, timedOut: 1234 },
        ...{ connecting: 3058, unanswered: 4311 },
      }),
      finding('arrivals-distorted', {
        ...{ distribution: 'poisson', gaps: 9, distance: 0.7, delayNs: 145e6, lateShare: 0.3375 },
      }),
      finding('did-not-run', { endedBy: 'error', reason: `${'x'.repeat(99)}…` }),
      finding('incomplete', { endedBy: 'no-transfers', total: 123_456, causes: { refused: 123_000, local: 456 } }),
      finding('not-served', { left: 987_654, requested: 1_000_000, parts: {}, cause: descriptors }),
      finding('slow-connects', { slow: 98_765, of: 100_000, atNs: 1e9, reason: 'accept-queue', cause: queue }),
      finding('errors', {
        total: 123_456,
        causes: { timeout: 99_999, closed: 20_000, reset: 3457 },
        cause: descriptors,
      }),
      finding('rejects', {
        total: 1_234_567,
        causes: { timeout: 999_999, local: 200_000, reset: 34_568 },
        cause: queue,
      }),
      finding('client-limit', {}),
      finding('redirects', { share: 0.755, target: `/${'x'.repeat(66)}` }),
      finding('unwanted-replies', { count: 12_345, share: 0.25, kinds: { '4xx': 12_000, '5xx': 345 } }),
    ];
    for (const { code, text } of found) assert.ok(text.length <= 120, `${code}: ${text.length}: ${text}`);
  });
});
