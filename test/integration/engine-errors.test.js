// What a server can do to an open connection, one behaviour at a time. The first connections are bad, the later ones
// good, and each slot requires one transfer: so every count is known beforehand, and the server's counts must equal the
// engine's, cause by cause, and status by status in the transfer log.

import assert from 'node:assert/strict';
import { causes, tally, total } from '../fixtures/hostile/books.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { MS } from '../fixtures/hostile/leg.js';
import { first, startHostile } from '../fixtures/hostile/server.js';

const SLOTS = 40;
const BAD = 30;

/** @typedef {import('../fixtures/hostile/server.js').Hostile} Hostile */

/**
 * @param {import('../fixtures/hostile/each-backend.js').RunLeg} run
 * @param {Parameters<typeof startHostile>[0]} behaviour
 * @param {import('../fixtures/hostile/server.js').Options} options
 * @param {Partial<import('../fixtures/hostile/leg.js').Wish>} [wish]
 */
async function against(run, behaviour, options, wish = {}) {
  const server = await startHostile(behaviour, { bad: first(BAD), ...options });
  try {
    const { payloadBytes } = options;
    const leg = await run({ slots: SLOTS, payloadBytes, ...wish, port: server.port });
    return { leg, did: server.did };
  } finally {
    await server.closeEnded();
  }
}

/**
 * Each bad connection is lost and replaced by a good one.
 * @type {import('../fixtures/hostile/leg.js').Wish['drainWhen']}
 */
const allAreGood = ({ lost }, { open, inFlight }) => lost === BAD && open === SLOTS && inFlight === 0;

/** @type {{behaviour: Parameters<typeof startHostile>[0], cause: string, byRst: boolean, payloads: number[]}[]} */
const SPOILERS = [
  { behaviour: 'reset-in-reply', cause: 'reset', byRst: false, payloads: [64, 16384] },
  { behaviour: 'end-at-accept', cause: 'closed', byRst: false, payloads: [1, 64] },
  { behaviour: 'end-in-reply', cause: 'closed', byRst: false, payloads: [2, 64, 16384] },
  { behaviour: 'flip-bits', cause: 'corrupt', byRst: true, payloads: [1, 64, 16384] },
  { behaviour: 'never-answer', cause: 'timeout', byRst: true, payloads: [64] },
  { behaviour: 'half-answer', cause: 'timeout', byRst: true, payloads: [64, 16384] },
];

overEachBackend('an open connection that', function (run) {
  for (const { behaviour, cause, byRst, payloads } of SPOILERS) {
    for (const payloadBytes of payloads) {
      it(`meets ${behaviour} is lost as ${cause}, ${payloadBytes} B`, async () => {
        const wish = cause === 'timeout' ? { transferMs: 1000 } : {};
        const { leg, did } = await against(run, behaviour, { payloadBytes }, wish);
        const { counters, rows } = leg;
        assert.equal(did.bad, BAD);
        assert.deepEqual(causes(counters, 'errors'), { [cause]: did.bad });
        assert.deepEqual(causes(counters, 'rejects'), {});
        assert.deepEqual(tally(rows?.status ?? []), { ok: SLOTS, [cause]: did.bad });
        assert.deepEqual(
          [counters.opened, counters.reopened, counters.failed, counters.transfers, counters.unfinished],
          [did.accepted, did.bad, did.bad, did.replies, 0],
        );
        assert.deepEqual([did.accepted, did.replies], [SLOTS + BAD, SLOTS]);
        if (cause !== 'corrupt' || payloadBytes === 1) assert.equal(counters.bytesReceived, did.bytesWritten);
        const unsent = (SLOTS + BAD) * payloadBytes - counters.bytesSent;
        // an end at accept may be there before the request is sent, which is not sent then
        const mayBeUnsent = behaviour === 'end-at-accept' ? did.bad : 0;
        assert.ok(unsent >= 0 && unsent <= mayBeUnsent * payloadBytes, `${unsent} bytes were not sent`);
        assert.equal(did.peerResets, byRst ? BAD : 0, 'a spoilt connection is ended by RST, others by FIN');
        assert.equal(leg.spreads.perConnection.count, SLOTS);
      });
    }
  }

  it('is reset at accept counts as a reset, before it is open or after', async () => {
    const { leg, did } = await against(run, 'reset-at-accept', {});
    const { 'rejects.reset': rejected, 'errors.reset': lost } = leg.counters;
    assert.equal(did.bad, BAD);
    assert.equal(rejected + lost, did.bad);
    assert.equal(total(causes(leg.counters, 'rejects')) + total(causes(leg.counters, 'errors')), did.bad);
    assert.equal(leg.counters.attempts, did.accepted);
    assert.deepEqual([leg.counters.transfers, leg.counters.failed], [SLOTS, lost]);
  });

  it('receives more than one reply in the same write completes its transfer and is lost as protocol', async () => {
    const { leg, did } = await against(run, 'surplus', {});
    assert.deepEqual(causes(leg.counters, 'errors'), { protocol: did.bad });
    assert.equal(did.bad, BAD);
    assert.deepEqual([leg.counters.transfers, leg.counters.failed], [did.replies, 0]);
    assert.deepEqual(tally(leg.rows?.status ?? []), { ok: did.replies });
    assert.equal(did.peerResets, BAD);
  });

  it('receives bytes before its first request is lost as protocol', async () => {
    const { leg, did } = await against(run, 'greet', {}, { workload: 'hold', drainWhen: allAreGood });
    assert.deepEqual(causes(leg.counters, 'errors'), { protocol: did.bad });
    assert.deepEqual([did.bad, leg.counters.opened], [BAD, SLOTS + BAD]);
    assert.equal(leg.counters.bytesReceived, did.bytesWritten);
    assert.equal(leg.rows?.status.length, 0);
    assert.equal(did.peerResets, BAD);
    assert.equal(leg.gaugesOverTime.at(-2)?.open, SLOTS, 'all are open before the drain');
  });

  it('receives bytes during its first request is lost as corrupt, or as protocol if detected earlier', async () => {
    const { leg, did } = await against(run, 'greet', {});
    const { corrupt = 0, protocol = 0, ...others } = causes(leg.counters, 'errors');
    assert.deepEqual([corrupt + protocol, others], [did.bad, {}]);
    assert.equal(leg.counters.failed, corrupt, 'a connection that learns of it before its request has none in flight');
    assert.equal(did.bad, BAD);
  });

  it('receives bytes between two transfers is lost as protocol', async () => {
    const wish = { workload: 'continuous', pauseMs: 60_000, drainWhen: allAreGood };
    const { leg, did } = await against(run, 'speak-when-idle', { delayMs: 50 }, wish);
    assert.deepEqual(causes(leg.counters, 'errors'), { protocol: did.bad });
    assert.deepEqual([did.bad, leg.counters.transfers, leg.counters.failed], [BAD, did.replies, 0]);
  });

  for (const [behaviour, cause] of /** @type {const} */ ([
    ['reset-when-idle', 'reset'],
    ['end-when-idle', 'closed'],
  ])) {
    it(`meets ${behaviour} is lost as ${cause}, without a failed transfer`, async () => {
      const { leg, did } = await against(run, behaviour, { delayMs: 50 }, { workload: 'hold', drainWhen: allAreGood });
      assert.deepEqual(causes(leg.counters, 'errors'), { [cause]: did.bad });
      assert.deepEqual([did.bad, leg.counters.failed, leg.counters.reopened], [BAD, 0, BAD]);
      assert.equal(leg.gaugesOverTime.at(-2)?.open, SLOTS);
    });
  }
});

