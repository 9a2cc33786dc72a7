// Key `socket`: each option as the kernel reports it for the sockets of a run (ss), the ports as the server sees them,
// what is recorded, and what is rejected.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pickPort } from '../../servers/launcher/start/ports.js';
import { pageText } from '../fixtures/page-text.js';
import { mistakesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../hooks.js';

describe('socket options', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  /** @returns {Promise<{ port: number, ports: Set<number | undefined>, close: () => void }>} an echo server; ports: of its peers */
  async function startEcho() {
    const sockets = /** @type {import('node:net').Socket[]} */ ([]);
    const ports = new Set();
    const server = createServer((socket) => {
      sockets.push(socket);
      ports.add(socket.remotePort);
      socket.on('error', () => {}).pipe(socket);
    });
    server.listen(await pickPort('127.0.0.1'), '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const close = () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    return { port, ports, close };
  }
  const targetOf = (/** @type {number} */ port) => ['--target', `127.0.0.1:${port}`];

  it('are set as requested, shown on the page, and recorded', async function () {
    requireTool(this, 'ss', 'iproute2');
    const socket = { keepAlive: '50s', sendBuffer: '64KiB', receiveBuffer: '32KiB', tos: 16, congestion: 'reno' };
    const { port, close } = await startEcho();
    const run = box.stress({ connections: 5, duration: '4s', socket }, targetOf(port));
    const rows = await run.until('the kernel shows five connections', () => {
      const shown = execFileSync('ss', ['-Htnoim', '--tos', 'state', 'established', 'dst', `127.0.0.1:${port}`], {
        encoding: 'utf8',
      });
      // the exchange before the leg may be among them, which is not the engine's
      const those = shown.split(/\n(?=\S)/).filter((row) => row.includes('reno'));
      return those.length === 5 ? those : null;
    });
    await run.endsWith(0);
    close();
    for (const row of rows) {
      assert.match(row, /skmem:\(.*rb65536,.*tb131072,/);
      assert.match(row, /tos:0x10/);
      assert.match(row, /timer:\((keepalive|on)/);
    }
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, leg.warnings], [5, []]);
    const page = pageText(run.report);
    const [, told] = /<dt>socket options<\/dt><dd>(.*?)<\/dd>/.exec(page) ?? [];
    assert.equal(
      told,
      'keep-alive after 50 s, send buffer 64 KiB, receive buffer 32 KiB, TOS 16, congestion control reno',
    );
    const recorded = JSON.parse(readFileSync(join(run.folder ?? '', 'scenario.json'), 'utf8')).socket;
    assert.deepEqual(recorded, {
      nodelay: true,
      keepAliveNs: 50e9,
      lingerNs: null,
      sendBufferBytes: 65536,
      receiveBufferBytes: 32768,
      sourcePort: null,
      tos: 16,
      congestion: 'reno',
    });
  });

  it.slow('count source ports up from the first, also if a close by RST frees them', async () => {
    const { port, ports, close } = await startEcho();
    const first = await pickPort('127.0.0.1');
    const socket = { sourcePort: first, linger: '0s' };
    const run = box.stress(
      { connections: 10, duration: '500ms', workload: 'reconnect', pause: '0s', connectRate: '500/s', socket },
      targetOf(port),
    );
    await run.endsWith(0);
    close();
    const {
      legs: [leg],
    } = run.summary();
    assert.ok(leg.connections.reopened > 10 && leg.rejects.total === leg.rejects.local, 'no other rejects');
    const expected = Array.from({ length: 10 }, (_, i) => first + i);
    assert.deepEqual(
      expected.filter((one) => !ports.has(one)),
      [],
      `${first}: ${[...ports].join(' ')}`,
    );
  });

  it('are rejected before anything starts if they cannot be set', async () => {
    const wrong = { keepAlive: '1500ms', sourcePort: 65_500, sendBuffer: '1B' };
    assert.deepEqual(mistakesOf(await box.refused({ socket: wrong }, targetOf(7))), [
      'socket.keepAlive out-of-range',
      'socket.sendBuffer out-of-range',
      'socket.sourcePort source-port-too-high',
    ]);
    const none = await box.refused({ socket: { congestion: 'nonesuch' } }, targetOf(7));
    const [{ code, data }] = none.data.limits;
    assert.deepEqual([none.exitCode, code, data.congestion], [3, 'congestion-unavailable', 'nonesuch']);
    assert.ok(data.known.includes('reno'));
  });
});
