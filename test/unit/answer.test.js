// The answer of a run: what it claims, what it refuses to claim, and what went wrong, for every kind of run.

import assert from 'node:assert/strict';
import { answerOf, answerText } from '../../client/judge/answer/index.js';
import { compareRuns } from '../../client/judge/compare-runs/index.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { FAST, SLOW, codesOf, legOf, partOf, rounds, runOf } from '../fixtures/made-up-answers.js';

describe('the answer of a run', () => {
  it('names the better of two servers with the ratio and its interval, whichever comes first', () => {
    for (const legs of [
      [...rounds('a', FAST), ...rounds('b', SLOW)],
      [...rounds('b', SLOW), ...rounds('a', FAST)],
    ]) {
      const [{ code, severity, data, text }, ...others] = answerOf(runOf(legs));
      assert.deepEqual([code, severity, others], ['difference', 'answer', []]);
      assert.deepEqual(data.points, [{ figure: 'perSecond', best: 'a', equal: [], worse: ['b'], unknown: [] }]);
      assert.match(text, /^a answers 2 times \([\d.]+ to [\d.]+\) as many transfers as b at 100 connections\.$/);
    }
  });

  it('names the shorter response time in open loop', () => {
    const legs = [...rounds('a', FAST, { p99: 8e6 }), ...rounds('b', FAST, { p99: 4e6 })];
    const { data, text } = partOf(runOf(legs, { config: { loop: 'open' } }), 'difference');
    assert.deepEqual([data.points[0].figure, data.points[0].best], ['p99Ns', 'b']);
    assert.match(text, /^The p99 of b is 50 %.* shorter than that of a/);
  });

  it('states the memory of servers whose connections are mostly idle', () => {
    const using = (/** @type {string} */ name, /** @type {number} */ peakRssBytes) =>
      rounds(name, FAST, { serverUse: { peakRssBytes } });
    const legs = [...using('a', 90e6), ...using('b', 3e6), ...rounds('unknown', FAST)];
    const open = { config: { loop: 'open' } };
    const sizes = [
      { case: 'b', peakBytes: 3e6 },
      { case: 'a', peakBytes: 90e6 },
    ];
    assert.deepEqual(partOf(runOf(legs, open), 'memory').data.cases, sizes);
    assert.deepEqual(partOf(runOf(legs, { config: { workload: 'hold' } }), 'memory').data.cases, sizes);
    assert.ok(!codesOf(runOf(legs)).includes('memory'), 'not of busy connections');
    const many = Array.from({ length: 7 }, (_, i) => using(`s${i}`, 1e6)).flat();
    assert.ok(!codesOf(runOf(many, open)).includes('memory'));
    assert.ok(!codesOf(runOf(using('a', 1e6), open)).includes('memory'));
  });

  it('claims no difference where the interval contains 1', () => {
    const run = runOf([...rounds('a', [100, 110, 90]), ...rounds('b', [105, 95, 100])]);
    assert.deepEqual(codesOf(run), ['no-difference']);
    assert.match(
      partOf(run, 'no-difference').text,
      /between [ab] and [ab] at 100 connections \(ratio [\d.]+ to [\d.]+\)/,
    );
  });

  it('claims nothing of what was measured once or twice', () => {
    const once = [legOf({ name: 'a', rate: 5000 }), legOf({ name: 'b', rate: 1000 })];
    assert.deepEqual(codesOf(runOf(once)), ['measured-once', 'not-ranked']);
    assert.match(partOf(runOf(once), 'measured-once').text, /a 5,000\/s, p99 5 ms; b 1,000\/s, p99 5 ms\.$/);
    assert.doesNotMatch(answerText(runOf(once)), /times|more|fewer/);
    const twice = runOf([...rounds('a', [1, 2]), ...rounds('b', [8, 9])]);
    assert.deepEqual(codesOf(twice), ['too-few-rounds', 'not-ranked']);
  });

  it('of a sweep measured once, goes along it, without the figures of servers that served only some', () => {
    const at = (/** @type {number} */ connections, /** @type {string} */ name, /** @type {number} */ rate, over = {}) =>
      legOf({ name, rate, axes: { connections }, requested: connections, ...over });
    const few = (/** @type {number} */ n) => ({
      account: { served: 1, unanswered: n - 1 },
      serverModel: { concurrent: 1 },
    });
    const legs = [
      ...[at(100, 'a', 9000), at(10, 'a', 3000), at(1000, 'a', 5000)],
      ...[10, 100, 1000].map((n) => at(n, 'b', 90_000, few(n))),
    ];
    const run = runOf(legs);
    const { text } = partOf(run, 'measured-once');
    assert.match(text, /: at 10, 100 and 1,000 connections, a had 3,000\/s, 9,000\/s and 5,000\/s\.$/);
    const long = [1000, 3000, 9000, 7000, 5000].map((rate, i) => at(10 ** i, 'a', rate));
    assert.match(
      partOf(runOf([...long, ...[1, 10].map((n) => at(n, 'b', 1))]), 'measured-once').text,
      /: from 1 connection to 10,000 connections, a had 1,000\/s to 5,000\/s \(most 9,000\/s at 100 connections\)\.$/,
    );
    const short = partOf(run, 'not-served');
    assert.deepEqual(
      short.data.cases.map((/** @type {any} */ { cause }) => cause),
      ['places', 'places', 'places'],
    );
    assert.match(
      short.text,
      /^3 of 6 cases .*: b at 10, 100 and 1,000 connections \(at worst 1 of 1,000\); it serves 1 at once\.$/,
    );
    const many = runOf(Array.from({ length: 6 }, (_, i) => at(10, `s${i}`, 1000 + i, i === 5 ? few(10) : {})));
    assert.match(
      partOf(many, 'measured-once').text,
      /the 5 cases that served every connection had between 1,000\/s .* and 1,004\/s/,
    );
  });

  it('names the limit of the server that was the cause', () => {
    const limit = { code: 'descriptor-limit', severity: 'problem', data: { reached: true, limit: 600 } };
    const full = { code: 'backlog-full', severity: 'problem', data: { backlog: 128 } };
    const some = { account: { served: 40, unanswered: 60 }, kernel: { TcpExtListenOverflows: 7 } };
    const causeOf = (/** @type {string} */ code, /** @type {any} */ over) =>
      partOf(runOf([legOf({ name: 'a', ...over })]), code).data.cases[0].cause;
    assert.equal(
      causeOf('not-served', { ...some, findings: [limit, full] }),
      'descriptors',
      'a full queue follows from it',
    );
    assert.equal(causeOf('not-served', { ...some, findings: [full] }), 'accept-queue');
    const reserve = { ...limit, data: { ...limit.data, reached: false } };
    assert.equal(causeOf('not-served', { ...some, kernel: {}, findings: [reserve] }), undefined);
    const closed = { errors: { closed: 5, total: 5 }, findings: [limit] };
    assert.equal(causeOf('errors', closed), 'descriptors');
    const timeouts = { rejects: { timeout: 5, local: 1, total: 6 }, findings: [full] };
    assert.equal(causeOf('rejects', timeouts), 'accept-queue');
    assert.equal(causeOf('rejects', { ...timeouts, rejects: { refused: 5, timeout: 1, total: 6 } }), undefined);
    assert.equal(causeOf('rejects', { rejects: { local: 5, refused: 1, total: 6 }, findings: [limit] }), undefined);
    const { text } = partOf(runOf([legOf({ name: 'a', ...some, findings: [limit] })]), 'not-served');
    assert.match(text, /: its limit of 600 file descriptors was reached\.$/);
    assert.match(partOf(runOf([legOf({ name: 'a', ...some, findings: [full] })]), 'not-served').text, /queue of 128 /);
  });

  it('tells the best of many servers, those that do not differ from it, and by how much the others do worse', () => {
    const many = Array.from({ length: 12 }, (_, i) => rounds(`slow${i}`, SLOW)).flat();
    const best = ['a', 'b', 'c'].flatMap((name, i) =>
      rounds(
        name,
        FAST.map((rate, k) => rate + ((i + k) % 3) * 20),
      ),
    );
    const run = runOf([...many, ...best, ...rounds('once', [9000])]);
    const [{ figure, best: first, equal, worse, unknown }] = partOf(run, 'difference').data.points;
    assert.deepEqual(
      [figure, [first, ...equal].sort(), worse.length, unknown.length],
      ['perSecond', ['a', 'b', 'c'], 12, 1],
    );
    assert.ok(partOf(run, 'difference').text.length < 300);
  });

  it('does not rank a server that was measured in too few rounds', () => {
    const run = runOf([...rounds('a', FAST), ...rounds('b', SLOW), ...rounds('c', [1500, 1500])]);
    assert.deepEqual(partOf(run, 'difference').data.points[0].unknown, ['c']);
    assert.deepEqual(codesOf(runOf([...rounds('a', FAST), ...rounds('c', [1500, 1500])])), [
      'too-few-rounds',
      'not-ranked',
    ]);
  });

  it('of a sweep, joins the points with the same outcome', () => {
    const at = (/** @type {number} */ connections) => ({ axes: { connections }, requested: connections });
    const run = runOf([
      ...[10, 100].flatMap((n) => [...rounds('a', FAST, at(n)), ...rounds('b', SLOW, at(n))]),
      ...[...rounds('a', FAST, at(1000)), ...rounds('b', FAST, at(1000))],
    ]);
    const { data, text } = partOf(run, 'difference');
    assert.deepEqual(
      data.points.map((/** @type {any} */ { worse }) => worse),
      [['b10'], ['b100'], []],
    );
    assert.match(text, /as many transfers as b at 10 and 100 connections; no difference .* at 1,000 connections/);
  });

  it('of one leg, states its figures, and the knee where there is one', () => {
    const leg = legOf({
      name: 'a',
      ramp: {
        steps: [
          { step: 1, requested: 50 },
          { step: 2, requested: 100 },
        ],
        knee: null,
      },
    });
    assert.deepEqual(codesOf(runOf([leg])), ['one-case', 'knee']);
    assert.match(
      answerText(runOf([leg])),
      /^a served all 100 connections: 1,000 transfers\/s, p99 5 ms\. No knee up to 100/,
    );
    const held = legOf({ name: 'a', heldOnly: true, steady: undefined, account: { served: 0, idle: 100 } });
    assert.match(answerText(runOf([held], { config: { workload: 'hold' } })), /^a held all 100 connections\.$/);
  });

  it('says of a p99 that it is more than the longest only of a leg that ran to its end and failed too often, without an interval', () => {
    const { steady } = legOf({ name: 'a' });
    const responseTimeNs = { ...steady.responseTimeNs, intervals: { p99: [4e6, 6e6] } };
    const failing = { steady: { ...steady, responseTimeNs, failed: 5000 } };
    assert.match(answerText(runOf([legOf({ name: 'a', ...failing })])), /transfers\/s, p99 > 9 s\./);
    const cut = legOf({ name: 'a', complete: false, endedBy: 'interrupted' });
    assert.ok(!answerText(runOf([cut], { endedBy: 'interrupted' })).includes('p99'));
    const three = [1, 2, 3].map((round) => legOf({ name: 'a', round, ...(round === 2 ? failing : {}) }));
    assert.match(answerText(runOf(three)), /p99 > 9 s/);
  });

  it('ranks servers that leave connections without a reply by how many they serve, and the others by the load', () => {
    const some = { account: { served: 40, unanswered: 60 }, kernel: { TcpExtListenOverflows: 7 } };
    const two = runOf([...rounds('a', FAST), ...rounds('b', [9000, 9100, 9200, 9050], some)]);
    assert.deepEqual(codesOf(two), ['difference', 'not-served']);
    assert.deepEqual(
      [partOf(two, 'difference').data.points[0].figure, partOf(two, 'difference').data.points[0].best],
      ['served', 'a'],
    );
    assert.match(partOf(two, 'not-served').text, /^b served 40 of 100 connections .*: its accept queue was full/);
    const three = runOf([...rounds('a', FAST), ...rounds('b', [9000, 9100, 9200, 9050], some), ...rounds('c', SLOW)]);
    const [{ figure, best, worse }] = partOf(three, 'difference').data.points;
    assert.deepEqual([figure, best, worse], ['perSecond', 'a', ['c']]);
  });

  it('does not call the same what served all and none, or few, in every round, nor rank those by their times', () => {
    const serving = (/** @type {string} */ name, /** @type {number[]} */ counts, /** @type {number} */ rate) =>
      counts.map((served, i) =>
        legOf({ name, round: i + 1, rate: rate + i, p99: 1e6, account: { served, unanswered: 100 - served } }),
      );
    for (const few of [
      [0, 0, 0],
      [0, 1, 30],
      [1, 1, 30],
    ]) {
      const run = runOf([...serving('few', few, 9000), ...rounds('all', FAST.slice(0, 3))]);
      const { data, text } = partOf(run, 'undecided');
      const [{ figure, best, equal, unsure }] = data.points;
      assert.deepEqual([figure, best, equal, unsure], ['served', 'all', [], ['few']], text);
      const compared = run.comparisons.find((/** @type {any} */ one) => one.figure === 'served');
      assert.deepEqual([compared.code, compared.data.direction], ['undecided', 'more']);
      const three = runOf([
        ...serving('few', few, 9000),
        ...rounds('all', FAST.slice(0, 3)),
        ...rounds('too', SLOW.slice(0, 3)),
      ]);
      const [point] = partOf(three, 'difference').data.points;
      assert.deepEqual([point.figure, point.best, point.worse], ['perSecond', 'all', ['too']]);
    }
  });

  it('does not say that there is no difference where every round points the same way, or the rounds differ too much', () => {
    const towards = runOf([...rounds('a', [1100, 1600, 3000]), ...rounds('b', [1000, 1000, 1000])]);
    const [{ best, unsure }] = partOf(towards, 'undecided').data.points;
    assert.deepEqual([best, unsure], ['a', ['b']]);
    const wild = runOf([...rounds('a', [100, 20_000, 1000]), ...rounds('b', [1000, 1000, 1000])]);
    assert.deepEqual(codesOf(wild), ['undecided']);
    assert.equal(partOf(wild, 'undecided').data.points[0].unsure, undefined);
    const at = (/** @type {number} */ connections) => ({ axes: { connections }, requested: connections });
    const swept = runOf(
      [10, 100].flatMap((n) => [...rounds('a', [1100, 1600, 3000], at(n)), ...rounds('b', [1000, 1000, 1000], at(n))]),
    );
    assert.deepEqual(codesOf(swept), ['undecided']);
    const mixed = runOf([
      ...rounds('a', [1100, 1600, 3000]),
      ...rounds('b', [1000, 1000, 1000]),
      ...rounds('c', [1, 1.01, 1.02]),
    ]);
    const [point] = partOf(mixed, 'difference').data.points;
    assert.deepEqual([point.best, point.unsure, point.worse], ['a', ['b'], ['c']]);
  });

  it('begins with the verdict, and with the first condition that failed', () => {
    const legs = [legOf({ name: 'a' })];
    const judged = (/** @type {string} */ threshold) =>
      runOf(legs, { verdict: judgeRun({ thresholds: [threshold] }, legs, 1) });
    assert.deepEqual(codesOf(judged('p99 < 6ms')), ['passed', 'one-case']);
    assert.deepEqual(codesOf(judged('p99 < 4ms')), ['failed', 'one-case']);
    assert.match(answerText(judged('p99 < 4ms')), /a: p99 < 4ms/);
  });

  it('of a run with a baseline, tells what changed since', () => {
    const compare = (
      /** @type {any[]} */ legs,
      /** @type {any[]} */ before,
      /** @type {number | null} */ tolerance,
    ) => {
      const [run, base] = [runOf(legs), runOf(before, { run: 'before', scenario: 'before' })];
      const sides = [run, base].map((summary) => ({ summary, scenario: null, environment: null }));
      const baseline = compareRuns(sides[0], sides[1], tolerance);
      return { ...run, baseline };
    };
    const worse = compare(rounds('a', SLOW), rounds('a', FAST), 0.05);
    assert.deepEqual(codesOf(worse), ['baseline-worse']);
    assert.match(answerText(worse), /^Compared with before, throughput is 50 % \([\d.]+ to [\d.]+\) lower\./);
    assert.deepEqual(partOf(worse, 'baseline-worse').data.changed, ['perSecond']);
    assert.deepEqual(codesOf(compare(rounds('a', FAST), rounds('a', FAST), null)), ['baseline-compared']);
    assert.deepEqual(codesOf(compare(rounds('a', [5]), rounds('a', FAST), 0.05)), ['baseline-not-known']);
    const failed = rounds('a', FAST).map((leg) => ({ ...leg, complete: false, endedBy: 'error' }));
    assert.match(
      answerText(compare(failed, rounds('a', FAST), 0.05)),
      /^Compared with before: worse: \d figures are missing\./,
    );
    const several = compare(
      [...rounds('a', SLOW), ...rounds('b', FAST), ...rounds('c', FAST)],
      [...rounds('a', FAST), ...rounds('b', SLOW), ...rounds('c', FAST)],
      null,
    );
    assert.match(answerText(several), /throughput is higher for b 100 % \(.*\), lower for a 50 % \(/);
  });

  it('of a search, is that of each server; that too much is not served, was to be found out', () => {
    const found = { label: 'a', decided: true, answer: '500 connections', text: 'a: 500 connections: ...', probes: [] };
    const leg = legOf({ name: 'a', account: { served: 40, unanswered: 60 }, limitedBy: 'client' });
    const run = runOf([leg], {
      search: { maximise: 'connections', while: 'p99 < 1s', tolerance: 0.1, servers: [found] },
    });
    assert.deepEqual(codesOf(run), ['search']);
    const many = Array.from({ length: 9 }, () => found);
    assert.equal(partOf(runOf([leg], { search: { servers: many } }), 'search').severity, 'answer');
    assert.equal(answerOf(runOf([leg], { search: { servers: many } })).at(-1)?.data.left, 5);
  });

  it('is never empty', () => {
    assert.deepEqual(codesOf(runOf([])), ['nothing-measured']);
  });
});
