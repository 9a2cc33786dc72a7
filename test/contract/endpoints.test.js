// Where servers listen: each server on every address family that its manifest names, and on no other.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { discover, startServer, verifyExchange } from '../../servers/launcher/index.js';
import { requireIPv6 } from '../fixtures/loopback.js';
import { isRepresentative, requireServer } from './representatives.js';

const HOSTS = { ipv4: '127.0.0.1', ipv6: '::1', unix: 'unix:' };
const servers = (await discover()).filter(({ fault }) => !fault);

describe('every server', function () {
  this.timeout(120_000);

  for (const server of servers) {
    const {
      name,
      protocols,
      manifest: { listens = ['ipv4'] },
    } = server;
    const add = isRepresentative(name) ? it : it.slow;
    add(`${name} listens on ${listens.join(', ')}`, async function () {
      requireServer(this, server);
      if (listens.includes('ipv6')) requireIPv6(this);
      const [protocol] = protocols;
      for (const family of listens) {
        const started = await startServer({ name, protocol, host: HOSTS[family] });
        const { host, port, authority } = started;
        try {
          const tls = authority === null ? null : { ca: readFileSync(authority) };
          await verifyExchange({ host, port, protocol, tls });
          assert.ok(family === 'unix' ? existsSync(host.slice('unix:'.length)) : host === HOSTS[family], host);
        } finally {
          await started.stop();
        }
        if (family === 'unix') assert.ok(!existsSync(dirname(host.slice('unix:'.length))), 'its folder has gone');
      }
    });
  }
});

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

  it('is shared by all processes of a server, which all serve', async () => {
    const started = await startServer({ name: 'epoll', host: 'unix:', options: { processes: 3 } });
    try {
      assert.equal(started.pids.length, 4);
      await Promise.all(Array.from({ length: 30 }, () => verifyExchange({ host: started.host, port: 0 })));
    } finally {
      await started.stop();
    }
  });
});
