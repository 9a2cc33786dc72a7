// Deadlines of transfers and of the leg: timeouts, the drain, an early end, an immediate end, and a start in the past,
// as for a replacement worker.

import assert from 'node:assert/strict';
import { causes, tally } from '../fixtures/hostile/books.js';
import { startNeverAccepts } from '../fixtures/hostile/children.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { MS, runLeg } from '../fixtures/hostile/leg.js';
import { first, startHostile } from '../fixtures/hostile/server.js';

/** What a deadline may be late by on a busy machine. What would be late for another reason is so by much more. */
const SLACK_MS = 12_500;
const SLOTS = 20;

/** Servers of one suite, closed after it. */
function serving() {
  /** @type {import('../fixtures/hostile/server.js').Hostile[]} */
  const servers = [];
  after(() => Promise.all(servers.map((server) => server.close())));
  return async (/** @type {Parameters<typeof startHostile>} */ ...wanted) => {
    const server = await startHostile(...wanted);
    servers.push(server);
    return server;
  };
}

/** @param {number} ms @param {number} least @param {string} what */
function assertOnTime(ms, least, what) {
  assert.ok(ms >= least && ms < least + SLACK_MS, `${what}: ${ms} ms, expected ${least} ms and a little`);
}

overEachBackend('the deadline of a transfer', function (run) {
  const serve = serving();

  for (const behaviour of /** @type {const} */ (['never-answer', 'half-answer'])) {
    it(`ends it, not early and not much later: ${behaviour}`, async () => {
      const server = await serve(behaviour, { bad: first(SLOTS) });
      const transferMs = 1000;
      const leg = await run({ port: server.port, slots: SLOTS, transferMs });
      assert.deepEqual(tally(leg.rows?.status ?? []), { ok: SLOTS, timeout: SLOTS });
      const late = (leg.rows?.response ?? []).filter((_, i) => leg.rows?.status[i] === 'timeout');
      assertOnTime(Math.min(...late) / MS, transferMs, 'the first timeout');
      assertOnTime(Math.max(...late) / MS, transferMs, 'the last timeout');
      assert.ok(leg.spreads.responseTime.max < transferMs * MS, 'a timeout is no response time');
    });
  }
});

describe('engine: the time between two transfers', function () {
  const serve = serving();

  it('does not count towards a deadline', async () => {
    const server = await serve('echo');
    const wish = { slots: SLOTS, workload: 'continuous', transferMs: 1000, pauseMs: 1500, steadyToMs: 2500 };
    const leg = await runLeg({ ...wish, port: server.port });
    assert.deepEqual(causes(leg.counters, 'errors'), {});
    assert.equal(leg.counters.transfers, server.did.replies);
    assert.equal(leg.counters.transfers, 2 * SLOTS, 'at 0 and 1500 ms, with 1 s to spare');
  });
});

describe('engine: a heartbeat', function () {
  const serve = serving();

  it('sends a request on opening and once every period, however long a reply takes', async () => {
    const [delayMs, heartbeatMs] = [300, 400];
    const server = await serve('slow', { delayMs });
    const wish = { slots: SLOTS, workload: 'hold', heartbeatMs, steadyToMs: 1900 };
    const leg = await runLeg({ ...wish, port: server.port });
    assert.deepEqual([leg.counters.opened, leg.counters.lost], [SLOTS, 0]);
    assert.ok(leg.counters.transfers <= 5 * SLOTS, 'at 0, 400, 800, 1200 and 1600 ms');
    for (let slot = 0; slot < SLOTS; slot++) {
      const begins = (leg.rows?.start ?? []).filter((_, i) => leg.rows?.connection[i] === slot).map((ns) => ns / MS);
      const periods = begins.slice(1).map((ms, i) => ms - begins[i]);
      // a stall may delay some of them; were the reply waited for, not one would be shorter than 700 ms
      const [shortest] = periods.sort((x, y) => x - y);
      assert.ok(shortest >= heartbeatMs - 5 && shortest < heartbeatMs + delayMs - 10, `slot ${slot}: ${periods} ms`);
    }
  });
});

