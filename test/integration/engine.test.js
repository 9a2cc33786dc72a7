// The addon with real sockets and threads: one leg for each transport, all causes of rejects and errors against a
// hostile server whose counts equal the engine's, the transfer log on a full disk, and the ends of threads and of the
// process. The rules of a leg are tested on a fake clock by test/native.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecure } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createServer as createTls } from 'node:tls';
import { WebSocketServer } from 'ws';
import { tlsVersion } from '../../client/engine/index.js';
import { WorkerMeter } from '../../client/machine/usage.js';
import { makePayload } from '../../client/run/payload.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { causes, tally } from '../fixtures/hostile/books.js';
import { namespace, runChildLeg, startNeverAccepts } from '../fixtures/hostile/children.js';
import { readLog, runLeg } from '../fixtures/hostile/leg.js';
import { startHostile } from '../fixtures/hostile/server.js';
import { requireIPv6 } from '../fixtures/loopback.js';
import { requireTool, skip } from '../skip.js';

/**
 * @import { Context } from 'mocha'
 * @import { ListenOptions, Server, Socket } from 'node:net'
 * @import { Leg } from '../fixtures/hostile/leg.js'
 * @import { Hostile } from '../fixtures/hostile/server.js'
 */

const SLOTS = 20;
/** A leg until each slot is open and there were some transfers. */
const wish = {
  ...{ slots: SLOTS, workload: 'continuous', drainMs: 10_000 },
  drainWhen: (/** @type {Record<string, number>} */ { opened, transfers }) => opened === SLOTS && transfers >= 500,
};

/** @param {Leg} leg */
function assertServed({ counters }) {
  assert.deepEqual([causes(counters, 'errors'), causes(counters, 'rejects'), counters.opened], [{}, {}, SLOTS]);
}

/** @param {number} tid @returns {number} the same; late, so that a thread that ends by itself has ended */
function staying(tid) {
  const endMs = performance.now() + 200;
  while (existsSync(`/proc/self/task/${tid}`) && performance.now() < endMs);
  return tid;
}

