// One exchange of the engine before a leg: what it sends, what it accepts, and how it reports anything else.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { exchange, tapExchange } from '../../client/run/exchange.js';
import { withRemedy } from '../../client/run/target-check.js';
import { protocolNames, protocolOf } from '../../client/protocols/index.js';
import { keptSecrets } from '../../client/protocols/kept-secrets.js';
import { KEPT_PASSWORD, PASSWORD_VARIABLE } from '../../client/protocols/redis.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { build, discover, startServer } from '../../servers/launcher/index.js';
import { exchangeOf, tappedExchange, verifyExchange } from '../fixtures/one-exchange.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { deadPort } from '../fixtures/e2e-server.js';

/** @import { AddressInfo, Server, Socket } from 'node:net' */

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: ';
const WS = { protocol: 'websocket' };

/** @param {Promise<void>} exchanged @returns {Promise<any>} its data; fails when it has succeeded */
const failureOf = (exchanged) =>
  exchanged.then(
    () => assert.fail('it must fail'),
    ({ code, data, message }) => (assert.equal(code, 'EEXCHANGE', message), data),
  );

describe('one exchange', function () {
  this.timeout(120_000);
  /** @type {Server[]} */
  const servers = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  /**
   * @param {(socket: Socket, bytes: Buffer) => void} answer
   * @returns {Promise<{ host: string, port: number, server: Server }>}
   */
  async function answering(answer) {
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (bytes) => answer(socket, bytes));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return { host: '127.0.0.1', port: /** @type {AddressInfo} */ (server.address()).port, server };
  }

  it('accepts a server of each protocol, and rejects those of another', async () => {
    await build({ names: ['epoll'] });
    const [epoll] = (await discover()).filter(({ name }) => name === 'epoll');
    // options that some of them must have
    const given = /** @type {Record<string, object>} */ ({ raw: { 'raw.send': 'x', 'raw.length': '1B' } });
    for (const protocol of epoll.protocols) {
      const { host, port, stop } = await startServer({ name: 'epoll', protocol });
      try {
        await verifyExchange({ host, port, protocol });
        const others = protocolNames.filter((each) => each !== protocol && !protocolOf(each).any);
        await Promise.all(
          others.map((other) =>
            failureOf(verifyExchange({ host, port, protocol: other, timeoutNs: 500e6, ...given[other] })),
          ),
        );
      } finally {
        await stop();
      }
    }
  });

  for (const [
    what,
    answer,
    step,
    reason,
    received,
  ] of /** @type {[string, (socket: Socket, bytes: Buffer) => void, string, string, number][]} */ ([
    ['wrong bytes', (socket) => socket.write('garbage'), 'reply', 'corrupt', 7],
    ['too much', (socket, bytes) => socket.write(Buffer.concat([bytes, bytes])), 'surplus', 'protocol', 2048],
    ['too little', (socket, bytes) => socket.end(bytes.subarray(0, 5)), 'reply', 'closed', 5],
    ['nothing', () => {}, 'reply', 'timeout', 0],
    ['RST', (socket) => socket.resetAndDestroy(), 'reply', 'reset', 0],
  ])) {
    it(`rejects a server that answers with ${what}`, async () => {
      const { host, port } = await answering(answer);
      const timeoutNs = reason === 'timeout' ? 300e6 : 60e9;
      const data = await failureOf(verifyExchange({ host, port, payload: '1KiB', timeoutNs }));
      assert.deepEqual(
        [data.endpoint, data.step, data.reason, data.received],
        [`${host}:${port}`, step, reason, received],
      );
    });
  }

  for (const [
    what,
    answer,
    asked,
    reason,
    expected,
  ] of /** @type {[string, string, object, string, { isOfProtocol: boolean, key?: string, suggested?: string }][]} */ ([
    ['part of a reply', `${OK}9\r\n\r\nok`, { timeoutNs: 300e6 }, 'timeout', { isOfProtocol: true }],
    ['two lengths', `${OK}2\r\nContent-Length: 3\r\n\r\nok`, {}, 'protocol', { isOfProtocol: true }],
    ['two replies', `${OK}2\r\n\r\nokHTTP/1.1 500 x\r\n\r\n`, {}, 'protocol', { isOfProtocol: true }],
    ['another protocol', '+PONG\r\n', {}, 'protocol', { isOfProtocol: false, suggested: 'redis' }],
    ['403 to an upgrade', 'HTTP/1.1 403 No\r\n\r\n', WS, 'greeting', { isOfProtocol: false, key: 'websocket.headers' }],
    ['404 to an upgrade', 'HTTP/1.1 404 No\r\n\r\n', WS, 'greeting', { isOfProtocol: false, key: 'websocket.path' }],
  ])) {
    it(`looks for another protocol only where what came is not of this one: ${what}`, async () => {
      const { host, port } = await answering((socket) => socket.write(answer));
      const wanted = exchangeOf({ host, port, protocol: 'http', ...asked });
      const { error } = await tapExchange(wanted);
      const { data } = /** @type {any} */ (await withRemedy(error, wanted));
      const { isOfProtocol, denied, suggestion } = data;
      assert.deepEqual(
        [data.reason, isOfProtocol, denied?.key, suggestion?.protocol],
        [reason, expected.isOfProtocol, expected.key, expected.suggested],
      );
    });
  }

  it('rejects a port that nothing listens on, and a server that does not speak TLS', async () => {
    const dead = await failureOf(verifyExchange({ host: '127.0.0.1', port: await deadPort() }));
    assert.deepEqual([dead.step, dead.reason], ['connect', 'refused']);
    const { host, port } = await answering((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const plain = await failureOf(verifyExchange({ host, port, tls: true }));
    assert.deepEqual([plain.reason, plain.tlsFailure.cause], ['handshake', 'not-tls']);
  });

  it('sends the very request of the leg, from its source address', async () => {
    let request = Buffer.alloc(0);
    const { host, port, server } = await answering((socket, bytes) => {
      request = Buffer.concat([request, bytes]);
      if (request.includes('\r\n\r\n') && request.length >= request.indexOf('\r\n\r\n') + 4 + 10) {
        socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      }
    });
    let from;
    server.on('connection', ({ remoteAddress }) => (from = remoteAddress));
    const settings = resolveScenario(
      { content: { http: { headers: { 'X-Token': 'a b' } } } },
      {
        ...{ target: `${host}:${port}`, connections: 1, protocol: 'http', payload: '10B' },
        ...{ 'http.method': 'POST', 'http.path': '/a?b', 'http.host': 'shop.example' },
      },
    );
    const leg = { sources: ['127.0.0.9', '127.0.0.8'] };
    await exchange({ settings, leg, server: { address: host, port }, tls: null, timeoutNs: 60e9 });
    assert.equal(from, '127.0.0.9');
    const [head] = request.toString('latin1').split('\r\n\r\n');
    assert.deepEqual(head.split('\r\n').sort(), [
      'Content-Length: 10',
      'Host: shop.example',
      'POST /a?b HTTP/1.1',
      'X-Token: a b',
    ]);
  });

  it('is one transfer at once, whatever the load is', async () => {
    let received = 0;
    const { host, port } = await answering((socket, bytes) => {
      received += bytes.length;
      socket.write(bytes);
    });
    const loads = [
      ...[{ pipeline: 8 }, { pause: '1h', 'lifetime.time': '1us' }, { workload: 'hold', heartbeat: '1h' }],
      ...[{ rate: '1/s', arrivals: 'poisson' }, { connectRate: '0.001/s', start: 'together' }, { timestamps: 'off' }],
    ];
    for (const load of loads) await verifyExchange({ host, port, payload: '1B', ...load });
    assert.equal(received, loads.length);
  });

  it('has a UUID of its own each time, and draws the same', async () => {
    /** @type {string[]} */
    const paths = [];
    const { host, port } = await answering((socket, bytes) => {
      paths.push(bytes.toString('latin1').split(' ')[1]);
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const asked = { host, port, protocol: 'http', 'http.path': '/{random:1-999999}/{uuid}' };
    await verifyExchange(asked);
    await verifyExchange(asked);
    const [first, second] = paths.map((path) => path.split('/'));
    assert.equal(first[1], second[1]);
    assert.notEqual(first[2], second[2]);
  });

  it('is kept as it was sent and received, at most 4 KiB each way, with its times', async () => {
    let request = Buffer.alloc(0);
    const body = 'x'.repeat(5000);
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n';
    const { host, port } = await answering((socket, bytes) => {
      request = Buffer.concat([request, bytes]);
      if (request.at(-1) === 1) socket.write(head + body);
    });
    const sent = `${'\xff\0\r\n'.repeat(1100)}\x01`;
    const content = Buffer.from(sent, 'latin1').toString('base64');
    const settings = resolveScenario({}, { target: `${host}:${port}`, connections: 1, 'http.body': '@x' });
    const wanted = { leg: { sources: [] }, server: { address: host, port }, tls: null, timeoutNs: 60e9 };
    const protocolOptions = { ...settings.protocolOptions, content };
    const { tapped, error } = await tapExchange({ ...wanted, settings: { ...settings, protocolOptions } });
    assert.ok(tapped);
    assert.equal(error, null);
    assert.deepEqual(tapped.sent, { total: request.length, first: request.toString('latin1', 0, 4096) });
    assert.deepEqual(tapped.received, { total: head.length + 5000, first: (head + body).slice(0, 4096) });
    const { connect, secure, open, send, first, last } = tapped.timesNs;
    assert.ok(secure === 0 && 0 < connect && connect <= open && open <= send && send <= first && first <= last);
    assert.equal(tapped.tls.version, '');
  });

  it('is kept without its encryption, with what TLS has agreed on', async () => {
    const authority = makeAuthority();
    const { key, cert } = authority.sign('IP:127.0.0.1');
    const server = createTlsServer({ key, cert, maxVersion: 'TLSv1.2' }, (socket) =>
      socket.on('error', () => {}).once('data', (bytes) => socket.write(bytes)),
    ).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = /** @type {AddressInfo} */ (server.address());
    const wanted = { host: '127.0.0.1', port, payload: '8B', authority: authority.authority.certFile };
    const { tapped, error } = await tappedExchange(wanted).finally(authority.remove);
    assert.equal(error, null);
    assert.ok(tapped);
    assert.deepEqual([tapped.sent.total, tapped.received], [8, tapped.sent]);
    assert.deepEqual(
      [tapped.tls.version, tapped.tls.subject, tapped.tls.issuer],
      ['TLSv1.2', 'CN = signed.invalid', 'CN = authority.invalid'],
    );
    assert.ok(tapped.timesNs.connect <= tapped.timesNs.secure && tapped.timesNs.secure < tapped.timesNs.open);
  });

  it('is kept as far as it came', async () => {
    const { host, port } = await answering((socket) => socket.end('garb'));
    const { tapped, error } = await tappedExchange({ host, port, payload: '8B' });
    assert.deepEqual([tapped?.received, error?.data.reason], [{ total: 4, first: 'garb' }, 'corrupt']);
    const dead = await tappedExchange({ host: '127.0.0.1', port: await deadPort() });
    assert.deepEqual([dead.tapped?.sent.total, dead.tapped?.timesNs.open, dead.error?.data.step], [0, 0, 'connect']);
  });

  it('gives the password of redis before the first request, and says which key is missing or wrong', async () => {
    const { host, port } = await answering((socket, bytes) => {
      const text = bytes.toString('latin1');
      if (text === '*3\r\n$4\r\nAUTH\r\n$3\r\nann\r\n$4\r\nr\xc3\xb6t\r\n') {
        socket.write('+O');
        setImmediate(() => socket.write('K\r\n'));
      } else if (text.includes('AUTH')) socket.write('-WRONGPASS invalid\r\n');
      else socket.write(socket.bytesWritten > 0 ? '+PONG\r\n' : '-NOAUTH Authentication required.\r\n');
    });
    const asked = { host, port, protocol: 'redis', 'redis.command': 'PING' };
    const none = await failureOf(verifyExchange(asked));
    assert.deepEqual(
      [none.reason, none.denied.key, none.said],
      ['denied', 'redis.password', '-NOAUTH Authentication required.\\r\\n'],
    );
    try {
      keptSecrets[PASSWORD_VARIABLE] = 'r\u00f6t';
      const given = { ...asked, 'redis.password': KEPT_PASSWORD };
      await verifyExchange({ ...given, 'redis.user': 'ann' });
      const wrong = await failureOf(verifyExchange(given));
      assert.deepEqual([wrong.step, wrong.reason, wrong.denied.key], ['connect', 'greeting', 'redis.password']);
    } finally {
      delete keptSecrets[PASSWORD_VARIABLE];
    }
  });

  it('says which key a server of NATS asks for', async () => {
    const { host, port, server } = await answering((socket) => socket.end("-ERR 'Authorization Violation'\r\n"));
    server.on('connection', (socket) => socket.write('INFO {"auth_required":true}\r\n'));
    const { reason, denied } = await failureOf(verifyExchange({ host, port, protocol: 'nats' }));
    assert.deepEqual([reason, denied.key], ['greeting', 'nats.login']);
  });

  it('only opens a connection where connections are only held', async () => {
    const { host, port } = await answering((socket) => socket.destroy());
    await verifyExchange({ host, port, workload: 'hold' });
    await failureOf(verifyExchange({ host, port, workload: 'hold', heartbeat: '1s' }));
  });
});
