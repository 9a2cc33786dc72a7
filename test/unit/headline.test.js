// The headline of a run: what it claims, what it does not claim, and what went wrong, for every kind of run. Each text
// is checked once.

import assert from 'node:assert/strict';
import { compareRuns } from '../../client/judge/compare-runs/index.js';
import { wrongReplies } from '../../client/judge/findings/replies.js';
import { answerOf } from '../../client/judge/headline.js';
import { rankingTable } from '../../client/judge/ranking-table.js';
import { tableOf } from '../../client/judge/table.js';
import { summariseRun } from '../../client/judge/summary.js';
import { findingLines } from '../../client/console/result-lines.js';
import { cautions } from '../../report/html/sections/cautions.js';
import { textOf } from '../fixtures/page-elements.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { FAST, SLOW, codesOf, legOf, partOf, rounds, runOf, varying } from '../fixtures/made-up-answers.js';
import { foundIn } from '../fixtures/found.js';

/** Rounds with an interval too wide to say anything, and with a less wide one. */
const WILD = [100, 20_000, 1000];
const VARIED = [900, 1100, 1000];
const EQUAL = [1000, 1000, 1000];

/** @param {Record<string, number>} statuses */
const failedIn = (statuses) => foundIn([wrongReplies], [], {}, { statuses });

/** @param {number} connections */
const at = (connections) => ({ axes: { connections }, requested: connections });

