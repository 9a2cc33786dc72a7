// What the answer of a run says of servers that did not serve all, of legs that failed, and of what distorts the figures.

import assert from 'node:assert/strict';
import { answerOf, answerText } from '../../client/judge/answer/index.js';
import { FAST, codesOf, legOf, partOf, rounds, runOf } from '../fixtures/made-up-answers.js';

describe('the answer of a run with problems', () => {
  it('of one server that serves only some, says so first, and nothing twice', () => {
    const leg = legOf({ name: 'a', account: { served: 59, unanswered: 11, connecting: 30 } });
    const run = runOf([leg]);
    assert.deepEqual(codesOf(run), ['not-served', 'one-case']);
    assert.equal(answerText(run).match(/59/g)?.length, 1);
  });

  it('does not count as unserved those that had no request yet', () => {
    const leg = legOf({ name: 'a', account: { served: 40, idle: 57, unanswered: 3 } });
    const { text, data } = partOf(runOf([leg], { config: { loop: 'open' } }), 'not-served');
    assert.match(text, /^a did not serve 3 of 100 connections/);
    assert.equal(data.cases[0].account.idle, 57);
  });

  it('tells connects that waited for another SYN, with the cause', () => {
    const delayed = {
      connectSteps: [
        { retry: 1, atNs: 1e9, connections: 30 },
        { retry: 2, atNs: 2e9, connections: 10 },
      ],
      connectTimeNs: { count: 100 },
      kernel: { TcpExtTCPSynRetrans: 50, TcpExtListenOverflows: 50 },
    };
    const { data, text } = partOf(runOf([legOf({ name: 'a' }), legOf({ name: 'b', ...delayed })]), 'slow-connects');
    assert.deepEqual(data.cases, [
      { case: 'b', rounds: 1, slow: 40, of: 100, atNs: 1e9, reason: 'accept-queue', cause: 'accept-queue' },
    ]);
    assert.match(text, /^40 of 100 connects to b took 1 s or longer: its accept queue was full\.$/);
    const few = { ...delayed, connectSteps: [{ retry: 1, atNs: 1e9, connections: 1 }], connectTimeNs: { count: 1000 } };
    assert.ok(!codesOf(runOf([legOf({ name: 'b', ...few })])).includes('slow-connects'));
  });

  it('tells a leg that did not run, one that failed, and one without a transfer, before all else', () => {
    const dead = {
      id: '1-b',
      case: 'b',
      label: 'b',
      server: 'b',
      axes: {},
      round: 1,
      complete: false,
      endedBy: 'server-start',
      warnings: [],
    };
    assert.deepEqual(codesOf(runOf([legOf({ name: 'a' }), dead])), ['one-case', 'did-not-run']);
    assert.deepEqual(codesOf(runOf([dead])), ['did-not-run']);
    for (const [written, text] of [
      ['it ended; its stderr:\n  boom\n  at: x', 'it ended'],
      ['it ended\n  boom', 'it ended'],
      ['it ended; why: x', 'it ended; why: x'],
    ]) {
      const failure = { code: 'leg-failed', data: {}, text: written };
      assert.equal(partOf(runOf([{ ...dead, failure }]), 'did-not-run').text, `b did not run: ${text}.`);
    }
    const failure = { code: 'leg-failed', data: {}, text: 'it ended' };
    const never = [1, 2, 3].map((round) => ({ ...dead, id: `${round}-b`, round, failure }));
    assert.equal(partOf(runOf(never), 'did-not-run').text, 'b did not run in any of 3 rounds: it ended.');
    const seldom = runOf([...never.slice(0, 1), ...rounds('b', FAST.slice(0, 3)).slice(1)]);
    assert.equal(partOf(seldom, 'did-not-run').text, 'b did not run in 1 of 3 rounds: it ended.');
    const refused = legOf({
      name: 'b',
      ...{
        complete: false,
        endedBy: 'no-transfers',
        failure: { code: 'no-transfers', data: {}, text: 'no transfer succeeded' },
      },
      connections: { requested: 100, openAtEnd: 0, unansweredAtEnd: 0, opened: 0, reopened: 0 },
      ...{ rejects: { refused: 9, total: 9 }, steady: undefined, account: { served: 0, rejected: 100 } },
    });
    assert.deepEqual(codesOf(runOf([refused])), ['no-transfers']);
    assert.match(answerText(runOf([refused])), /^No connection to b was opened: 9 attempts rejected \(refused 9\)\.$/);
    const ended = { code: 'server-ended', data: { signal: 'SIGSEGV', exitCode: null }, text: '' };
    const crashed = [1, 2, 3].map((round) =>
      legOf({ name: 'b', round, ...(round === 2 ? { complete: false, endedBy: 'error', warnings: [ended] } : {}) }),
    );
    const run = runOf([...rounds('a', FAST), ...crashed]);
    assert.equal(codesOf(run).filter((code) => code === 'server-ended' || code === 'incomplete').length, 1);
    assert.deepEqual(partOf(run, 'server-ended').data.cases[0], {
      case: 'b',
      rounds: 1,
      signal: 'SIGSEGV',
      exitCode: null,
    });
    assert.match(partOf(run, 'server-ended').text, /SIGSEGV.* in 1 of 3 rounds/);
    for (const [code, expected] of [
      ['server-agent-lost', 'server-agent-lost'],
      ['server-agent-stopped', 'server-ended'],
    ]) {
      const away = legOf({ name: 'b', warnings: [{ code, data: { agent: 's1', how: '', why: '' }, text: '' }] });
      assert.equal(partOf(runOf([away]), expected).data.cases[0].agent, 's1');
    }
  });

  it('names what several servers have in common once, the worst of them first', () => {
    const short = [10, 30, 20, 40, 50].map((served, i) =>
      legOf({ name: `s${i}`, account: { served, unanswered: 100 - served } }),
    );
    const { data, text } = partOf(runOf([...short, legOf({ name: 'whole' })]), 'not-served');
    assert.equal(data.cases.length, 5);
    assert.match(text, /^5 of 6 servers .*: s0 \(10 of 100\), s2 \(20 of 100\), s1 \(30 of 100\) and 2 more\.$/);
  });

  it('names at most two kinds of problems, the worst', () => {
    const bad = legOf({
      name: 'a',
      ...{
        errors: { reset: 3, total: 3 },
        rejects: { refused: 1, total: 1 },
        statuses: { '2xx': 9, '5xx': 1, total: 10 },
      },
      findings: [{ code: 'stalls', severity: 'problem', data: { count: 2, longestNs: 1e9 }, text: '' }],
    });
    assert.deepEqual(codesOf(runOf([bad])), ['one-case', 'unwanted-replies', 'stalls']);
    const busy = legOf({ name: 'a', findings: [{ code: 'stalls-waiting', data: { count: 1, longestNs: 2e8 } }] });
    assert.deepEqual(codesOf(runOf([busy])), ['one-case'], 'a short stall on a busy machine says nothing');
    const long = legOf({ name: 'a', findings: [{ code: 'stalls-waiting', data: { count: 2, longestNs: 1e9 } }] });
    const parts = answerOf(runOf([long]));
    assert.deepEqual([parts[1].code, parts[1].severity], ['stalls-waiting', 'caution']);
    assert.equal(parts[1].data.cases[0].cause, 'busy-cores');
  });

  it('says on what the figures depend: a client at its limit, an interruption, other programs', () => {
    const other = { code: 'background-load', data: { cores: 1.24, of: 2 }, text: '' };
    const busy = [legOf({ name: 'a', warnings: [other] }), legOf({ name: 'b', warnings: [] })];
    assert.deepEqual(partOf(runOf(busy), 'background-load').data, { legs: 1, of: 2, cores: 1.24 });
    assert.deepEqual(codesOf(runOf([legOf({ name: 'a', limitedBy: 'client' })])), ['one-case', 'client-limit']);
    const cut = runOf([...rounds('a', [1]), ...rounds('b', [1], { complete: false, endedBy: 'interrupted' })], {
      endedBy: 'interrupted',
      complete: false,
    });
    assert.deepEqual(partOf(cut, 'interrupted').data, { complete: 1, begun: 2 });
    assert.ok(!codesOf(cut).includes('incomplete'));
  });
});
