// The account of connections: its parts add up to those requested, whatever the workload.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accountOf, accountParts, partsSum } from '../../client/measure/account.js';

/** @param {Record<string, number>} given */
const gauges = (given) => ({
  ...{ requested: 100, connecting: 0, open: 0, unanswered: 0, backingOff: 0, queued: 0, openedLastSecond: 0 },
  ...{ answered: 0, lostBackingOff: 0, renewing: 0 },
  ...given,
});

/** @param {Record<string, number>} given @param {Partial<Parameters<typeof accountOf>[1]>} [leg] the parts that are not zero */
function account(given, { requested = 100, churns = false, once = false, allTransfers = 0 } = {}) {
  const all = accountOf(gauges(given), { requested, churns, once, allTransfers });
  return Object.fromEntries(Object.entries(all ?? {}).filter(([, n]) => n !== 0));
}

describe('the account of connections', () => {
  it('puts each of those requested into one part', () => {
    assert.deepEqual(
      account({ open: 60, answered: 40, unanswered: 15, connecting: 25, backingOff: 10, lostBackingOff: 3, queued: 5 }),
      { requested: 100, served: 40, unanswered: 15, idle: 5, connecting: 25, rejected: 7, lost: 3, queued: 5 },
    );
  });

  it('does not call a connection served on which nothing was requested', () => {
    assert.deepEqual(account({ open: 100 }), { requested: 100, idle: 100 });
  });

  it('counts a closed one as served only where each is closed after its reply', () => {
    assert.deepEqual(account({ open: 10, answered: 10 }), { requested: 100, served: 10, closed: 90 });
    assert.deepEqual(account({ open: 10, unanswered: 10, connecting: 5 }, { once: true }), {
      ...{ requested: 100, served: 85, unanswered: 10, connecting: 5 },
    });
  });

  it('counts those as served that are closed because all transfers are done, as far as there were as many', () => {
    assert.deepEqual(account({}, { allTransfers: 500 }), { requested: 100, served: 100 });
    assert.deepEqual(account({}, { allTransfers: 60 }), { requested: 100, served: 60, closed: 40 });
    assert.deepEqual(account({ neverAnswered: 3, withoutWorker: 4 }, { allTransfers: 500 }), {
      ...{ requested: 100, served: 93, closed: 7 },
    });
    const some = { open: 10, answered: 8, unanswered: 2, neverAnswered: 5 };
    assert.deepEqual(account(some, { allTransfers: 500 }), { requested: 100, served: 95, unanswered: 2, closed: 3 });
  });

  it('counts what is between two connections as served, and not what was never opened', () => {
    const between = { open: 30, unanswered: 20, openedLastSecond: 18, connecting: 40, renewing: 35, backingOff: 4 };
    assert.deepEqual(account(between, { churns: true }), {
      ...{ requested: 100, served: 89, unanswered: 2, connecting: 5, rejected: 4 },
    });
  });

  it('says how many are still open that a profile no longer requests', () => {
    const falling = account({ requested: 20, open: 143, unanswered: 127, answered: 16 }, { requested: 20 });
    assert.deepEqual(falling, { requested: 20, served: 16, unanswered: 127, leaving: 123 });
  });

  it('counts slots whose worker has not begun as not tried yet', () => {
    assert.deepEqual(account({ requested: 50, open: 50, answered: 50 }), { requested: 100, served: 50, queued: 50 });
  });

  it('does not count as served those whose worker died', () => {
    const died = { open: 60, answered: 60, withoutWorker: 30 };
    assert.deepEqual(account(died), { requested: 100, served: 60, closed: 40 });
    for (const how of [{ churns: true }, { once: true }])
      assert.deepEqual(account(died, how), { requested: 100, served: 70, closed: 30 });
    const fewer = account({ ...died, requested: 80 }, { churns: true, requested: 80 });
    assert.deepEqual(fewer, { requested: 80, served: 60, closed: 20 }, 'a profile that has fallen since');
  });

  it('is absent of samples that do not say what was answered', () => {
    const { answered: _answered, ...before } = gauges({ open: 10 });
    assert.equal(accountOf(before, { requested: 10, churns: false, once: false }), undefined);
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
