// The engine over TLS, against node:tls: loops, pipelines and large payloads as without TLS; failed handshakes are rejects, and
// the cause of the first is reported.

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

/** @param {import('node:net').Server} server @returns {Promise<number>} its port */
async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {import('node:net').AddressInfo} */ (server.address()).port;
}

/** @param {import('../fixtures/hostile/leg.js').Leg} leg */
const failures = ({ intervals }) => intervals.flatMap(({ tlsFailure }) => tlsFailure ?? []);

describe('engine: TLS', function () {
  /** @type {ReturnType<typeof makeAuthority>} */
  let authority;
  /** @type {import('../fixtures/certificates.js').Identity} */
  let identity;
  /** @type {(() => void)[]} */
  const closers = [];
  let secured = 0;

  before(function () {
    if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
    requireTool(this, 'openssl');
    authority = makeAuthority();
    identity = authority.sign('DNS:here.invalid,IP:127.0.0.1');
  });
  after(() => authority?.remove());
  beforeEach(() => void (secured = 0));
  afterEach(() => closers.splice(0).forEach((close) => close()));

  const usual = () => ({
    authorities: authority.authority.cert,
    certificate: '',
    key: '',
    serverName: 'here.invalid',
    ciphers: '',
    oldest: /** @type {const} */ (0),
    newest: /** @type {const} */ (0),
    verify: true,
    resume: false,
  });

  /**
   * @param {import('node:tls').TlsOptions} [options]
   * @param {(socket: import('node:tls').TLSSocket) => void} [serve]
   */
  async function echo(options = {}, serve = (socket) => void socket.pipe(socket)) {
    /** @type {Set<import('node:net').Socket>} */
    const sockets = new Set();
    const server = createServer({ cert: identity.cert, key: identity.key, noDelay: true, ...options }, (socket) => {
      secured += 1;
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
    it(`echoes in closed loop over ${version}`, async () => {
      const port = await echo({ minVersion: version, maxVersion: version });
      const leg = await runLeg({
        port,
        slots: 20,
        workload: 'continuous',
        tls: usual(),
        drainWhen: ({ opened, transfers }) => opened === 20 && transfers > 500,
      });
      const { opened, transfers } = leg.counters;
      assert.deepEqual([opened, secured, leg.counters.lost], [20, 20, 0]);
      assert.ok(transfers > 500);
      assert.equal(leg.counters.bytesSent, leg.counters.bytesReceived);
      assert.equal(leg.spreads.connectTime.count, 20);
      assert.ok(leg.spreads.handshakeTime.min > 0);
      assert.deepEqual(failures(leg), []);
    });
  }

  it('keeps a pipeline filled at a rate', async () => {
    const leg = await runLeg({
      port: await echo(),
      slots: 4,
      workload: 'continuous',
      pipeline: 8,
      rate: 2000,
      tls: usual(),
      drainWhen: ({ transfers }) => transfers > 1000,
    });
    assert.deepEqual(causes(leg.counters, 'errors'), {});
    assert.ok(leg.counters.transfers > 1000);
  });

  it('moves large payloads', async () => {
    const leg = await runLeg({
      port: await echo(),
      slots: 3,
      workload: 'continuous',
      payloadBytes: 1_000_003,
      tls: usual(),
      drainMs: 10_000,
      drainWhen: ({ transfers }) => transfers >= 10,
    });
    assert.deepEqual([causes(leg.counters, 'errors'), leg.counters.unfinished], [{}, 0]);
    assert.ok(leg.counters.transfers >= 10);
  });

  it('connects, completes handshakes and closes repeatedly', async () => {
    const leg = await runLeg({
      port: await echo(),
      slots: 5,
      workload: 'reconnect',
      tls: usual(),
      drainMs: 10_000,
      drainWhen: ({ transfers }) => transfers > 50,
    });
    assert.deepEqual([causes(leg.counters, 'errors'), causes(leg.counters, 'rejects')], [{}, {}]);
    assert.equal(leg.spreads.handshakeTime.count, leg.counters.opened);
    assert.ok(secured >= leg.counters.opened, `${secured} secured, ${leg.counters.opened} opened`);
  });

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

  it('rejects a certificate without a trusted issuer, and reports it once', async () => {
    const other = authority.sign('DNS:elsewhere.invalid');
    const port = await echo();
    for (const [tls, reason] of /** @type {const} */ ([
      [{ ...usual(), authorities: '' }, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      [{ ...usual(), authorities: other.cert }, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
      [{ ...usual(), serverName: 'elsewhere.invalid' }, 'HOSTNAME_MISMATCH'],
    ])) {
      const leg = await runLeg({ port, slots: 5, tls, drainWhen: ({ attempts }) => attempts > 10 });
      assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')), ['handshake']);
      assert.equal(leg.counters.opened, 0);
      assert.ok(leg.spreads.connectTime.count >= leg.counters['rejects.handshake']);
      assert.deepEqual(failures(leg), [{ cause: 'certificate', step: 'handshake', reason }]);
    }
  });

  it('accepts any certificate without verification', async () => {
    const port = await echo();
    const tls = { ...usual(), authorities: '', serverName: 'elsewhere.invalid', verify: false };
    const leg = await runLeg({ port, slots: 5, tls, drainWhen: ({ transfers }) => transfers === 5 });
    assert.equal(leg.counters.opened, 5);
  });

  it('presents its own certificate', async () => {
    const { cert, key } = authority.sign('DNS:client.invalid');
    const port = await echo({ requestCert: true, rejectUnauthorized: true, ca: [authority.authority.cert] });
    const tls = { ...usual(), certificate: cert, key };
    const leg = await runLeg({ port, slots: 5, tls, drainWhen: ({ transfers }) => transfers === 5 });
    assert.deepEqual([leg.counters.opened, leg.counters.lost], [5, 0]);
    const without = await runLeg({
      port,
      slots: 5,
      tls: { ...usual(), newest: 12 },
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
    for (const [
      answer,
      cause,
      reason,
    ] of /** @type {[(socket: import('node:net').Socket) => void, string, string][]} */ ([
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

  it('reports what ends a secured connection', async () => {
    const wrong = (/** @type {Buffer} */ bytes) => Buffer.from(bytes.map((byte) => byte ^ 1));
    for (const [serve, cause] of /** @type {[(socket: import('node:tls').TLSSocket) => void, string][]} */ ([
      [(socket) => socket.once('data', () => socket.end()), 'closed'],
      [(socket) => socket.once('data', () => socket.destroy()), 'closed'],
      [(socket) => socket.once('data', (bytes) => socket.write(wrong(bytes))), 'corrupt'],
    ])) {
      const leg = await runLeg({
        port: await echo({}, serve),
        slots: 5,
        tls: usual(),
        drainWhen: ({ failed }) => failed >= 10,
      });
      assert.deepEqual(Object.keys(causes(leg.counters, 'errors')), [cause]);
      assert.equal(leg.counters.transfers, 0);
    }
  });
});
