// Protocol raw of the client: bytes from the scenario or a file, sent to servers of other protocols.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { requireTool } from '../hooks.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const MEMCACHED = 'exec memcached -l 127.0.0.1 -p {port} -U 0 -u nobody';
const RAW = { protocol: 'raw', payload: undefined, connections: 20, duration: '500ms' };

describe('a run with protocol raw', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  for (const [what, scenario, tool] of /** @type {const} */ ([
    ['reads a fixed number of bytes', { servers: ['epoll'], raw: { send: 'a\\r\\n\\0b', length: '5B' } }],
    [
      'reads until a delimiter',
      { servers: ['redis-server'], raw: { send: 'PING\r\n', delimiter: '\\r\\n' } },
      'redis-server',
    ],
    ['reads until nothing comes', { servers: ['epoll'], pause: '0s', raw: { send: 'hello', silence: '2ms' } }],
    [
      'asks several times at once',
      { pause: '0s', pipeline: 8, command: MEMCACHED, raw: { send: 'get x\r\n', delimiter: 'END\r\n' } },
      'memcached',
    ],
  ])) {
    const add = what === 'reads until a delimiter' ? it : it.slow;
    add(what, async function () {
      if (tool !== undefined) requireTool(this, tool);
      const run = box.stress({ ...RAW, ...scenario });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.ok(leg.transfers.count >= 20, `${leg.transfers.count} transfers`);
      assert.deepEqual([leg.errors.total, leg.connections.lost, leg.transfers.failed], [0, 0, 0]);
    });
  }

  it.slow('sends a file', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'broadside-raw-'));
    try {
      const file = path.join(folder, 'request.bin');
      writeFileSync(file, Buffer.alloc(30_000, 'x'));
      const run = box.stress({ ...RAW, servers: ['epoll'], raw: { file, length: '30000B' } });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.ok(leg.transfers.count >= 10, `${leg.transfers.count} transfers`);
      assert.equal(leg.transfers.bytesReceived, leg.transfers.count * 30_000);
      assert.deepEqual([leg.errors.total, leg.transfers.failed], [0, 0]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