overEachBackend('the drain', function (run) {
  const serve = serving();

  it('cuts off what is still in flight, records its age, and ends in time', async () => {
    const server = await serve('never-answer');
    const [steadyToMs, drainMs] = [600, 300];
    const wish = { slots: SLOTS, workload: 'continuous', transferMs: 30_000, steadyToMs, drainMs };
    const leg = await run({ ...wish, port: server.port });
    assert.deepEqual([leg.counters.unfinished, leg.counters.failed, leg.counters.lost], [SLOTS, 0, 0]);
    assert.deepEqual(tally(leg.rows?.status ?? []), { unfinished: SLOTS });
    const ends = (leg.rows?.response ?? []).map((age, i) => age + (leg.rows?.start[i] ?? 0));
    for (const ns of ends) assertOnTime(ns / MS, steadyToMs + drainMs, 'start and age');
    assertOnTime(leg.tookMs, steadyToMs + drainMs, 'the leg');
    assert.equal(leg.gauges.neverAnswered, SLOTS);
    assert.equal(leg.intervals.at(-1)?.phase, 'drain');
  });

  it('waits for replies that arrive during it, and begins no transfers', async () => {
    const server = await serve('slow', { delayMs: 200 });
    const wish = { slots: SLOTS, workload: 'continuous', steadyToMs: 500, drainMs: 5000 };
    const leg = await run({ ...wish, port: server.port });
    assert.deepEqual([leg.counters.unfinished, leg.counters.failed], [0, 0]);
    assert.equal(leg.counters.transfers, server.did.requests);
    assert.ok(leg.counters.transfers >= SLOTS && leg.counters.transfers <= 3 * SLOTS);
    assert.ok(Math.max(...(leg.rows?.start ?? [])) < 500 * MS + Math.min(...(leg.rows?.start ?? [])));
    assert.ok(leg.tookMs < 700 + SLACK_MS, 'it ends with the last reply');
  });

  it('can begin early', async () => {
    const server = await serve('slow', { delayMs: 50 });
    const wish = { slots: SLOTS, workload: 'continuous', steadyToMs: 60_000, drainMs: 5000 };
    const leg = await run({ ...wish, port: server.port, started: (engine) => engine.drain(400 * MS) });
    assertOnTime(leg.tookMs, 400, 'the leg');
    const drain = leg.intervals.filter(({ phase }) => phase === 'drain');
    assert.equal(drain[0].fromNs, 400 * MS);
    assert.deepEqual([leg.counters.unfinished, leg.counters.lost], [0, 0]);
    assert.equal(leg.counters.transfers, server.did.replies);
  });

  it('begins immediately when its time has passed, also before the steady state', async () => {
    const server = await serve('slow', { delayMs: 50 });
    const wish = { slots: SLOTS, workload: 'continuous', steadyFromMs: 30_000, steadyToMs: 60_000, cutEveryMs: 100 };
    const leg = await run({
      ...wish,
      port: server.port,
      onInterval: ({ second, toNs }, engine) => {
        if (second === 1 && toNs >= 300 * MS) engine.drain(0);
      },
    });
    assert.ok(leg.tookMs < 350 + SLACK_MS, `${leg.tookMs} ms`);
    assert.deepEqual([...new Set(leg.intervals.map(({ phase }) => phase))], ['ramp', 'drain']);
    assert.equal(leg.spreads.perConnection.sum, 0, 'no steady state, no transfers of it');
  });

  it('sends no further requests', async () => {
    const server = await serve('echo');
    const wish = { slots: 100, workload: 'hold', steadyFromMs: 60_000, steadyToMs: 60_000 };
    const schedule = [{ atNs: 10_000 * MS, slots: 100, line: true }];
    const leg = await run({ ...wish, schedule, port: server.port, started: (engine) => engine.drain(1550 * MS) });
    // the line rises by one slot each 100 ms; a stall just before the drain takes from it
    const { requested } = leg.gauges;
    assert.ok(requested >= 1 && requested <= 15, `${requested} requested`);
    assert.deepEqual([leg.counters.attempts, leg.counters.opened], [requested, requested]);
  });

  it('abandons attempts in flight', async () => {
    const server = await startNeverAccepts();
    const wish = { slots: 12, workload: 'hold', connectMs: 60_000, steadyToMs: 60_000 };
    const leg = await run({ ...wish, port: server.port, started: (engine) => engine.drain(300 * MS) });
    await server.close();
    assert.deepEqual(causes(leg.counters, 'rejects'), {});
    assert.deepEqual([leg.counters.opened, leg.counters.abandoned], [2, 10], 'backlog 1 holds two on Linux');
    assertOnTime(leg.tookMs, 300, 'the leg');
  });
});

