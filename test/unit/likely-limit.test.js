// What most likely limited a closed loop in which no side was at its limit, in made-up seconds.

import assert from 'node:assert/strict';
import { figureOf } from '../../client/judge/figures.js';
import { rejectCauses } from '../../client/measure/counters.js';
import { likelyLimitFindings, likelyLimitOf } from '../../client/judge/findings/likely-limit.js';

/** @typedef {[cpu: number, wait: number]} Use */

/** @param {Use[]} engines @param {Use | null} server @param {Record<string, any>} [over] @returns {any} a second */
const second = (engines, server, over = {}) => ({
  ...{ phase: 'steady', fromNs: 0, toNs: 1e9, counters: { transfers: 1000 }, gauges: { requested: 10, backingOff: 0 } },
  client: { engines: engines.map(([cpu, wait]) => ({ cpu, wait })) },
  server: server && { busiestThread: server[0], waitSeconds: server[1] },
  ...over,
});

/** @param {Record<string, number>} some @returns {Record<string, number>} by cause */
const rejectsOf = (some) => ({ ...Object.fromEntries(rejectCauses.map((cause) => [cause, 0])), ...some });

describe('the likely limit of a closed loop', () => {
  /** @type {[string, any[], [limit: string, cause: string]][]} */
  const table = [
    ['one thread of the server with 84 % of a core', [second([[0.4, 0.1]], [0.84, 0.1])], ['server', 'thread']],
    [
      'the engine that has most work',
      [
        second(
          [
            [0.2, 0.1],
            [0.7, 0.1],
          ],
          [0.5, 0.1],
        ),
      ],
      ['client', 'thread'],
    ],
    ['threads that wait longer than they run', [second([[0.2, 0.3]], [0.3, 0.5])], ['machine', 'cores']],
    ['a few connections, served in turn', [second([[0.3, 0]], [0.35, 0])], ['connections', 'turns']],
    ['a server that sleeps', [second([[0.05, 0]], [0.03, 0])], ['server', 'replies']],
    ['a server that is not seen, and an idle client', [second([[0.2, 0.1]], null)], ['server', 'replies']],
    ['a server that is not seen, and a busy client', [second([[0.6, 0.1]], null)], ['client', 'thread']],
    ['seconds that differ', [second([[0.9, 0]], [0.2, 0]), second([[0.4, 0]], [0.8, 0.1])], ['client', 'thread']],
    [
      'no port left for most connections, while the server has work',
      [
        second([[0.2, 0]], [0.7, 0], {
          gauges: { requested: 10, backingOff: 9 },
          rejects: rejectsOf({ local: 9, timeout: 3 }),
        }),
      ],
      ['client', 'local'],
    ],
    [
      'no port left for a few',
      [second([[0.2, 0]], [0.7, 0], { gauges: { requested: 10, backingOff: 2 }, rejects: rejectsOf({ local: 9 }) })],
      ['server', 'thread'],
    ],
    [
      'a leg that had its turn half of the time',
      [second([[0.2, 0]], [0.4, 0.05], { slices: { turnNs: 5e8 } })],
      ['server', 'thread'],
    ],
  ];
  for (const [name, samples, expected] of table) {
    it(`is found: ${name}`, () => {
      const likely = likelyLimitOf(samples);
      assert.deepEqual([likely?.limit, likely?.cause], expected);
    });
  }

  it('is not sought where nothing was answered, or most connections were rejected or lost for another reason', () => {
    const found = (/** @type {Record<string, any>} */ over) => likelyLimitOf([second([[0.1, 0]], [0.1, 0], over)]);
    assert.equal(found({})?.cause, 'replies');
    assert.equal(found({ counters: { transfers: 0 } }), null);
    const gauges = { requested: 10, backingOff: 9 };
    assert.equal(found({ gauges, rejects: rejectsOf({ refused: 9, local: 3 }) }), null);
    assert.equal(found({ gauges, rejects: rejectsOf({}) }), null, 'lost');
  });

  it('has what the threads of both sides did, as shares of the time that add up to 1 at most', () => {
    const { client, server } = likelyLimitOf([second([[0.4, 0.1]], [0.75, 3])]) ?? {};
    assert.deepEqual(
      [client, server],
      [
        { cpu: 0.4, wait: 0.1 },
        { cpu: 0.75, wait: 0.25 },
      ],
    );
    assert.equal(likelyLimitOf([second([[0.4, 0.1]], null)])?.server, undefined);
    assert.equal(likelyLimitOf([]), null);
    assert.equal(likelyLimitOf([second([[0.4, 0.1]], null, { toNs: 0.2e9 })]), null, 'too little time');
  });

  it('is said only where nothing else limits the load, and no side was at its limit', () => {
    const found = (/** @type {string} */ limitedBy, /** @type {any} */ load) =>
      likelyLimitFindings([second([[0.4, 0.1]], [0.84, 0.1])], limitedBy, load).map(({ code }) => code);
    assert.deepEqual(found('none', { workload: 'continuous' }), ['likely-limit']);
    assert.deepEqual(found('none', { workload: 'reconnect' }), ['likely-limit']);
    assert.deepEqual(found('machine', { workload: 'continuous' }), []);
    assert.deepEqual(found('none', { workload: 'continuous', rate: 1000 }), []);
    assert.deepEqual(found('none', { workload: 'continuous', pauseNs: 1e6 }), []);
    assert.deepEqual(found('none', { workload: 'hold' }), []);
  });

  it('stands beside the figure, which stays what it is', () => {
    const figure = figureOf('limited by');
    const leg = /** @type {any} */ ({
      limitedBy: 'none',
      findings: likelyLimitFindings([second([[0.4, 0.1]], [0.84, 0.1])], 'none', { workload: 'continuous' }),
    });
    assert.equal(figure?.of?.(leg), 'none');
    assert.ok(figure?.cell?.(leg)?.includes('server'));
    assert.equal(figure?.cell?.({ ...leg, findings: [] }), undefined);
  });
});
