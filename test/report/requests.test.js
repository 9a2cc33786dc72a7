// The page's section on the requests of a list.

import assert from 'node:assert/strict';
import { requests } from '../../report/html/sections/requests.js';
import { madeUpLeg } from '../fixtures/page-legs.js';

/** @param {string} name @param {object} [over] of its figures */
const requestOf = (name, over = {}) => ({
  ...{ name, transfers: { count: 10, failed: 0, unfinished: 0 }, statuses: { total: 10, '2xx': 10 } },
  figures: {
    transfers: 8,
    failed: 0,
    unfinished: 0,
    perSecond: 4,
    responseTimeNs: { p50: 1e6, p99: 2e6, max: 3e6 },
    ...over,
  },
});

describe('report: requests of a list', () => {
  it('have a row each, with what is wrong marked and names as text', () => {
    const summary = {
      requests: [requestOf('GET /<b>'), requestOf('cart', { failed: 2, statuses: { total: 8, '5xx': 8 } })],
    };
    const leg = madeUpLeg({ summary, figures: { fromNs: 1e9, toNs: 3e9 }, other: { label: 'mine' } });
    const { text } = requests([leg, madeUpLeg({ other: { label: 'plain' } })]) ?? assert.fail();
    const rows = [...text.matchAll(/<tr data-request[^>]*>(.*?)<\/tr>/g)].map(([, row]) =>
      [...row.matchAll(/<t[hd]([^>]*)>(.*?)<\/t[hd]>/g)].map(
        ([, attributes, cell]) => cell + (attributes.includes('bad') ? '!' : ''),
      ),
    );
    assert.deepEqual(rows, [
      ['mine', 'GET /&lt;b&gt;', '8', '4', '0', '0 %', '1 ms', '2 ms'],
      ['mine', 'cart', '8', '4', '2!', '5xx!', '1 ms', '&gt; 3 ms!'],
    ]);
    assert.equal(requests([madeUpLeg({})]), null);
  });
});
