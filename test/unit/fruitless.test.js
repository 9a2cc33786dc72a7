// Whether a leg without a successful transfer is complete: only where none was due.

import assert from 'node:assert/strict';
import { fruitlessOf } from '../../client/judge/summary.js';

const transfers = (counts = {}) => ({ count: 0, failed: 0, unfinished: 0, ...counts });
const attempts = (total = 10, opened = 0) => ({ total, opened });
const figures = (own = {}) => ({
  connections: {},
  ...{ transfers: transfers(), attempts: attempts(), rejects: { total: 10 }, errors: { total: 0 } },
  ...own,
});

describe('a leg without one successful transfer', () => {
  /** @type {[string, object, object, object | null][]} */
  const rows = [
    ['all attempts rejected', figures(), {}, { rejects: 10 }],
    ['all attempts rejected, to hold connections', figures(), { workload: 'hold', heartbeatNs: 0 }, null],
    ['the same with heartbeats', figures(), { workload: 'hold', heartbeatNs: 1e9 }, { rejects: 10 }],
    ['all failed', figures({ attempts: attempts(9, 9), transfers: transfers({ failed: 9 }) }), {}, { failed: 9 }],
    [
      'none ended',
      figures({ attempts: attempts(9, 9), transfers: transfers({ unfinished: 9 }) }),
      {},
      { unfinished: 9 },
    ],
    [
      'none sent of a rate',
      figures({ attempts: attempts(9, 9), transfers: transfers({ unsent: 9 }) }),
      {},
      { unsent: 9 },
    ],
    ['open, and none due yet', figures({ attempts: attempts(9, 9) }), {}, null],
    [
      'all lost before a request was sent',
      figures({ attempts: attempts(9, 9), errors: { total: 9 } }),
      {},
      { failed: 0, errors: 9 },
    ],
    [
      'the same, to hold connections',
      figures({ attempts: attempts(9, 9), errors: { total: 9 } }),
      { workload: 'hold', heartbeatNs: 0 },
      null,
    ],
    ['one succeeded', figures({ transfers: transfers({ count: 1, failed: 99 }) }), {}, null],
    [
      'every reply 5xx',
      figures({ transfers: transfers({ count: 5 }), statuses: { total: 5, '5xx': 5 } }),
      {},
      { replies: '5xx' },
    ],
    [
      'every reply 4xx or 5xx',
      figures({ transfers: transfers({ count: 5 }), statuses: { total: 5, '5xx': 3, '4xx': 2 } }),
      {},
      { replies: '5xx or 4xx' },
    ],
    [
      'one reply as requested',
      figures({ transfers: transfers({ count: 5 }), statuses: { total: 5, '4xx': 4, '3xx': 1 } }),
      {},
      null,
    ],
    [
      'every key missing, a valid reply',
      figures({ transfers: transfers({ count: 5 }), statuses: { total: 5, miss: 5 } }),
      {},
      null,
    ],
    ['never begun', {}, {}, null],
  ];
  for (const [what, of, load, data] of rows) {
    it(`${what}: ${data === null ? 'complete' : 'not complete'}`, () => {
      const found = fruitlessOf(/** @type {any} */ (of), load);
      if (data === null) assert.equal(found, null);
      else {
        assert.equal(found?.code, 'no-transfers');
        for (const [key, value] of Object.entries(data)) assert.equal(found?.data[key], value, key);
      }
    });
  }
});
