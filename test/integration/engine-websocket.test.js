// Greetings and control messages of a real protocol: websocket against the package ws, whose pings arrive before,
// within and after replies in several frames; on every io backend, with and without TLS.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { WebSocketServer } from 'ws';
import { tlsVersion } from '../../client/engine/index.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { causes } from '../fixtures/hostile/books.js';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { requireTool, skip } from '../hooks.js';

const OPTIONS = { path: '/', headers: {} };

/** @typedef {{pings: number, pongs: number}} Counted */

/** @param {import('node:http').Server} server @param {Counted} counted */
function serve(server, counted) {
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    const ping = () => {
      counted.pings += 1;
      socket.ping(`ping ${counted.pings}`);
    };
    ping();
    socket.on('error', () => {});
    socket.on('pong', (content) => void (counted.pongs += Number(/^ping [0-9]+$/.test(content.toString()))));
    socket.on('message', (content) => {
      const bytes = /** @type {Buffer} */ (content);
      socket.send(bytes.subarray(0, bytes.length / 2), { fin: false });
      ping();
      socket.send(bytes.subarray(bytes.length / 2), { fin: true });
      ping();
    });
  });
  return sockets;
}

for (const secure of [false, true]) {
  overEachBackend(`websocket${secure ? ' within TLS' : ''}`, function (run) {
    /** @type {ReturnType<typeof makeAuthority> | undefined} */
    let authority;
    /** @type {import('node:http').Server | undefined} */
    let server;
    /** @type {WebSocketServer | undefined} */
    let sockets;
    /** @type {Counted} */
    let counted;

    before(function () {
      if (!secure) return;
      if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
      requireTool(this, 'openssl');
      authority = makeAuthority();
    });
    after(() => authority?.remove());
    beforeEach(async () => {
      counted = { pings: 0, pongs: 0 };
      server = authority ? createSecure(authority.sign('IP:127.0.0.1')) : createServer();
      sockets = serve(server, counted);
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    afterEach(() => {
      sockets?.clients.forEach((client) => client.terminate());
      server?.close();
    });

    for (const [what, wish] of /** @type {const} */ ([
      ['one after another', {}],
      ['several at once', { pipeline: 8 }],
      ['by a schedule', { rate: 1000 }],
      ['large ones', { payloadBytes: 300_001, pipeline: 2 }],
      ['of varying length', { payloadBytes: 5000, payloadMinBytes: 1, pipeline: 4 }],
    ])) {
      it(`receives replies and answers pings, ${what}`, async () => {
        const { port } = /** @type {import('node:net').AddressInfo} */ (/** @type {any} */ (server).address());
        const tls = authority && {
          authorities: authority.authority.cert,
          certificate: '',
          key: '',
          serverName: '127.0.0.1',
          ciphers: '',
          oldest: /** @type {const} */ (0),
          newest: /** @type {const} */ (0),
          verify: true,
          resume: false,
        };
        const protocol = { name: 'websocket', options: OPTIONS };
        const leg = await run({
          port,
          slots: 10,
          workload: 'continuous',
          protocol,
          ...(tls && { tls }),
          drainMs: 10_000,
          ...wish,
          drainWhen: ({ opened, transfers }) => opened === 10 && transfers > 200,
        });
        assert.deepEqual([causes(leg.counters, 'errors'), causes(leg.counters, 'rejects')], [{}, {}]);
        const { opened, transfers } = leg.counters;
        assert.equal(opened, 10);
        const { pings, pongs } = counted;
        assert.ok(pongs >= transfers && pongs <= pings, `${pongs} pongs to ${pings} pings, ${transfers} transfers`);
      });
    }
  });
}
