// What `logs export` writes for other tools, read back by separate parsers.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FORMATS } from '../../client/commands/logs/formats.js';
import { casesOf } from '../../client/judge/cases.js';
import { compareRuns } from '../../client/judge/compare-runs/index.js';
import { runComparisonMarkdown, runMarkdown } from '../../client/exports/markdown.js';
import { measuredFigures, metricsOf } from '../../client/exports/metrics.js';
import { prometheusText } from '../../client/exports/prometheus-text.js';
import { figureOf } from '../../client/judge/figures.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';
import { assertGolden } from '../fixtures/golden.js';

const summary = JSON.parse(readFileSync(join(RECORDED, 'summary.json'), 'utf8'));

/** @param {string} text of Prometheus @returns {Map<string, number>} by name and labels */
function seriesOf(text) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const pairs = lines.map((line) => {
    const match = /^([a-z_]+\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\}) (\S+)$/.exec(line);
    assert.ok(match, line);
    return /** @type {[string, number]} */ ([match[1], match[2] === '+Inf' ? Infinity : Number(match[2])]);
  });
  assert.equal(new Set(pairs.map(([name]) => name)).size, pairs.length, 'no series twice');
  return new Map(pairs);
}

describe('exports of a run', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'broadside-exports-')), RUN_ID);
    cpSync(RECORDED, folder, { recursive: true });
  });
  after(() => rmSync(join(folder, '..'), { recursive: true }));

  it('the textfile of Prometheus has the figures of the summary, in base units', () => {
    const [path] = FORMATS.prometheus.write([folder], {});
    const series = seriesOf(readFileSync(path, 'utf8'));
    for (const { label, server, rejects, transfers, steady } of summary.legs) {
      const labels = `scenario="${summary.scenario}",case="${label}",server="${server}"`;
      assert.equal(series.get(`broadside_rejects_by_part{${labels},part="refused"}`), rejects.refused);
      assert.equal(series.get(`broadside_rejects{${labels}}`), rejects.total);
      assert.equal(series.get(`broadside_transfers_of_leg{${labels}}`), transfers.count);
      assert.equal(series.get(`broadside_received_bytes{${labels}}`), transfers.bytesReceived);
      assert.equal(series.get(`broadside_transfers_per_second{${labels}}`), steady.perSecond);
      const p50 = steady.responseTimeNs.p50 / 1e9;
      assert.equal(series.get(`broadside_response_time_seconds{${labels},quantile="0.5"}`), p50);
    }
    assert.equal(series.get(`broadside_run_info{scenario="${summary.scenario}",run="${summary.run}"}`), 1);
  });

  it('one file of one run may be written elsewhere', () => {
    const out = join(folder, '..', 'made', 'textfiles');
    assert.deepEqual(FORMATS.prometheus.write([folder], { out }), [join(out, 'broadside.prom')]);
    assert.deepEqual(FORMATS.markdown.write([folder], { out }), [join(out, 'summary.md')]);
    assert.deepEqual(readdirSync(out).sort(), ['broadside.prom', 'summary.md']);
  });
});

describe('the text format of Prometheus', () => {
  it('escapes labels, and shows an unknown percentile as infinite', () => {
    const [leg] = summary.legs;
    const steady = { ...leg.steady, failed: leg.steady.transfers, unfinished: 0 };
    const failing = { ...summary, cases: [], legs: [{ ...leg, label: 'a "b"\\c\nd', steady }] };
    const series = seriesOf(prometheusText(metricsOf(failing)));
    const labels = `scenario="${summary.scenario}",case="a \\"b\\"\\\\c\\nd",server="${leg.server}"`;
    const quantile = (/** @type {string} */ q) =>
      series.get(`broadside_response_time_seconds{${labels},quantile="${q}"}`);
    assert.deepEqual([quantile('0.5'), quantile('0.9')], [leg.steady.responseTimeNs.p50 / 1e9, Infinity]);
  });

  it('has a name for each figure that no other one has, with its unit', () => {
    const names = metricsOf(summary).map(({ name, unit }) => `${name} ${unit}`);
    assert.equal(new Set(names).size, names.length);
    for (const name of ['response_time seconds', 'limited_by_machine ratio', 'rejects_by_part '])
      assert.ok(names.includes(name), `${name} of ${names.join(', ')}`);
  });

  it('describes a metric as its figure, or says by what its series differ', () => {
    const helps = Object.fromEntries(metricsOf(summary).map(({ name, help }) => [name, help]));
    for (const name of ['attempts', 'abandoned', 'unanswered'])
      assert.equal(helps[name], `connections: ${figureOf(name)?.about}`);
    assert.match(helps.rejects_by_part, /, by part$/);
    assert.match(helps.response_time, /, by quantile$/);
  });

  it('has nothing of open loop, or of kinds of replies, where a run has none', () => {
    const names = measuredFigures(summary).map(({ name }) => name);
    assert.ok(names.includes('p99'));
    for (const name of ['due', 'late', 'unsent', 'replies.2xx']) assert.ok(!names.includes(name), name);
    const open = measuredFigures({ ...summary, config: { ...summary.config, loop: 'open' } });
    assert.ok(open.some(({ name }) => name === 'late'));
  });

  it('tells rounds apart', () => {
    const [leg] = summary.legs;
    const rounds = { ...summary, legs: [leg, { ...leg, id: '02-again', round: 2 }] };
    const names = [...seriesOf(prometheusText(metricsOf(rounds))).keys()];
    assert.equal(names.filter((name) => /^broadside_leg_complete\{.*round="[12]"\}$/.test(name)).length, 2);
  });
});

