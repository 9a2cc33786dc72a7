// Targets that misbehave: the counts of the client equal those of the target, cause by cause; and targets that cannot
// be measured, which are refused before anything is written, with what to try instead.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { tlsVersion } from '../../client/engine/index.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { deadPort } from '../fixtures/e2e-server.js';
import { startHostile } from '../fixtures/hostile/server.js';
import { requireTool, skip } from '../skip.js';

/** @import { AddressInfo, Server, Socket } from 'node:net' */

const NEVER_ACCEPTS = fileURLToPath(new URL('../fixtures/hostile/never-accepts.js', import.meta.url));

const KINDS = /** @type {const} */ ([
  'reset-in-reply',
  'end-in-reply',
  'flip-bits',
  'surplus',
  'never-answer',
  'half-answer',
]);
/** The one exchange before the leg meets a good connection; after that every second connection is bad, 30 in all. */
const behaviourOf = (/** @type {number} */ index) =>
  index > 0 && index <= 60 && index % 2 === 0 ? KINDS[(index / 2) % KINDS.length] : null;

describe('a run against a hostile target', function () {
  this.timeout(120_000);
  const box = sandbox({ connections: 40, workers: 1, backoff: { base: '50ms', cap: '200ms' } });

  it('counts every misbehaviour by its cause, as often as the server did it', async () => {
    const server = await startHostile('echo', { behaviourOf, after: 2 });
    try {
      // With these pauses the transfers take longer than the time limit of one, however fast the machine is.
      const load = { transfers: 1300, pause: '200ms', transferTimeout: '6s', duration: '10m' };
      const run = box.stress({ ...load, target: `127.0.0.1:${server.port}` });
      await run.endsWith(0);
      const {
        legs: [{ leg, rows }],
      } = await assertBooks(run);
      const { badOf, replies, accepted } = server.did;
      const { reset, closed, corrupt, protocol, timeout, total } = leg.errors;
      assert.deepEqual(
        [leg.endedBy, { reset, closed, corrupt, protocol }, timeout + leg.transfers.unfinished, leg.rejects.total],
        [
          'done',
          {
            reset: badOf['reset-in-reply'],
            closed: badOf['end-in-reply'],
            corrupt: badOf['flip-bits'],
            protocol: badOf.surplus,
          },
          badOf['never-answer'] + badOf['half-answer'],
          0,
        ],
      );
      assert.ok([reset, closed, corrupt, protocol, timeout].every((count) => count > 0));
      assert.equal(total, reset + closed + corrupt + protocol + timeout, 'and nothing else');
      assert.equal(leg.transfers.failed, total - protocol, 'a surplus comes after its transfer');
      assert.equal(leg.transfers.count + 1, replies, 'good replies, except the first exchange');
      const unseen = accepted - 1 - leg.connections.opened; // accepted as the leg's end cut the attempt
      assert.ok(unseen >= 0 && unseen <= leg.attempts.abandoned, `${unseen} accepted, but not open`);
      assert.ok(leg.connections.reopened > 0 && leg.recoveryTimeNs.min >= 25e6, 'after back-off');
      const statuses = ['timeout', 'reset', 'closed', 'corrupt'].map(
        (_, i) => rows?.filter(({ status }) => status === i + 1).length,
      );
      assert.deepEqual(statuses, [timeout, reset, closed, corrupt]);
    } finally {
      await server.close();
    }
  });

  it('shows a server that never accepts as timeouts and as unanswered, never as refused', async () => {
    const child = spawn(process.execPath, [NEVER_ACCEPTS], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = await once(child.stdout, 'data');
      const short = { connectTimeout: '300ms', transferTimeout: '2s', drainTimeout: '300ms', duration: '10m' };
      const run = box.stress({ ...short, target: `127.0.0.1:${Number(line)}`, force: true });
      await run.until('attempts have timed out', () => run.samples().some(({ rejects }) => rejects.timeout > 0));
      run.kill('SIGINT');
      await run.endsWith(130);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.deepEqual([leg.rejects.total, leg.transfers.count], [leg.rejects.timeout, 0]);
      assert.ok(leg.connections.neverAnswered <= 2, 'only what the accept queue holds was open');
      const full = dataOf(leg.findings, 'backlog-full');
      assert.deepEqual([full?.backlog, full?.timedOut], [1, leg.rejects.timeout], 'and it is named as the cause');
    } finally {
      child.kill('SIGKILL');
    }
  });
});

/**
 * Answers requests that hold `wanted`, and others by nothing.
 * @param {string} wanted @param {string} reply
 * @returns {(socket: Socket) => void}
 */
const answering = (wanted, reply) => (socket) => {
  socket.on('error', () => {});
  socket.on('data', (bytes) => void (bytes.toString('latin1').includes(wanted) && socket.write(reply)));
};

describe('a target that cannot be measured', function () {
  this.timeout(60_000);
  const box = sandbox();
  /** @type {Server[]} */
  const servers = [];
  /** @type {ReturnType<typeof makeAuthority>} */
  let authority;
  before(function () {
    if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
    requireTool(this, 'openssl');
    authority = makeAuthority();
  });
  after(() => {
    for (const server of servers) server.close();
    authority?.remove();
  });

  /** @param {Server} server @returns {Promise<string>} its address */
  async function listening(server) {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    return `127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
  }

  const http = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
  /** @type {[string, () => Server, Record<string, unknown>, { protocol?: string, tls?: boolean } | null][]} */
  const rows = [
    [
      'speaks HTTP, not echo',
      () => createHttpServer((request, response) => response.end('hello')),
      { protocol: 'echo' },
      { protocol: 'http' },
    ],
    [
      'answers HTTP over TLS only',
      () => createTlsServer(authority.sign('IP:127.0.0.1'), answering('HTTP/1.1', http)),
      { protocol: 'http', payload: undefined },
      { tls: true },
    ],
    [
      'never answers',
      () => createServer((socket) => void socket.on('error', () => {}).resume()),
      { transferTimeout: '200ms' },
      null,
    ],
  ];
  for (const [what, serve, scenario, suggestion] of rows) {
    it(`${what}: is refused, with the protocol to give`, async () => {
      const target = await listening(serve());
      const error = await box.refused({ target, ...scenario });
      assert.deepEqual([error.code, error.exitCode, error.data.suggestion], ['ETARGETCHECK', 3, suggestion]);
    });
  }

  it('does not listen: is refused, also as one of several', async () => {
    const alive = await listening(createServer((socket) => void socket.pipe(socket)));
    const gone = `127.0.0.1:${await deadPort()}`;
    for (const target of [gone, [alive, gone]]) {
      const { code, data, exitCode } = await box.refused({ target });
      assert.deepEqual([code, exitCode, data.reason, data.endpoint], ['ETARGETCHECK', 3, 'refused', gone]);
    }
  });
});
