// The side that limited a leg: the rules, their result over a leg, and the most likely side if none was at its limit.
import assert from 'node:assert/strict';
import { figureOf } from '../../client/judge/figures.js';
import { likelyLimit, likelyLimitOf, limitText } from '../../client/judge/findings/likely-limit.js';
import { rejectCauses } from '../../client/measure/fields.js';
import { filled, limitOver, limitShares, limitedBy } from '../../client/measure/limit-attribution.js';
import { foundIn } from '../fixtures/found.js';

/** @import { Side } from '../../client/measure/limit-attribution.js' */

/**
 * @param {number} busiest thread
 * @param {number} wait
 * @param {number} [cpu] cores
 * @param {number[]} [busy] cores of its machine
 */
const side = (busiest, wait, cpu, busy) => ({ busiest, wait, ...(cpu && { cpu }), ...(busy && { busy }) });
const calm = side(0.5, 0.05);

describe('the limit of a run', () => {
  /**
   * What it is, the busy shares of the cores, client and server, and the limit.
   * @type {[string, [number[], any, any], string][]}
   */
  const table = [
    ['all cores full and the client waiting', [[0.97, 0.96], side(0.5, 0.3), calm], 'machine'],
    ['all cores full and the server waiting', [[1, 1], calm, side(0.6, 0.2)], 'machine'],
    ['all cores full and no task waiting', [[1, 1], side(0.99, 0.01), calm], 'none'],
    ['the engine full while a core has time', [[1, 0.4], side(0.93, 0), calm], 'client'],
    ['both full while a core has time: the client is named', [[1, 1, 0.1], side(0.95, 0), side(0.99, 0)], 'client'],
    ['a server thread full while a core has time', [[1, 0.4], calm, side(0.95, 0)], 'server'],
    ['just below each bound', [[0.94, 1], side(0.89, 0.5), side(0.89, 0.5)], 'none'],
    ['the engine full on two busy cores', [[0.92, 1], side(0.95, 0), calm], 'none'],
    ['a server thread full on two busy cores', [[1, 0.92], calm, side(0.95, 0)], 'none'],
    ['the engine full, the other core at the bound', [[1, 0.5], side(0.95, 0), calm], 'none'],
    ['the only busy thread of the server full', [[1, 1], side(0.6, 0.3), side(0.95, 0, 1.2)], 'server'],
    ['just below that bound', [[1, 1], side(0.6, 0.3), side(0.94, 0.1, 0.94)], 'machine'],
    ['one full thread of several busy ones', [[1, 1], side(0.6, 0.3), side(0.95, 0.1, 1.21)], 'machine'],
    ['a full engine too: the client may be what is slow', [[1, 1], side(0.9, 0), side(1, 0, 1)], 'none'],
    ['no server measured', [[0.3, 0.2], calm, null], 'unknown'],
    ['the same, with a full engine', [[0.3, 1], side(0.95, 0), null], 'client'],
    ['a server of many threads, not told apart', [[0.3, 0.2], calm, {}], 'unknown'],
    ['the same, on cores of its own that it fills', [[0.3, 1], calm, { filled: 0.95 }], 'server'],
    ['no core measured', [[], side(0.95, 1), null], 'unknown'],
    // of a server on another machine, with the cores there
    ['its cores full and crowded', [[0.3, 0.2], calm, side(0.6, 0.3, 0, [1, 0.96])], 'server'],
    ['a full thread, and an idle core there', [[0.9, 0.9], calm, side(0.92, 0, 2, [1, 0.2])], 'server'],
    ['the same, with a full engine here', [[], side(0.95, 0), side(0.92, 0, 2, [1, 0.2])], 'unknown'],
    ['a crowded machine here', [[1, 1], side(0.6, 0.3), side(0.1, 0, 0, [0.1, 0.1])], 'machine'],
    ['full cores here, waiting there', [[1, 1], side(0.6, 0), side(0.1, 0.3, 0, [0.1, 0.1])], 'none'],
  ];
  it('follows from the threads of both sides and the cores of each machine', () => {
    for (const [what, [busy, client, server], expected] of table)
      assert.equal(limitedBy({ busy, client, server }), expected, what);
  });

  it('counts the cores that a side is bound to as filled by all of its threads', () => {
    for (const [cpuSeconds, seconds, list, share] of /** @type {[number, number, string | null, number][]} */ ([
      [1.9, 1, '0-1', 0.95],
      [1.2, 1, '0', 1],
      [1.2, 1, null, 0],
      [1.2, 0, '0', 0],
    ]))
      assert.equal(filled(cpuSeconds, seconds, list), share);
  });

  it('of a leg is the side that was the limit for at least half of its time, not of its samples', () => {
    const of = (/** @type {Side[]} */ ...sides) => limitOver(limitShares(sides.map((side) => ({ [side]: 1e9 }))));
    assert.equal(of('client', 'client', 'none'), 'client');
    assert.equal(of('client', 'server'), 'client');
    assert.equal(of('client', 'server', 'machine', 'none'), 'none');
    assert.equal(of(), 'unknown');
    assert.equal(
      of('unknown', 'client', 'none', 'none'),
      'unknown',
      'the client may have been the limit in half of it',
    );
    assert.equal(of('unknown', 'none', 'none', 'none'), 'none');
    assert.equal(of('unknown', 'server', 'server', 'none'), 'server');
    const shares = limitShares([{ server: 2e9 }, { machine: 1e9 }, { server: 0.5e9 }, { none: 0.5e9 }]);
    assert.deepEqual(shares, { machine: 0.25, client: 0, server: 0.625, none: 0.125 });
    assert.equal(limitOver(shares), 'server');
    const half = limitShares([{ unknown: 1e9 }, { none: 1e9 }]);
    assert.deepEqual(half, { machine: 0, client: 0, server: 0, none: 0.5, unknown: 0.5 });
    assert.equal(limitShares([]), undefined);
  });
});

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
      ['a server that is not seen, and an idle client', [second([[0.2, 0.1]], null)], 'unknown unmeasured'],
      ['a server that is not seen, and a busy client', [second([[0.6, 0.1]], null)], 'unknown unmeasured'],
      ['a server that is not seen, and a client without a core', [second([[0.3, 0.4]], null)], 'machine cores'],
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
    const threads = second([[0.1, 0]], null, { server: { cpuSeconds: 0.9 } });
    assert.equal(likelyLimitOf([threads]), null, 'threads of the server that are not told apart');
  });

  it('has what the threads of both sides did, as shares of the time that add up to 1 at most', () => {
    const { client, server } = likelyLimitOf([second([[0.4, 0.1]], [0.75, 3])]) ?? {};
    assert.deepEqual({ client, server }, { client: { cpu: 0.4, wait: 0.1 }, server: { cpu: 0.75, wait: 0.25 } });
    assert.equal(likelyLimitOf([second([[0.4, 0.1]], null)])?.server, undefined);
  });

  it('is said beside the figure, only where nothing else limits the load, and no side was at its limit', () => {
    const findingsOf = (/** @type {Side} */ limitedBy, /** @type {any} */ load) =>
      foundIn([likelyLimit], [busy], { workload: 'continuous', ...load }, { limitedBy });
    assert.deepEqual(findingsOf('none', { workload: 'reconnect' }).length, 1);
    assert.deepEqual(findingsOf('machine', {}), []);
    for (const load of [{ rate: 1000 }, { pauseNs: 1e6 }, { workload: 'hold' }])
      assert.deepEqual(findingsOf('none', load), []);
    const findings = findingsOf('none', {});
    assert.equal(findings[0].code, 'likely-limit');
    const figure = figureOf('limited by');
    const leg = /** @type {any} */ ({ limitedBy: 'none', findings });
    assert.equal(figure?.of?.(leg), 'none');
    const words = 'none for most of the time; most likely the server';
    assert.equal(limitText(leg), words);
    assert.equal(figure?.cell?.(leg), 'none; most likely the server');
    assert.ok(findings[0].text.startsWith(`limit: ${words}: `), 'the same as the finding');
    assert.equal(limitText({ ...leg, findings: [] }), 'none for most of the time');
    assert.equal(figure?.cell?.({ ...leg, limitedBy: 'machine' }), undefined);
    const unseen = foundIn(
      [likelyLimit],
      [second([[0.2, 0.1]], null)],
      { workload: 'continuous' },
      { limitedBy: 'unknown' },
    );
    assert.deepEqual([unseen[0].data.cause, Boolean(unseen[0].remedy)], ['unmeasured', true]);
    assert.equal(figure?.cell?.({ ...leg, limitedBy: 'unknown', findings: unseen }), 'not known');
  });
});
