// A run over TLS: against node:tls and nginx, with the run folder, the console and the page.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { backends, tlsVersion } from '../../client/engine/index.js';
import { requireTool, skip } from '../hooks.js';
import { pageText } from '../fixtures/page-text.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireLocalhost } from '../fixtures/loopback.js';

/** @param {string} folder for all that it writes @param {import('../fixtures/certificates.js').Identity} identity */
const nginxConf = (folder, { certFile, keyFile }) => `daemon off; master_process off; pid ${folder}/pid;
error_log stderr; events { worker_connections 1024; }
http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:PORT ssl; ssl_certificate ${certFile}; ssl_certificate_key ${keyFile};
    location / { return 200 "over TLS"; } } }`;

describe('a run over TLS', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  /** @type {ReturnType<typeof makeAuthority>} */
  let authority;
  /** @type {import('../fixtures/certificates.js').Identity} */
  let identity;
  /** @type {import('node:tls').Server} */
  let server;
  let port = 0;

  before(async function () {
    if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
    requireTool(this, 'openssl');
    authority = makeAuthority();
    identity = authority.sign('DNS:localhost,IP:127.0.0.1');
    server = createServer({ cert: identity.cert, key: identity.key, noDelay: true }, (socket) => {
      socket.on('error', () => {}).pipe(socket);
    });
    server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = /** @type {import('node:net').AddressInfo} */ (server.address()));
  });
  after(() => {
    server?.close();
    authority?.remove();
  });

  for (const io of ['epoll', 'io_uring']) {
    const add = io === 'epoll' ? it : it.slow;
    add(`echoes over ${io}, with one handshake per connection`, async function () {
      await requireLocalhost(this);
      const backend = backends().find(({ name }) => name === io);
      if (!backend?.available) skip(this, `${io} is not there: ${backend?.why}`);
      const run = box.stress({
        target: `localhost:${port}`,
        tls: { ca: authority.authority.certFile },
        connections: 20,
        ramp: { add: 20, every: '2s' },
        io,
      });
      await run.endsWith(0);
      const {
        legs: [{ leg, samples }],
      } = await assertBooks(run);
      assert.deepEqual([leg.connections.openAtEnd, leg.rejects.total, leg.errors.total], [20, 0, 0]);
      assert.ok(leg.transfers.count >= 20);
      assert.equal(leg.handshakeTimeNs.count, 20);
      assert.equal(leg.connectTimeNs.count, 20);
      assert.ok(leg.handshakeTimeNs.min > 0);
      assert.equal(
        samples.reduce((sum, { histograms }) => sum + (histograms.handshakeTime?.count ?? 0), 0),
        20,
      );
      assert.deepEqual(leg.warnings, []);
      assert.match(run.stdout, /over TLS/);
      assert.match(run.stdout, /handshake p99/);
      const page = pageText(run.report);
      for (const words of [
        'Handshake time by percentile',
        'echo over TLS',
        'TLSv1.2 to TLSv1.3, each handshake a full one; certificate checked against ',
        ', for localhost',
      ]) {
        assert.ok(page.includes(words), `the page says: ${words}`);
      }
    });
  }

  it.slow('keeps a rate, with several requests at once', async () => {
    const run = box.stress({
      target: `127.0.0.1:${port}`,
      tls: { ca: authority.authority.certFile },
      connections: 5,
      pipeline: 4,
      rate: '500/s',
      pause: undefined,
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.equal(leg.errors.total, 0);
    assert.ok(leg.transfers.count > leg.transfers.due / 5, `${leg.transfers.count} of ${leg.transfers.due}`);
  });

  it('counts untrusted certificates as rejects, and reports why', async () => {
    const run = box.stress({ target: `127.0.0.1:${port}`, tls: true, connections: 10, force: true });
    await run.endsWith(1);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.ok(leg.rejects.handshake >= 10);
    assert.deepEqual([leg.connections.opened, leg.rejects.total], [0, leg.rejects.handshake]);
    assert.equal(leg.handshakeTimeNs, undefined);
    assert.ok(leg.connectTimeNs.count >= leg.rejects.handshake, 'TCP was connected');
    assert.deepEqual(codesOf(leg.warnings), ['target-unverified', 'tls-failed']);
    assert.equal(dataOf(leg.warnings, 'target-unverified')?.errorCode, 'EEXCHANGE');
    assert.deepEqual(dataOf(leg.warnings, 'tls-failed'), {
      cause: 'certificate',
      step: 'handshake',
      reason: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    });
  });

  it.slow('ends properly when it is interrupted during handshakes', async () => {
    const run = box.stress({
      target: `127.0.0.1:${port}`,
      tls: { verify: false },
      connections: 2000,
      connectRate: '100/s',
      ramp: { add: 2000, every: '20s' },
      duration: '30s',
    });
    await run.until('connections have opened', () => run.samples().some(({ counters }) => counters.opened > 0));
    run.kill('SIGINT');
    await run.endsWith(130);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.errors.total, leg.rejects.total], [0, 0]);
  });

  for (const keepAlive of [true, false]) {
    const what = keepAlive ? 'on connections that last' : 'each time anew';
    const add = keepAlive ? it : it.slow;
    add(`sends requests to nginx: ${what}`, async function () {
      requireTool(this, 'nginx');
      const folder = join(box.folder, 'nginx-tls');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'conf.in'), nginxConf(folder, identity));
      const own = `${folder}/conf-{port}`;
      const command = `sed s/PORT/{port}/ ${folder}/conf.in > ${own} && exec nginx -e stderr -c ${own}`;
      const run = box.stress({
        command,
        tls: { ca: authority.authority.certFile },
        protocol: 'http',
        http: { path: '/', keepAlive },
        payload: undefined,
        connections: 10,
        pause: keepAlive ? '5ms' : undefined,
      });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run, { planned: true });
      assert.deepEqual([leg.errors.total, leg.rejects.total, leg.transfers.failed], [0, 0, 0]);
      assert.ok(leg.transfers.count >= 10, `${leg.transfers.count} transfers`);
      assert.deepEqual(leg.statuses, { total: leg.transfers.count, '2xx': leg.transfers.count });
      assert.equal(leg.handshakeTimeNs.count, leg.connections.opened);
    });
  }

  it.slow('distinguishes resumed handshakes from full ones', async function () {
    for (const tool of ['nginx', 'openssl']) requireTool(this, tool);
    const run = box.stress({
      servers: ['nginx-https'],
      protocol: 'http',
      http: { keepAlive: false },
      payload: undefined,
      tls: { resume: true },
      connections: 5,
      pause: undefined,
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([leg.errors.total, leg.rejects.total, leg.handshakeTimeNs.count], [0, 0, 5]);
    assert.ok(leg.resumptionTimeNs.count > 20, `${leg.resumptionTimeNs.count} resumed`);
    assert.match(run.stdout, /resumed handshakes +[1-9][^]*resumed p99 +[0-9]/);
    const page = pageText(run.report);
    for (const words of [
      'resumed handshakes',
      'Handshake time by percentile (TLS, resumed)',
      'a reopened connection resumes the session of the previous one',
    ]) {
      assert.ok(page.includes(words), `the page says: ${words}`);
    }
  });

  it('rejects a server that is known to speak no TLS', async () => {
    const error = await box.refused({ servers: ['epoll'], tls: { verify: false }, connections: 10 });
    assert.deepEqual([error.exitCode, codesOf(error.data.mistakes)], [2, ['tls-unsupported']]);
  });

  it.slow("uses a unix socket, verified by the name in the server's certificate", async function () {
    for (const tool of ['nginx', 'openssl']) requireTool(this, tool);
    const run = box.stress({
      servers: ['nginx-https'],
      listen: 'unix',
      protocol: 'http',
      payload: undefined,
      tls: { serverName: 'localhost' },
      connections: 10,
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.rejects.total, leg.errors.total, leg.handshakeTimeNs.count], [0, 0, 10]);
    const page = pageText(run.report);
    assert.match(page, /certificate checked against the server&#39;s own authority, for localhost/);
  });

  it.slow('prefers the given authority to that of the server', async function () {
    for (const tool of ['nginx', 'openssl']) requireTool(this, tool);
    const run = box.stress({
      servers: ['nginx-https'],
      protocol: 'http',
      payload: undefined,
      tls: { ca: authority.authority.certFile },
      connections: 10,
    });
    await run.endsWith(1);
    const [{ failure }] = run.summary().legs;
    const { errorCode, errorData } = failure.data;
    assert.deepEqual([errorCode, errorData.exchange.errno], ['ENOTREADY', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
  });

  it('rejects plain HTTP to a server that speaks only TLS', async () => {
    const plain = { servers: ['nginx-https'], protocol: 'http', payload: undefined, connections: 10 };
    const error = await box.refused(plain);
    assert.deepEqual([error.exitCode, codesOf(error.data.mistakes)], [2, ['tls-required']]);
  });
});
