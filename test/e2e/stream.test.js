// Protocol stream of the client, at full speed or at a rate, into a server that reads, one that sends, and one that
// does not read.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const STREAM = { protocol: 'stream', payload: '4KiB', connections: 10, duration: '500ms' };

/**
 * Reads or not; says in a file how many bytes came, once it is asked to end and its connections have.
 * @param {string} onConnection
 * @param {string} file
 */
const server = (onConnection, file) => `exec ${process.execPath} -e '
  let bytes = 0;
  const server = require("net").createServer((c) => {
    c.on("error", () => {});
    ${onConnection}
  }).listen({port}, "127.0.0.1");
  process.on("SIGTERM", () => server.close(() => require("fs").writeFileSync("${file}", String(bytes))))'`;
const READS = 'c.on("data", (d) => { bytes += d.length; })';

describe('a run with protocol stream', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  for (const [what, scenario, few] of /** @type {const} */ ([
    ['sends as fast as it goes', { pause: '0s' }],
    ['sends with io_uring', { pause: '0s', io: 'io_uring' }],
    ['sends by a rate, and the server has as much', { pause: '0s', rate: '1000/s' }, true],
    ['sends with pauses, and the server has as much', { pause: '50ms' }, true],
  ])) {
    const add = what.startsWith('sends by a rate') ? it : it.slow;
    add(what, async () => {
      const file = path.join(box.folder, 'bytes');
      const run = box.stress({ ...STREAM, command: server(READS, file), ...scenario });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.ok(leg.transfers.count >= 20, `${leg.transfers.count} transfers`);
      assert.deepEqual([leg.errors.total, leg.transfers.failed, leg.transfers.bytesReceived], [0, 0, 0]);
      assert.equal(leg.transfers.bytesSent, leg.transfers.count * 4096);
      if (few) assert.equal(readFileSync(file, 'utf8'), String(leg.transfers.bytesSent));
      assert.match(run.stdout, /MB\/s sent +[0-9]/);
    });
  }

  it.slow('counts what the server sends', async () => {
    const run = box.stress({ ...STREAM, servers: ['epoll'], pause: '0s' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.errors.total, leg.transfers.failed], [0, 0]);
    const { bytesSent, bytesReceived } = leg.transfers;
    assert.ok(bytesReceived > 0 && bytesReceived <= bytesSent, `${bytesReceived} of ${bytesSent}`);
  });

  it.slow('times out if the server does not read', async () => {
    const file = path.join(box.folder, 'bytes');
    const run = box.stress({
      ...STREAM,
      command: server('c.pause()', file),
      pause: '0s',
      connections: 2,
      payload: '1MiB',
      transferTimeout: '300ms',
      duration: '1s',
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.ok(leg.errors.timeout > 0, JSON.stringify(leg.errors));
    assert.equal(leg.errors.total, leg.errors.timeout);
  });
});
