// What a reader of the figures must know: each finding and each warning once, with links that lead to something on the
// page.
import assert from 'node:assert/strict';
import { rows } from '../../client/judge/findings/index.js';
import { warning } from '../../client/words/warnings.js';
import { cautions } from '../../report/html/sections/cautions.js';
import { chartModel } from '../../report/model/charts/all.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { madeUpLeg, withSummary } from '../fixtures/page-legs.js';
import { attributesOf, codesIn, elementOf, textOf } from '../fixtures/page-elements.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/** @param {string} code @param {string} severity */
const finding = (code, severity) => ({ code, severity, data: {}, text: `<${code}>`, remedy: '<remedy>' });

const RAN = { complete: true, endedBy: 'plan', warnings: [] };

/** @param {object} [summary] @param {object} [other] @returns {any} a run */
const runWith = (summary = {}, other = {}) => ({
  ...{ summary: { ...RAN, legs: [], ...summary }, plan: null, unreadable: [] },
  ...other,
});

const model = /** @type {any} */ ({
  charts: [
    { id: 'response', title: 'R' },
    { id: 'transfers', empty: { code: 'x' } },
    { id: 'cpu', title: 'C' },
  ],
});

describe('report: cautions', () => {
  it('are the findings, the severest first, each once with the servers that have it and the chart that shows it', () => {
    const legs = [
      { id: 'a', label: 'a', ...RAN, findings: [finding('drift', 'caution'), finding('stalls', 'problem')] },
      { id: 'b', label: 'b', ...RAN, findings: [finding('stalls', 'problem'), finding('likely-limit', 'note')] },
    ];
    const list = String(cautions(runWith({ legs }), [], model));
    assert.deepEqual(attributesOf(list, 'data-severity'), ['problem', 'caution', 'note']);
    assert.deepEqual(attributesOf(list, 'data-leg'), ['a', 'b', 'a', 'b']);
    assert.deepEqual(attributesOf(list, 'href'), ['#figure-response', '#figure-response', '#figure-cpu']);
    assert.match(textOf(elementOf(list, 'data-code', 'stalls')), /^a : &lt;stalls&gt;\. R &lt;remedy&gt;/);
    assert.deepEqual(attributesOf(cautions(runWith({ legs }), [], { ...model, charts: [] }), 'href'), []);
  });

  it('name only charts that there are, of several servers or of one', async () => {
    const run = await readRun(RECORDED);
    // as of an open loop, with kernel timestamps
    const legs = /** @type {any[]} */ (run.legs).map((leg) => ({
      ...leg,
      samples: leg.samples.map((/** @type {any} */ sample) => {
        const { responseTime } = sample.histograms;
        return { ...sample, histograms: { ...sample.histograms, splitResponse: responseTime } };
      }),
    }));
    const results = pageLegsOf({ ...run, legs }).results.map((f) => ({ ...f, closed: false }));
    const idsOf = (/** @type {number} */ number) =>
      chartModel({ ...run, legs: legs.slice(0, number) }, results.slice(0, number)).charts.map(({ id }) => id);
    /** @type {Set<string>} */
    const drawn = new Set([...idsOf(legs.length), ...idsOf(1)]);
    for (const { code, charts = [] } of rows)
      assert.deepEqual(
        charts.filter((id) => !drawn.has(id)),
        [],
        code,
      );
  });

  it('are the warnings of run, plan and legs, those that differ in server and numbers said once', () => {
    const shared = (/** @type {number} */ cores) => warning('background-load', { cores, of: 2 });
    const legs = ['a', 'b', 'c'].map((label, i) => ({
      ...{ id: label, label, ...RAN, warnings: i < 2 ? [shared(1.2 + i)] : [] },
    }));
    const planned = warning('fewer-workers', { given: 4, used: 2 });
    const run = runWith({ warnings: [planned], legs }, { plan: { warnings: [planned] }, unreadable: ['x: <cut>'] });
    const list = String(cautions(run, [], model));
    assert.deepEqual(codesIn(list), ['background-load', 'fewer-workers', 'unreadable'], 'of two legs; of the plan');
    assert.deepEqual(attributesOf(list, 'data-leg'), ['b', 'a'], 'the worst first');
    assert.ok(list.includes('x: &lt;cut&gt;'));
  });

  it('open where a server failed; say once what is missing of several servers', () => {
    const cut = withSummary(madeUpLeg({ other: { label: 'b' } }), {
      ...{ complete: false, endedBy: 'interrupted', failure: { text: 'exit <1>\nmore' } },
    });
    const results = [madeUpLeg({}), { ...cut, missing: [{ code: 'leg', data: {}, text: 'the leg' }] }];
    assert.equal(cautions(runWith(), [madeUpLeg({})], model), null);
    const [never, later] = ['c', 'd'].map((label) =>
      withSummary(madeUpLeg({ other: { label } }), { complete: false, endedBy: 'never' }),
    );
    const stopped = String(cautions(runWith({ complete: false, endedBy: 'interrupted' }), [never, later], model));
    assert.match(stopped, /<details id="cautions" class="problem">/);
    assert.deepEqual(attributesOf(stopped, 'data-legs'), ['c d']);
    for (const [endedBy, code] of [
      ['cut', 'cut'],
      ['interrupted', 'interrupted'],
      ['plan', 'incomplete'],
    ]) {
      const list = String(cautions(runWith({ complete: false, endedBy }), results, model));
      assert.match(list, /<details id="cautions" class="problem" open>/);
      assert.deepEqual(codesIn(list), [code, 'interrupted']);
      assert.deepEqual([attributesOf(list, 'data-legs'), attributesOf(list, 'data-missing')], [['b'], ['leg']]);
      assert.match(textOf(list), /: exit &lt;1&gt;; missing: the leg$/);
    }
  });
});
