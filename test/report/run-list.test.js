// The list of runs in index.html: made from the heads of the pages, whatever is in them.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { html } from '../../report/html/html.js';
import { listPages, previousOf, runsSection } from '../../report/read/run-list.js';
import { attributesOf, cellOf, elementOf } from '../fixtures/page-elements.js';

const HOSTILE = `a"><script>alert(1)</script>'&amp;<b>`;

/** @param {string} run @param {object} [more] @returns {any} as a page has it */
const card = (run, more = {}) => ({
  run,
  scenario: run,
  startedAt: '2026-01-01T00:00:00Z',
  complete: true,
  digest: { name: run, load: run, cases: [{ label: 'a', perSecond: 1000 }], failures: [] },
  ...more,
});

describe('report: the list of runs', () => {
  /** @type {string} */
  let folder;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'broadside-run-list-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has every page of a run, however many legs, and no damaged one', async () => {
    const cases = Array.from({ length: 2000 }, (_, i) => ({ label: `"server" ${i}`, perSecond: i + 1 }));
    const pages = {
      'hostile.html': card(HOSTILE),
      'many.html': card('many', { digest: { ...card('').digest, cases }, startedAt: '2026-02-01T00:00:00Z' }),
      'old.html': card('old', { digest: undefined, startedAt: undefined }),
      'no-scenario.html': { run: 'x' },
      'no-cases.html': card('y', { digest: {} }),
      'text.html': 'text',
      'null.html': null,
    };
    for (const [name, content] of Object.entries(pages)) {
      const meta = html`<meta name="broadside-run" content="${JSON.stringify(content)}">`;
      await writeFile(join(folder, name), html`<!doctype html><html><head>${meta}</head></html>`.text);
    }
    await writeFile(join(folder, 'cut.html'), '<meta name="broadside-run" content="{&quot;run');
    await writeFile(join(folder, 'other.html'), '<p>');
    const cards = await listPages(folder);
    assert.deepEqual(
      cards.map(({ run }) => run),
      ['many', HOSTILE, 'old'],
    );
    const list = runsSection(cards);
    assert.ok(!list.includes('<script>'));
    assert.equal(attributesOf(list, 'data-run').length, 3);
    assert.deepEqual(attributesOf(list, 'href'), ['./hostile.html', './old.html'], 'the newest is the page itself');
  });

  it('names as previous the last earlier run of the same load', () => {
    const of = (/** @type {string} */ run, /** @type {string} */ startedAt, load = 'x') =>
      card(run, { startedAt, file: `${run}.html`, digest: { load } });
    const cards = [of('d', '4'), of('c', '3', 'y'), of('b', '2'), of('a', '1')];
    assert.equal(previousOf(of('d', '4'), cards)?.run, 'b');
    assert.equal(previousOf(of('a', '1'), cards), undefined);
    const unknown = { digest: undefined };
    assert.equal(previousOf({ ...of('d', '4'), ...unknown }, [{ ...of('a', '1'), ...unknown }]), undefined);
  });

  it('has the runs of a load together, each with its result and the history of its servers on one axis', () => {
    const run = (/** @type {string} */ day, /** @type {object} */ more, cases = [{}]) =>
      card(`run-${day}`, {
        ...{ scenario: 'x', file: `${day}.html`, startedAt: `2026-01-${day}T10:15:00Z`, ...more },
        digest: { name: 'x', load: 'x', failures: [], cases: cases.map((one) => ({ label: 'a', ...one })) },
      });
    const failures = [
      { code: 'errors', count: 9, text: '9 errors' },
      { code: 'unanswered', count: 1200, text: '1,200 unanswered' },
    ];
    const cards = [
      run('09', {}, [{ perSecond: 4000, perSecond95: [2000, 8000], cpuNs: 1000 }]),
      card('other', { digest: undefined, complete: false, startedAt: '2026-01-08T00:00:00Z', file: 'other.html' }),
      run('07', { complete: false, endedBy: 'interrupted' }),
      run('06', {}, [{ perSecond: 2000, failedShare: 0.25 }]),
    ];
    Object.assign(cards[3].digest, { failures });
    const list = runsSection(cards);
    const rowOf = (/** @type {string} */ id) => elementOf(list, 'data-run', id);
    assert.deepEqual(attributesOf(list, 'data-run'), ['run-09', 'run-07', 'run-06', 'other']);
    const results = ['run-09', 'run-07', 'run-06', 'other'].map((id) => cellOf(rowOf(id), 'result'));
    const failed = '25 % failed, 1,200 not served';
    assert.deepEqual(results, ['ok', 'interrupted', failed, 'incomplete']);
    const dotOf = (/** @type {string} */ id) =>
      Number(/class="value leg-\d" d="M([\d.]+) /.exec(rowOf(id).split('data-name="perSecond"')[1])?.[1]);
    const [, from, to] = /class="interval" d="M([\d.]+) \d+H([\d.]+)"/.exec(rowOf('run-09')) ?? assert.fail();
    assert.ok(Math.abs((Number(from) + Number(to)) / 2 - dotOf('run-09')) < 0.11, 'the interval is about the dot');
    assert.ok(Math.abs(dotOf('run-06') - Number(from)) < 0.11, 'one axis for all runs');
    assert.match(rowOf('run-09'), /title="a 4,000 \(2,000 to 8,000\)"/);
    assert.doesNotMatch(rowOf('run-07'), /class="value/, 'nothing was measured');
  });
});
