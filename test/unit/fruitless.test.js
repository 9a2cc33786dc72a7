// A leg without a successful transfer is only complete if no transfer was due.

import assert from 'node:assert/strict';
import { noTransfersFailure } from '../../client/judge/summary.js';

/**
 * @param {object} [counts] of transfers
 * @param {object} [more]
 * @returns {object} summary of a leg whose connections were opened
 */
const opened = (counts, more) => ({
  ...{ connections: {}, attempts: { total: 9, opened: 9 }, rejects: { total: 0 }, errors: { total: 0 } },
  transfers: { count: 0, failed: 0, unfinished: 0, ...counts },
  ...more,
});
const rejected = opened({}, { attempts: { total: 10, opened: 0 }, rejects: { total: 10 } });
const lost = opened({}, { errors: { total: 9 } });
/** @param {Record<string, number>} kinds of five replies */
const replies = (kinds) => opened({ count: 5 }, { statuses: { total: 5, ...kinds } });
const span = 'steady state';
const bad = { total: 2, '5xx': 2 };
const closed = { connections: { openAtEnd: 0 }, rejects: { total: 9 } };
/**
 * @param {object} steady
 * @param {object} [more]
 * @returns {object} of a leg with five transfers before its steady state
 */
const late = (steady, more) => {
  const none = { transfers: 0, failed: 0, unfinished: 0, opened: 0, attempts: 0 };
  return opened({ count: 5 }, { connections: { openAtEnd: 9 }, steady: { ...none, ...steady }, ...more });
};
const held = { workload: 'hold', heartbeatNs: 0 };

describe('a leg without one successful transfer', () => {
  it('is not complete, unless none was due', () => {
    /** @type {[string, object, object, object | null][]} */
    const rows = [
      ['all attempts rejected', rejected, {}, { rejects: 10 }],
      ['all attempts rejected, to hold connections', rejected, held, null],
      ['the same with heartbeats', rejected, { ...held, heartbeatNs: 1e9 }, { rejects: 10 }],
      ['all failed', opened({ failed: 9 }), {}, { failed: 9 }],
      ['none ended', opened({ unfinished: 9 }), {}, { unfinished: 9 }],
      ['none sent of a rate', opened({ unsent: 9 }), {}, { unsent: 9 }],
      ['open, and none due yet', opened(), {}, null],
      ['all lost before a request was sent', lost, {}, { failed: 0, errors: 9 }],
      ['the same, to hold connections', lost, held, null],
      ['one succeeded', opened({ count: 1, failed: 99 }), {}, null],
      ['every reply 5xx', replies({ '5xx': 5 }), {}, { replies: '5xx' }],
      ['every reply 4xx or 5xx', replies({ '5xx': 3, '4xx': 2 }), {}, { replies: '5xx or 4xx' }],
      ['one reply as requested', replies({ '4xx': 4, '3xx': 1 }), {}, null],
      ['every key missing, a valid reply', replies({ miss: 5 }), {}, null],
      ['none in the steady state, where no connection opened', late({ attempts: 9 }), {}, { span, succeeded: 5 }],
      ['none in the steady state, all in back-off', late({}, closed), {}, { span, rejects: 9 }],
      ['none in the steady state, all failed', late({ failed: 1 }), {}, { span }],
      [
        'none in the steady state, every reply 5xx',
        late({ transfers: 2, statuses: bad }),
        {},
        { span, replies: '5xx' },
      ],
      ['none in the steady state, some in flight at its end', late({ failed: 1, responseTimeNs: {} }), {}, null],
      ['none due in the steady state', late({}), {}, null],
      ['none due in the steady state, after planned closes', late({}, { connections: { openAtEnd: 0 } }), {}, null],
      ['never begun', {}, {}, null],
    ];
    for (const [what, leg, load, data] of rows) {
      const failure = noTransfersFailure(/** @type {any} */ (leg), load);
      assert.equal(failure?.code, data === null ? undefined : 'no-transfers', what);
      assert.doesNotMatch(failure?.text ?? '', /\b0\b/, `${what}: only what there is`);
      for (const [key, value] of Object.entries(data ?? {})) assert.equal(failure?.data[key], value, `${what}: ${key}`);
    }
  });
});
