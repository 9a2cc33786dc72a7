// Workload reconnect: connect, one transfer, close, repeatedly; and connectRate, which limits every attempt. The server
// counts what it accepted: its counts must equal the engine's.

import assert from 'node:assert/strict';
import { causes } from '../fixtures/hostile/books.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { startHostile } from '../fixtures/hostile/server.js';

const SLOTS = 8;
const ENOUGH = 400;

overEachBackend('engine: reconnect', function (run) {
  const wish = { slots: SLOTS, workload: 'reconnect' };

  it('opens a connection for each transfer, whose end is neither a loss nor an error', async () => {
    const server = await startHostile('echo');
    const leg = await run({ ...wish, port: server.port, drainWhen: ({ transfers }) => transfers >= ENOUGH });
    await server.close();
    const { attempts, opened, reopened, transfers, unfinished, lost, abandoned } = leg.counters;
    assert.ok(transfers >= ENOUGH, `${transfers} transfers`);
    assert.deepEqual([lost, causes(leg.counters, 'errors'), causes(leg.counters, 'rejects')], [0, {}, {}]);
    assert.equal(attempts, opened + abandoned);
    assert.equal(opened - reopened, SLOTS);
    assert.ok(
      opened >= transfers && opened <= transfers + unfinished + SLOTS,
      `${opened} opened, ${transfers} transfers`,
    );
    assert.equal(leg.spreads.recoveryTime.count, 0);
    assert.ok(
      server.did.accepted >= opened && server.did.accepted <= attempts,
      `the server took ${server.did.accepted}`,
    );
  });

  it('keeps the connect rate, in the ramp and after each transfer', async () => {
    const server = await startHostile('echo');
    const leg = await run({ ...wish, port: server.port, connectRate: 100, steadyToMs: 3000 });
    await server.close();
    const seconds = leg.intervals.at(-1)?.toNs ?? NaN;
    // at most the rate, and what 10 ms of it are for one that comes late
    assert.ok(leg.counters.attempts <= (100 * seconds) / 1e9 + 2, `${leg.counters.attempts} attempts`);
    assert.ok(leg.counters.attempts >= 50, `${leg.counters.attempts} attempts`);
    assert.ok(
      leg.gaugesOverTime.some(({ queued }) => queued > 0),
      'slots wait for their turn',
    );
  });

  it('keeps the connect rate when every attempt is refused', async () => {
    const server = await startHostile('echo');
    await server.leave();
    const leg = await run({
      ...wish,
      port: server.port,
      connectRate: 40,
      steadyToMs: 1000,
      backoff: { baseMs: 1, factor: 1, capMs: 1 },
    });
    assert.deepEqual(causes(leg.counters, 'rejects'), { refused: leg.counters.attempts });
    assert.ok(leg.counters.attempts <= 42, `${leg.counters.attempts} attempts`);
  });

  it('backs off from a server that resets, like any workload', async () => {
    const server = await startHostile('reset-at-accept');
    const leg = await run({
      ...wish,
      port: server.port,
      steadyToMs: 700,
      backoff: { baseMs: 100, factor: 2, capMs: 1000 },
    });
    await server.close();
    // waits of 50..100, 100..200, 200..400 ms: no more than five attempts a slot within 700 ms
    assert.ok(leg.counters.attempts <= 5 * SLOTS, `${leg.counters.attempts} attempts`);
  });
});

overEachBackend('engine: TCP_INFO', function (run) {
  it('is read of some open connections at each interval', async () => {
    const server = await startHostile('echo');
    const leg = await run({
      slots: 100,
      workload: 'continuous',
      pauseMs: 50,
      port: server.port,
      drainWhen: ({ tcpSampled }) => tcpSampled >= 128,
    });
    await server.close();
    const { rtt } = leg.intervals.filter(({ histograms }) => histograms.rtt).at(-1)?.histograms ?? {};
    assert.ok(rtt && rtt.counts.length <= 64 && rtt.min > 0 && rtt.max < 5e9, JSON.stringify(rtt));
    const { tcpSampled, tcpRetransmitted, tcpRetransmits } = leg.counters;
    assert.ok(tcpRetransmitted <= tcpSampled && tcpRetransmits >= tcpRetransmitted);
  });
});
