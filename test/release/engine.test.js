// The engine on this kernel: a dead port that connects to itself, and the memory of connections.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { causes, total } from '../fixtures/hostile/books.js';
import { namespace, runChildLeg } from '../fixtures/hostile/children.js';
import { runLeg } from '../fixtures/hostile/leg.js';
import { startHostile } from '../fixtures/hostile/server.js';
import { skip } from '../skip.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { ChildLeg } from '../fixtures/hostile/children.js'
 * @import { Leg } from '../fixtures/hostile/leg.js'
 */

const MB = 1e6;
/** Attempts at a dead port, of which some should meet themselves. */
const ENOUGH = 50_000;

/**
 * Linux connects from even ports before odd ones (and binds the other way round), if its range begins with an even
 * one: only a dead port that is even has a chance of being met by itself.
 * @returns {Promise<number>} an even port on which no socket listens any more
 */
async function deadPort() {
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
    const { port } = /** @type {AddressInfo} */ (server.address());
    server.close();
    await once(server, 'close');
    if (port % 2 === 0) return port;
    wanted = port - 1;
  }
}

describe('engine: a dead port of the ephemeral range', function () {
  this.timeout(120_000);
  const wish = {
    ...{ slots: 200, steadyFromMs: 500, steadyToMs: 60_000, cutEveryMs: 100 },
    backoff: { baseMs: 2, factor: 1, capMs: 2 },
  };

  /** @param {Pick<Leg, 'counters'>} leg */
  function assertNothingOpened({ counters }) {
    assert.deepEqual([counters.opened, counters.transfers, counters.lost], [0, 0, 0]);
    assert.equal(counters['rejects.refused'] + (counters['rejects.local'] ?? 0), total(causes(counters, 'rejects')));
    assert.ok(counters.attempts >= ENOUGH, `${counters.attempts} attempts`);
  }

  it('is never opened by a connection to itself, in thousands of attempts', async () => {
    const port = await deadPort();
    assertNothingOpened(await runLeg({ ...wish, port, drainWhen: ({ attempts }) => attempts >= ENOUGH }));
  });

  it('is refused even if connections do connect to themselves', async function () {
    // A range of 64 ports, so that it happens often; the namespace's own counters tell that it did.
    const range = 'ip link set lo up && echo 40000 40063 > /proc/sys/net/ipv4/ip_local_port_range';
    const own = namespace('--net', range);
    if (!own) return skip(this, 'no network namespace of our own (needs root, unshare and ip)');
    const script = `${range}; "$@"; code=$?; cat /proc/net/snmp >&2; exit $code`;
    const narrow = { ...wish, port: 40032, drainAfter: ENOUGH };
    const { code, stderr, leg } = await runChildLeg(narrow, { under: own, script, deadlineMs: 90_000 });
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

describe('engine: memory', function () {
  this.timeout(300_000);

  /** @param {ChildLeg} leg */
  const growth = ({ memory }) => Math.max(...memory.map(({ rss }) => rss)) - memory[0].rss;

  it('does not hold the payload for each connection: 200 of 1 MiB', async () => {
    const server = await startHostile('echo', { payloadBytes: 2 ** 20 });
    const { code, stderr, leg } = await runChildLeg({
      ...{ port: server.port, slots: 200, payloadBytes: 2 ** 20, workload: 'continuous', cutEveryMs: 100 },
      ...{ steadyToMs: 10_000, drainMs: 200, transferMs: 30_000, drainAfterBytes: 100 * MB },
    }).finally(() => server.close());
    assert.equal(code, 0, stderr);
    assert.ok(leg.counters.opened === 200 && leg.counters.bytesReceived > 50 * MB, 'there was something to hold');
    assert.deepEqual(causes(leg.counters, 'errors'), {});
    assert.ok(growth(leg) < 100 * MB, `grew by ${growth(leg) / MB} MB`);
  });
});
