// Which side was the limit: the table of the rules, and their result over a leg.
import assert from 'node:assert/strict';
import { filled, limitOver, limitShares, limitedBy } from '../../client/measure/limit-attribution.js';

const calm = { busiest: 0.5, wait: 0.05 };

describe('the limit of a run', () => {
  /** @type {[string, Parameters<typeof limitedBy>[0], import('../../client/measure/limit-attribution.js').Side][]} */
  const table = [
    [
      'all cores full and the client waiting',
      { busy: [0.97, 0.96], client: { busiest: 0.5, wait: 0.3 }, server: calm },
      'machine',
    ],
    [
      'all cores full and the server waiting',
      { busy: [1, 1], client: calm, server: { busiest: 0.6, wait: 0.2 } },
      'machine',
    ],
    [
      'all cores full and no task waiting',
      { busy: [1, 1], client: { busiest: 0.99, wait: 0.01 }, server: calm },
      'none',
    ],
    [
      'the engine full while a core has time',
      { busy: [1, 0.4], client: { busiest: 0.93, wait: 0 }, server: calm },
      'client',
    ],
    [
      'both full while a core has time: the client is named',
      { busy: [1, 1, 0.1], client: { busiest: 0.95, wait: 0 }, server: { busiest: 0.99, wait: 0 } },
      'client',
    ],
    [
      'a server thread full while a core has time',
      { busy: [1, 0.4], client: calm, server: { busiest: 0.95, wait: 0 } },
      'server',
    ],
    [
      'just below each bound',
      { busy: [0.94, 1], client: { busiest: 0.89, wait: 0.5 }, server: { busiest: 0.89, wait: 0.5 } },
      'none',
    ],
    [
      'the engine full on two busy cores',
      { busy: [0.92, 1], client: { busiest: 0.95, wait: 0 }, server: calm },
      'none',
    ],
    [
      'a server thread full on two busy cores',
      { busy: [1, 0.92], client: calm, server: { busiest: 0.95, wait: 0 } },
      'none',
    ],
    [
      'the engine full, the other core at the bound',
      { busy: [1, 0.5], client: { busiest: 0.95, wait: 0 }, server: calm },
      'none',
    ],
    [
      'the only busy thread of the server full on two busy cores',
      { busy: [1, 1], client: { busiest: 0.6, wait: 0.3 }, server: { busiest: 0.95, wait: 0, cpu: 1.2 } },
      'server',
    ],
    [
      'just below that bound',
      { busy: [1, 1], client: { busiest: 0.6, wait: 0.3 }, server: { busiest: 0.94, wait: 0.1, cpu: 0.94 } },
      'machine',
    ],
    [
      'one full thread of several busy ones',
      { busy: [1, 1], client: { busiest: 0.6, wait: 0.3 }, server: { busiest: 0.95, wait: 0.1, cpu: 1.21 } },
      'machine',
    ],
    [
      'a full engine too: the client may be what is slow',
      { busy: [1, 1], client: { busiest: 0.9, wait: 0 }, server: { busiest: 1, wait: 0, cpu: 1 } },
      'none',
    ],
    ['no server measured', { busy: [0.3, 0.2], client: calm, server: null }, 'none'],
    ['a server of many threads, not told apart', { busy: [0.3, 0.2], client: calm, server: {} }, 'none'],
    ['no core measured', { busy: [], client: { busiest: 0.95, wait: 1 }, server: null }, 'none'],
    [
      'a server on another machine, whose cores are full and crowded',
      { busy: [0.3, 0.2], client: calm, server: { busiest: 0.6, wait: 0.3, busy: [1, 0.96] } },
      'server',
    ],
    [
      'a full thread of a server on another machine with an idle core, whatever the cores here do',
      { busy: [0.9, 0.9], client: calm, server: { busiest: 0.92, wait: 0, cpu: 2, busy: [1, 0.2] } },
      'server',
    ],
    [
      'the same, with a full engine here',
      { busy: [], client: { busiest: 0.95, wait: 0 }, server: { busiest: 0.92, wait: 0, cpu: 2, busy: [1, 0.2] } },
      'none',
    ],
    [
      'a crowded machine of the client, whose threads wait, and a calm one of the server',
      { busy: [1, 1], client: { busiest: 0.6, wait: 0.3 }, server: { busiest: 0.1, wait: 0, busy: [0.1, 0.1] } },
      'machine',
    ],
    [
      'full cores here, and threads that wait on the machine of the server alone',
      { busy: [1, 1], client: { busiest: 0.6, wait: 0 }, server: { busiest: 0.1, wait: 0.3, busy: [0.1, 0.1] } },
      'none',
    ],
    ['no core measured', { busy: [], client: { busiest: 1, wait: 1 }, server: null }, 'none'],
  ];
  for (const [title, second, expected] of table) {
    it(`${title}: ${expected}`, () => assert.equal(limitedBy(second), expected));
  }

  it('counts the cores that a side is bound to as filled by all of its threads', () => {
    assert.equal(filled(0.95, 1, '0'), 0.95);
    assert.equal(filled(1.9, 1, '0-1'), 0.95);
    assert.equal(filled(1.2, 1, '0'), 1);
    assert.equal(filled(1.2, 1, null), 0);
    assert.equal(filled(1.2, 0, '0'), 0);
  });

  it('of a leg is the side that was the limit for at least half of its time', () => {
    const of = (/** @type {import('../../client/measure/limit-attribution.js').Side[]} */ ...sides) =>
      limitOver(limitShares(sides.map((side) => ({ [side]: 1e9 }))));
    assert.equal(of('client', 'client', 'none'), 'client');
    assert.equal(of('client', 'server'), 'client');
    assert.equal(of('client', 'server', 'machine', 'none'), 'none');
    assert.equal(of(), 'none');
  });

  it('is weighted by time, not by the number of samples', () => {
    const shares = limitShares([{ server: 2e9 }, { machine: 1e9 }, { server: 0.5e9 }, { none: 0.5e9 }]);
    assert.deepEqual(shares, { machine: 0.25, client: 0, server: 0.625, none: 0.125 });
    assert.equal(limitOver(shares), 'server');
    assert.equal(limitShares([]), undefined);
  });
});
