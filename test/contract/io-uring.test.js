// What the server io_uring guarantees beyond the contract: its port is free as soon as it has ended, although the
// kernel releases a ring later than its process, and it reports when there is no io_uring.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, discover } from '../../servers/launcher/index.js';
import { requireTool, skip } from '../skip.js';
import { destroy, exchange, openMany } from './client.js';
import { endAll, programOf, runToEnd, startProgram } from './server-process.js';

const WITHOUT = fileURLToPath(new URL('../fixtures/e2e-without-io-uring.c', import.meta.url));
const ROUNDS = 3;

describe('io_uring', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let program;
  before(async function () {
    this.timeout(180_000);
    folder = mkdtempSync(join(tmpdir(), 'broadside-io-uring-'));
    const server = (await discover()).find(({ name }) => name === 'io_uring');
    assert.ok(server);
    if (!server.available) skip(this, `${server.why} (${server.remedy})`);
    await build({ names: ['io_uring'] });
    program = programOf(server);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(endAll);

  for (const processes of ['1', '3']) {
    it(`with ${processes} processes releases its port before it ends`, async () => {
      for (let i = 0; i < ROUNDS; i++) {
        const server = await startProgram([program, '--processes', processes]);
        const sockets = await openMany(server, 20);
        await Promise.all(sockets.map((socket) => exchange(socket)));
        assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
        await listenOnce(server.port);
        destroy(sockets);
      }
    });
  }

  it('can be restarted immediately after kill -9', async () => {
    let port = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const server = await startProgram([program, '--port', String(port)]);
      const sockets = await openMany(server, 20);
      await Promise.all(sockets.map((socket) => exchange(socket)));
      await server.end('SIGKILL');
      port = server.port;
      destroy(sockets);
    }
  });

  it('reports a missing io_uring before it is ready', async function () {
    const without = join(folder, 'without-io-uring');
    const compiler = requireTool(this, process.env.CC ?? 'cc', 'gcc');
    assert.equal((await runToEnd([compiler, WITHOUT, '-o', without])).code, 0);
    const { code, stdout, stderr } = await runToEnd([without, program]);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^io_uring: .*Operation not permitted\n$/);
  });
});

/** @param {number} port @returns {Promise<void>} rejects when another socket listens there */
function listenOnce(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve()));
  });
}
