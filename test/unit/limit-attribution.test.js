// Which side was the limit: the table of the rules, and their result over a leg.
import assert from 'node:assert/strict';
import { filled, limitOver, limitShares, limitedBy } from '../../client/measure/limit-attribution.js';

/** @param {number} busiest thread @param {number} wait @param {number} [cpu] cores @param {number[]} [busy] cores of its machine */
const side = (busiest, wait, cpu, busy) => ({ busiest, wait, ...(cpu && { cpu }), ...(busy && { busy }) });
const calm = side(0.5, 0.05);

describe('the limit of a run', () => {
  /** What it is, the busy shares of the cores, client and server, and the limit. @type {[string, [number[], any, any], string][]} */
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
    ['no server measured', [[0.3, 0.2], calm, null], 'none'],
    ['a server of many threads, not told apart', [[0.3, 0.2], calm, {}], 'none'],
    ['no core measured', [[], side(0.95, 1), null], 'none'],
    // of a server on another machine, with the cores there
    ['its cores full and crowded', [[0.3, 0.2], calm, side(0.6, 0.3, 0, [1, 0.96])], 'server'],
    ['a full thread, and an idle core there', [[0.9, 0.9], calm, side(0.92, 0, 2, [1, 0.2])], 'server'],
    ['the same, with a full engine here', [[], side(0.95, 0), side(0.92, 0, 2, [1, 0.2])], 'none'],
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
    const of = (/** @type {import('../../client/measure/limit-attribution.js').Side[]} */ ...sides) =>
      limitOver(limitShares(sides.map((side) => ({ [side]: 1e9 }))));
    assert.equal(of('client', 'client', 'none'), 'client');
    assert.equal(of('client', 'server'), 'client');
    assert.equal(of('client', 'server', 'machine', 'none'), 'none');
    assert.equal(of(), 'none');
    const shares = limitShares([{ server: 2e9 }, { machine: 1e9 }, { server: 0.5e9 }, { none: 0.5e9 }]);
    assert.deepEqual(shares, { machine: 0.25, client: 0, server: 0.625, none: 0.125 });
    assert.equal(limitOver(shares), 'server');
    assert.equal(limitShares([]), undefined);
  });
});
