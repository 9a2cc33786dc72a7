// Reconnecting: how often, how soon, and how long a slot was without a connection.

import assert from 'node:assert/strict';
import { causes } from '../fixtures/hostile/books.js';
import { MS, runLeg } from '../fixtures/hostile/leg.js';
import { first, startHostile } from '../fixtures/hostile/server.js';
import { until } from '../fixtures/hostile/until.js';

const SLOTS = 20;
const WINDOW_MS = 1400;
const LEAST = 4 * SLOTS;
const GROWING = { baseMs: 50, factor: 2, capMs: 100_000 };

/**
 * Waits are in (d/2, d] with d = 50, 100, 200, ... ms: with the shortest ones attempts come at 0, 25, 75, 175, 375, 775,
 * 1575, ... ms. What delays an attempt on a busy machine only takes from them.
 * @param {import('../fixtures/hostile/leg.js').Leg} leg
 * @param {string} met what ended them
 */
function assertGrown({ counters: { attempts }, intervals }, met) {
  const ms = (intervals.findLast(({ phase }) => phase !== 'drain')?.toNs ?? 0) / MS;
  const most = 1 + Math.floor(Math.log2(1 + ms / (GROWING.baseMs / 2)));
  assert.ok(attempts >= LEAST, `${met}: ${attempts} attempts are too few`);
  assert.ok(attempts <= most * SLOTS, `${met}: ${attempts} attempts in ${ms} ms are too many: a hot loop`);
}

/** @param {import('../../client/engine/index.js').CutHistogram[]} histograms @returns {number} their median */
function medianOf(histograms) {
  const all = histograms
    .flatMap((one) => (one ? Array.from(one.values, (value, i) => ({ value, count: one.counts[i] })) : []))
    .sort((a, b) => a.value - b.value);
  let left = all.reduce((sum, { count }) => sum + count, 0) / 2;
  return all.find(({ count }) => (left -= count) <= 0)?.value ?? NaN;
}

describe('engine: back-off', function () {
  /** For a while, and until each slot could have tried several times. @type {Omit<Parameters<typeof runLeg>[0], 'port'>} */
  const wish = {
    ...{ slots: SLOTS, steadyToMs: 20_000, backoff: GROWING },
    drainWhen: ({ attempts }, _gauges, { toNs }) => attempts >= LEAST && toNs >= WINDOW_MS * MS,
  };

  it('grows with each reject', async () => {
    const server = await startHostile('echo');
    await server.leave();
    const leg = await runLeg({ ...wish, port: server.port, workload: 'continuous' });
    assertGrown(leg, 'refused');
    const { attempts, abandoned } = leg.counters;
    assert.ok(abandoned <= SLOTS, `${abandoned} in flight as the leg ended`);
    assert.deepEqual(causes(leg.counters, 'rejects'), { refused: attempts - abandoned });
    const before = leg.gaugesOverTime.at(-2);
    assert.equal((before?.backingOff ?? 0) + (before?.connecting ?? 0), SLOTS);
    assert.deepEqual([before?.lostBackingOff, before?.renewing], [0, 0], 'none was ever open');
  });

  it('grows with each loss and prevents a busy loop, whatever the cause of the loss', async () => {
    const spoilers = /** @type {const} */ (['reset-at-accept', 'end-at-accept', 'end-in-reply', 'flip-bits']);
    await Promise.all(
      spoilers.map(async (behaviour) => {
        const server = await startHostile(behaviour);
        const leg = await runLeg({ ...wish, port: server.port, workload: 'continuous' });
        await server.close();
        assertGrown(leg, behaviour);
        const { accepted } = server.did;
        const untaken = leg.counters.attempts - accepted; // in the accept queue as the server closed
        assert.ok(untaken >= 0 && untaken <= SLOTS, `${behaviour}: ${accepted} of ${leg.counters.attempts} accepted`);
        const spoilt = leg.counters.lost + leg.counters['rejects.reset'];
        const cut = leg.counters.attempts - spoilt; // by the end of the leg, before the server's deed or during it
        const { bad } = server.did;
        assert.ok(bad >= spoilt && bad <= spoilt + cut, `${behaviour}: ${bad} of ${spoilt} + ${cut}`);
        assert.ok(cut <= SLOTS, behaviour);
      }),
    );
  });

  it('returns to its base with a completed transfer', async () => {
    const server = await startHostile('reset-in-reply', { after: 1 });
    const patient = { steadyToMs: 3000, drainMs: 10_000 };
    const leg = await runLeg({
      ...wish,
      ...patient,
      port: server.port,
      workload: 'continuous',
      drainWhen: ({ attempts }) => attempts >= 9 * SLOTS,
    });
    await server.close();
    // each life is short and each wait at most 50 ms: some 60 of them in 3 s, and at most 7 if the waits grew
    assert.ok(leg.counters.attempts >= 9 * SLOTS, `${leg.counters.attempts} attempts`);
    assert.deepEqual(causes(leg.counters, 'errors'), { reset: server.did.bad });
    assert.ok(leg.counters.transfers >= server.did.bad);
    assert.ok(
      leg.gaugesOverTime.every(({ backingOff, lostBackingOff }) => backingOff === lostBackingOff),
      'each was lost',
    );
  });

  it('returns to its base, for idle connections, after being open for as long as the cap', async () => {
    const backoff = { baseMs: 10, factor: 40, capMs: 400 };
    // three lives for each slot, and none that the end of the leg could cut
    const run = async (/** @type {number} */ delayMs) => {
      const server = await startHostile('end-when-idle', { delayMs, bad: first(3 * SLOTS) });
      const leg = await runLeg({
        ...{ port: server.port, slots: SLOTS, workload: 'hold', backoff },
        drainWhen: ({ reopened }) => reopened === 3 * SLOTS,
      });
      await server.close();
      assert.deepEqual(causes(leg.counters, 'errors'), { closed: server.did.bad });
      assert.equal(leg.spreads.recoveryTime.count, 3 * SLOTS);
      return leg;
    };
    const [old, young] = await Promise.all([run(500), run(50)]);
    const at = medianOf(old.intervals.map(({ histograms }) => histograms.recoveryTime));
    assert.ok(at < 200 * MS, `after a long life at once: ${at} ns, apart from the delay of a stall`);
    const { max } = young.spreads.recoveryTime;
    assert.ok(max >= 200 * MS, `after a short life later: ${max} ns`);
  });
});

