// The engine with ::1 and with unix sockets, which have no ports and no TCP: echoed transfers, and the end of a server.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { causes } from '../fixtures/hostile/books.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { requireIPv6 } from '../fixtures/loopback.js';

const SLOTS = 20;

overEachBackend('engine: endpoints', function (run) {
  /** @type {string} */
  let folder;
  /** @type {import('node:net').Socket[]} */
  let sockets = [];
  /** @type {Set<string | undefined>} */
  const families = new Set();
  const server = createServer((socket) => {
    sockets.push(socket);
    families.add(socket.remoteFamily);
    socket.on('error', () => {}).pipe(socket);
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-endpoints-'));
    sockets = [];
    families.clear();
  });
  afterEach(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param {import('node:net').ListenOptions} place @returns {Promise<number>} its port */
  async function listen(place) {
    server.listen(place);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  const wish = { slots: SLOTS, workload: 'continuous' };
  const enough = (/** @type {Record<string, number>} */ { opened, transfers }) => opened === SLOTS && transfers >= 1000;

  it('can be IPv6 addresses', async function () {
    requireIPv6(this);
    const port = await listen({ host: '::1', port: 0 });
    const leg = await run({ ...wish, address: '::1', port, drainWhen: enough });
    assert.deepEqual([leg.counters.opened, leg.counters.lost, causes(leg.counters, 'errors')], [SLOTS, 0, {}]);
    assert.deepEqual([sockets.length, ...families], [SLOTS, 'IPv6']);
    assert.ok(leg.counters.transfers >= 1000);
  });

  it('can be unix sockets, without TCP_INFO', async () => {
    const path = join(folder, 'server.sock');
    await listen({ path });
    const leg = await run({ ...wish, address: `unix:${path}`, port: 0, drainWhen: enough });
    const { opened, lost, transfers, tcpSampled } = leg.counters;
    assert.deepEqual([opened, lost, tcpSampled, causes(leg.counters, 'errors')], [SLOTS, 0, 0, {}]);
    assert.ok(transfers >= 1000 && sockets.length === SLOTS);
  });

  it('count a path without a listener as refused', async () => {
    const leg = await run({
      slots: 3,
      address: `unix:${join(folder, 'nobody.sock')}`,
      port: 0,
      drainWhen: ({ attempts }) => attempts >= 6,
    });
    assert.deepEqual(causes(leg.counters, 'rejects'), { refused: leg.counters.attempts - leg.counters.abandoned });
  });
});
