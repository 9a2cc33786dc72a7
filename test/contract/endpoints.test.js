// Where servers listen. ../release/servers-endpoints.test.js has every server on every address family.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../servers/launcher/index.js';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { requireIPv6 } from '../fixtures/loopback.js';

describe('addresses to listen on', function () {
  this.timeout(60_000);

  it('are rejected if the manifest does not have their family', async () => {
    const error = await startServer({ name: 'node', host: 'unix:' }).catch((each) => each);
    assert.equal(error.code, 'EOPTION');
    assert.deepEqual(error.data, { server: 'node', reason: 'family', family: 'unix', known: ['ipv4', 'ipv6'] });
  });

  it('replace {host} and {path} of a command', async function () {
    requireIPv6(this);
    const node = JSON.stringify(process.execPath);
    const echo = (/** @type {string} */ place) =>
      `exec ${node} -e 'require("net").createServer((socket) => ` +
      `socket.on("error", () => {}).pipe(socket)).listen(${place})'`;
    for (const [host, command] of [
      ['::1', echo('{port}, "{host}"')],
      ['unix:', echo('"{path}"')],
    ]) {
      const started = await startServer({ command, host });
      try {
        await verifyExchange({ host: started.host, port: started.port });
      } finally {
        await started.stop();
      }
    }
  });
});

describe('the path of a unix socket', function () {
  this.timeout(60_000);

  it('can be used again after kill -9, and by no other server before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broadside-places-'));
    const wanted = { name: 'epoll', host: `unix:${join(folder, 'server.sock')}` };
    try {
      const first = await startServer(wanted);
      const error = await startServer(wanted).catch((each) => each);
      assert.equal(error.code, 'EDIED');
      assert.match(error.data.stderr.join('\n'), /Address already in use/); // strerror(EADDRINUSE)
      process.kill(first.pids[0], 'SIGKILL');
      await first.exited;
      assert.deepEqual(readdirSync(folder), ['server.sock'], 'left behind');
      const second = await startServer(wanted);
      await verifyExchange({ host: second.host, port: 0 });
      await second.stop();
      assert.deepEqual(readdirSync(folder), [], 'taken away');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
