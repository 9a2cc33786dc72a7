// Findings about the quality of a leg's measurement: what they report for made-up seconds, and how rarely they are
// reported without cause.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { arrivalsDistorted } from '../../client/judge/findings/arrivals.js';
import { clientDelay } from '../../client/judge/findings/client-delay.js';
import { notServed } from '../../client/judge/findings/outcome.js';
import { stalls, stallsWaiting } from '../../client/judge/findings/stalls.js';
import {
  dependenceOf,
  drift,
  kendallScore,
  slicesDependent,
  slopeOf,
  trendOf,
} from '../../client/judge/findings/stationarity.js';
import { seenOf } from '../../client/judge/findings/steady-state.js';
import { steadySlices } from '../../client/judge/findings/steady-slices.js';
import { Histogram } from '../../client/measure/histogram.js';
import { finding } from '../../client/judge/findings/finding.js';
import { warning as ofAgents } from '../../client/agents/warnings.js';
import { warning } from '../../client/words/warnings.js';
import { foundIn } from '../fixtures/found.js';
import { assertGolden } from '../fixtures/golden.js';
import {
  findingText,
  remediesOf,
  findingsOf as findingsIn,
  groupedFindings,
  rows,
} from '../../client/judge/findings/index.js';
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

const CHECKS = [stalls, stallsWaiting, clientDelay, arrivalsDistorted, drift, slicesDependent];

/** @param {any[]} samples @param {any} [load] @returns {string[]} */
const codesOf = (samples, load = {}) => foundIn(CHECKS, samples, load).map(({ code }) => code);

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
    const [{ code, severity, data }, ...others] = foundIn(CHECKS, seconds(falling));
    assert.deepEqual([code, severity, data.figure, others], ['drift', 'caution', 'perSecond', []]);
    assert.ok(Math.abs(data.change + 0.273) < 0.02, `${data.change}`);
    assert.deepEqual(codesOf(seconds(falling.map((n) => 5000 + n))), [], 'less than 10 %');
  });

  it('find a change as a part of what it was at first, by 100 % at most where it fell', () => {
    const factors = Array.from({ length: 30 }, (_, i) => 0.8 ** i);
    const fell = trendOf(factors.map((factor) => 1e6 * factor));
    assert.ok(Number(fell) > -1 && Number(fell) < -0.99, `${fell}`);
    const rose = trendOf(factors.map((factor) => 1e6 / factor));
    assert.ok(Number(rose) > 300, `${rose}`);
    const stopped = trendOf(factors.map((factor, i) => (i < 24 ? 1e6 * factor : 0)));
    assert.ok(Number(stopped) >= -1 && Number(stopped) < -0.99, `${stopped}`);
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
    const planned = [
      { rateProfile: [] },
      { connectionsProfile: [] },
      { workload: 'once' },
      { lifetime: { reopen: false } },
    ];
    for (const load of planned) {
      assert.deepEqual(codesOf(falling, load), []);
      assert.equal(seenOf({}, falling, load).intervals, undefined);
    }
  });

  it('give percentile intervals from 30 seconds on', () => {
    const even = Array.from({ length: 30 }, (_, i) => 3000 + (i % 2));
    const { intervals } = seenOf({}, seconds(even), {});
    assert.ok(intervals?.p50 && intervals.p99, JSON.stringify(intervals));
    assert.equal(seenOf({}, seconds(even.slice(1)), {}).intervals, undefined);
  });

  it('raise few false alarms, also where neighbouring seconds resemble each other a little', () => {
    const gaussian = normal(uniform(1));
    for (const [memory, maxShare] of [
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
        assert.ok(trends / 500 <= maxShare, `${n} s, memory ${memory}: ${trends} of 500 drift`);
        assert.ok(dependent / 500 <= 0.05, `${n} s: ${dependent} of 500 dependent`);
      }
    }
  });

  /** @param {string} severity @param {string} [code] */
  const findingOf = (severity, code = severity) => ({ code, severity, data: {}, text: code });

  it('are listed by severity, and of the same the server before the client', () => {
    const same = ['client-delay', 'stalls-waiting', 'drift'].map((code) => findingOf('caution', code));
    const legs = [
      { label: 'a', findings: [findingOf('note'), ...same] },
      { label: 'b', findings: [findingOf('problem')] },
      { label: 'd', connections: { requested: 9, unansweredAtEnd: 4 }, endedBy: 'plan' },
    ];
    assert.deepEqual(
      findingsOf(legs).map(({ label, code }) => `${label} ${code}`),
      ['d not-served', 'b problem', 'a drift', 'a stalls-waiting', 'a client-delay', 'a note'],
    );
  });

  it('name the rounds, and the other legs, of which the same was found', () => {
    const legs = [1, 2, 3].map((round) => ({ label: 'a', round, findings: round === 2 ? [] : [findingOf('note')] }));
    const [{ rounds, of }] = findingsOf(legs);
    assert.deepEqual([rounds, of], [[1, 3], 3]);
    const [many] = groupedFindings(
      summaryOf(['a', 'b', 'c'].map((label) => ({ label, findings: [findingOf('note')] }))),
    );
    assert.deepEqual([many.label, many.rest.map(({ label }) => label)], ['a', ['b', 'c']]);
  });

  it('give no server the figures or the remedy of another', () => {
    const short = (/** @type {number} */ left) => finding(notServed, { left, requested: 50, parts: {} });
    const legs = [49, 34, 34, 33, 32, 31].map((left, i) => ({ label: 'abcdef'[i], findings: [short(left)] }));
    const [grouped] = groupedFindings(summaryOf(legs));
    assert.equal(
      findingText(grouped),
      'a: 49 of 50 connections were not served. b and c: 34 of 50 connections were not served. ' +
        'd: 33 of 50 connections were not served. Also found, with other figures: e and f.',
    );
    const [single] = groupedFindings(summaryOf([{ label: 'a', findings: [short(1)] }]));
    assert.equal(findingText(single), 'a: 1 of 50 connections was not served.');
    const advised = ['x', 'y', 'y'].map((remedy, i) => ({ label: 'abc'[i], findings: [{ ...short(9), remedy }] }));
    assert.deepEqual(remediesOf(groupedFindings(summaryOf(advised))[0]), ['x', 'y']);
  });

  it('begin with the server that has it worst', () => {
    const stalled = (/** @type {number} */ longestNs) =>
      finding(stalls, { count: 1, longestNs, longestAtNs: 1e9, totalNs: longestNs, atNs: [1e9] });
    const legs = [290e6, 6.5e9, 1e9].map((ns, i) => ({ label: 'abc'[i], findings: [stalled(ns)] }));
    assert.deepEqual(
      findingsOf(legs).map(({ label }) => label),
      ['b', 'c', 'a'],
    );
  });

  it('are in one list with the warnings of legs and run: the end of a server once, with its last lines', () => {
    const how = { how: 'SIGKILL', started: true, reported: false, stderr: '' };
    const lost = (/** @type {number} */ worker) => warning('worker-lost', /** @type {any} */ ({ worker, ...how }));
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
      list.map(
        ({ code, label, times, rest, leg }) => `${code} ${leg} ${label} ${times} ${rest.map((row) => row.label)}`,
      ),
      [
        ...['server-ended 1 a 1 ', 'worker-lost 2 b 2 ', 'server-output 2 b 1 '],
        ...['pin-overlap undefined  1 ', 'few undefined a 1 b'],
      ],
    );
    assert.ok(list[0].text.endsWith('out of | memory'), list[0].text);
  });
});

