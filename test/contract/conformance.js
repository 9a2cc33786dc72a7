// What every server must do, whatever its model and language: the suite of servers/README.md's contract. Used for the
// shipped builds (servers.test.js) and for the sanitized ones (sanitized.test.js).

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  destroy, exchange, floodUntilStuck, keepBusy, open, openMany, read, readToEnd, reset, within,
} from './client.js';
import {
  cpuShareOf, descriptorsOf, endAll, residentBytes, runToEnd, startProgram, threadsOf, until,
} from './server-process.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const WIRE = new URL('../fixtures/wire/echo.json', import.meta.url);

/** @typedef {import('./server-process.js').RunningServer} RunningServer */

/**
 * @param {object} server
 * @param {() => string[]} server.command program and the arguments that come before those of a test
 * @param {'backlog' | 'closed' | null} server.surplus as in its manifest
 * @param {Record<string, string>} [server.env]
 * @param {number} [server.connections] opened at once
 * @param {boolean} [server.measured] false under sanitizers, whose memory and CPU are their own
 */
export function describeConformance({ command, surplus, env, connections = 2000, measured = true }) {
  /** @type {RunningServer[]} */
  let started = [];
  /** @param {{args?: string[], descriptors?: number}} [options] */
  const start = async ({ args = [], descriptors } = {}) => {
    const server = await startProgram([...command(), ...args], { descriptors, env });
    started.push(server);
    return server;
  };

  afterEach(async () => {
    await endAll();
    for (const server of started) assert.doesNotMatch(server.stderr(), /Sanitizer|runtime error/);
    started = [];
  });

  it('says where it is, on the port that the kernel picked', async () => {
    const { ready, port } = await start({ args: ['--port', '0'] });
    assert.deepEqual(Object.keys(ready), ['ready', 'protocol', 'host', 'port', 'pids']);
    assert.deepEqual({ ...ready, port: 0, pids: [] }, {
      ready: true, protocol: 'echo', host: '127.0.0.1', port: 0, pids: [],
    });
    assert.ok(port > 0);
    const socket = await open(ready);
    await exchange(socket);
    destroy([socket]);
  });

  it('refuses what it does not know with exit status 2, and helps', async () => {
    for (const wrong of [['--bogus'], ['--port', '65536'], ['--port', '1x'], ['--protocol', 'nope'], ['extra']]) {
      const { code, stderr, stdout } = await runToEnd([...command(), ...wrong]);
      assert.equal(code, 2, wrong.join(' '));
      assert.notEqual(stderr, '');
      assert.equal(stdout, '');
    }
    const { code, stdout } = await runToEnd([...command(), '--help']);
    assert.equal(code, 0);
    assert.match(stdout, /--backlog/);
  });

  it('says so when the port is taken', async () => {
    const { port } = await start();
    const { code, stdout, stderr } = await runToEnd([...command(), '-p', String(port)]);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /Address already in use/);
  });

  it('speaks the protocol as the golden vectors have it', async () => {
    const server = await start();
    const { vectors } = JSON.parse(readFileSync(WIRE, 'utf8'));
    for (const { name, send, receive } of vectors) {
      const socket = await open(server);
      const all = readToEnd(socket);
      for (const piece of send) socket.write(Buffer.from(piece, 'hex'));
      socket.end();
      assert.equal((await all).toString('hex'), receive, name);
      destroy([socket]);
    }
  });

  it('returns 1 B to 4 MiB byte for byte, whatever the fragments', async () => {
    const server = await start();
    const socket = await open(server);
    for (const size of [1, 2, 1023, 4 * KIB, 32 * KIB, 32 * KIB + 1, 65_537, MIB, 4 * MIB]) {
      const bytes = randomBytes(size);
      const reply = read(socket, size);
      for (let at = 0, step = 1; at < size; at += step, step = Math.min(step * 3 + 1, 300_007)) {
        socket.write(bytes.subarray(at, at + step));
        if (at < 5000) await new Promise((resolve) => setImmediate(resolve)); // lets the small ones leave singly
      }
      assert.ok((await reply).equals(bytes), `${size} bytes`);
    }
    destroy([socket]);
  });

  it('answers requests that were sent before the first reply was read', async () => {
    const socket = await open(await start());
    const requests = Array.from({ length: 500 }, (_, i) => randomBytes(i + 1));
    const all = Buffer.concat(requests);
    const reply = read(socket, all.length);
    for (const request of requests) socket.write(request);
    assert.ok((await reply).equals(all));
    destroy([socket]);
  });

  it('gives a half-closed client all its replies, then the end', async () => {
    const socket = await open(await start());
    const bytes = randomBytes(2 * MIB);
    const all = readToEnd(socket);
    socket.end(bytes);
    assert.ok((await all).equals(bytes));
    destroy([socket]);
  });

  it('goes on after clients that say nothing, leave early or reset', async () => {
    const server = await start();
    const silent = await openMany(server, 20);
    for (let i = 0; i < 100; i++) {
      const [early, rude, greedy] = await openMany(server, 3);
      early.destroy();
      rude.write(randomBytes(64 * KIB));
      rude.resetAndDestroy();
      greedy.write(randomBytes(3000));
      greedy.destroy();
    }
    for (const socket of silent) await exchange(socket);
    reset(silent);
    const last = await open(server);
    await exchange(last);
    destroy([last]);
  });

  it('keeps no descriptor, thread or memory of 1,000 abrupt clients', async () => {
    const server = await start();
    const first = await open(server);
    await exchange(first);
    const before = { descriptors: descriptorsOf(server.pid), threads: threadsOf(server.pid) };
    const abrupt = async () => {
      for (let i = 0; i < 5; i++) {
        const sockets = await openMany(server, 100);
        for (const socket of sockets) socket.write('half a word');
        if (i % 2 === 0) reset(sockets);
        else destroy(sockets);
      }
      await until(() => descriptorsOf(server.pid) === before.descriptors, 'the descriptors are closed');
      await until(() => threadsOf(server.pid) === before.threads, 'the threads have ended');
    };
    await abrupt();
    const warm = residentBytes(server.pid); // what a runtime keeps for reuse is in here
    await abrupt();
    const grown = residentBytes(server.pid) - warm;
    if (measured) assert.ok(grown < 2 * MIB, `it has grown by ${grown} bytes`);
    await exchange(first);
    destroy([first]);
  });

  it(`serves ${connections} connections at once`, async function () {
    this.timeout(60_000);
    const server = await start();
    const sockets = await openMany(server, connections);
    await Promise.all(sockets.map((socket) => exchange(socket)));
    await Promise.all(sockets.map((socket) => exchange(socket, randomBytes(1))));
    assert.ok(descriptorsOf(server.pid) >= connections);
    destroy(sockets);
  });

  it('does not grow for clients that never read, and loses nothing when they do', async function () {
    this.timeout(60_000);
    const server = await start();
    const [reader, ...others] = await openMany(server, 10);
    const before = residentBytes(server.pid);
    const most = 64 * MIB;
    const [flooded, ...floods] = await floodUntilStuck(server, [reader, ...others], most);
    for (const { sent, accepted } of [flooded, ...floods]) {
      assert.ok(sent < most, `it took all ${sent} bytes`);
      assert.ok(accepted > 256 * KIB, `only ${accepted} bytes were taken: no buffer was filled`);
    }
    if (measured) {
      const grown = residentBytes(server.pid) - before;
      assert.ok(grown < 10 * 256 * KIB, `it has grown by ${grown} bytes for 10 such clients`);
    }
    const polite = await open(server);
    await exchange(polite);
    const reply = await read(reader, flooded.sent);
    assert.equal(createHash('sha256').update(reply).digest('hex'), flooded.digest);
    await exchange(reader);
    destroy([reader, polite, ...others]);
  });

  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) {
    it(`ends at ${signal} with 0, idle and under load`, async () => {
      const idle = await start();
      const quiet = await open(idle);
      assert.deepEqual(await within(idle.end(signal), 'its end'), { code: 0, signal: null });
      destroy([quiet]);
      const busy = await start();
      const sockets = await openMany(busy, 50);
      await keepBusy(sockets);
      assert.deepEqual(await within(busy.end(signal), 'its end'), { code: 0, signal: null });
      destroy(sockets);
    });
  }

  it('starts again on its port at once, with connections in TIME_WAIT', async () => {
    const first = await start();
    const sockets = await openMany(first, 20);
    await Promise.all(sockets.map((socket) => exchange(socket)));
    await first.end();
    destroy(sockets);
    const second = await start({ args: ['-p', String(first.port)] });
    assert.equal(second.port, first.port);
    const socket = await open(second);
    await exchange(socket);
    destroy([socket]);
  });

  it(`out of descriptors: neither spins nor dies, says it once, and the surplus is: ${surplus}`, async function () {
    this.timeout(30_000);
    const server = await start({ descriptors: 64 });
    const sockets = await openMany(server, 100);
    const closed = new Set();
    for (const socket of sockets) socket.on('end', () => closed.add(socket)).on('close', () => closed.add(socket));
    await until(() => server.stderr() !== '', 'it says so');
    if (surplus === 'closed') {
      for (const socket of sockets) socket.resume();
      await until(() => closed.size >= 100 - 64, 'the surplus is closed');
    }
    const share = await cpuShareOf([server.pid]);
    if (measured) assert.ok(share < 0.05, `it takes ${(share * 100).toFixed(1)} % of a core`);
    const [first] = sockets;
    await exchange(first);
    assert.equal(server.stderr().trim().split('\n').length, 1, server.stderr());
    // Those it holds leave; the backlog is then served, where it is kept there.
    destroy(sockets.slice(1, 60));
    const rest = sockets.slice(60);
    if (surplus === 'backlog') await Promise.all(rest.map((socket) => exchange(socket)));
    await until(() => descriptorsOf(server.pid) < 60, 'descriptors are free again');
    const later = await open(server);
    await exchange(later);
    assert.equal(server.stderr().trim().split('\n').length, 1, server.stderr());
    destroy([first, later, ...rest]);
    const leaving = sockets.filter((socket) => !socket.closed);
    await Promise.all(leaving.map((socket) => within(once(socket, 'close'), 'its close')));
  });
}
