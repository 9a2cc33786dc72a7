// One exchange with a server (servers/launcher/start/verify.js): what it accepts, and how it reports anything else.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { ANY_SERVER_PROTOCOLS } from '../../servers/launcher/start/exchanges.js';
import { build, discover, protocolNames, startServer, verifyExchange } from '../../servers/launcher/index.js';
import { failure } from './server-process.js';

describe('verifyExchange', () => {
  before(async function () {
    this.timeout(300_000);
    await build({ names: ['epoll'] });
  });

  it('accepts a server of each protocol, and rejects those of another', async () => {
    const [epoll] = (await discover()).filter(({ name }) => name === 'epoll');
    for (const protocol of epoll.protocols) {
      const server = await startServer({ name: 'epoll', protocol });
      try {
        await verifyExchange({ ...server, protocol });
        const others = protocolNames.filter((each) => each !== protocol && !ANY_SERVER_PROTOCOLS.has(each));
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

  for (const [what, answer, reasons, received] of /** @type {const} */ ([
    ['wrong bytes', (/** @type {any} */ socket) => socket.write('garbage'), ['mismatch'], 7],
    [
      'too much',
      (/** @type {any} */ socket, /** @type {any} */ bytes) => socket.write(Buffer.concat([bytes, bytes])),
      ['surplus'],
      128,
    ],
    [
      'too little',
      (/** @type {any} */ socket, /** @type {any} */ bytes) => socket.end(bytes.subarray(0, 5)),
      ['closed'],
      5,
    ],
    ['nothing', () => {}, ['timeout'], 0],
    ['RST', (/** @type {any} */ socket) => socket.resetAndDestroy(), ['socket', 'ECONNRESET'], 0],
  ])) {
    it(`rejects a server that answers with ${what}`, async () => {
      const { port, close } = await answering(answer);
      const timeoutMs = what === 'nothing' ? 300 : 10_000;
      const error = await failure(verifyExchange({ host: '127.0.0.1', port, timeoutMs }), 'EEXCHANGE');
      const { reason, errno, timeoutMs: waited = timeoutMs } = error.data;
      assert.deepEqual([reason, errno, error.data.received, waited], [reasons[0], reasons[1], received, timeoutMs]);
      close();
    });
  }

  it('reports an incomplete or too long reply of raw before the deadline', async () => {
    const { port, close } = await answering((socket) => socket.write('hello\n'));
    const asked = { host: '127.0.0.1', port, protocol: 'raw', timeoutMs: 60_000 };
    const content = Buffer.from('any').toString('base64');
    const [early, ended, long] = await Promise.all(
      [{ lengthBytes: 7 }, { delimiterContent: Buffer.from('\r\n').toString('base64') }, { lengthBytes: 5 }].map(
        (ends) => failure(verifyExchange({ ...asked, protocolOptions: { content, ...ends } }), 'EEXCHANGE'),
      ),
    );
    assert.deepEqual(
      [early, ended, long].map(({ data: { reason, received, bytes } }) => [reason, received, bytes]),
      [
        ['stalled', 6, undefined],
        ['stalled', 6, undefined],
        ['surplus', 6, 1],
      ],
    );
    close();
  });

  it('reports a server that does not speak TLS', async () => {
    const { port, close } = await answering((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const asked = { host: '127.0.0.1', port, timeoutMs: 60_000, tls: {} };
    const { data } = await failure(verifyExchange(asked), 'EEXCHANGE');
    assert.deepEqual([data.reason, data.mayBePlain], ['tls', true]);
    close();
  });

  it('reports a server that seems to accept only TLS', async () => {
    for (const refusing of [
      (/** @type {import('node:net').Socket} */ socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
      (/** @type {import('node:net').Socket} */ socket) => socket.resetAndDestroy(),
    ]) {
      const { port, close } = await answering(refusing);
      const asked = { host: '127.0.0.1', port, protocol: 'http', timeoutMs: 60_000 };
      const { data } = await failure(verifyExchange(asked), 'EEXCHANGE');
      assert.equal(data.maybeTls, true);
      close();
    }
  });
});