overEachBackend('stop', function (run) {
  const serve = serving();

  it('ends immediately, and what was in flight is unfinished', async () => {
    const server = await serve('never-answer');
    let stoppedAt = 0;
    const leg = await run({
      ...{ port: server.port, slots: SLOTS, workload: 'continuous', transferMs: 60_000, drainMs: 60_000 },
      ...{ steadyToMs: 60_000, cutEveryMs: 100 },
      onInterval({ phase }, engine) {
        if (phase !== 'steady' || stoppedAt) return;
        stoppedAt = performance.now();
        engine.stop();
        engine.stop();
      },
    });
    assert.ok(performance.now() - stoppedAt < SLACK_MS);
    assert.deepEqual(tally(leg.rows?.status ?? []), { unfinished: SLOTS });
  });

  it('in the drain ends the drain', async () => {
    const server = await serve('never-answer');
    const leg = await run({
      ...{ port: server.port, slots: SLOTS, workload: 'continuous', transferMs: 60_000, drainMs: 60_000 },
      ...{ steadyToMs: 300, cutEveryMs: 100 },
      onInterval: ({ phase }, engine) => void (phase === 'drain' && engine.stop()),
    });
    assert.ok(leg.tookMs < 400 + SLACK_MS, `${leg.tookMs} ms`);
    assert.equal(leg.counters.unfinished, SLOTS);
  });

  it('before the leg has begun ends it without an attempt', async () => {
    const server = await serve('echo');
    const leg = await run({ port: server.port, startedAgoMs: -60_000, started: (engine) => engine.stop() });
    assert.equal(leg.counters.attempts, 0);
    assert.equal(server.did.accepted, 0);
  });
});

describe('engine: a start in the past', function () {
  const serve = serving();

  it('continues in the middle of the leg, with all slots at once', async () => {
    const server = await serve('echo');
    const schedule = [{ atNs: 2000 * MS, slots: SLOTS, line: true }];
    const wish = { slots: SLOTS, workload: 'hold', heartbeatMs: 60_000, steadyFromMs: 2000, steadyToMs: 4200 };
    const leg = await runLeg({ ...wish, schedule, port: server.port, startedAgoMs: 3100 });
    const [one] = leg.intervals;
    assert.equal(one.second, 4);
    assert.equal(one.phase, 'steady');
    assert.ok(one.fromNs >= 3100 * MS, `${one.fromNs}`);
    assert.equal(leg.counters.transfers, SLOTS);
    assert.deepEqual(
      leg.intervals.map(({ second, phase }) => `${second} ${phase}`),
      ['4 steady', '5 steady', '5 drain'],
    );
    assertOnTime(leg.tookMs, 4200, 'the leg');
  });

  it("after the leg's end ends immediately", async () => {
    const server = await serve('echo');
    const leg = await runLeg({ port: server.port, steadyToMs: 500, drainMs: 100, startedAgoMs: 5000 });
    assert.equal(leg.counters.attempts, 0);
    assert.deepEqual(
      leg.intervals.map(({ phase }) => phase),
      ['drain'],
    );
  });
});
