// The verdict on a run: which conditions are met, by which leg, and how junit.xml and page say so.

import assert from 'node:assert/strict';
import { junitOf } from '../../client/exports/junit.js';
import { judgeRun, rowText } from '../../client/judge/verdict.js';
import { verdict as section } from '../../report/html/sections/verdict.js';

/** @param {string} id @param {Record<string, any>} [over] @returns {any} */
const legOf = (id, over = {}) => ({
  ...{ id, label: id.slice(3), complete: true, endedBy: 'plan', phases: { endNs: 2.5e9 } },
  rejects: { total: 0 },
  steady: { transfers: 10, failed: 0, unfinished: 0, responseTimeNs: { p99: 5e6, max: 9e6 } },
  ...over,
});
/** @param {any} verdict */
const facts = (verdict) =>
  verdict.thresholds.map((/** @type {any} */ row) => [row.leg ?? row.case, row.kind, row.condition, row.passed]);

describe('verdict', () => {
  it('is absent where no condition was given', () => {
    for (const none of [{}, { thresholds: [], failIf: [], stopOn: [] }])
      assert.equal(judgeRun(none, [legOf('01-a')], 1), undefined);
  });

  it('judges each leg by each condition', () => {
    const slow = legOf('02-b', { rejects: { total: 3 } });
    const verdict = judgeRun(
      { thresholds: ['p99 < 6ms and rejects == 0'], failIf: ['rejects > 0'] },
      [legOf('01-a'), slow],
      2,
    );
    assert.deepEqual(facts(verdict), [
      ['01-a', 'threshold', 'p99 < 6ms and rejects == 0', true],
      ['01-a', 'failIf', 'rejects > 0', true],
      ['02-b', 'threshold', 'p99 < 6ms and rejects == 0', false],
      ['02-b', 'failIf', 'rejects > 0', false],
    ]);
    assert.equal(verdict?.passed, false);
    assert.deepEqual(verdict?.thresholds[2].figures, [
      { figure: 'p99', value: 5e6, passed: true },
      { figure: 'rejects', value: 3, passed: false },
    ]);
  });

  it('fails what was not measured, as a threshold and as its inverse, or is only known to be above a value', () => {
    const silent = legOf('01-a', { steady: { transfers: 0, failed: 0, unfinished: 0 } });
    const { thresholds } = judgeRun({ thresholds: ['p99 < 1h'], failIf: ['p99 > 1h'] }, [silent], 1) ?? assert.fail();
    assert.deepEqual(
      thresholds.map(({ passed, figures }) => [passed, figures?.[0]]),
      Array(2).fill([false, { figure: 'p99', passed: false }]),
    );
    const responseTimeNs = { p99: 1, max: 9e6 };
    const failing = legOf('01-a', { steady: { transfers: 90, failed: 10, unfinished: 0, responseTimeNs } });
    const [row] = judgeRun({ thresholds: ['p99 < 1h'] }, [failing], 1)?.thresholds ?? [];
    assert.deepEqual(row.figures, [{ figure: 'p99', above: 9e6, passed: false }]);
  });

  it('fails when a leg of the plan was not begun, or did not run to its end', () => {
    const cut = legOf('01-a', { complete: false, endedBy: 'interrupted' });
    for (const [leg, planned, passed] of /** @type {[any, number, boolean][]} */ ([
      [legOf('01-a'), 1, true],
      [legOf('01-a'), 2, false],
      [cut, 1, false],
    ])) {
      assert.equal(judgeRun({ thresholds: ['rejects == 0'] }, [leg], planned)?.passed, passed);
    }
  });

  it('judges the rounds of a case together', () => {
    const rounds = [4e6, 7e6, 5e6].map((p99, i) => {
      const steady = { transfers: 10, failed: 0, unfinished: 0, responseTimeNs: { p99, max: 9e6 } };
      return legOf(`0${i + 1}-a`, { case: 'a', steady });
    });
    const verdict = judgeRun({ thresholds: ['p99 <= 5ms', 'p99 < 5ms'] }, rounds, 3);
    assert.deepEqual(facts(verdict), [
      ['a', 'threshold', 'p99 <= 5ms', true],
      ['a', 'threshold', 'p99 < 5ms', false],
    ]);
  });

  it('fails a leg that stopOn ended, for the condition that held', () => {
    const stopped = legOf('01-a', { endedBy: 'stop-on', stopped: { condition: 'p99 > 1s', forNs: 3e9, atNs: 4e9 } });
    const verdict = judgeRun({ stopOn: ['p99 > 1s for 3s', 'p99 > 1s for 9s'] }, [stopped, legOf('02-b')], 2);
    const passed = facts(verdict).map((/** @type {any[]} */ row) => `${row[0]} ${row[3]}`);
    assert.deepEqual(passed, ['01-a false', '01-a true', '02-b true', '02-b true']);
  });

  it('is rows on the page, failures first', () => {
    const verdict = judgeRun({ thresholds: ['rejects == 0', 'p99 < 5ms'] }, [legOf('01-<a>')], 1);
    const page = section(/** @type {any} */ ({ summary: { verdict } }))?.text ?? '';
    const rows = [...page.matchAll(/data-condition="([^"]*)" data-passed="(\w+)"/g)].map(([, ...row]) => row.join(' '));
    assert.deepEqual(rows, ['p99 &lt; 5ms false', 'rejects == 0 true']);
    assert.ok(page.includes('&lt;a&gt;') && !page.includes('<a>'), 'labels are escaped');
    assert.equal(section(/** @type {any} */ ({ summary: {} })), null);
  });
});

