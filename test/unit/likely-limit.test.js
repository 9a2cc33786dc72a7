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

/** @param {number} backingOff connections, of ten @param {Record<string, number>} some rejects by cause */
const rejecting = (backingOff, some) => ({
  gauges: { requested: 10, backingOff },
  rejects: { ...Object.fromEntries(rejectCauses.map((cause) => [cause, 0])), ...some },
});

const busy = second([[0.4, 0.1]], [0.84, 0.1]);
const two = /** @type {Use[]} */ ([
  [0.2, 0.1],
  [0.7, 0.1],
]);
const idle = /** @type {Use[]} */ ([[0.2, 0]]);

describe('the likely limit of a closed loop', () => {
  it('is the side whose threads did most, or what kept both idle', () => {
    for (const [what, samples, expected] of /** @type {[string, any[], string][]} */ ([
      ['one thread of the server with 84 % of a core', [busy], 'server thread'],
      ['the engine that has most work', [second(two, [0.5, 0.1])], 'client thread'],
      ['threads that wait longer than they run', [second([[0.2, 0.3]], [0.3, 0.5])], 'machine cores'],
      ['a few connections, served in turn', [second([[0.3, 0]], [0.35, 0])], 'connections turns'],
      ['a server that sleeps', [second([[0.05, 0]], [0.03, 0])], 'server replies'],
      ['a server that is not seen, and an idle client', [second([[0.2, 0.1]], null)], 'server replies'],
      ['a server that is not seen, and a busy client', [second([[0.6, 0.1]], null)], 'client thread'],
      ['seconds that differ', [second([[0.9, 0]], [0.2, 0]), second([[0.4, 0]], [0.8, 0.1])], 'client thread'],
      ['no port left for most', [second(idle, [0.7, 0], rejecting(9, { local: 9, timeout: 3 }))], 'client local'],
      ['no port left for a few', [second(idle, [0.7, 0], rejecting(2, { local: 9 }))], 'server thread'],
      ['a leg loaded half of the time', [second(idle, [0.4, 0.05], { slices: { turnNs: 5e8 } })], 'server thread'],
    ])) {
      const likely = likelyLimitOf(samples);
      assert.equal(`${likely?.limit} ${likely?.cause}`, expected, what);
    }
  });

  it('is not sought where nothing was answered, or most connections were rejected or lost for another reason', () => {
    const none = [
      { counters: { transfers: 0 } },
      rejecting(9, { refused: 9, local: 3 }),
      rejecting(9, {}), // lost
      { toNs: 0.2e9 }, // too little time
    ];
    for (const over of none) assert.equal(likelyLimitOf([second([[0.1, 0]], [0.1, 0], over)]), null);
    assert.equal(likelyLimitOf([]), null);
  });

  it('has what the threads of both sides did, as shares of the time that add up to 1 at most', () => {
    const { client, server } = likelyLimitOf([second([[0.4, 0.1]], [0.75, 3])]) ?? {};
    assert.deepEqual({ client, server }, { client: { cpu: 0.4, wait: 0.1 }, server: { cpu: 0.75, wait: 0.25 } });
    assert.equal(likelyLimitOf([second([[0.4, 0.1]], null)])?.server, undefined);
  });

  it('is said beside the figure, only where nothing else limits the load, and no side was at its limit', () => {
    const found = (/** @type {string} */ limitedBy, /** @type {any} */ load) =>
      likelyLimitFindings([busy], limitedBy, { workload: 'continuous', ...load });
    assert.deepEqual(found('none', { workload: 'reconnect' }).length, 1);
    assert.deepEqual(found('machine', {}), []);
    for (const load of [{ rate: 1000 }, { pauseNs: 1e6 }, { workload: 'hold' }])
      assert.deepEqual(found('none', load), []);
    const findings = found('none', {});
    assert.equal(findings[0].code, 'likely-limit');
    const figure = figureOf('limited by');
    const leg = /** @type {any} */ ({ limitedBy: 'none', findings });
    assert.equal(figure?.of?.(leg), 'none');
    assert.ok(figure?.cell?.(leg)?.includes('server'));
    assert.equal(figure?.cell?.({ ...leg, findings: [] }), undefined);
  });
});
