// One exchange with a server (servers/launcher/start/verify.js): what it is content with, and how it tells what came instead.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { OF_ANY_SERVER } from '../../servers/launcher/start/exchanges.js';
import { build, discover, protocolNames, startServer, verifyExchange } from '../../servers/launcher/index.js';
import { failure } from './server-process.js';

describe('verifyExchange', () => {
  before(async function () {
    this.timeout(300_000);
    await build({ names: ['epoll'] });
  });

  it('is content with a server of each protocol, and tells those of another', async () => {
    const [epoll] = (await discover()).filter(({ name }) => name === 'epoll');
    for (const protocol of epoll.protocols) {
      const server = await startServer({ name: 'epoll', protocol });
      try {
        await verifyExchange({ ...server, protocol });
        const others = protocolNames.filter((each) => each !== protocol && !OF_ANY_SERVER.has(each));
        const asked = others.map((other) => verifyExchange({ ...server, protocol: other, timeoutMs: 500 }));
        await Promise.all(asked.map((each) => failure(each, 'EEXCHANGE')));
      } finally {
        await server.stop();
      }
    }
    await failure(verifyExchange({ host: '127.0.0.1', port: 1, protocol: 'gopher' }), 'EOPTION');
  });

  /** @param {(socket: any, bytes: Buffer) => void} answer to whatever is asked */
  async function answering(answer) {
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (bytes) => answer(socket, bytes));
    });
    await new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(null));
    });
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    return { port, close: () => void server.close() };
  }

  for (const [what, answer, message] of /** @type {const} */ ([
    [
      'wrong bytes',
      (/** @type {any} */ socket) => socket.write('garbage'),
      /the reply is wrong from byte [12] on: "g?arbage" came, and it is to be "/,
    ],
    [
      'too much',
      (/** @type {any} */ socket, /** @type {any} */ bytes) => socket.write(Buffer.concat([bytes, bytes])),
      /64 bytes came beyond the reply/,
    ],
    [
      'too little',
      (/** @type {any} */ socket, /** @type {any} */ bytes) => socket.end(bytes.subarray(0, 5)),
      /closed the connection after 5 bytes: ".*", before the reply was whole/,
    ],
    ['nothing', () => {}, /no whole reply within 300 ms \(0 bytes\)/],
    ['RST', (/** @type {any} */ socket) => socket.resetAndDestroy(), /ECONNRESET/],
  ])) {
    it(`tells a server that answers by ${what}`, async () => {
      const { port, close } = await answering(answer);
      const timeoutMs = what === 'nothing' ? 300 : 10_000;
      const error = await failure(verifyExchange({ host: '127.0.0.1', port, timeoutMs }), 'EEXCHANGE');
      assert.match(error.message, message);
      close();
    });
  }

  it('tells which bytes came that end no reply of raw, and how one would end, before the deadline', async () => {
    const { port, close } = await answering((socket) => socket.write('hello\n'));
    const asked = { host: '127.0.0.1', port, protocol: 'raw', timeoutMs: 60_000 };
    const content = Buffer.from('any').toString('base64');
    const [early, ended, long] = await Promise.all(
      [{ lengthBytes: 7 }, { delimiterContent: Buffer.from('\r\n').toString('base64') }, { lengthBytes: 5 }].map(
        (ends) => failure(verifyExchange({ ...asked, protocolOptions: { content, ...ends } }), 'EEXCHANGE'),
      ),
    );
    assert.match(
      early.message,
      /no whole reply \(6 bytes: "hello\\n"\), and nothing more for 2000 ms; a reply has 7 bytes/,
    );
    assert.match(ended.message, /6 bytes: "hello\\n".*; a reply ends with "\\r\\n" \(raw\.delimiter\)/);
    assert.match(long.message, /1 bytes came beyond the reply: "hello\\n"; a reply has 5 bytes/);
    close();
  });

  it('tells of a server that speaks no TLS, in words', async () => {
    const { port, close } = await answering((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const asked = { host: '127.0.0.1', port, timeoutMs: 60_000, tls: {} };
    const { message } = await failure(verifyExchange(asked), 'EEXCHANGE');
    assert.match(message, /does not speak echo over TLS: TLS failed: [a-z0-9 ]+; it may not speak TLS at all$/);
    close();
  });

  it('tells of a server that may speak nothing but TLS', async () => {
    for (const refusing of [
      (/** @type {import('node:net').Socket} */ socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
      (/** @type {import('node:net').Socket} */ socket) => socket.resetAndDestroy(),
    ]) {
      const { port, close } = await answering(refusing);
      const asked = { host: '127.0.0.1', port, protocol: 'http', timeoutMs: 60_000 };
      const { message } = await failure(verifyExchange(asked), 'EEXCHANGE');
      assert.match(message, /does not speak http: .*; it may speak TLS, and nothing else \(--tls\)$/);
      close();
    }
  });
});
