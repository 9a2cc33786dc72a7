// Replies by their kind: which were not requested, and which protocols tell kinds apart.
import assert from 'node:assert/strict';
import { redirects, serverSaid, failedRepliesOf, wrongReplies } from '../../client/judge/findings/replies.js';
import { failedReplies, failedText } from '../../client/words/replies.js';
import { foundIn } from '../fixtures/found.js';

describe('the kinds of replies', () => {
  it('are those that were not requested, the most frequent first, with their shares', () => {
    assert.deepEqual(failedReplies({ total: 15, '3xx': 10, '2xx': 5, '5xx': 0 }), []);
    assert.deepEqual(failedReplies({ ok: 50, miss: 20, error: 30 }), [
      { kind: 'error', share: 0.3 },
      { kind: 'miss', share: 0.2 },
    ]);
  });

  it('are status codes in place of 4xx and 5xx, unless some of these were expected', () => {
    const codes = { 200: 6, 404: 3, 500: 2, 503: 1 };
    const kindsOf = (/** @type {Record<string, number>} */ statuses) =>
      failedRepliesOf({ ...statuses, total: 12 }, codes)?.kinds;
    assert.deepEqual(kindsOf({ '2xx': 6, '4xx': 3, '5xx': 3 }), { 404: 3, 500: 2, 503: 1 });
    assert.deepEqual(kindsOf({ '2xx': 6, ok: 1, '4xx': 2, '5xx': 3 }), { '4xx': 2, 500: 2, 503: 1 });
    assert.equal(failedText({ '2xx': 6, '4xx': 3, '5xx': 3 }, codes), '404 25 % · 500 16.7 % · 503 8.33 %');
    const every = foundIn([wrongReplies], [], {}, { statuses: { '4xx': 7, total: 7 }, codes: { 401: 7 } });
    assert.equal(every[0].text, 'every reply was 401');
  });

  it('are a finding where they are not as requested, but no misses', () => {
    const some = failedRepliesOf({ '2xx': 6, '4xx': 3, '5xx': 1, miss: 0, total: 10 });
    assert.deepEqual(some, { count: 4, share: 0.4, kinds: { '4xx': 3, '5xx': 1 } });
    assert.equal(failedRepliesOf({ '5xx': 7, total: 7 })?.share, 1);
    for (const statuses of [undefined, {}, { '2xx': 5, '3xx': 1, total: 6 }, { ok: 5, miss: 3, total: 8 }])
      assert.equal(failedRepliesOf(/** @type {any} */ (statuses)), undefined);
  });

  it('are counted in the steady state, as the headline counts them, and beside that in the whole leg', () => {
    const statuses = { '2xx': 9000, '4xx': 700, total: 9700 };
    const findingOf = (/** @type {Record<string, number>} */ counts) =>
      foundIn([wrongReplies], [], {}, { statuses, codes: { 404: 700 }, steady: { statuses: counts } })[0];
    const { data, text } = findingOf({ '2xx': 6960, '4xx': 545, total: 7505 });
    assert.deepEqual([data.count, data.kinds, data.ofLeg], [545, { '4xx': 545 }, 700]);
    assert.equal(text, '545 failed replies (7.3 %): 4xx 545 (700 with ramp and warm-up)');
    assert.equal(findingOf({ '2xx': 6960, total: 6960 }).text, '700 failed replies in ramp and warm-up: 404 700');
    assert.equal(findingOf({ '4xx': 700, total: 700 }).data.ofLeg, undefined);
  });

  it('that are redirects are found where they are most', () => {
    const findingsOf = (/** @type {object | undefined} */ statuses, /** @type {any[]} */ quotes = []) =>
      foundIn([redirects, serverSaid], [], {}, { statuses, quotes });
    assert.equal(findingsOf({ '3xx': 3, total: 4 })[0].data.share, 0.75);
    for (const statuses of [{ '3xx': 2, total: 4 }, { total: 4 }, undefined])
      assert.deepEqual(findingsOf(statuses), []);
    const quotes = /** @type {any} */ ([
      { kind: '5xx', text: 'HTTP/1.1 500' },
      { kind: 'redirect', text: '/login' },
    ]);
    const [redirected, said] = findingsOf({ '3xx': 1, '5xx': 0, total: 1 }, quotes);
    assert.equal(redirected.data.target, '/login');
    assert.deepEqual(said.data.quotes, [quotes[0]]);
    assert.deepEqual(findingsOf({}, quotes.slice(1)), []);
  });
});
