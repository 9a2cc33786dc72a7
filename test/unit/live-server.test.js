// The server of a live page: who may read it, and what readers get that connect early, connect late, or do not read.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import http from 'node:http';
import { connect } from 'node:net';
import { LiveServer } from '../../client/live/live-server.js';

/** @import { AddressInfo } from 'node:net' */

/** A reader that takes `room` writes and then no more until it is drained. */
class Reader extends EventEmitter {
  text = '';

  /** @param {number} [room] */
  constructor(room = Infinity) {
    super();
    this.room = room;
  }

  writeHead() {
    return this;
  }

  /** @param {string} text */
  write(text) {
    this.text += text;
    this.room -= 1;
    return this.room > 0;
  }

  end() {
    this.emit('close');
  }
}

/** @param {LiveServer} server @param {Reader} reader */
function join(server, reader) {
  server.join(/** @type {any} */ (reader));
  return reader;
}

describe('the server of a live page', () => {
  /** @type {LiveServer} */
  let server;
  let url = '';
  let made = 0;

  beforeEach(async () => {
    made = 0;
    server = new LiveServer({
      page: async () => 'page',
      body: async (end) => (end ? `ended: ${end.page}` : `state ${(made += 1)}`),
    });
    url = await server.listen(0);
  });
  afterEach(() => server.close({ page: null }));

  /**
   * @param {string} path @param {http.RequestOptions} [options]
   * @returns {Promise<http.IncomingMessage>}
   */
  const ask = (path, options = {}) =>
    new Promise((resolve, reject) => {
      http.get(new URL(path, url), { agent: false, ...options }, resolve).once('error', reject);
    });

  /** @param {string} path @param {http.RequestOptions} [options] @returns {Promise<number | undefined>} */
  const statusOf = async (path, options) => {
    const response = await ask(path, options);
    response.resume();
    return response.statusCode;
  };

  it('is on the loopback address, and answers those who know its token; no other page may frame it', async () => {
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
    assert.notEqual(new LiveServer(server.live).token, server.token);
    const { address } = /** @type {AddressInfo} */ (server.server.address());
    assert.equal(address, '127.0.0.1');
    const page = await ask('');
    page.resume();
    assert.equal(page.statusCode, 200);
    assert.equal(page.headers['content-security-policy'], "frame-ancestors 'none'");
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(await statusOf(`/${server.token}`), 308);
  });

  it('refuses a wrong token, other paths, other host names and methods', async () => {
    const { token } = server;
    const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const paths = ['/', '/events', `/${wrong}/`, `/${wrong}/events`, `/${token}x/`, `/${token}/events/x`];
    for (const path of [...paths, 'none', 'constructor', '__proto__']) assert.equal(await statusOf(path), 404, path);
    for (const host of ['example.org', '127.0.0.1.example.org', '10.0.0.1', 'localhost.evil']) {
      assert.equal(await statusOf('', { headers: { host } }), 403, host);
    }
    for (const host of ['localhost:9000', '127.0.0.1', '[::1]:80']) {
      assert.equal(await statusOf('', { headers: { host } }), 200, host);
    }
    assert.equal(await statusOf('', { method: 'POST' }), 405);
  });

  it('gives a place back that is taken without a whole request, or by who is refused', async function () {
    this.timeout(20_000); // less than the 30 s after which Node itself looks for connections whose request is late
    const { server: httpServer, token } = server;
    const port = Number(new URL(url).port);
    const heads = ['', 'G', `GET /${token}/ HTTP/1.1\r\nX`, `GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`];
    const sockets = Array.from({ length: httpServer.maxConnections }, (_, i) => {
      const socket = connect(port, '127.0.0.1')
        .on('error', () => {})
        .resume();
      socket.write(heads[i % heads.length]);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    assert.equal(await statusOf(''), 200);
  });

  it('makes nothing until somebody reads, sends what is made, and at last the end', async () => {
    assert.equal(made, 0);
    const reader = await ask('events');
    assert.equal(reader.headers['content-type'], 'text/event-stream; charset=utf-8');
    await new Promise((resolve) => {
      reader.once('readable', resolve);
    });
    await server.close({ page: '/p.html' });
    let text = '';
    for await (const part of reader) text += part;
    assert.equal(text, 'retry: 1000\n\nevent: page\ndata: "state 1"\n\nevent: end\ndata: "ended: /p.html"\n\n');
  });

  it('gives a reader the latest state, and a slow one only that, when it takes it', async () => {
    const early = join(server, new Reader());
    const slow = join(server, new Reader(1));
    for (const state of ['a', 'b', 'c']) server.publish(`${state}\n`);
    assert.match(early.text, /a\nb\nc\n$/);
    assert.equal(slow.text, 'retry: 1000\n\n');
    slow.room = Infinity;
    slow.emit('drain');
    assert.match(slow.text, /c\n$/);
    assert.match(join(server, new Reader()).text, /^retry: 1000\n\nc\n$/, 'one that comes late');
  });

  it('refuses readers beyond the most', async () => {
    server.maxReaders = 2;
    const first = join(server, new Reader());
    join(server, new Reader());
    assert.equal(await statusOf('events'), 503);
    first.emit('close');
    const other = await ask('events');
    assert.equal(other.statusCode, 200);
    other.destroy();
  });

  it('ends although a browser keeps a connection that it does not use', async () => {
    const unused = connect(Number(new URL(url).port), '127.0.0.1');
    await once(unused, 'connect');
    const closed = once(unused, 'close');
    await server.close({ page: null });
    await closed;
  });

  it('says which port it cannot have', async () => {
    const { port } = new URL(url);
    await assert.rejects(new LiveServer(server.live).listen(Number(port)), {
      code: 'ELIVE',
      exitCode: 3,
      data: { option: 'live', port: Number(port), errno: 'EADDRINUSE' },
    });
  });
});
