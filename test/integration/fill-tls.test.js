// Prefilling a server over TLS before a leg: each request arrives once, the certificate is checked, wrong replies are
// reported.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:tls';
import { lineAnswer } from '../../client/protocols/filling.js';
import { prefillServer } from '../../client/run/leg-server.js';
import { completeTls } from '../../client/scenario/keys/tls.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { requireTool } from '../skip.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { Server } from 'node:tls'
 */

describe('prefilling a server over TLS', function () {
  this.timeout(30_000);
  const COUNT = 5000;
  /** @type {ReturnType<typeof makeAuthority>} */
  let authority;
  /** @type {Server} */
  let server;
  let place = { address: '127.0.0.1', port: 0 };
  let lines = 0;

  before(async function () {
    requireTool(this, 'openssl');
    authority = makeAuthority();
    const { cert, key } = authority.sign('IP:127.0.0.1');
    server = createServer(
      { cert, key },
      (socket) =>
        void socket
          .on('error', () => {})
          .on('data', (bytes) => {
            const whole = bytes.toString().split('\n').length - 1;
            lines += whole;
            socket.write('+OK\r\n'.repeat(whole));
          }),
    )
      .on('tlsClientError', () => {})
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    place = { ...place, port: /** @type {AddressInfo} */ (server.address()).port };
  });
  after(() => {
    server?.close();
    authority?.remove();
  });

  const request = (/** @type {number} */ i) => Buffer.from(`set ${i}\n`);
  const tls = (/** @type {any} */ given) => completeTls(given, undefined);

  it('sends each request once and reads each reply', async () => {
    await prefillServer(
      { count: COUNT, request, answer: (bytes) => lineAnswer(bytes, /^\+OK$/) },
      place,
      tls({ ca: authority.authority.certFile }),
    );
    assert.equal(lines, COUNT);
  });

  it('reports a wrong reply, and a certificate that it does not trust', async () => {
    await assert.rejects(
      prefillServer(
        { count: 1, request, answer: (bytes) => lineAnswer(bytes, /^-NO$/) },
        place,
        tls({ ca: authority.authority.certFile }),
      ),
      (/** @type {any} */ { code, data }) => {
        assert.deepEqual([code, data.problem], ['EFILL', 'answer']);
        return data.reason.includes('+OK');
      },
    );
    await assert.rejects(
      prefillServer({ count: 1, request, answer: (bytes) => lineAnswer(bytes, /^\+OK$/) }, place, tls(true)),
      (/** @type {any} */ { code, data }) => code === 'EFILL' && data.problem === 'socket',
    );
  });
});
