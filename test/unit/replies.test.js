// Replies by their kind: which were not requested, and which protocols tell kinds apart.
import assert from 'node:assert/strict';
import { unwantedReplies } from '../../client/words/replies.js';

describe('the kinds of replies', () => {
  it('are those that were not requested, the most frequent first, with their shares', () => {
    assert.deepEqual(unwantedReplies({ total: 15, '3xx': 10, '2xx': 5, '5xx': 0 }), []);
    assert.deepEqual(unwantedReplies({ ok: 50, miss: 20, error: 30 }), [
      { kind: 'error', share: 0.3 },
      { kind: 'miss', share: 0.2 },
    ]);
    assert.deepEqual([undefined, {}].flatMap(unwantedReplies), []);
  });
});
