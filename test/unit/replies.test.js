// The short text of the console about the kinds of replies.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { protocolOf } from '../../client/protocols/index.js';
import { shortReplies } from '../../client/words/replies.js';
import { scenarioKeys } from '../../client/scenario/schema.js';

const codecs = new URL('../../client/engine/core/protocol/', import.meta.url);

const textOf = (/** @type {Record<string, number> | undefined} */ statuses) => shortReplies(statuses)?.text;

describe('the kinds of replies', () => {
  it('are listed if all replies are as requested', () => {
    assert.deepEqual(shortReplies({ '2xx': 10 }), { text: '2xx', unwanted: false });
    assert.deepEqual(shortReplies({ total: 15, '3xx': 10, '2xx': 5, '5xx': 0 }), { text: '3xx 2xx', unwanted: false });
  });

  it('are a share of the other replies, and the most frequent kind of these', () => {
    assert.deepEqual(shortReplies({ '2xx': 66, '5xx': 34 }), { text: '5xx 34 %', unwanted: true });
    assert.equal(textOf({ ok: 50, miss: 30, error: 20 }), 'miss… 50 %');
    assert.equal(textOf({ error: 7 }), 'error 100 %');
  });

  it('are never rounded to none or all', () => {
    assert.equal(textOf({ '2xx': 1e6, '5xx': 1 }), '5xx <1 %');
    assert.equal(textOf({ '2xx': 1, '5xx': 1e6 }), '5xx >99 %');
  });

  it('are empty if there are no kinds, or no replies', () => {
    /** @type {(Record<string, number> | undefined)[]} */
    const none = [undefined, {}, { total: 0 }, { '2xx': 0 }];
    assert.deepEqual(
      none.map((statuses) => shortReplies(statuses)),
      [null, null, null, null],
    );
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
