// The contents of a page, and its findings: every link leads to something on the page.
import assert from 'node:assert/strict';
import { replyFindings } from '../../client/judge/findings/replies.js';
import { previousOf } from '../../report/read/run-list.js';
import { html } from '../../report/html/html.js';
import { checks } from '../../report/html/sections/checks.js';
import { contents } from '../../report/html/sections/contents.js';
import { attributesOf, elementOf, textOf } from '../fixtures/page-elements.js';

describe('report: contents', () => {
  const main = html`<section id="a"><h2 id="a-title">${'A & <b>'}</h2></section><section><h3 id="figure-x">X</h3></section>`;

  it('link to each section and figure, to the list of runs and to the previous run', () => {
    const nav = contents(main, { file: 'a b"<.html', run: 'a b"<' });
    assert.deepEqual(attributesOf(nav, 'href'), ['#a', './index.html#runs', './a%20b%22%3C.html', '#figure-x']);
    assert.equal(textOf(nav).startsWith('A &amp; &lt;b&gt; '), true, 'no title is escaped twice');
    assert.deepEqual(attributesOf(contents(main), 'data-run'), []);
  });

  it('name as previous the last earlier run of the same load', () => {
    const card = (/** @type {string} */ run, /** @type {string} */ startedAt, load = 'x') =>
      /** @type {any} */ ({ run, startedAt, file: `${run}.html`, digest: { load } });
    const cards = [card('d', '4'), card('c', '3', 'y'), card('b', '2'), card('a', '1')];
    assert.equal(previousOf(card('d', '4'), cards)?.run, 'b');
    assert.equal(previousOf(card('a', '1'), cards), undefined);
    assert.equal(
      previousOf({ ...card('d', '4'), digest: undefined }, [{ ...card('a', '1'), digest: undefined }]),
      undefined,
    );
  });
});

describe('report: findings', () => {
  const finding = (/** @type {string} */ code, /** @type {string} */ severity) => ({
    code,
    severity,
    data: {},
    text: `<${code}>`,
  });
  const model = /** @type {any} */ ({
    charts: [
      { id: 'response', title: 'R' },
      { id: 'transfers', empty: {} },
    ],
  });
  const run = /** @type {any} */ ({
    summary: {
      legs: [
        { label: 'a', findings: [finding('drift', 'caution'), finding('stalls', 'problem')] },
        { label: 'b', findings: [finding('stalls', 'problem')] },
      ],
    },
  });

  it('are listed by severity, each with the first figure that is drawn and the others that have it', () => {
    const list = String(checks(run, model));
    assert.deepEqual(attributesOf(list, 'data-severity'), ['problem', 'caution']);
    assert.deepEqual(attributesOf(list, 'href'), ['#figure-response', '#figure-response']);
    assert.deepEqual(attributesOf(list, 'data-leg'), ['a', 'b', 'a']);
    assert.match(textOf(elementOf(list, 'data-leg', 'b')), /&lt;stalls&gt;/);
    assert.deepEqual(attributesOf(checks(run, { charts: [] }), 'href'), []);
  });

  it('name replies other than requested, but no misses', () => {
    const [{ code, severity, data }] = replyFindings({ '2xx': 6, '4xx': 3, '5xx': 1, miss: 0, total: 10 });
    assert.deepEqual(
      [code, severity, data],
      ['unwanted-replies', 'problem', { count: 4, share: 0.4, kinds: { '4xx': 3, '5xx': 1 } }],
    );
    assert.equal(replyFindings({ '5xx': 7, total: 7 })[0].data.share, 1);
    for (const statuses of [undefined, {}, { '2xx': 5, '3xx': 1, total: 6 }, { ok: 5, miss: 3, total: 8 }])
      assert.deepEqual(replyFindings(/** @type {any} */ (statuses)), []);
  });
});
