// A target that does not answer, or speaks another protocol, is refused before anything is written, with what to try
// instead. In this process; own-server.test.js and hostile-target.test.js measure such targets with --force.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { tlsVersion } from '../../client/engine/index.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool, skip } from '../hooks.js';

/** @param {string | RegExp} wanted @param {string} reply @returns {(socket: import('node:net').Socket) => void} answers requests that hold `wanted`; others by nothing */
const answering = (wanted, reply) => (socket) => {
  socket.on('error', () => {});
  socket.on('data', (bytes) => void (bytes.toString('latin1').match(wanted) && socket.write(reply)));
};

/** @param {(socket: import('node:net').Socket) => void} serve */
const plain = (serve) => createServer(serve);

describe('a target that cannot be measured', function () {
  this.timeout(60_000);
  const box = sandbox();
  /** @type {import('node:net').Server[]} */
  const servers = [];
  /** @type {ReturnType<typeof makeAuthority>} */
  let authority;
  before(function () {
    if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
    requireTool(this, 'openssl');
    authority = makeAuthority();
  });
  after(() => {
    for (const server of servers) server.close();
    authority?.remove();
  });

  /** @param {import('node:net').Server} server @returns {Promise<string>} its address */
  async function listening(server) {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  }

  const http = () => createHttpServer((request, response) => response.end('hello'));
  /** @type {[string, () => import('node:net').Server, Record<string, unknown>, { protocol?: string, tls?: boolean } | null][]} */
  const rows = [
    ['speaks HTTP, not echo', http, {}, { protocol: 'http' }],
    ['speaks HTTP without TLS', http, { protocol: 'http', tls: true, payload: undefined }, { tls: false }],
    [
      'refuses the bytes as redis does',
      () => plain((socket) => void socket.on('error', () => {}).write("-ERR unknown command 'x'\r\n")),
      {},
      { protocol: 'redis' },
    ],
    ['answers only memcached', () => plain(answering('version', 'VERSION 1\r\n')), {}, { protocol: 'memcached' }],
    [
      'answers HTTP over TLS only',
      () =>
        createTlsServer(
          authority.sign('IP:127.0.0.1'),
          answering('HTTP/1.1', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
        ),
      { protocol: 'http', payload: undefined },
      { tls: true },
    ],
    ['never answers', () => plain((socket) => void socket.on('error', () => {}).resume()), {}, null],
  ];
  for (const [what, serve, scenario, suggestion] of rows) {
    it(`${what}: is refused, with the protocol to give`, async () => {
      const target = await listening(serve());
      const error = await box.refused({ target, transferTimeout: '1s', drainTimeout: '1s', ...scenario });
      assert.deepEqual([error.code, error.exitCode, error.data.suggestion], ['ETARGETCHECK', 3, suggestion]);
      for (const flag of Object.keys(suggestion ?? {})) assert.match(error.text, new RegExp(`--(no-)?${flag}\\b`));
      assert.match(error.text, /--force/);
      if (what.includes('HTTP'))
        assert.ok(error.text.includes(`http${suggestion?.tls ? 's' : ''}://${target}`), error.text);
    });
  }

  it('does not listen: is refused, also as one of several', async () => {
    const alive = await listening(plain((socket) => void socket.on('error', () => {}).pipe(socket)));
    const dead = createServer();
    const gone = await listening(dead);
    dead.close();
    await once(dead, 'close');
    for (const target of [gone, [alive, gone]]) {
      const { code, data, exitCode } = await box.refused({ target });
      assert.deepEqual([code, exitCode, data.reason, data.endpoint], ['ETARGETCHECK', 3, 'not-listening', gone]);
    }
  });
});
