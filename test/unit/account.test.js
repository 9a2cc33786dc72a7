// The account of connections: its parts add up to the requested connections, for every workload.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accountOf, accountParts, partsSum } from '../../client/measure/account.js';

/** @param {Record<string, number>} given */
const gauges = (given) => ({
  ...{ requested: 100, connecting: 0, open: 0, unanswered: 0, backingOff: 0, queued: 0, openedLastSecond: 0 },
  ...{ answered: 0, lostBackingOff: 0, renewing: 0 },
  ...given,
});

/**
 * @param {Record<string, number>} given
 * @param {Partial<Parameters<typeof accountOf>[1]>} [leg] the parts that are not zero
 */
function account(given, { requested = 100, churns = false, once = false, ...more } = {}) {
  const all = accountOf(gauges(given), { requested, churns, once, ...more });
  return Object.fromEntries(Object.entries(all ?? {}).filter(([, n]) => n !== 0));
}

describe('the account of connections', () => {
  const died = { open: 60, answered: 60, withoutWorker: 30 };
  /** @type {[string, Record<string, number>, Parameters<typeof account>[1], Record<string, number>][]} */
  const rows = [
    [
      'each of those requested in one part',
      { open: 60, answered: 40, unanswered: 15, connecting: 25, backingOff: 10, lostBackingOff: 3, queued: 5 },
      {},
      { requested: 100, served: 40, unanswered: 15, idle: 5, connecting: 25, rejected: 7, lost: 3, queued: 5 },
    ],
    ['nothing requested on those that are open', { open: 100 }, {}, { requested: 100, idle: 100 }],
    ['closed ones', { open: 10, answered: 10 }, {}, { requested: 100, served: 10, closed: 90 }],
    [
      'closed ones, where each is closed after its reply',
      { open: 10, unanswered: 10, connecting: 5 },
      { once: true },
      { requested: 100, served: 85, unanswered: 10, connecting: 5 },
    ],
    ['closed ones, all transfers done', {}, { allTransfers: 500 }, { requested: 100, served: 100 }],
    ['more of them than transfers', {}, { allTransfers: 60 }, { requested: 100, served: 60, closed: 40 }],
    [
      'never answered, or without a worker, all transfers done',
      { neverAnswered: 3, withoutWorker: 4 },
      { allTransfers: 500 },
      { requested: 100, served: 93, closed: 7 },
    ],
    [
      'some still open, all transfers done',
      { open: 10, answered: 8, unanswered: 2, neverAnswered: 5 },
      { allTransfers: 500 },
      { requested: 100, served: 95, unanswered: 2, closed: 3 },
    ],
    [
      'lost and opened again all the time: served, unless without a reply for longer',
      { open: 70, answered: 68, unanswered: 2, openedLastSecond: 1, backingOff: 30, lostBackingOff: 30 },
      { reopensLost: true },
      { requested: 100, served: 99, unanswered: 1 },
    ],
    [
      'between two connections: served, unless never opened',
      { open: 30, unanswered: 20, openedLastSecond: 18, connecting: 40, renewing: 35, backingOff: 4 },
      { churns: true },
      { requested: 100, served: 89, unanswered: 2, connecting: 5, rejected: 4 },
    ],
    [
      'opened again at the end of a slice: served, as those that wait for the next slice',
      { open: 96, answered: 1, lostBackingOff: 2, backingOff: 2 },
      { takesTurns: true },
      { requested: 100, served: 98, lost: 2 },
    ],
    [
      'waiting for the next slice, and never answered: lost',
      { open: 16, answered: 16, neverAnswered: 80 },
      { takesTurns: true },
      { requested: 100, served: 20, lost: 80 },
    ],
    ['in slices, with nothing requested', { open: 100 }, { takesTurns: true }, { requested: 100, idle: 100 }],
    [
      'still open, but no longer requested by a profile',
      { requested: 20, open: 143, unanswered: 127, answered: 16 },
      { requested: 20 },
      { requested: 20, served: 16, unanswered: 127, leaving: 123 },
    ],
    [
      'slots whose worker has not begun',
      { requested: 50, open: 50, answered: 50 },
      {},
      { requested: 100, served: 50, queued: 50 },
    ],
    ['a dead worker', died, {}, { requested: 100, served: 60, closed: 40 }],
    ['a dead worker of churn', died, { churns: true }, { requested: 100, served: 70, closed: 30 }],
    ['a dead worker of once', died, { once: true }, { requested: 100, served: 70, closed: 30 }],
    [
      'a dead worker, and a profile that has fallen since',
      { ...died, requested: 80 },
      { churns: true, requested: 80 },
      { requested: 80, served: 60, closed: 20 },
    ],
  ];

  it('has what is known of each state', () => {
    for (const [what, given, leg, expected] of rows) assert.deepEqual(account(given, leg), expected, what);
    const { answered: _, ...unknown } = gauges({ open: 10 });
    assert.equal(accountOf(unknown, { requested: 10, churns: false, once: false }), undefined);
  });

  it('adds up for any state of the slots', () => {
    const slots = fc.record({
      ...{ answered: fc.nat(50), fresh: fc.nat(9), stale: fc.nat(50), idle: fc.nat(50), renewing: fc.nat(9) },
      ...{ trying: fc.nat(50), rejected: fc.nat(50), lost: fc.nat(50), queued: fc.nat(50), closed: fc.nat(50) },
    });
    fc.assert(
      fc.property(slots, fc.boolean(), fc.boolean(), (of, churns, once) => {
        const requested = Object.values(of).reduce((sum, n) => sum + n, 0);
        const made = accountOf(
          gauges({
            ...{ requested, open: of.answered + of.fresh + of.stale + of.idle, answered: of.answered },
            ...{ unanswered: of.fresh + of.stale, openedLastSecond: of.fresh, queued: of.queued },
            ...{ connecting: of.renewing + of.trying, renewing: of.renewing },
            ...{ backingOff: of.rejected + of.lost, lostBackingOff: of.lost },
          }),
          { requested, churns, once },
        );
        assert.ok(made);
        assert.equal(made.requested, requested);
        assert.equal(partsSum(made), requested);
        assert.ok(accountParts.every((part) => made[part] >= 0));
        assert.deepEqual([made.rejected, made.lost, made.queued], [of.rejected, of.lost, of.queued]);
        assert.equal(made.unanswered, churns ? of.stale : of.fresh + of.stale);
        assert.equal(made.leaving, undefined);
      }),
    );
  });
});
