// The page's sections on the parts of a load: the instances of a server, and the requests of a list.

import assert from 'node:assert/strict';
import { partSubjects } from '../../report/html/sections/parts.js';
import { requests } from '../../report/html/sections/requests.js';
import { madeUpLeg } from '../fixtures/page-legs.js';

/** @import { PageLeg } from '../../report/types.js' */

/** @param {number} index @param {object} [over] */
const instanceOf = (index, over = {}) => ({
  ...{ index, target: `127.0.0.1:${7000 + index}`, cpus: String(index + 1), workers: [index, index + 2] },
  ...{ openAtEnd: 5, rejects: 0, errors: 0, transfers: { count: 10, failed: 0, unfinished: 0 } },
  figures: { transfers: 8, failed: 0, unfinished: 0, perSecond: 4, responseTimeNs: { p50: 1e6, p99: 2e6, max: 3e6 } },
  ...over,
});

/** @param {PageLeg[]} legs @returns {string[][]} cells of each row */
function rowsOf(legs) {
  const [{ content }] = partSubjects(legs);
  return [...content.text.matchAll(/<tr data-instance[^>]*>(.*?)<\/tr>/g)].map(([, row]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
  );
}

describe('report: instances of a server', () => {
  it('have a row each; a percentile without replies is not a time', () => {
    const failing = {
      transfers: { count: 8, failed: 2, unfinished: 0 },
      workerCpus: ['0', '3'],
      figures: { ...instanceOf(0).figures, failed: 2, serverCpuSeconds: 0.5 },
    };
    assert.deepEqual(partSubjects([madeUpLeg({})]), []);
    const several = { instances: [instanceOf(0), instanceOf(1, failing)] };
    const leg = madeUpLeg({ summary: several, figures: { fromNs: 1e9, toNs: 3e9 } });
    assert.deepEqual(rowsOf([leg, madeUpLeg({ other: { label: 'plain' } })]), [
      ['0', '127.0.0.1:7000', '1', '0, 2', '5', '0', '0', '4', '10', '0', '0', '1 ms', '2 ms', '–'],
      [
        ...['1', '127.0.0.1:7001', '2', '1 (CPU 0), 3 (CPU 3)', '5', '0', '0', '4'],
        ...['8', '2', '0', '1 ms', '&gt; 3 ms', '25 %'],
      ],
    ]);
  });
});

/** @param {string} name @param {object} [over] of its figures */
const requestOf = (name, over = {}) => ({
  ...{ name, transfers: { count: 10, failed: 0, unfinished: 0 }, statuses: { total: 10, '2xx': 10 } },
  figures: { ...instanceOf(0).figures, statuses: { total: 8, '2xx': 8 }, ...over },
});

describe('report: requests of a list', () => {
  it('have a row each, with what is wrong marked, names as text, and dots on one axis', () => {
    const summary = {
      requests: [requestOf('GET /<b>'), requestOf('cart', { failed: 2, statuses: { total: 8, '5xx': 8 } })],
    };
    const leg = madeUpLeg({ summary, figures: { fromNs: 1e9, toNs: 3e9 }, other: { label: 'mine' } });
    const { text } = requests([leg, madeUpLeg({ other: { label: 'plain' } })]) ?? assert.fail();
    const rows = [...text.matchAll(/<tr [^>]*data-request[^>]*>(.*?)<\/tr>/g)].map(([, row]) => row);
    const cells = rows.map((row) =>
      [...row.matchAll(/<t[hd]([^>]*)>(.*?)<\/t[hd]>/g)].map(
        ([, attributes, cell]) => cell + (attributes.includes('bad') ? '!' : ''),
      ),
    );
    assert.deepEqual(
      cells.map((own) => own.slice(0, 5)),
      [
        ['cart', '0', '100 % <small>5xx</small>!', '1 ms', '&gt; 3 ms!'],
        ['GET /&lt;b&gt;', '4', '0 %', '1 ms', '2 ms'],
      ],
    );
    const dots = rows.map((row) => [...row.matchAll(/class="value (p[^"]*)" d="M([\d.]+) /g)].map(([, ...dot]) => dot));
    assert.deepEqual(
      dots.map((own) => own.map(([look]) => look)),
      [
        ['p50', 'p99 beyond'],
        ['p50', 'p99'],
      ],
    );
    const [[p50, beyond], [same, p99]] = dots.map((own) => own.map(([, at]) => Number(at)));
    assert.equal(p50, same, 'one axis');
    assert.ok(p50 < p99 && p99 < beyond);
    assert.equal(requests([madeUpLeg({})]), null);
  });

  it('of several servers are grouped, each server in its colour', () => {
    const summary = { requests: [requestOf('a'), requestOf('b')] };
    const legs = [0, 1].map((colour) =>
      madeUpLeg({ summary, figures: { fromNs: 1e9, toNs: 3e9 }, other: { label: `server ${colour}`, colour } }),
    );
    const { text } = requests(legs) ?? assert.fail();
    assert.deepEqual(
      [...text.matchAll(/<tr class="(leg-\d)( first)?" data-request="(.)"/g)].map(([, ...own]) => own.join(' ')),
      ['leg-0  first a', 'leg-1  a', 'leg-0  first b', 'leg-1  b'],
    );
  });
});