describe('the list of findings', () => {
  it('has each code once, says when it is found, and has one rule for each', () => {
    const codes = rows.map(({ code }) => code);
    /** @type {string[]} */
    const ofWarnings = [...warning.codes, ...ofAgents.codes];
    assert.equal(new Set(codes).size, codes.length);
    for (const row of rows) {
      assert.match(row.when, /^[^|\n]+[^.|\n]$/, row.code);
      if ('text' in row) assert.ok(Boolean(row.ofSamples) !== Boolean(row.ofLeg), row.code);
      else assert.ok(ofWarnings.includes(row.code), row.code);
    }
  });

  it('has every row that a file of client/judge/findings/ exports', async () => {
    const folder = new URL('../../client/judge/findings/', import.meta.url);
    const files = readdirSync(folder).filter((name) => name !== 'index.js');
    assert.ok(files.length > 0);
    for (const file of files)
      for (const [name, value] of Object.entries(await import(new URL(file, folder).href)))
        for (const row of [value].flat())
          if (row?.severity !== undefined && row.when !== undefined)
            assert.ok(rows.includes(row), `add ${name} of ${file} to the list of client/judge/findings/index.js`);
  });
});

const use = { cpu: 0.284, wait: 0.316 };
const stalled = { count: 17, longestNs: 1.04e9, longestAtNs: 210.1e9, totalNs: 9e9, atNs: [206.4e9, 210.1e9, 222.2e9] };
const causes = { refused: 987_654, reset: 12_345, timeout: 1234 };
const cause = { code: 'descriptors', limit: 1_048_576 };
const quote = { kind: '5xx', state: 'busy', text: 'too busy' };
const inFlight = { inFlight: 1234, connections: 10_000 };