describe('the headline of a run', () => {
  it('names the best server, those that are as good, and by how much the others are worse, the nearest first', () => {
    const many = Array.from({ length: 5 }, (_, i) => rounds(`slow${i}`, SLOW)).flat();
    const rates = FAST.map((rate, i) => rate * (1 - 0.001 * i));
    const [{ code, severity, data }, ...others] = answerOf(
      runOf([...many, ...rounds('near', rates), ...rounds('fast', FAST)]),
    );
    assert.deepEqual([code, severity, others], ['best', 'answer', []]);
    assert.deepEqual([data.figure, data.at, data.best, data.asGood], ['throughput', [], 'fast', ['near']]);
    assert.deepEqual([data.worse.length, data.notKnown], [5, []]);
  });

  it('says which cannot be told apart, with the greatest difference that could not have been seen, and how to', () => {
    const partIn = (/** @type {any[]} */ ...legs) => partOf(runOf([...varying('a', EQUAL), ...legs]), 'not-known');
    const { data, text } = partIn(...varying('b', VARIED), ...varying('c', [850, 1150, 1000]));
    assert.deepEqual([data.notKnown, data.more], [['a', 'b', 'c'], true]);
    assert.ok(data.unknown[0].smallestPercent > 25);
    assert.match(
      text,
      /^By throughput the 3 servers cannot be told apart: only a difference of \d+ % would have .* more rounds\.$/,
    );
    const wild = partIn(...varying('b', WILD));
    assert.match(wild.text, /^Whether a differs from b is not known: throughput varies too much\. For smaller/);
    const equal = partOf(runOf([...varying('a', EQUAL, EQUAL), ...varying('b', VARIED, VARIED)]), 'not-known');
    assert.match(equal.text, /^No difference seen between a and b; one of 25 % in throughput, or of 25 % in CPU/);
  });

  it('names the option for servers side by side, and what remains to be given of one that was given', () => {
    const tells = (/** @type {object} */ config) => {
      const run = runOf([legOf({ name: 'a' }), legOf({ name: 'b' })], { config });
      for (const [i, leg] of run.legs.entries()) {
        leg.slices = { group: 1, lengthNs: 1e9, turnNs: 30e9 };
        const values = Array.from({ length: 12 }, (_, block) => 1000 + ((block * 7 + i * 5) % 12) * 40);
        run.cases[i].figures = { perSecond: { median: 1200, method: 'none', values } };
      }
      return partOf(run, 'not-known').text;
    };
    assert.match(tells({}), /; one of [\d.]+ % in throughput would have been\. For smaller ones: --budget 3m\.$/);
    assert.match(tells({ looks: 4 }), /For smaller ones: a longer --budget\.$/);
  });

  it('leads with the first figure that is known, and says which before it is not', () => {
    const [cheap, dear] = [
      [9000, 9100, 9050],
      [16_000, 16_300, 16_100],
    ];
    const run = runOf([...varying('a', EQUAL, dear), ...varying('b', VARIED, cheap)]);
    const [{ code, data }] = answerOf(run);
    assert.deepEqual([code, data.best, data.figure, data.more], ['best', 'b', 'CPU', true]);
    assert.deepEqual(
      data.unknown.map((/** @type {any} */ { figure, smallestPercent }) => [figure, smallestPercent > 20]),
      [['throughput', true]],
    );
    const [{ rows, leadBy }] = rankingTable(run).points;
    assert.deepEqual([rows.map(({ label }) => label), leadBy?.name], [['b', 'a'], 'server CPU per transfer']);
  });

  it('says what a change did, CPU first', () => {
    const [cheap, dear] = [
      [100, 100, 100],
      [190, 192, 194],
    ];
    const versions = { config: { versions: ['base', 'head'] } };
    const of = (/** @type {any[]} */ ...legs) => answerOf(runOf(legs, versions))[0];
    const slower = of(...varying('base', VARIED, cheap), ...varying('head', EQUAL, dear));
    assert.equal(slower.code, 'change');
    assert.match(
      slower.text,
      /^head needs 92 % more CPU per request \(\d+ to \d+\)\. By requests\/s they cannot be told apart: only a/,
    );
    const faster = of(...varying('base', EQUAL, dear), ...varying('head', VARIED, cheap));
    assert.match(faster.text, /^head needs 48 % less CPU per request \(/);
    const same = of(...varying('base', EQUAL, cheap), ...varying('head', EQUAL, cheap));
    assert.match(same.text, /^head is as good as base by CPU per request, requests\/s, .* within ±5 %\.$/);
    const unknown = of(...varying('base', EQUAL), ...varying('head', VARIED));
    assert.match(
      unknown.text,
      /^No difference seen between head and base; one of 25 % in requests\/s would have been\. For/,
    );
    const multiple = of(...rounds('base', SLOW), ...rounds('head', [5000, 5010, 4990, 5000]));
    assert.match(multiple.text, /^head answers 5 times the requests\/s/);
  });

  it('joins the points of a sweep with the same outcome, without differences that are not the same at all of them', () => {
    const run = runOf([
      ...[10, 100].flatMap((n) => [...rounds('a', FAST, at(n)), ...rounds('b', SLOW, at(n))]),
      ...[...rounds('a', FAST, at(1000)), ...rounds('b', FAST, at(1000))],
    ]);
    const [best, asGood] = answerOf(run);
    assert.deepEqual([best.code, best.data.worse], ['best', [{ name: 'b', text: 'slower' }]]);
    assert.deepEqual(best.data.at, ['10 connections', '100 connections']);
    assert.deepEqual([asGood.code, asGood.data.at], ['as-good', ['1,000 connections']]);
  });

  it('ranks nothing of what was measured once or twice, and of one server that was measured states the figures', () => {
    const once = [legOf({ name: 'a', rate: 5000 }), legOf({ name: 'b', rate: 1000 })];
    assert.deepEqual(codesOf(runOf(once)), ['not-ranked']);
    assert.equal(partOf(runOf([...rounds('a', [1, 2]), ...rounds('b', [8, 9])]), 'not-ranked').data.rounds, 2);
    const cut = runOf([...rounds('a', FAST), ...rounds('b', [1500, 1500])]);
    assert.deepEqual(partOf(cut, 'not-ranked').data, { rounds: 4, asked: 4, unit: 'round' });
    const broken = legOf({ name: 'b', complete: false, endedBy: 'no-transfers', steady: undefined });
    assert.deepEqual(codesOf(runOf([once[0], broken])), ['incomplete', 'figures'], 'more rounds would not mend it');
  });

  it('asks for no more rounds where all servers but one are broken, and states the figures of that one', () => {
    const good = legOf({ name: 'a', rate: 5000 });
    const { steady, account } = legOf({ name: 'b' });
    const broken = [
      { account: { ...account, served: 20, lost: 80 } },
      { steady: { ...steady, failed: 0.02 * steady.transfers } },
      { findings: [{ code: 'failed-replies', severity: 'problem', data: { share: 0.1 }, text: '' }] },
      { endedBy: 'stop-on', steady: undefined },
    ];
    for (const over of broken) {
      const run = runOf([good, legOf({ name: 'b', ...over })]);
      assert.ok(!codesOf(run).includes('not-ranked'), JSON.stringify(over));
      assert.equal(partOf(run, 'figures').data.case, 'a');
    }
    const all = [good, legOf({ name: 'c' }), legOf({ name: 'b', ...broken[0] })];
    assert.ok(codesOf(runOf(all)).includes('not-ranked'), 'two can be ranked');
    const slightly = legOf({ name: 'b', account: { ...account, served: 99, lost: 1 } });
    assert.ok(codesOf(runOf([good, slightly])).includes('not-ranked'));
  });

  it('of one server, states its figures and how many connections it served or held', () => {
    const { steady } = legOf({ name: 'a' });
    const failing = legOf({ name: 'a', steady: { ...steady, failed: 5000 } });
    const { figures } = partOf(runOf([failing]), 'figures').data;
    assert.deepEqual(figures, ['1,000 transfers/s', 'p50 2.5 ms', 'p99 > 9 s']);
    const held = legOf({ name: 'a', heldOnly: true, steady: undefined, account: { served: 0, idle: 90 } });
    const hold = { config: { workload: 'hold' } };
    const both = runOf([held, { ...held, id: '1-b', case: 'b', label: 'b' }], hold);
    assert.deepEqual(codesOf(both), ['figures', 'figures']);
  });

  it('has the connections of the round that served the fewest beside its medians', () => {
    const legs = rounds('a', FAST);
    Object.assign(legs[1].account, { served: 95, unanswered: 5 });
    assert.deepEqual(partOf(runOf(legs), 'figures').data.connections, { done: 95, of: 100, verb: 'served' });
  });

  it('begins with the verdict', () => {
    const legs = [legOf({ name: 'a' })];
    const judged = (/** @type {string} */ threshold) =>
      codesOf(runOf(legs, { verdict: judgeRun({ thresholds: [threshold] }, legs, 1) }));
    assert.deepEqual(
      [judged('p99 < 6ms'), judged('p99 < 4ms')],
      [
        ['passed', 'all-well', 'figures'],
        ['failed', 'all-well', 'figures'],
      ],
    );
  });

  it('of a run with a baseline, tells the outcome', () => {
    const compare = (/** @type {any[]} */ legs, tolerance = 0.05) => {
      const [run, base] = [runOf(legs), runOf(rounds('a', FAST), { run: 'before', scenario: 'before' })];
      const sides = [run, base].map((summary) => ({ summary, scenario: null, environment: null }));
      return { ...run, baseline: compareRuns(sides[0], sides[1], tolerance || null) };
    };
    assert.deepEqual(codesOf(compare(rounds('a', SLOW))), ['baseline-worse']);
    assert.deepEqual(codesOf(compare(rounds('a', FAST))), ['baseline-not-worse']);
    assert.deepEqual(codesOf(compare(rounds('a', FAST), 0)), ['baseline-compared']);
    assert.deepEqual(codesOf(compare(rounds('a', [5]))), ['baseline-undecided']);
    const failed = rounds('a', FAST, { complete: false, endedBy: 'error' });
    assert.equal(partOf(compare(failed), 'baseline-worse').data.absent, 4);
  });

  it('of a search, is that of each server; that too much is not served, was to be found out', () => {
    const searched = { label: 'a', decided: true, answer: '500 connections', details: '', probes: [] };
    const leg = legOf({ name: 'a', account: { served: 40, unanswered: 60 }, limitedBy: 'client' });
    const search = { maximise: 'connections', goals: ['p99 < 1s'], tolerance: 0.1, answers: [searched] };
    assert.deepEqual(codesOf(runOf([leg], { search })), ['search']);
    const many = Array.from({ length: 9 }, () => searched);
    assert.equal(answerOf(runOf([leg], { search: { answers: many } })).at(-1)?.data.left, 5);
  });

  it('says how far a run came that was interrupted, and that nothing was measured', () => {
    const end = { complete: false, endedBy: 'interrupted' };
    const cut = runOf([...rounds('a', [1]), ...rounds('b', [1], end)], end);
    assert.deepEqual(partOf(cut, 'interrupted').data, { complete: 1, begun: 2, killed: false });
    assert.ok(!codesOf(cut).includes('incomplete'));
    const { steady } = legOf({ name: 'a' });
    const only = legOf({ name: 'a', ...end, steady: { ...steady, toNs: 4.3e9 } });
    const [{ text }] = answerOf(runOf([only], end));
    assert.equal(text, 'The run was interrupted after 4.3 s; the figures are of that time.');
    const early = legOf({ name: 'a', ...end, steady: undefined, connections: undefined });
    assert.deepEqual(partOf(runOf([early], end), 'interrupted').data, {
      ...{ complete: 0, begun: 1, killed: false, untilNs: null },
    });
    assert.deepEqual(codesOf(runOf([])), ['nothing-measured']);
  });
});

describe('requests that failed', () => {
  const { steady } = legOf({ name: 'a' });
  const statuses = { '2xx': 9200, '5xx': 800, total: 10_000 };
  const failing = (/** @type {string} */ name, /** @type {object} */ over = {}) =>
    legOf({ name, steady: { ...steady, failed: 200, statuses, ...over } });

  it('lead, with what became of them, the server with the greatest share first, and no finding says it again', () => {
    const all = ['a', 'b', 'c', 'd', 'e'].map((name, i) => failing(name, { failed: 200 * i }));
    const [first, ...others] = answerOf(runOf(all));
    const { label, share, of, noReply, kinds } = first.data;
    assert.deepEqual([first.code, label, of, noReply, kinds], ['requests-failed', 'e', 10_800, 800, { '5xx': 800 }]);
    assert.ok(Math.abs(share - 1600 / 10_800) < 1e-9);
    assert.deepEqual([others[2].code, others[2].data.left], ['requests-failed', 2]);
    const errors = { reset: 200, total: 200 };
    const run = runOf([{ ...failing('a'), errors, findings: failedIn(statuses) }]);
    assert.deepEqual(codesOf(run), ['requests-failed', 'figures']);
    assert.equal(partOf(run, 'figures').data.figures[0], '920 good replies/s');
    const open = partOf(runOf([failing('a')], { config: { loop: 'open' } }), 'requests-failed');
    assert.equal(open.data.goodPerSecond, 920);
  });

  it('are neither those never sent, which a sentence of their own counts, nor a few that were due at the very end', () => {
    const open = { config: { loop: 'open' } };
    const ofRate = { ...steady, due: 200_000, duePerSecond: 40_000, perSecond: 2000 };
    const unsentOf = (/** @type {number} */ unsent, /** @type {object} */ over = {}) =>
      runOf([legOf({ name: 'a', steady: { ...ofRate, unsent, ...over } })], open);
    const overload = unsentOf(190_000);
    const [{ code, severity, text }, { data }] = answerOf(overload);
    assert.deepEqual([code, severity, codesOf(overload).length], ['requests-unsent', 'problem', 2]);
    assert.match(
      text,
      /^The server answered 2,000 of 40,000 requests\/s; 190,000 of 200,000 requests were never sent, /,
    );
    assert.ok(!data.figures.join().includes('requests/s'), 'the rate once');
    const columnsOf = (/** @type {any} */ run) => tableOf(run).columns.map(({ key }) => key);
    assert.ok(!columnsOf(overload).includes('failed share'));
    const errors = unsentOf(190_000, { failed: 1000 });
    assert.deepEqual(codesOf(errors).slice(0, 2), ['requests-failed', 'requests-unsent']);
    assert.equal(columnsOf(errors)[0], 'failed share');
    const { noReply, of } = partOf(errors, 'requests-failed').data;
    assert.deepEqual([noReply, of], [1000, 201_000]);
    assert.deepEqual(codesOf(unsentOf(1999)), ['all-well', 'figures']);
  });

  it('are not those in flight at an end at which they were not awaited', () => {
    const drainedFor = (/** @type {number} */ ns) =>
      runOf([
        legOf({ name: 'a', steady: { ...steady, unfinished: 3 }, phases: { steadyToNs: 30e9, endNs: 30e9 + ns } }),
      ]);
    assert.deepEqual(codesOf(drainedFor(0)), ['figures'], 'what became of them is not known');
    assert.deepEqual(codesOf(drainedFor(10e9)), ['requests-failed', 'figures'], 'longer than any reply took');
  });

  it('are not those of connections that were not served, of which it is told', () => {
    const short = legOf({ name: 'a', account: { served: 16, unanswered: 84 }, steady: { ...steady, unfinished: 84 } });
    assert.deepEqual(codesOf(runOf([short])), ['not-served', 'figures']);
    assert.ok(!codesOf(runOf([failing('a')], { search: { answers: [] } })).includes('requests-failed'));
  });
});

/** Of an accept queue of the server itself. */
const FULL_QUEUE = { code: 'backlog-full', severity: 'problem', data: { backlog: 128 } };

describe('the problems of a run', () => {
  it('are the worst of several servers, with the cause, and who else has it', () => {
    const short = [10, 30, 20, 40, 50].map((n, i) =>
      legOf({ name: `s${i}`, account: { served: n, unanswered: 100 - n }, findings: [FULL_QUEUE] }),
    );
    const { data, severity } = partOf(runOf([...short, legOf({ name: 'whole' })]), 'not-served');
    const others = data.rest.map((/** @type {{ label: string }} */ { label }) => label);
    assert.deepEqual([severity, data.leg, others], ['problem', '1-s0', ['s2', 's1', 's3', 's4']]);
    assert.deepEqual([data.data.left, data.data.cause], [90, { code: 'accept-queue', limit: 128 }]);
  });

  it('tell connections that are to be opened again from those that were never served', () => {
    const reopening = (/** @type {number} */ neverAnswered) => {
      const leg = legOf({ name: 'a', account: { served: 30, lost: 70 } });
      return partOf(runOf([{ ...leg, connections: { ...leg.connections, neverAnswered } }]), 'not-served').data;
    };
    assert.equal(reopening(0).text, '70 of 100 connections were lost, and to be opened again, at the end');
    assert.equal(reopening(70).text, '70 of 100 connections were not served');
  });

  it('do not count as unserved those that had no request yet', () => {
    const leg = legOf({ name: 'a', account: { served: 40, idle: 57, unanswered: 3 } });
    const { data } = partOf(runOf([leg], { config: { loop: 'open' } }), 'not-served');
    assert.deepEqual([data.data.left, data.data.parts], [3, { unanswered: 3 }]);
  });

  it('have the limit of the server as their cause, if it explains them', () => {
    const limit = { code: 'descriptor-limit', severity: 'problem', data: { reached: true, limit: 600 } };
    const full = FULL_QUEUE;
    // the kernel's counters are of every program of the machine
    const some = {
      account: { served: 40, unanswered: 60 },
      kernel: { TcpExtListenOverflows: 7, TcpExtListenDrops: 7 },
    };
    const causeOf = (/** @type {string} */ code, /** @type {any} */ over) =>
      partOf(runOf([legOf({ name: 'a', ...over })]), code).data.data.cause;
    // a full queue follows from it
    assert.deepEqual(causeOf('not-served', { ...some, findings: [limit, full] }), { code: 'descriptors', limit: 600 });
    assert.deepEqual(causeOf('not-served', { ...some, findings: [full] }), { code: 'accept-queue', limit: 128 });
    assert.equal(causeOf('not-served', some), undefined);
    const reserve = { ...limit, data: { ...limit.data, reached: false } };
    assert.equal(causeOf('not-served', { ...some, findings: [reserve] }), undefined);
    assert.equal(causeOf('not-served', { ...some, serverModel: { concurrent: 1 } })?.code, 'places');
    const closed = { errors: { closed: 5, total: 5 }, findings: [limit] };
    assert.equal(causeOf('errors', closed)?.code, 'descriptors');
    const timeouts = { rejects: { timeout: 5, local: 1, total: 6 }, findings: [full] };
    assert.equal(causeOf('rejects', timeouts)?.code, 'accept-queue');
    assert.equal(causeOf('rejects', { ...timeouts, rejects: { refused: 5, timeout: 1, total: 6 } }), undefined);
    assert.equal(causeOf('rejects', { rejects: { local: 5, refused: 1, total: 6 }, findings: [limit] }), undefined);
  });

  it('are connects that waited for another SYN', () => {
    const delayed = {
      connectSteps: [
        { retry: 1, atNs: 1e9, connections: 30 },
        { retry: 2, atNs: 2e9, connections: 10 },
      ],
      connectTimeNs: { count: 100 },
      kernel: { TcpExtTCPSynRetrans: 50 },
      findings: [FULL_QUEUE],
    };
    const { data } = partOf(runOf([legOf({ name: 'a' }), legOf({ name: 'b', ...delayed })]), 'slow-connects');
    const cause = { code: 'accept-queue', limit: 128 };
    assert.deepEqual([data.leg, data.data], ['1-b', { slow: 40, of: 100, atNs: 1e9, reason: 'accept-queue', cause }]);
    const few = { ...delayed, connectSteps: [{ retry: 1, atNs: 1e9, connections: 1 }], connectTimeNs: { count: 1000 } };
    assert.ok(!codesOf(runOf([legOf({ name: 'b', ...few })])).includes('slow-connects'));
    const reasonOf = (/** @type {any} */ kernel, findings = [FULL_QUEUE]) =>
      partOf(runOf([legOf({ name: 'b', ...delayed, kernel, findings })]), 'slow-connects').data.data.reason;
    assert.equal(reasonOf({ TcpExtTCPSynRetrans: 0 }), 'this-machine');
    assert.equal(reasonOf({ TcpExtTCPSynRetrans: 5 }), 'accept-queue');
    // sockets of other programs count there too
    assert.equal(reasonOf({ TcpExtTCPSynRetrans: 5, TcpExtListenOverflows: 5, TcpExtListenDrops: 5 }, []), 'no-answer');
  });

  it('are legs that did not run, that failed, or had no transfer, of which nothing else is said', () => {
    const dead = { ...legOf({ name: 'b' }), complete: false, endedBy: 'server-start', connections: undefined };
    const bare = Object.fromEntries(Object.entries(dead).filter(([, value]) => value !== undefined));
    assert.deepEqual(codesOf(runOf([legOf({ name: 'a' }), bare])), ['did-not-run', 'figures']);
    assert.deepEqual(codesOf(runOf([bare])), ['did-not-run']);
    const failure = { code: 'leg-failed', data: {}, text: 'it ended; its stderr:\n  boom\n  at: x' };
    assert.equal(partOf(runOf([{ ...bare, failure }]), 'did-not-run').data.data.reason, 'it ended');
    const never = [1, 2, 3].map((round) => ({ ...bare, id: `${round}-b`, round }));
    const seldom = partOf(runOf([...never.slice(0, 1), ...rounds('b', FAST.slice(0, 3)).slice(1)]), 'did-not-run');
    assert.deepEqual([seldom.data.rounds, seldom.data.of], [[1], 3]);
    const refused = legOf({
      ...{ name: 'b', complete: false, endedBy: 'no-transfers', steady: undefined },
      connections: { requested: 100, openAtEnd: 0, unansweredAtEnd: 0, opened: 0, reopened: 0 },
      ...{ rejects: { refused: 9, total: 9 }, account: { served: 0, rejected: 100 } },
    });
    assert.deepEqual(codesOf(runOf([refused])), ['incomplete']);
  });

  it('are servers that ended during a leg, once', () => {
    const ended = { code: 'server-ended', data: { signal: 'SIGSEGV', exitCode: null }, text: '' };
    const crashed = [1, 2, 3].map((round) =>
      legOf({ name: 'b', round, ...(round === 2 ? { complete: false, endedBy: 'error', warnings: [ended] } : {}) }),
    );
    const run = runOf([...rounds('a', FAST), ...crashed]);
    assert.equal(codesOf(run).filter((code) => code === 'server-ended' || code === 'incomplete').length, 1);
    const { leg, rounds: places, data } = partOf(run, 'server-ended').data;
    assert.deepEqual([leg, places, data], ['2-b', [2], { signal: 'SIGSEGV', exitCode: null }]);
    for (const code of ['server-agent-lost', 'server-agent-stopped']) {
      const away = legOf({ name: 'b', warnings: [{ code, data: { agent: 's1', how: '', why: '' }, text: '' }] });
      assert.equal(partOf(runOf([away]), code).data.data.agent, 's1');
    }
  });

  it('are at most two kinds, the worst', () => {
    const bad = legOf({
      ...{ name: 'a', errors: { reset: 3, total: 3 }, rejects: { refused: 1, total: 1 } },
      ...{ limitedBy: 'client', connectSteps: [{ retry: 1, atNs: 1e9, connections: 9 }] },
      connectTimeNs: { count: 100 },
    });
    assert.deepEqual(codesOf(runOf([bad])), ['slow-connects', 'errors', 'figures']);
  });
});

describe('what happened in a run', () => {
  const stall = (/** @type {number} */ longestNs, /** @type {object} */ over = {}) => ({
    ...{ code: 'stalls', severity: 'problem', text: '' },
    data: { count: 1, longestNs, longestAtNs: 9.28e9, totalNs: longestNs, atNs: [9.28e9], ...over },
  });
  const { steady } = legOf({ name: 'a' });
  const long = { ...steady, fromNs: 1e9, toNs: 31e9 };
  const textsOf = (/** @type {any[]} */ legs, /** @type {object} */ over = {}) =>
    answerOf(runOf(legs, over)).map(({ text }) => text);

  it('is nothing, where one server answered every request, or held every connection', () => {
    const even = { ...steady, responseTimeNs: { ...steady.responseTimeNs, max: 9e7 } };
    const [first, second, ...others] = textsOf([legOf({ name: 'a', steady: even })]);
    assert.equal(first, 'Nothing happened: 10,000 requests, none failed, none above 90 ms.');
    const [slow] = textsOf([legOf({ name: 'a' })]);
    assert.equal(slow, '10,000 requests, none failed, none above 9 s.', 'far above p99');
    assert.deepEqual([second, others], ['1,000 transfers/s, p50 2.5 ms and p99 5 ms.', []]);
    const held = legOf({ name: 'a', heldOnly: true, steady: undefined, account: { served: 0, idle: 100 } });
    const [hold] = textsOf([held], { config: { workload: 'hold' } });
    assert.equal(hold, 'Nothing happened: all 100 connections were held, and none was lost.');
    const waited = { ...stall(3e8), code: 'stalls-waiting', severity: 'caution' };
    const [quiet] = textsOf([legOf({ name: 'a', steady: { ...long, toNs: 301e9 }, findings: [waited] })]);
    assert.match(quiet, /^10,000 requests, none failed/, 'a short stall');
  });

  it('is a crash first, with its time, and then no figures of that server', () => {
    const end = (/** @type {object} */ data) => ({ code: 'server-ended', data, text: '' });
    const crash = end({ signal: null, exitCode: 3, atNs: 4.02e9 });
    const crashed = legOf({ name: 'a', warnings: [crash], steady: { ...steady, failed: 5000 } });
    assert.deepEqual(textsOf([crashed]), ['The server crashed 4.02 s after the start (exit code 3).']);
    const { tells } = answerOf(runOf([legOf({ name: 'a', warnings: [end({ signal: null, lastLines: ['x'] })] })]))[0];
    assert.deepEqual(tells, [], 'the finding has its last lines');
    const both = textsOf([crashed, legOf({ name: 'b' })]);
    assert.match(both.join(' '), /^a crashed 4\.02 s after the start \(exit code 3\)\. b: 1,000 transfers/);
    const how = (/** @type {object} */ data) => textsOf([legOf({ name: 'a', warnings: [end(data)] })])[0];
    assert.match(how({ signal: 'SIGKILL', exitCode: null }), /^The server was killed during the run \(SIGKILL\)/);
    assert.match(how({ signal: null, exitCode: 0 }), /^The server ended during the run/);
    assert.match(how({ signal: 'SIGSEGV', exitCode: null, instance: 2 }), /^The server lost instance 2, which crashed/);
  });

  it('is a share of requests, of what became of them; of a few their number', () => {
    const failing = (/** @type {object} */ over) => textsOf([legOf({ name: 'a', steady: { ...steady, ...over } })])[0];
    const statuses = { '2xx': 9610, '5xx': 390, total: 10_000 };
    const codes = { 500: 310, 503: 80 };
    assert.equal(
      failing({ failed: 420, statuses, codes }),
      '7.8 % of the requests failed: 4 % had no reply and 3.7 % were answered with 5xx.',
    );
    assert.equal(failing({ statuses, codes: { 503: 390 } }), '3.9 % of the requests were answered with 503.');
    assert.equal(failing({ failed: 3 }), '3 of 10,003 requests had no reply.');
  });

  it('is how many connections were served, where the requests that failed are those of the others', () => {
    const waiting = legOf({
      ...{ name: 'a', account: { served: 1, unanswered: 99 }, steady: { ...steady, failed: 1679 } },
      errors: { total: 1679, timeout: 1679 },
    });
    assert.match(textsOf([waiting])[0], /^The server served 1 of 100 connections/);
    const resetting = legOf({ name: 'a', steady: { ...steady, failed: 1679 }, errors: { total: 1679, reset: 1679 } });
    assert.match(textsOf([resetting])[0], /^14 % of the requests had no reply/);
  });

  it('begins with the interrupt of the run, whatever else happened', () => {
    const stopped = legOf({ name: 'a', complete: false, endedBy: 'interrupted', steady: { ...long, failed: 420 } });
    const never = { id: 'b', label: 'b', complete: false, endedBy: 'server-start', failure: { text: 'no Java' } };
    const [first, second] = textsOf([stopped, never], { endedBy: 'interrupted', complete: false });
    assert.match(first, /^The run was interrupted after /, `b was never begun: ${first}`);
    assert.match(second, /^b: did not run|^b did not run/);
  });

  it('is a stall that is long, with its begin; not one that most of the servers had', () => {
    const stalled = (/** @type {string} */ name, ns = 1e9) =>
      legOf({ name, steady: { ...long, due: 10_000, late: 2861 }, findings: [stall(ns)] });
    const [first, second] = textsOf([stalled('a')]);
    assert.equal(first, 'The server answered nothing for 1 s, from 9.28 s on.');
    assert.equal(second, 'All 10,000 requests were answered, 2,861 of them after waiting for a free connection.');
    assert.match(textsOf([stalled('a', 2e8)])[0], /^10,000 requests, none failed/, 'less than 1 % of the time');
    const two = [stalled('a'), legOf({ name: 'b' })];
    assert.match(textsOf(two)[0], /^a answered nothing for 1 s/);
    assert.ok(!codesOf(runOf([...two, stalled('c')])).includes('stalls'));
    const several = stall(5e8, { count: 3, totalNs: 9e8 });
    const [many] = textsOf([legOf({ name: 'a', steady: long, findings: [several] })]);
    assert.equal(many, 'The server answered nothing for 500 ms, from 9.28 s on, and 900 ms in all 3 stalls.');
    const waiting = { ...stall(1e9), code: 'stalls-waiting', severity: 'caution' };
    const [core] = textsOf([legOf({ name: 'a', steady: long, findings: [waiting] })]);
    assert.equal(core, 'No reply came for 1 s, from 9.28 s on, while threads waited for a core.');
  });

  it('is where a server breaks, by the steps of its ramp', () => {
    const step = (/** @type {number} */ requested, /** @type {number} */ served, over = {}) => ({
      ...{ requested, open: requested, unanswered: requested - served, perSecond: 10_000 - 10 * requested, ...over },
    });
    const broken = (/** @type {any[]} */ steps, served = 907) =>
      textsOf([
        legOf({ name: 'a', requested: 2000, account: { served, unanswered: 2000 - served }, steady, ramp: { steps } }),
      ])[0];
    const steps = [step(200, 200), step(400, 387), step(600, 492)];
    assert.equal(
      broken(steps),
      'The server serves 200 connections, and 387 of 400. Of 2,000 it serves 907, at 13 % of the speed.',
    );
    assert.match(broken([step(200, 200, { perSecond: 2000 }), ...steps.slice(1)]), /907, at half the speed\.$/);
    assert.match(
      broken([step(1000, 1000), step(2000, 907)]),
      /^The server serves 1,000 connections; of 2,000 it serves 907/,
    );
    const recovered = broken([...steps, step(800, 800)]);
    assert.match(recovered, /^The server served 907 of 2,000/, 'all were served again');
    assert.match(broken([step(200, 199), ...steps.slice(1)]), /^The server served 907 of/, 'never all');
    const fresh = steps.map((step) => ({ ...step, openedLastSecond: 1 }));
    assert.match(broken(fresh), /^The server served 907 of/, 'where connections come and go');
  });

  it('is that each of several servers served all connections of a ramp', () => {
    const steps = [1, 2].map((n) => ({ step: n, requested: 1000 * n, open: 1000 * n, unanswered: 0 }));
    const served = (/** @type {string} */ name, over = {}) =>
      legOf({ name, requested: 2000, account: { served: 2000 }, ramp: { steps }, ...over });
    assert.equal(textsOf([served('a'), served('b')])[0], 'Each server served all 2,000 connections.');
    const short = served('b', { account: { served: 1999, unanswered: 1 } });
    assert.ok(!codesOf(runOf([served('a'), short])).includes('all-served'));
    assert.ok(!codesOf(runOf([served('a'), served('b', { ramp: undefined })])).includes('all-served'));
  });

  it('is from where on one server is slower that serves all, by the knee of its ramp', () => {
    const steps = [1, 2, 3].map((n) => ({ step: n, requested: 1000 * n, open: 1000 * n, unanswered: 0 }));
    const knee = {
      step: 3,
      requested: 3000,
      perSecond: 45_000,
      why: ['throughput'],
      best: { step: 1, perSecond: 90_000 },
    };
    const run = runOf([legOf({ name: 'a', ramp: { steps, knee, tolerance: 0.1 } })]);
    assert.equal(
      answerOf(run)[0].text,
      'From 3,000 connections on the server is slower: 50 % of the throughput at 1,000.',
    );
  });

  it('is told of CPU time where speed is not known of all servers, or other programs used the machine', () => {
    const costs = (/** @type {number} */ n) => [n, n, n, n];
    const cheap = varying('a', [1000, 1010, 1005, 1000], costs(9000));
    const dear = varying('b', [500, 505, 502, 500], costs(18_500));
    assert.equal(partOf(runOf([...cheap, ...dear]), 'best').data.figure, 'throughput');
    const busy = { code: 'background-load', data: { cores: 1.5, of: 2 }, text: '' };
    const disturbed = runOf([...cheap.map((leg) => ({ ...leg, warnings: [busy] })), ...dear]);
    assert.equal(partOf(disturbed, 'best').text, 'a needs the least CPU: b 2.1 times as much.');
    const noisy = varying('c', [700, 1300, 900, 1100], costs(12_900));
    assert.equal(
      partOf(runOf([...cheap, ...dear, ...noisy]), 'best').text,
      'a needs the least CPU: c 43 % more and b 2.1 times as much. By throughput a and c cannot be told apart; behind: b 50 % slower.',
    );
  });

  it('says of those that served all what they did, where others did not', () => {
    const short = rounds('s', FAST, { account: { served: 16, unanswered: 84 } });
    const run = runOf([...short, ...rounds('a', FAST), ...rounds('b', SLOW)]);
    assert.deepEqual(codesOf(run), ['not-served', 'best']);
    assert.equal(partOf(run, 'best').text, 'a is the fastest: b 50 % slower.');
  });
});

describe('the list of findings', () => {
  it('is the same in summary.json, on the page, in Markdown, and on the console without what the headline tells', () => {
    const note = { code: 'stalls', severity: 'problem', data: {}, text: 'No reply.', remedy: 'Mend it.' };
    const full = { code: 'backlog-full', severity: 'problem', data: { backlog: 9 }, text: '', remedy: 'Longer.' };
    const legs = [
      legOf({ name: 'a', account: { served: 90, unanswered: 10 }, findings: [note, full], warnings: [] }),
      legOf({ name: 'b', account: { served: 10, unanswered: 90 }, limitedBy: 'client', warnings: [] }),
    ];
    const at = '2026-01-01T00:00:00Z';
    const config = { connections: 100, workload: 'continuous', protocol: 'echo', payloadBytes: 1 };
    const head = { run: 'r', scenario: 's', startedAt: at, endedAt: at, config };
    const summary = summariseRun({ ...head, planned: 2, interrupted: false, warnings: [] }, legs);
    const { findings = [] } = summary;
    // the full queue is the cause of what was not served
    assert.deepEqual(
      findings.map(({ code, leg, others = [] }) => `${code} ${leg} ${others}`),
      ['not-served 1-b 1-a', 'stalls 1-a ', 'client-limit 1-b '],
    );
    const printed = findingLines(summary, Infinity, (_tone, text) => text, true).join('\n');
    const told = new Set(answerOf(summary).flatMap(({ tells }) => tells));
    const page = String(
      cautions(/** @type {any} */ ({ summary, unreadable: [] }), [], /** @type {any} */ ({ charts: [] })),
    );
    for (const { code, text } of findings) {
      assert.equal(printed.split(text).length, told.has(code) ? 1 : 2, `${text} once on the console`);
      assert.ok(textOf(page).includes(text));
    }
  });
});