describe('the Markdown summary', () => {
  const [leg] = summary.legs;
  const rowsOf = (/** @type {string} */ text) => text.split('\n').filter((line) => line.startsWith('|'));

  it('for a pull request has the headline and at most five servers, whose labels are as they are', () => {
    const legs = Array.from({ length: 8 }, (_, i) => ({ ...leg, id: `0${i}`, label: `a|b ${i}`, case: `a|b ${i}` }));
    const text = runMarkdown({ ...summary, legs, cases: casesOf(legs) });
    const rows = rowsOf(text);
    assert.equal(rows.length, 2 + 5);
    for (const row of rows.slice(2)) assert.ok(row.startsWith('| a\\|b '), row);
    assert.match(text, /3 more rows/);
    assert.match(text, /^\*\*.*\*\*$/m);
  });

  it('refers to nobody and nothing, and holds no markup, whatever a server says', () => {
    const said = [
      '@octocat and org/team#12, GH-7, see https://evil.example/x or www.evil.example, mail a@b.example',
      '# 1. <img src=x> &lt;b&gt; `code` $x$ ~~no~~ [a](b) | cell\n::error::x \x1b]0;x\x07',
    ];
    const legs = [{ ...leg, label: said.toReversed().join(' '), case: said[1] }];
    const later = { ...summary, scenario: said[0], legs, cases: casesOf(legs) };
    const rejects = { ...leg.rejects, total: 0 };
    const earlier = { ...later, run: '20260101-120000-a', legs: [{ ...legs[0], rejects }] };
    const [run, baseline] = [later, earlier].map((ofRun) => ({ summary: ofRun, scenario: null, environment: null }));
    const compared = compareRuns(run, baseline, null) ?? assert.fail();
    const text = runMarkdown(later) + runComparisonMarkdown(compared);
    const told = text.replace(/^\*\*|\*\*$|^#+ |^- |^Runs? `.*`|\|/gm, '');
    assert.ok(told.split('octocat').length > 3, 'in headings, a table and a list');
    for (const active of [
      /@(?!&#8203;)/,
      /#(?=\d)(?!8203;)/,
      /GH-\d/,
      /:\/\//,
      /www\./,
      /(?<!\\)[<`$~[\]]/,
      /&(?!#8203;)(?<!\\&)/,
    ]) {
      assert.doesNotMatch(told, active);
    }
    assert.match(text, /^- \\#(?!&)/m, 'no heading in a list');
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(text, /[\0-\x09\x0b-\x1f]/);
    assert.ok(text.includes('\\\\x1b\\]0;x\\\\x07'));
  });

  it('is that of test/golden/summary.md', () => {
    const row = { kind: 'threshold', label: 'epoll', figures: [] };
    const findingOf = (/** @type {string} */ code, /** @type {string} */ severity) => ({
      ...{ code, severity, data: {}, text: `${code}.`, remedy: 'Mend it.' },
    });
    const thresholds = [
      { ...row, condition: 'p99 < 5ms', passed: false, text: 'p99 7 ms' },
      { ...row, condition: 'rejects == 0', passed: true, text: 'rejects 0' },
    ];
    const failed = {
      ...{ ...summary, complete: false, endedBy: 'interrupted', verdict: { passed: false, thresholds } },
      legs: [
        { ...leg, label: 'a', findings: [findingOf('drift', 'caution'), findingOf('quiet', 'note')] },
        {
          ...leg,
          label: 'b',
          findings: [findingOf('drift', 'caution'), findingOf('stalls', 'problem')],
          complete: false,
        },
      ],
    };
    const { steady } = leg;
    const inRounds = ['a|b <c>\nd*', 'slow'].flatMap((name, i) =>
      [49_000, 50_000, 51_000].map((rate, round) => ({
        ...{ ...leg, id: `${round}-${i}`, case: name, label: name, round: round + 1 },
        steady: { ...steady, perSecond: rate / (i + 1) },
      })),
    );
    const ranked = { ...summary, legs: inRounds, cases: casesOf(inRounds) };
    const texts = [summary, failed, ranked].map(runMarkdown);
    assertGolden('summary.md', texts.join('\n'));
  });
});