/** For each finding, data with which its text is about as long as it can be. @type {Record<string, any[]>} */
const LONGEST = {
  'did-not-run': [{ endedBy: 'server', reason: 'x'.repeat(80) }],
  incomplete: [
    { endedBy: 'server', reason: 'x'.repeat(80) },
    { endedBy: 'no-transfers', total: 1_000_000, causes },
  ],
  'failed-replies': [
    { count: 999, share: 0.0012, kinds: { 404: 545, 500: 452, 503: 2 }, ofLeg: 12_345 },
    { count: 0, share: 0, kinds: { 404: 545, 500: 452, 503: 2 }, ofLeg: 999 },
    { count: 999, share: 1, kinds: { 404: 545, 500: 452, 503: 2 } },
  ],
  'not-served': [
    { left: 987_654, requested: 1_000_000, parts: {}, cause },
    { left: 10_000, requested: 80_000, parts: {}, awaitReopening: true, waitedNs: 12.3e9 },
  ],
  'slow-connects': [{ slow: 98_765, of: 100_000, atNs: 1.02e9, cause: { code: 'accept-queue', limit: 4096 } }],
  errors: [{ total: 1_001_233, withRamp: true, causes }],
  rejects: [{ total: 1_001_233, causes, cause }],
  'client-limit': [{}],
  'descriptor-limit': [
    { limit: 1_048_576, peakUsed: 1_048_576, fullProcesses: 16, reached: true, served: 987_654, requested: 1_000_000 },
    { limit: 1_048_576, peakUsed: 1_048_500, fullProcesses: 1, reached: false, failed: 12_345 },
  ],
  'connection-limit': [
    { served: 1234, requested: 10_000, closed: 99_999, neverAnswered: 8766 },
    { served: 1234, requested: 10_000, closed: 99_999, neverAnswered: 8766, said: '"max number of clients reached"' },
  ],
  'idle-closed': [
    { count: 12_345, minNs: 5e9, p50Ns: 5.01e9, maxNs: 5.02e9 },
    { count: 12_345, minNs: 5.1e9, p50Ns: 15.2e9, maxNs: 65.3e9 },
  ],
  'backlog-full': [{ sockets: 2, backlog: 4096, delayed: 1721, timedOut: 1234, connecting: 3058, unanswered: 4311 }],
  stalls: [stalled],
  'sent-late': [{ due: 1_000_000, late: 98_765, unsent: 12_345, p99Ns: 1.24e9, serviceP99Ns: 124e6 }],
  'arrivals-distorted': [{ delayNs: 12.3e6, lateShare: 0.455 }],
  drift: [
    { figure: 'perSecond', change: 0.123 },
    { figure: 'p50Ns', change: -0.123 },
  ],
  'slices-apart': [{ errorNs: 12.3e6, settleOutNs: 12.4e6 }],
  'slices-short': [{ share: 0.123, settleOutNs: 123e6 }],
  'few-in-flight': [
    { ...inFlight, why: 'unanswered', waiting: 8766 },
    { ...inFlight, why: 'lost', lost: 12_345 },
    { ...inFlight, why: 'slices', lengthNs: 123e6 },
    { ...inFlight, why: 'client', gapNs: 123e6 },
  ],
  'unloaded-work': [{ cores: 0.123 }],
  'stalls-waiting': [stalled],
  'client-delay': [
    { parts: [0.56, 0.78].map((share, i) => ({ percentile: ['p50', 'p99'][i], share })), sampled: 98_765 },
  ],
  redirects: [{ share: 0.755, target: `/${'x'.repeat(66)}` }],
  'server-said': [{ quotes: [quote, { ...quote, kind: 'protocol', state: 'idle' }] }],
  'slices-dependent': [{ correlation: 0.456 }],
  'likely-limit': [
    ...['local', 'thread', 'cores', 'turns', 'replies'].map((reason) => ({
      ...{ limit: 'machine', cause: reason, client: use, server: use },
    })),
    { cause: 'unmeasured', client: use, limitedBy: 'unknown' },
  ],
  'closed-in-pause': [{ count: 12_345 }],
};

describe('the text of a finding', () => {
  it('is that of test/golden/findings.txt, and has one line of the console, with a label before it', () => {
    const findings = rows.flatMap((row) => {
      if (!('text' in row)) return [];
      assert.ok(LONGEST[row.code], `${row.code}: add data to LONGEST, with which its text is as long as it can be`);
      return LONGEST[row.code].map((data) => finding(row, data));
    });
    for (const { code, text } of findings) {
      assert.ok(text.length <= 120, `${code}: ${text.length} > 120: ${text}`);
      assert.doesNotMatch(text, /undefined|NaN|\[object/, code);
    }
    assertGolden('findings.txt', findings.map(({ code, text }) => `${code}: ${text}\n`).join(''));
    const [first] = findings.filter(({ code }) => code === 'likely-limit');
    const twice = { ...first, label: 'a', rounds: [], of: 1, rest: [], times: 2 };
    assert.match(findingText(/** @type {any} */ (twice)), /\(twice\)/);
  });
});