/** @param {Server} server @param {ListenOptions} [place] @returns {Promise<number>} its port */
async function listen(server, place = { host: '127.0.0.1', port: 0 }) {
  server.listen(place);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('engine: transports', function () {
  /** @type {(() => void)[]} */
  const closers = [];
  /** @type {string} */
  let folder;
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'broadside-engine-'))));
  afterEach(() => {
    closers.splice(0).forEach((close) => close());
    rmSync(folder, { recursive: true, force: true });
  });

  /** An echo server, and the families of its clients. */
  function echo() {
    /** @type {(string | undefined)[]} */
    const families = [];
    /** @type {Socket[]} */
    const sockets = [];
    const server = createServer((socket) => {
      families.push(socket.remoteFamily);
      sockets.push(socket.on('error', () => {}));
      socket.pipe(socket);
    });
    closers.push(() => void (server.close(), sockets.forEach((socket) => socket.destroy())));
    return { server, families };
  }

  /** @type {ReturnType<typeof makeAuthority> | undefined} */
  let made;
  after(() => made?.remove());
  /** @param {Context} context @returns {ReturnType<typeof makeAuthority>} */
  function authorityOf(context) {
    if (tlsVersion === null) skip(context, 'the engine was built without OpenSSL');
    requireTool(context, 'openssl');
    return (made ??= makeAuthority());
  }
  const tlsOf = (/** @type {string} */ authorities) => ({
    ...{ authorities, certificate: '', key: '', serverName: '127.0.0.1', verify: true, resume: false },
  });

  describe('a leg', function () {
    it('over TCP logs every transfer', async () => {
      const server = await startHostile('echo');
      const leg = await runLeg({ ...wish, port: server.port });
      await server.close();
      assertServed(leg);
      assert.deepEqual([leg.log?.error, leg.rows?.status.length], [null, server.did.replies]);
      assert.equal(server.did.accepted, SLOTS);
    });

    it('quotes what a server said, byte by byte', async () => {
      const said = 'no\\r\x00\xff\r\n';
      const server = createServer(
        (socket) => void socket.on('error', () => {}).on('data', () => socket.write(said, 'latin1')),
      );
      closers.push(() => server.close());
      const leg = await runLeg({ slots: 3, port: await listen(server), drainWhen: ({ lost }) => lost >= 3 });
      const quotes = leg.intervals.flatMap((interval) => interval.quotes ?? []);
      assert.deepEqual(
        quotes.map(({ kind, state, bytes }) => [kind, state, bytes]),
        [['corrupt', 'busy', said]],
      );
      assert.ok(quotes[0].atNs > 0);
    });

    it('over IPv6', async function () {
      requireIPv6(this);
      const { server, families } = echo();
      assertServed(await runLeg({ ...wish, address: '::1', port: await listen(server, { host: '::1', port: 0 }) }));
      assert.deepEqual(tally(families.map(String)), { IPv6: SLOTS });
    });

    it('over unix sockets has no TCP_INFO', async () => {
      const path = join(folder, 'server.sock');
      await listen(echo().server, { path });
      const leg = await runLeg({ ...wish, address: `unix:${path}`, port: 0 });
      assertServed(leg);
      assert.equal(leg.counters.tcpSampled, 0);
    });

    it('over TLS, and not with a certificate that nobody trusts, whose cause is reported once', async function () {
      const { authority, sign } = authorityOf(this);
      const server = createTls(sign('IP:127.0.0.1'), (socket) => void socket.on('error', () => {}).pipe(socket));
      server.on('tlsClientError', () => {});
      closers.push(() => server.close());
      const port = await listen(server);
      const leg = await runLeg({ ...wish, port, payloadBytes: 20_003, tls: tlsOf(authority.cert) });
      assertServed(leg);
      assert.ok(leg.spreads.handshakeTime.min > 0 && leg.spreads.connectTime.count === SLOTS);
      const refused = await runLeg({ port, tls: tlsOf(''), drainWhen: ({ attempts }) => attempts > 20 });
      assert.deepEqual([refused.counters.opened, Object.keys(causes(refused.counters, 'rejects'))], [0, ['handshake']]);
      assert.deepEqual(
        refused.intervals.flatMap(({ tlsFailure }) => tlsFailure ?? []),
        [{ cause: 'certificate', step: 'handshake', reason: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }],
      );
    });

    it('over websocket within TLS answers pings before, within and after replies in frames', async function () {
      const { authority, sign } = authorityOf(this);
      const counted = { pings: 0, pongs: 0 };
      const server = createSecure(sign('IP:127.0.0.1'));
      const sockets = new WebSocketServer({ server });
      sockets.on('connection', (socket) => {
        const ping = () => socket.ping(`ping ${(counted.pings += 1)}`);
        ping();
        socket.on('error', () => {});
        socket.on('pong', (content) => void (counted.pongs += Number(/^ping [0-9]+$/.test(String(content)))));
        socket.on('message', (content) => {
          const bytes = /** @type {Buffer} */ (content);
          socket.send(bytes.subarray(0, bytes.length / 2), { fin: false });
          ping();
          socket.send(bytes.subarray(bytes.length / 2), { fin: true });
          ping();
        });
      });
      closers.push(() => {
        sockets.clients.forEach((client) => client.terminate());
        server.close();
      });
      const leg = await runLeg({
        ...{ ...wish, port: await listen(server), tls: tlsOf(authority.cert), pipeline: 4 },
        ...{ protocol: { name: 'websocket', options: { path: '/', headers: {} } }, payloadBytes: 5000 },
        payloadMinBytes: 1,
      });
      assertServed(leg);
      const { pings, pongs } = counted;
      assert.ok(pongs >= leg.counters.transfers && pongs <= pings, `${pongs} pongs to ${pings} pings`);
    });
  });

  it('over UDP counts a lost datagram as a timeout, and continues with another socket', async () => {
    const payloadBytes = 1000;
    const socket = createSocket('udp4');
    closers.push(() => socket.close());
    const did = { requests: 0, lost: 0 };
    socket.on('message', (request, { port, address }) => {
      did.requests += 1;
      if (did.requests % 50 === 0) return void (did.lost += 1);
      const [, key] = request.toString('latin1', 8).trimEnd().split(' ');
      const head = Buffer.from([...request.subarray(0, 2), 0, 0, 0, 1, 0, 0]);
      const line = Buffer.from(`VALUE ${key} 0 ${payloadBytes}\r\n`);
      socket.send(Buffer.concat([head, line, makePayload(payloadBytes, 7), Buffer.from('\r\nEND\r\n')]), port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const options = { ratio: '1:0', keys: 1000, keysPerGet: 1, keyBytes: 18, format: 'text', prefill: false };
    const { counters } = await runLeg({
      ...{ ...wish, port: socket.address().port, payloadBytes, transport: 'udp', transferMs: 2000 },
      protocol: { name: 'memcached', options },
      drainWhen: ({ transfers, lost }) => transfers >= 500 && lost > 0,
    });
    const { timeout, ...others } = causes(counters, 'errors');
    assert.deepEqual([others, counters.failed, counters.strays], [{}, timeout, 0]);
    assert.ok(timeout > 0 && timeout <= did.lost, `${timeout} timeouts of ${did.lost} lost`);
    assert.equal(did.requests, counters.transfers + counters.unfinished + timeout);
  });
});

/** Behaviours of a hostile server by the cause of the loss. */
const SPOILERS = /** @type {const} */ ({
  reset: ['reset-at-accept', 'reset-in-reply', 'reset-when-idle'],
  closed: ['end-at-accept', 'end-in-reply', 'end-when-idle'],
  timeout: ['never-answer', 'half-answer'],
  // what comes early is either, depending on whether the request has been sent
  'corrupt or protocol': ['flip-bits', 'surplus', 'greet', 'speak-when-idle'],
});
const KINDS = Object.values(SPOILERS).flat();
const BAD = 3 * KINDS.length;

describe('engine: against a hostile server', function () {
  it('each loss has its cause, as often as the server caused it, and all slots are served at last', async () => {
    const server = await startHostile('echo', {
      behaviourOf: (index) => (index < BAD ? KINDS[index % KINDS.length] : null),
      delayMs: 50,
    });
    const leg = await runLeg({
      ...{ port: server.port, slots: BAD, workload: 'continuous', pauseMs: 60_000, transferMs: 1000 },
      drainWhen: (counters, { open, inFlight }) =>
        counters.lost + counters['rejects.reset'] === BAD && open === BAD && inFlight === 0,
    });
    await server.closeEnded();
    const { did } = server;
    const { reset: rejected = 0, ...rejects } = causes(leg.counters, 'rejects');
    const { corrupt, protocol, reset, ...errors } = causes(leg.counters, 'errors');
    const found = { ...errors, reset: reset + rejected, 'corrupt or protocol': corrupt + protocol };
    const sum = (/** @type {readonly string[]} */ kinds) => kinds.reduce((all, kind) => all + did.badOf[kind], 0);
    assert.deepEqual(found, Object.fromEntries(Object.entries(SPOILERS).map(([cause, kinds]) => [cause, sum(kinds)])));
    assert.deepEqual([rejects, did.bad, did.accepted, leg.counters.attempts], [{}, BAD, 2 * BAD, 2 * BAD]);
    assert.equal(did.peerResets, corrupt + protocol + errors.timeout, 'these are ended by RST, others by FIN');
    assert.ok(corrupt >= did.badOf['flip-bits'] && protocol >= did.badOf.surplus, `${corrupt} and ${protocol}`);
    assert.ok(leg.counters.transfers >= BAD && leg.counters.transfers <= did.replies);
  });

  it('each reject has its cause: a closed port, no route, a full accept queue', async () => {
    const closed = createServer();
    const port = await listen(closed);
    closed.close();
    await once(closed, 'close');
    const deaf = await startNeverAccepts();
    const leg = await runLeg({
      ...{ port, slots: 30, connectMs: 300, transferMs: 30_000, drainMs: 100 },
      // TCP to a multicast address: Linux has no route for it, whatever the machine's routes are
      others: [
        { address: '224.0.0.1', port: 9 },
        { address: '127.0.0.1', port: deaf.port },
      ],
      backoff: { baseMs: 20, factor: 1, capMs: 20 },
      drainWhen: (counters) =>
        ['refused', 'unreachable', 'timeout'].every((cause) => counters[`rejects.${cause}`] >= 20),
    });
    await deaf.close();
    assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')).sort(), ['refused', 'timeout', 'unreachable']);
    // a backlog of 1 holds two on Linux
    const { opened, transfers, unfinished } = leg.counters;
    assert.deepEqual([opened, transfers, unfinished, leg.gauges.neverAnswered], [2, 0, 2, 2]);
  });

  it('an attempt without a free descriptor is a limit of the client', async () => {
    const server = await startHostile('echo');
    const local = { port: server.port, slots: 200, workload: 'hold', steadyToMs: 800 };
    const { code, stderr, leg } = await runChildLeg(local, { script: 'ulimit -n 120' });
    await server.close();
    assert.equal(code, 0, stderr);
    assert.deepEqual(Object.keys(causes(leg.counters, 'rejects')), ['local']);
    assert.deepEqual([leg.counters.opened, leg.counters.lost], [server.did.accepted, 0]);
  });
});

describe('engine: the transfer log', function () {
  /** @type {Hostile} */
  let server;
  /** @type {string} */
  let folder;
  beforeEach(async () => {
    server = await startHostile('echo');
    folder = mkdtempSync(join(tmpdir(), 'broadside-log-'));
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('on a full disk ends at its last complete batch, and the leg continues', async function () {
    const mount = `mount -t tmpfs -o size=64k tmpfs ${folder}`;
    const own = namespace('--mount', mount);
    if (!own) return skip(this, 'no mount namespace of our own (needs root and unshare)');
    const path = join(folder, 'log.arrows');
    const kept = `${folder}.kept`;
    const script = `${mount}; "$@"; code=$?; cp ${path} ${kept}; exit $code`;
    const paced = {
      ...{ port: server.port, slots: SLOTS, workload: 'continuous', pauseMs: 1, steadyToMs: 20_000, cutEveryMs: 20 },
      drainAfterUnlogged: 200,
    };
    try {
      const log = { path, reserveBytes: 0 };
      const { code, stderr, leg } = await runChildLeg({ ...paced, log }, { under: own, script });
      assert.equal(code, 0, stderr);
      const { status } = readLog(kept);
      assert.equal(leg.log?.error, 'ENOSPC');
      assert.ok(leg.log.rows > 100 && readFileSync(kept).length <= 65536, `${leg.log.rows} rows`);
      assert.deepEqual(tally(status), { ok: leg.log.rows });
      assert.equal(leg.counters.transfers, server.did.replies);
    } finally {
      rmSync(kept, { force: true });
    }
    return undefined;
  });

  for (const [code, name, reserveBytes] of /** @type {[string, string, number][]} */ ([
    ['ENOSPC', 'log.arrows', 2 ** 52],
    ['ENOENT', 'no/such/folder/log.arrows', 0],
    ['EISDIR', '.', 0],
  ])) {
    it(`that cannot be written does not keep the leg from running: ${code}`, async () => {
      const leg = await runLeg({ ...wish, port: server.port, log: { path: join(folder, name), reserveBytes } });
      assertServed(leg);
      assert.deepEqual([leg.log?.error, leg.log?.rows, leg.counters.logRows], [code, 0, 0]);
      assert.deepEqual(readdirSync(folder), [], 'no file takes the room that is left');
    });
  }
});

/** Of a process that outlives what it throws: the first two intervals that are handed over throw. */
const THROWS = `
  import { createEngine } from ${JSON.stringify(new URL('../fixtures/hostile/engine.js', import.meta.url))};
  import { configOf } from ${JSON.stringify(new URL('../fixtures/hostile/leg.js', import.meta.url))};
  const thrown = [], spans = [];
  process.on('uncaughtException', (error) => thrown.push(error.message));
  const [port] = process.argv.slice(1).map(Number);
  const config = configOf({ port, slots: 1, workload: 'hold', steadyToMs: 500, cutEveryMs: 50, drainMs: 100 });
  const engine = createEngine(config, ({ fromNs, toNs }) => {
    spans.push([fromNs, toNs]);
    if (spans.length <= 2) throw new Error('on purpose ' + spans.length);
  });
  engine.start(process.hrtime.bigint());
  await engine.done;
  console.log(JSON.stringify({ thrown, spans }));`;

describe('engine: its process', function () {
  /** @type {Hostile} */
  let server;
  beforeEach(async () => void (server = await startHostile('echo')));
  afterEach(() => server.close());

  it('has several engines with their own slots and threads, which end', async () => {
    /** @type {Set<number>} */
    const threads = new Set();
    /** @type {number[]} that each had used when its last interval was read */
    const cpuSeconds = [];
    const legs = await Promise.all(
      [0, 1].map((first) =>
        runLeg({
          ...{ ...wish, port: server.port, share: { first, stride: 2 }, log: first === 0 },
          onInterval({ phase, last }, engine) {
            const { engine: own, writer } = engine.threads();
            if (phase !== 'drain') for (const tid of [own, writer]) if (tid !== null) threads.add(tid);
            if (last) cpuSeconds.push(new WorkerMeter(() => staying(own)).read().engineCpuSeconds);
          },
        }),
      ),
    );
    for (const leg of legs) assertServed(leg);
    assert.equal(server.did.accepted, 2 * SLOTS);
    assert.ok(legs[0].rows?.connection.every((slot) => slot % 2 === 0));
    assert.equal(threads.size, 3, 'two engines, one writer');
    assert.ok(cpuSeconds.length === 2 && cpuSeconds.every((seconds) => seconds > 0), `${cpuSeconds} of CPU time`);
    for (const tid of threads) assert.ok(!existsSync(`/proc/self/task/${tid}`), `thread ${tid} has ended`);
  });

  it('continues after an interval whose callback throws, and misses none', async () => {
    const command = ['--input-type=module', '-e', THROWS, String(server.port)];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { timeout: 30_000 });
    const { thrown, spans } = JSON.parse(stdout);
    assert.deepEqual([thrown, stderr], [['on purpose 1', 'on purpose 2'], '']);
    assert.ok(spans.length >= 3, `${spans.length} intervals`);
    for (let i = 1; i < spans.length; i++) assert.equal(spans[i][0], spans[i - 1][1], 'none is missing');
  });

  it('ends by process.exit while a leg runs, and leaves a log that can be read to the last interval', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broadside-exit-'));
    const path = join(folder, 'log.arrows');
    const ending = { port: server.port, workload: 'continuous', steadyToMs: 60_000, drainMs: 60_000, cutEveryMs: 200 };
    const log = { path, reserveBytes: 0 };
    const { code, signal, stderr } = await runChildLeg({ ...ending, log, exit: 7, answered: true });
    assert.deepEqual([code, signal, stderr], [7, null, '']);
    const { ok, ...others } = tally(readLog(path).status);
    assert.deepEqual(others, {});
    assert.ok(ok > 0 && ok <= server.did.replies, `${ok} of ${server.did.replies}`);
    rmSync(folder, { recursive: true });
  });
});
