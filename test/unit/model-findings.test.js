// The findings of 2016 against a run's figures: stated only with the models and figures that they are about.

import assert from 'node:assert/strict';
import { casesOf } from '../../client/judge/cases.js';
import { claimsOf } from '../../client/judge/claims.js';
import { claims as claimsSection } from '../../report/html/sections/claims.js';

const http = { config: { protocol: 'http' } };
const sameWork = { legs: [{ server: { options: { work: '30ms-50ms' } } }] };

/** @param {string} server @param {number} connections @param {number} perSecond @param {Record<string, any>} [more] */
function leg(server, connections, perSecond, { failed = 0, concurrent, threads, switches } = {}) {
  const contextSwitchesPerSecond = switches && { voluntary: switches, involuntary: 0 };
  return {
    ...{ server, label: `${server}, ${connections}`, series: server, axes: { connections }, complete: true },
    ...{ phases: { endNs: 2e9 }, transfers: { count: 1000 }, serverUse: { threads, contextSwitchesPerSecond } },
    ...(concurrent === undefined ? {} : { serverModel: { concurrent } }),
    steady: { transfers: 1000 - failed, failed, unfinished: 0, perSecond, responseTimeNs: { p99: 1e9 } },
  };
}

const places = { concurrent: 16 };
/** As measured with the same work in each: none collapses, and the pools are not faster. */
const today = [
  leg('fork', 600, 2364),
  leg('preforked', 60, 382, { ...places, switches: 500 }),
  leg('preforked', 600, 380, { ...places, switches: 520 }),
  leg('prethreaded', 600, 387, places),
  leg('epoll-pool', 600, 390, { threads: 17 }),
];

/** @param {any[]} legs @param {any} [plan] */
const found = (legs, plan = sameWork) =>
  claimsOf(/** @type {any} */ ({ ...http, legs }), plan).flatMap(({ claims }) => claims);
/** @param {any[]} legs */
const verdicts = (legs) => Object.fromEntries(found(legs).map(({ code, holds }) => [code, holds]));

describe('the findings of 2016', () => {
  it('are held against the figures of the run', () => {
    assert.deepEqual(verdicts(today), {
      'fork-best-at-600': true,
      'preforked-16-collapses': false,
      'pools-3000-against-450': false,
      'preforked-16-switches': false,
    });
    const then = [
      leg('fork', 600, 300),
      leg('preforked', 60, 400, { ...places, switches: 500 }),
      leg('preforked', 200, 390, { ...places, failed: 300, switches: 500 }),
      leg('preforked', 600, 150, { ...places, switches: 5000 }),
      leg('epoll-pool', 600, 3000, { threads: 17 }),
    ];
    assert.deepEqual(verdicts(then), {
      'fork-best-at-600': false,
      'preforked-16-collapses': true,
      'pools-3000-against-450': true,
      'preforked-16-switches': true,
    });
  });

  it('carry the figures that say so', () => {
    const [fork, collapse, pools, switches] = found(today).map(({ data }) => data);
    assert.deepEqual([fork.fork.perSecond, fork.other.perSecond, fork.models], [2364, 390, 4]);
    assert.deepEqual([collapse.at.perSecond, collapse.worst.perSecond, collapse.worst.connections], [382, 380, 600]);
    assert.deepEqual([pools.pool.label, pools.blocking.label, pools.work], ['epoll-pool', 'prethreaded', '30ms-50ms']);
    assert.deepEqual([switches.at.perTransfer, switches.past.perTransfer], [1, 1.04]);
  });

  it('are not stated without the models, their figures, their number of places and the same work', () => {
    for (const legs of [
      [],
      [leg('epoll', 600, 1000), leg('fork', 600, 900)],
      [leg('fork', 60, 900), leg('multi-threaded', 600, 900)],
      [leg('preforked', 600, 1, { concurrent: 8 }), leg('epoll-pool', 600, 9, { threads: 5 })],
      today.map((one) => ({ ...one, complete: false })),
      today.map((one) => ({ ...one, steady: undefined, serverUse: {} })),
    ])
      assert.deepEqual(found(legs), []);
    assert.deepEqual(claimsOf(/** @type {any} */ ({ config: { protocol: 'echo' }, legs: today }), sameWork), []);
    for (const plan of [null, { legs: [...sameWork.legs, { server: { options: {} } }] }])
      assert.deepEqual(found(today, plan), []);
  });

  it('are of the medians in a run with rounds, and equal where figures differ by less than single legs tell apart', () => {
    for (const [rates, holds] of /** @type {[number[], boolean][]} */ ([
      [[970], true],
      [[900], false],
      [[100, 1010, 1020], true],
    ])) {
      /** @type {any[]} */
      const legs = rates.flatMap((perSecond, i) =>
        [leg('fork', 600, perSecond), leg('prethreaded', 600, 1000, places)].map((one) => ({
          ...one,
          ...{ id: `${one.server}-${i}`, case: one.server, round: i + 1, connections: { openAtEnd: 600 } },
          ...{ rejects: { total: 0 }, errors: { total: 0 } },
        })),
      );
      const summary = /** @type {any} */ ({ ...http, legs, ...(rates.length > 1 ? { cases: casesOf(legs) } : {}) });
      const claims = claimsOf(summary, sameWork).flatMap((one) => one.claims);
      assert.deepEqual(
        claims.map((claim) => [claim.code, claim.holds]),
        [['fork-best-at-600', holds]],
      );
    }
  });

  it('are a section of the page, with code and verdict of each', () => {
    const [{ text: section }] = claimsSection(
      /** @type {any} */ ({ summary: { ...http, legs: today }, plan: sameWork }),
    );
    const items = [...section.matchAll(/<li data-code="([^"]+)" data-holds="([^"]+)">/g)];
    assert.deepEqual(Object.fromEntries(items.map(([, code, holds]) => [code, holds === 'true'])), verdicts(today));
  });
});