describe('engine: a server that disappears and returns', function () {
  it('is reconnected to, and the downtime is measured', async () => {
    const server = await startHostile('echo');
    const outageMs = 1000;
    let [left, back, destroyed] = [0, 0, 0];
    /** @type {Promise<void> | undefined} */
    let absence;
    async function goAway() {
      left = performance.now();
      await server.leave();
      destroyed = server.did.destroyed;
      await until('the outage is over', () => performance.now() - left >= outageMs);
      await server.comeBack();
      back = performance.now();
    }
    const leg = await runLeg({
      ...{ port: server.port, slots: SLOTS, workload: 'hold', heartbeatMs: 60_000 },
      backoff: { baseMs: 20, factor: 2, capMs: 200 },
      drainWhen: ({ reopened }, { open, unanswered }) => reopened === SLOTS && open === SLOTS && unanswered === 0,
      onInterval: (interval) => void (absence ??= interval.phase === 'steady' ? goAway() : undefined),
    });
    await absence;
    await server.close();
    const { counters, spreads } = leg;
    assert.deepEqual(causes(counters, 'errors'), { reset: SLOTS });
    assert.equal(destroyed, SLOTS);
    assert.deepEqual([counters.opened, counters.reopened, counters.lost], [2 * SLOTS, SLOTS, SLOTS]);
    assert.deepEqual(Object.keys(causes(counters, 'rejects')), ['refused']);
    assert.ok(counters['rejects.refused'] >= 2 * SLOTS);
    assert.equal(spreads.recoveryTime.count, SLOTS);
    assert.ok(spreads.recoveryTime.min >= outageMs * MS * 0.98, `recovered within ${spreads.recoveryTime.min} ns`);
    assert.ok(spreads.recoveryTime.max <= (back - left + 200 + 2500) * MS, 'and soon after its return');
    assert.equal(counters.transfers, 2 * SLOTS, 'one on each opening');
    assert.ok(spreads.responseTime.max < outageMs * MS, 'the waits are part of no response time');
    assert.equal(leg.gaugesOverTime.at(-2)?.open, SLOTS);
  });
});
