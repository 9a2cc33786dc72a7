// Attempts that do not open, each to a destination that gives exactly one cause.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { causes, total } from '../fixtures/hostile/books.js';
import { namespace, runChildLeg, startNeverAccepts } from '../fixtures/hostile/children.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { MS } from '../fixtures/hostile/leg.js';
import { startHostile } from '../fixtures/hostile/server.js';
import { skip } from '../hooks.js';

/** What a deadline may be late by on a busy machine. */
const SLACK_MS = 2500;

/** Attempts at a dead port, of which some should meet themselves. */
const ENOUGH = 50_000;

/**
 * Linux connects from even ports before odd ones (and binds the other way round), if its range begins with an even
 * one: only a dead port that is even has a chance of being met by itself.
 * @param {boolean} [even]
 * @returns {Promise<number>} a port on which no socket listens any more
 */
async function deadPort(even = false) {
  for (let wanted = 0; ;) {
    const server = createServer().listen(wanted, '127.0.0.1');
    const listens = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!listens) {
      wanted += 2;
      continue;
    }
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    server.close();
    await once(server, 'close');
    if (!even || port % 2 === 0) return port;
    wanted = port - 1;
  }
}

overEachBackend('an attempt', function (run, io) {
  it('on a closed port is refused', async () => {
    const leg = await run({ port: await deadPort(), slots: 50, steadyToMs: 500 });
    assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')), ['refused']);
    assert.ok(leg.counters.attempts >= 100, 'it is tried again');
    assert.deepEqual([leg.counters.opened, leg.counters.lost, leg.rows?.status.length], [0, 0, 0]);
    assert.equal(leg.gauges.neverAnswered, 0);
    assert.equal(leg.gauges.requested, 50);
  });

  it('to an address without a route is unreachable', async () => {
    // TCP to a multicast address: Linux has no route for it, whatever the machine's routes are
    const leg = await run({ address: '224.0.0.1', port: 9, slots: 20, steadyToMs: 300 });
    assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')), ['unreachable']);
    assert.ok(leg.counters.attempts >= 40);
  });

  it('without a free descriptor is a limit of the client: local', async () => {
    const server = await startHostile('echo');
    const wish = { io, port: server.port, slots: 200, workload: 'hold', steadyToMs: 800 };
    const { code, stderr, leg } = await runChildLeg(wish, { script: 'ulimit -n 120' });
    await server.close();
    assert.equal(code, 0, stderr);
    assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')), ['local']);
    assert.equal(leg.counters.opened, server.did.accepted);
    assert.ok(leg.counters.opened > 20 && leg.counters.opened < 120, `${leg.counters.opened} opened`);
    assert.equal(leg.counters.lost, 0);
  });

  it('on a full accept queue times out, and those in it are open but unanswered', async () => {
    const server = await startNeverAccepts();
    const connectMs = 300;
    const leg = await run({
      ...{ port: server.port, slots: 12, connectMs, drainMs: 100, transferMs: 30_000 },
      drainWhen: (seen) => seen['rejects.timeout'] >= 30,
      backoff: { baseMs: 20, factor: 1, capMs: 20 },
    });
    await server.close();
    const { counters } = leg;
    assert.deepEqual(Object.keys(causes(counters, 'rejects')), ['timeout']);
    assert.equal(counters.opened, 2, 'backlog 1 holds two on Linux');
    const before = /** @type {import('../fixtures/hostile/leg.js').Numbers} */ (leg.gaugesOverTime.at(-2));
    assert.deepEqual([before.open, before.unanswered, before.inFlight, before.neverAnswered], [2, 2, 2, 2]);
    assert.deepEqual([before.answered, before.lostBackingOff, before.renewing], [0, 0, 0]);
    assert.deepEqual([counters.transfers, counters.unfinished, leg.gauges.neverAnswered], [0, 2, 2]);
    // each of the ten others: an attempt of 300 ms, a wait of 10 to 20 ms, and again
    const timeouts = counters['rejects.timeout'];
    assert.ok(timeouts <= 10 * Math.ceil(leg.tookMs / (connectMs + 10)), `${timeouts} timeouts in ${leg.tookMs} ms`);
    assert.ok(counters.abandoned <= 10);
  });
});

overEachBackend('a dead port of the ephemeral range', function (run, io) {
  const wish = {
    ...{ slots: 200, steadyFromMs: 500, cutEveryMs: 100 },
    backoff: { baseMs: 2, factor: 1, capMs: 2 },
  };

  /** @param {Pick<import('../fixtures/hostile/leg.js').Leg, 'counters'>} leg */
  function assertNothingOpened({ counters }) {
    assert.deepEqual([counters.opened, counters.transfers, counters.lost], [0, 0, 0]);
    assert.equal(counters['rejects.refused'] + (counters['rejects.local'] ?? 0), total(causes(counters, 'rejects')));
    assert.ok(counters.attempts >= ENOUGH, `${counters.attempts} attempts`);
  }

  it('is never opened by a connection to itself, in thousands of attempts', async () => {
    const port = await deadPort(true);
    assertNothingOpened(await run({ ...wish, port, drainWhen: ({ attempts }) => attempts >= ENOUGH }));
  });

  it('is refused even if connections do connect to themselves', async function () {
    // A range of 64 ports, so that it happens often; the namespace's own counters tell that it did.
    const range = 'ip link set lo up && echo 40000 40063 > /proc/sys/net/ipv4/ip_local_port_range';
    const own = namespace('--net', range);
    if (!own) return skip(this, 'no network namespace of our own (needs root, unshare and ip)');
    const script = `${range}; "$@"; code=$?; cat /proc/net/snmp >&2; exit $code`;
    const narrow = { ...wish, io, port: 40032, drainAfter: ENOUGH };
    const { code, stderr, leg } = await runChildLeg(narrow, { under: own, script });
    assert.equal(code, 0, stderr);
    assertNothingOpened(leg);
    const [names, values] = stderr
      .split('\n')
      .filter((line) => line.startsWith('Tcp:'))
      .map((line) => line.split(' '));
    const met = Number(values[names.indexOf('EstabResets')]);
    assert.ok(met > 10, `only ${met} connections met themselves and were reset`);
    return undefined;
  });
});

overEachBackend('connect time', function (run) {
  it('is that of each opened attempt', async () => {
    const server = await startHostile('echo');
    const leg = await run({ port: server.port, slots: 100 });
    await server.close();
    assert.equal(leg.spreads.connectTime.count, 100);
    assert.ok(leg.spreads.connectTime.min > 0);
    assert.ok(leg.spreads.connectTime.max < SLACK_MS * MS);
    assert.equal(server.did.accepted, 100);
  });
});
