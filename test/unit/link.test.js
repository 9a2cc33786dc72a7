// The part of a page's address behind #: what a reader chose, written and read again.
import assert from 'node:assert/strict';
import { linkOf, readLink } from '../../report/browser/link.js';

const IDS = ['01-epoll', '02-a,b&c=d', '03-select', '04-uring', '05-java'];
const ALL = new Set([0, 1, 2, 3, 4]);

describe('report: the link to a view of the page', () => {
  it('is empty, or only the anchor, where nothing was chosen', () => {
    assert.equal(linkOf({ anchor: '', span: null, shown: ALL }, IDS, ALL), '');
    assert.equal(linkOf({ anchor: 'figure-response', span: null, shown: ALL }, IDS, ALL), 'figure-response');
    assert.deepEqual(readLink('#figure-response', IDS), {
      anchor: 'figure-response',
      span: null,
      shown: null,
      given: false,
    });
  });

  for (const view of [
    { anchor: 'figure-response', span: /** @type {[number, number]} */ ([10, 20.25]), shown: ALL },
    { anchor: '', span: /** @type {[number, number]} */ ([0, 3]), shown: new Set([0, 2, 3, 4]) },
    { anchor: 'figure-errors', span: null, shown: new Set([1]) },
    { anchor: 'legs', span: null, shown: /** @type {Set<number>} */ (new Set()) },
  ]) {
    it(`gives back ${view.anchor || 'no anchor'}, ${view.span ?? 'all time'}, legs ${[...view.shown].join() || 'none'}`, () => {
      const read = readLink(`#${linkOf(view, IDS, ALL)}`, IDS);
      assert.deepEqual([read.anchor, read.span, [...(read.shown ?? ALL)]], [view.anchor, view.span, [...view.shown]]);
    });
  }

  it('names the shorter list, so that links of many legs stay short', () => {
    const link = (/** @type {number[]} */ ...shown) =>
      linkOf({ anchor: '', span: null, shown: new Set(shown) }, IDS, ALL);
    assert.equal(link(0, 2, 3, 4), 'hidden=02-a%2Cb%26c%3Dd');
    assert.equal(link(0, 2), 'shown=01-epoll,03-select');
    assert.equal(link(), 'shown=');
  });

  it('leaves out what it does not understand: legs of another run, times that are none, broken escapes', () => {
    for (const hash of [
      '#x&time=20-10',
      '#x&time=a-b',
      '#x&time=1',
      '#x&hidden=99-none',
      '#x&shown=%E0%A4%A',
      '#x&a=b',
    ])
      assert.deepEqual(readLink(hash, IDS), { anchor: 'x', span: null, shown: null, given: false }, hash);
    assert.deepEqual([...(readLink('#shown=05-java,99-none', IDS).shown ?? [])], [4]);
  });
});
