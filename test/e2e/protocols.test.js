// One short run for each protocol, transport and workload. Each ends by a count, and has exactly the transfers that
// were planned. What the codecs send and accept, byte for byte: test/native/codec.test.js.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tlsVersion } from '../../client/engine/index.js';
import { COMMANDS } from '../../client/protocols/redis-commands.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { itOverSctp } from '../fixtures/sctp.js';
import { requireTool, skip } from '../skip.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

const CONNECTIONS = 10;
const EACH = 10;
const ALL = CONNECTIONS * EACH;
const BYTES = 64;

/** Ten connections, of which each makes ten transfers and then closes. */
const FEW = {
  connections: CONNECTIONS,
  payload: `${BYTES}B`,
  pause: '0s',
  start: 'together',
  lifetime: { transfers: EACH, reopen: false },
  duration: '60s',
};

const MEMCACHED = 'exec memcached -l 127.0.0.1 -p {port} -u nobody -t 2';
const EVERY_COMMAND = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, 1]));

/** As FEW, for workloads whose connections end by themselves. */
const PLAIN = { ...FEW, start: undefined, lifetime: undefined };

/**
 * Over FEW; the replies of those with a tool have kinds.
 * @type {[what: string, scenario: Record<string, unknown>, tool?: string][]}
 */
const ROWS = [
  [
    'redis, every command in one mix',
    { servers: ['redis-server'], protocol: 'redis', redis: { mix: EVERY_COMMAND, keys: 500, elements: 10_000 } },
    'redis-server',
  ],
  [
    'volley, after each connection was verified',
    { servers: ['epoll'], protocol: 'volley', payload: undefined, volley: { verify: true } },
  ],
  [
    'memcached over UDP',
    {
      command: `${MEMCACHED} -U {port}`,
      protocol: 'memcached',
      transport: 'udp',
      memcached: { ratio: '1:1', keys: 100 },
    },
    'memcached',
  ],
];

describe('a run', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  /**
   * @param {Run} run in which every transfer succeeds
   * @param {number} [transfers]
   * @returns {Promise<any>} its leg
   */
  async function completed(run, transfers = ALL) {
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([leg.complete, leg.endedBy], [true, 'done']);
    assert.deepEqual([leg.transfers.count, leg.transfers.failed], [transfers, 0]);
    const isLogged = leg.log.kind === 'parquet';
    assert.deepEqual([leg.log.rows, leg.log.missing], isLogged ? [transfers, 0] : [0, transfers]);
    assert.deepEqual([leg.errors.total, leg.rejects.total, leg.connections.lost], [0, 0, 0], run.story());
    return leg;
  }

  /** Each connection made its share. @param {any} leg of connections that are not opened again */
  const assertEach = ({ connections, steady }) =>
    assert.deepEqual(
      [connections.opened, connections.reopened, steady.perConnection.min, steady.perConnection.max],
      [CONNECTIONS, 0, EACH, EACH],
    );

  for (const [what, scenario, tool] of ROWS) {
    it(`speaks ${what}`, async function () {
      if (tool !== undefined) requireTool(this, tool);
      const leg = await completed(box.stress({ ...FEW, ...scenario }));
      assertEach(leg);
      if (tool !== undefined) assert.deepEqual(leg.statuses, { total: ALL, ok: ALL });
    });
  }

  it("speaks stream to the user's own server, started by a command, which has as much as was sent", async () => {
    const [bytes, file] = [4096, join(box.folder, 'bytes')];
    const command = `${process.execPath} test/fixtures/sink-command.js {port} ${file}`;
    const run = box.stress({ ...FEW, command, protocol: 'stream', payload: `${bytes}B` });
    const leg = await completed(run);
    assertEach(leg);
    assert.deepEqual([leg.transfers.bytesSent, leg.transfers.bytesReceived], [ALL * bytes, 0]);
    assert.equal(Number(readFileSync(file, 'utf8')), (ALL + 1) * bytes, 'with the transfer before the leg');
    assert.ok(leg.server.startsWith(process.execPath) && leg.serverUse.peakRssBytes > 1e6, 'its memory is charted');
    const lines = run.events().filter(({ source }) => source === 'server');
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['listening'],
      'its lines are kept',
    );
  });

  it('speaks nats, with a login that is stored nowhere', async function () {
    requireTool(this, 'nats-server');
    const [login, start, password] = [join(box.folder, 'login'), join(box.folder, 'start'), 'a:"b"'];
    writeFileSync(login, `ann:${password}\n`);
    writeFileSync(start, `exec nats-server --addr 127.0.0.1 --port "$1" --user ann --pass '${password}'\n`);
    const command = `exec sh ${start} {port}`;
    const run = box.stress({ ...FEW, command, protocol: 'nats', nats: { login }, pipeline: 4 });
    const leg = await completed(run);
    assertEach(leg);
    assert.deepEqual(leg.statuses, { total: ALL, ok: ALL });
    const kept = readFileSync(join(String(run.folder), 'scenario.json'), 'utf8');
    assert.ok(kept.includes(login) && !kept.includes(JSON.stringify(password).slice(1, -1)), kept);
  });

  itOverSctp('goes over SCTP', async () => {
    const leg = await completed(box.stress({ ...FEW, servers: ['epoll'], transport: 'sctp' }));
    assertEach(leg);
    assert.equal(leg.transport, 'sctp');
  });

  it('goes over TLS, with one handshake for each connection', async function () {
    if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
    requireTool(this, 'openssl');
    const { authority, sign, remove } = makeAuthority();
    try {
      const { certFile, keyFile } = sign('IP:127.0.0.1');
      const command = `exec ${process.execPath} test/fixtures/tls-echo-command.js {port} ${certFile} ${keyFile}`;
      const leg = await completed(box.stress({ ...FEW, command, tls: { ca: authority.certFile } }));
      assertEach(leg);
      assert.deepEqual([leg.handshakeTimeNs.count, leg.connectTimeNs.count], [CONNECTIONS, CONNECTIONS]);
    } finally {
      remove();
    }
  });

  it('speaks raw, one transfer on each connection, with no log: workload once', async () => {
    const raw = {
      transferLog: 'none',
      protocol: 'raw',
      payload: undefined,
      raw: { send: 'a\\r\\n\\0b', length: '5B' },
    };
    const leg = await completed(box.stress({ ...PLAIN, ...raw, servers: ['epoll'], workload: 'once' }), CONNECTIONS);
    assert.deepEqual([leg.log.kind, leg.connections.opened, leg.connections.reopened], ['none', CONNECTIONS, 0]);
    assert.deepEqual([leg.transfers.bytesSent, leg.transfers.bytesReceived], [5 * CONNECTIONS, 5 * CONNECTIONS]);
  });

  it('speaks websocket, and connects again for each message: workload reconnect', async () => {
    const websocket = { servers: ['node'], protocol: 'websocket' };
    const run = box.stress({ ...PLAIN, ...websocket, workload: 'reconnect', transfers: ALL });
    const { connections } = await completed(run);
    assert.ok(connections.opened >= ALL, `${connections.opened} opened`);
    assert.equal(connections.reopened, connections.opened - CONNECTIONS);
  });
});