describe('junit.xml', () => {
  it('has a suite for each leg, and in it a case for the leg and for each condition', () => {
    const legs = [
      legOf('01-a"&<'),
      legOf('02-b', { complete: false, endedBy: 'error', failure: { text: 'broke\n\u0001' }, phases: undefined }),
    ];
    const verdict = judgeRun({ thresholds: ['p99 < 5ms'], failIf: ['rejects > 0'] }, legs, 3);
    const planned = [...legs, { id: '03-c', label: 'c' }];
    assert.equal(
      junitOf(/** @type {any} */ ({ scenario: 'smoke', legs, verdict }), planned),
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="smoke" tests="7" failures="4" errors="0" time="2.500">
  <testsuite name="a&quot;&amp;&lt;" tests="3" failures="1" errors="0" skipped="0" time="2.500">
    <testcase name="runs to its planned end" classname="smoke.a&quot;&amp;&lt;" time="2.500"/>
    <testcase name="p99 &lt; 5ms" classname="smoke.a&quot;&amp;&lt;" time="2.500">
      <failure type="threshold" message="p99 5 ms"/>
    </testcase>
    <testcase name="fail if rejects &gt; 0" classname="smoke.a&quot;&amp;&lt;" time="2.500"/>
  </testsuite>
  <testsuite name="b" tests="3" failures="2" errors="0" skipped="0" time="0.000">
    <testcase name="runs to its planned end" classname="smoke.b" time="0.000">
      <failure type="error" message="broke&#10;\\x01"/>
    </testcase>
    <testcase name="p99 &lt; 5ms" classname="smoke.b" time="0.000">
      <failure type="threshold" message="p99 5 ms"/>
    </testcase>
    <testcase name="fail if rejects &gt; 0" classname="smoke.b" time="0.000"/>
  </testsuite>
  <testsuite name="c" tests="1" failures="1" errors="0" skipped="0" time="0.000">
    <testcase name="runs to its planned end" classname="smoke.c" time="0.000">
      <failure type="never" message="not started"/>
    </testcase>
  </testsuite>
</testsuites>
`,
    );
  });

  it('has the conditions of a case of several rounds in a suite of their own', () => {
    const legs = [legOf('01-a', { case: 'a', round: 1 }), legOf('02-a', { case: 'a', round: 2 })];
    const verdict = judgeRun({ thresholds: ['rejects == 0'] }, legs, 2);
    const text = junitOf(/** @type {any} */ ({ scenario: 's', legs, verdict }), legs);
    const suites = [...text.matchAll(/<testsuite name="([^"]*)" tests="(\d+)"/g)].map(([, ...suite]) =>
      suite.join(': '),
    );
    assert.deepEqual(suites, ['a, round 1: 1', 'a, round 2: 1', 'a, 2 rounds: 1']);
    assert.equal(text.split('rejects == 0').length - 1, 1);
  });
});

describe('a row of the verdict', () => {
  it('says that it could not tell where it is undecided', () => {
    const ids = { leg: '01-b', label: 'b', kind: 'failIf', condition: 'cost worse by 3%', figures: [], passed: false };
    const row = /** @type {any} */ ({ ...ids, text: 'cost +2 % (−1 to +5) against a' });
    assert.equal(rowText(row), 'b: fail if cost worse by 3%: cost +2 % (−1 to +5) against a');
    assert.match(rowText({ ...row, undecided: true }), /^could not tell: b: fail if cost/);
  });
});
