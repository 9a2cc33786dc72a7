// The engine over TLS, against node:tls: sessions are resumed, failed handshakes are rejects, and the cause of the
// first is reported. What TLS itself does is tested by test/native/test_tls.c.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:crypto';
import { createServer as createPlain } from 'node:net';
import { createServer } from 'node:tls';
import { tlsVersion } from '../../client/engine/index.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { causes } from '../fixtures/hostile/books.js';
import { runLeg } from '../fixtures/hostile/leg.js';
import { requireTool, skip } from '../skip.js';

/**
 * @import { AddressInfo, Server, Socket } from 'node:net'
 * @import { TLSSocket, TlsOptions } from 'node:tls'
 * @import { Identity } from '../fixtures/certificates.js'
 * @import { Leg } from '../fixtures/hostile/leg.js'
 */

/** @param {Server} server @returns {Promise<number>} its port */
async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {AddressInfo} */ (server.address()).port;
}

/** @param {Leg} leg */
const failures = ({ intervals }) => intervals.flatMap(({ tlsFailure }) => tlsFailure ?? []);

describe('engine: TLS', function () {
  /** @type {ReturnType<typeof makeAuthority>} */
  let authority;
  /** @type {Identity} */
  let identity;
  /** @type {(() => void)[]} */
  const closers = [];

  before(function () {
    if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
    requireTool(this, 'openssl');
    authority = makeAuthority();
    identity = authority.sign('DNS:here.invalid,IP:127.0.0.1');
  });
  after(() => authority?.remove());
  afterEach(() => closers.splice(0).forEach((close) => close()));

  const usual = () => ({
    authorities: authority.authority.cert,
    certificate: '',
    key: '',
    serverName: 'here.invalid',
    verify: true,
    resume: false,
  });

  /**
   * @param {TlsOptions} [options]
   * @param {(socket: TLSSocket) => void} [serve]
   */
  async function echo(options = {}, serve = (socket) => void socket.pipe(socket)) {
    /** @type {Set<Socket>} */
    const sockets = new Set();
    const server = createServer({ cert: identity.cert, key: identity.key, noDelay: true, ...options }, (socket) => {
      serve(socket.on('error', () => {}));
    });
    server.on('connection', (socket) => void sockets.add(socket.on('error', () => {})));
    server.on('tlsClientError', () => {});
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return listen(server);
  }

  for (const version of /** @type {const} */ (['TLSv1.2', 'TLSv1.3'])) {
    it(`resumes the newest session of its slot each time, over ${version}`, async () => {
      let resumed = 0;
      const port = await echo({ minVersion: version, maxVersion: version }, (socket) => {
        if (socket.isSessionReused()) resumed += 1;
        socket.pipe(socket);
      });
      const leg = await runLeg({
        port,
        slots: 5,
        workload: 'reconnect',
        tls: { ...usual(), resume: true },
        drainMs: 10_000,
        drainWhen: ({ transfers }) => transfers > 50,
      });
      const { handshakeTime, resumptionTime } = leg.spreads;
      assert.deepEqual([causes(leg.counters, 'errors'), causes(leg.counters, 'rejects')], [{}, {}]);
      assert.equal(handshakeTime.count, 5, 'the first of each slot');
      assert.ok(
        resumptionTime.count >= 20 && resumptionTime.count <= resumed + 5,
        `${resumptionTime.count} of ${resumed}`,
      );
      assert.ok(resumptionTime.min > 0);
    });
  }

  it('makes full handshakes with a server that issues no sessions', async () => {
    const port = await echo({ maxVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET });
    const leg = await runLeg({
      port,
      slots: 5,
      workload: 'reconnect',
      tls: { ...usual(), resume: true },
      drainMs: 10_000,
      drainWhen: ({ transfers }) => transfers > 20,
    });
    assert.equal(leg.spreads.handshakeTime.count + leg.spreads.resumptionTime.count, leg.counters.opened);
    assert.deepEqual([causes(leg.counters, 'errors'), causes(leg.counters, 'rejects')], [{}, {}]);
  });

  it('presents its own certificate', async () => {
    const { cert, key } = authority.sign('DNS:client.invalid');
    const options = { requestCert: true, rejectUnauthorized: true, ca: [authority.authority.cert] };
    const port = await echo(options);
    const tls = { ...usual(), certificate: cert, key };
    const leg = await runLeg({ port, slots: 5, tls, drainWhen: ({ transfers }) => transfers === 5 });
    assert.deepEqual([leg.counters.opened, leg.counters.lost], [5, 0]);
    const without = await runLeg({
      port: await echo({ ...options, maxVersion: 'TLSv1.2' }), // of 1.3 the refusal follows the handshake
      slots: 5,
      tls: usual(),
      drainWhen: ({ attempts }) => attempts > 10,
    });
    assert.deepEqual(Object.keys(causes(without.counters, 'rejects')), ['handshake']);
  });

  it('counts a server that does not answer the handshake as a timeout', async () => {
    const silent = createPlain((socket) => void socket.on('error', () => {}).resume());
    closers.push(() => silent.close());
    const leg = await runLeg({
      port: await listen(silent),
      slots: 5,
      connectMs: 200,
      tls: usual(),
      drainWhen: ({ attempts }) => attempts > 10,
    });
    assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')), ['timeout']);
    assert.equal(leg.spreads.connectTime.count, leg.counters.attempts, 'TCP itself was there each time');
  });

  it('counts a server that speaks no TLS, or closes, as failed handshakes', async () => {
    for (const [answer, cause, reason] of /** @type {[(socket: Socket) => void, string, string][]} */ ([
      [(socket) => socket.write('220 hello there\r\n'), 'not-tls', ''],
      [(socket) => socket.end(), 'closed', ''],
      [(socket) => socket.resetAndDestroy(), 'broken', 'ECONNRESET'],
    ])) {
      const server = createPlain((socket) => {
        socket.on('error', () => {}).once('data', () => answer(socket));
      });
      const leg = await runLeg({
        port: await listen(server),
        slots: 5,
        tls: usual(),
        drainWhen: ({ attempts }) => attempts > 10,
      });
      assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')), ['handshake']);
      assert.deepEqual(failures(leg), [{ cause, step: 'handshake', reason }]);
      server.close();
    }
  });
});