overEachBackend('replies', function (run) {
  it('are compared to the last bit: one flipped bit at any position is one corrupt reply', async () => {
    const payloadBytes = 24;
    const bad = payloadBytes * 8;
    const { leg, did } = await against(run, 'flip-bits', { payloadBytes, bad: first(bad) }, { slots: bad });
    assert.deepEqual([did.flippedBits, did.bad], [bad, bad]);
    assert.deepEqual(causes(leg.counters, 'errors'), { corrupt: bad });
    assert.equal(leg.counters.transfers, bad);
  });

  it('with several flipped bits are one error each', async () => {
    const { leg, did } = await against(run, 'flip-bits', { flips: 5 });
    assert.equal(did.flippedBits, 5 * BAD);
    assert.deepEqual(causes(leg.counters, 'errors'), { corrupt: BAD });
  });

  it('are correct on half of the connections and wrong on the others', async () => {
    const backoff = { baseMs: 50, factor: 1, capMs: 50 };
    const wish = { workload: 'continuous', pauseMs: 20, steadyToMs: 800, drainMs: 10_000, backoff };
    const { leg, did } = await against(run, 'end-in-reply', { bad: (index) => index % 2 === 1, after: 2 }, wish);
    assert.ok(did.bad >= SLOTS / 2);
    assert.deepEqual(causes(leg.counters, 'errors'), { closed: did.bad });
    assert.deepEqual(tally(leg.rows?.status ?? []), { ok: did.replies, closed: did.bad });
    // an attempt that the end of the leg cut may have been accepted or not
    const { opened, attempts } = leg.counters;
    assert.ok(did.accepted >= opened && did.accepted <= attempts, `${did.accepted} accepted, ${opened} opened`);
  });

  for (const behaviour of /** @type {const} */ (['byte-by-byte', 'fragments'])) {
    it(`are complete when they arrive as ${behaviour}`, async () => {
      const { leg, did } = await against(run, behaviour, { payloadBytes: 97, bad: () => true }, { slots: 100 });
      assert.deepEqual([did.bad, leg.counters.transfers, leg.counters.opened], [100, 100, 100]);
      assert.deepEqual(tally(leg.rows?.status ?? []), { ok: 100 });
    });
  }

  it('are timed to their end when they are late', async () => {
    const { leg, did } = await against(run, 'slow', { delayMs: 150, bad: () => true });
    assert.deepEqual([did.bad, leg.counters.transfers], [SLOTS, SLOTS]);
    // Node's timers count whole milliseconds from the loop's own time, which may lag by one
    assert.ok(leg.spreads.responseTime.min >= 148 * MS, `${leg.spreads.responseTime.min} ns`);
  });

  it('arrive late after a stall, and none is lost', async () => {
    const server = await startHostile('echo');
    const stallMs = 1000;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const leg = await run({
      ...{ port: server.port, slots: SLOTS, workload: 'continuous', pauseMs: 10, cutEveryMs: 100 },
      ...{ steadyToMs: 1500, drainMs: 10_000 },
      onInterval(interval) {
        if (timer || interval.phase !== 'steady') return;
        server.stall();
        timer = setTimeout(server.goOn, stallMs);
      },
    });
    await server.close();
    assert.deepEqual([causes(leg.counters, 'errors'), causes(leg.counters, 'rejects')], [{}, {}]);
    assert.equal(leg.counters.transfers, server.did.replies);
    assert.equal(leg.counters.opened, SLOTS);
    const late = (leg.rows?.response ?? []).filter((ns) => ns >= (stallMs / 2) * MS);
    assert.equal(late.length, SLOTS, 'one late reply for each connection');
  });
});
