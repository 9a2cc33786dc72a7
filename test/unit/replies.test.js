// Replies by their kind: which were not requested, and which protocols tell kinds apart.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { protocolOf } from '../../client/protocols/index.js';
import { unwantedReplies } from '../../client/words/replies.js';
import { scenarioKeys } from '../../client/scenario/schema.js';

const codecs = new URL('../../client/engine/core/protocol/', import.meta.url);

describe('the kinds of replies', () => {
  it('are those that were not requested, the most frequent first, with their shares', () => {
    assert.deepEqual(unwantedReplies({ total: 15, '3xx': 10, '2xx': 5, '5xx': 0 }), []);
    assert.deepEqual(unwantedReplies({ ok: 50, miss: 20, error: 30 }), [
      { kind: 'error', share: 0.3 },
      { kind: 'miss', share: 0.2 },
    ]);
    assert.deepEqual([undefined, {}].flatMap(unwantedReplies), []);
  });

  it('have their column with every protocol whose codec distinguishes kinds', () => {
    const names = scenarioKeys.get('protocol')?.enum ?? [];
    const files = readdirSync(codecs);
    const countsKinds = (/** @type {string} */ name) =>
      files
        .filter((file) => file === `${name}.c` || (file.startsWith(`${name}_`) && file.endsWith('.c')))
        .some((file) => /\bCODE_(?!NONE)/.test(readFileSync(new URL(file, codecs), 'utf8')));
    assert.ok(names.includes('nats'));
    assert.deepEqual(
      names.filter((name) => protocolOf(String(name)).kinds),
      names.filter((name) => countsKinds(String(name))),
    );
  });
});
