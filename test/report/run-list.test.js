// The list of runs in index.html: made from the heads of the pages, whatever is in them.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { html } from '../../report/html/html.js';
import { listPages, previousOf, runsSection } from '../../report/read/run-list.js';
import { attributesOf, elementOf } from '../fixtures/page-elements.js';

const HOSTILE = `a"><script>alert(1)</script>'&amp;<b>`;

/** @param {string} run @param {object} [more] @returns {any} as a page has it */
const card = (run, more = {}) => ({
  run,
  scenario: run,
  startedAt: '2026-01-01T00:00:00Z',
  complete: true,
  digest: { name: run, load: run, cases: [{ label: 'a', perSecond: 1000 }], failures: [] },
  legs: [{ label: 'a', line: 'served' }],
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
    const legs = Array.from({ length: 2000 }, (_, i) => ({ label: `server ${i}`, line: '"unanswered" 0' }));
    const pages = {
      'hostile.html': card(HOSTILE),
      'many.html': card('many', { legs, startedAt: '2026-02-01T00:00:00Z' }),
      'old.html': card('old', { digest: undefined, startedAt: undefined }),
      'no-legs.html': { run: 'x' },
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

  it('says of a p99 that is not known that it is not', () => {
    const cases = [
      { label: 'a', perSecond: 1, p99Ns: 1e6 },
      { label: 'b', perSecond: 2 },
    ];
    const some = { name: 'n', load: 'l', failures: [] };
    const list = runsSection([
      card('x', { digest: { ...some, cases } }),
      card('y', { digest: { ...some, cases: [{ label: 'a' }] } }),
    ]);
    assert.match(elementOf(list, 'class', 'figures'), /1 ms \(not known for 1 of 2\)/);
    assert.equal(elementOf(list.split('data-run="y"')[1], 'class', 'figures'), '', 'nothing was measured');
  });
});
