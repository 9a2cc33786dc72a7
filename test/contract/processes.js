// What a server of several processes must do beyond the contract of one process: every process listens and serves,
// the end of one is said and leaves the others alone, and none outlives the first. Used for the shipped builds
// (processes.test.js) and for the sanitized ones (sanitized.test.js).

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { destroy, exchange, keepBusy, open, openMany, reset, within } from './client.js';
import {
  cpuShareOf, endAll, lives, parentOf, residentBytes, runToEnd, socketsOf, startProgram, until,
} from './server-process.js';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Out of so many descriptors, each process needs fewer than SPARE for itself. */
const DESCRIPTORS = 64;
const SPARE = 14;

/** @typedef {import('./server-process.js').RunningServer} RunningServer */

/** @param {RunningServer} server */
const childrenOf = ({ ready }) => /** @type {number[]} */ (ready.pids.slice(1));

/** @param {number} pid @returns {number} connections that it holds: the listener is a socket too */
const heldBy = (pid) => socketsOf(pid) - 1;

/** @param {RunningServer} server */
const heldInAll = (server) => childrenOf(server).reduce((sum, pid) => sum + heldBy(pid), 0);

/**
 * @param {object} server
 * @param {() => string[]} server.command program and the arguments that come before those of a test
 * @param {string[]} server.words options.processes of its manifest
 * @param {'backlog' | 'closed' | null} server.surplus as there
 * @param {number} server.processes how many to start where the number does not matter
 * @param {Record<string, string>} [server.env]
 * @param {boolean} [server.measured] false under sanitizers, whose memory and CPU are their own
 */
export function describeProcesses({ command, words, surplus, processes, env, measured = true }) {
  /** @type {RunningServer[]} */
  let started = [];
  const wordsFor = (/** @type {number | string} */ count) =>
    words.map((word) => word.replaceAll('{value}', String(count)));
  /** @param {{args?: string[], descriptors?: number, count?: number}} [options] */
  const start = async ({ args = [], descriptors, count = processes } = {}) => {
    const server = await startProgram([...command(), ...wordsFor(count), ...args], { descriptors, env });
    started.push(server);
    return server;
  };

  afterEach(async () => {
    await endAll();
    for (const server of started) assert.doesNotMatch(server.stderr(), /Sanitizer|runtime error/);
    const pids = started.flatMap(({ ready }) => ready.pids);
    started = [];
    await until(() => !pids.some(lives), 'the end of every process');
  });

  it('says so once every process listens, on the port that the kernel picked for all', async () => {
    const server = await start({ args: ['--port', '0'] });
    const { ready, pid, port } = server;
    assert.equal(listenersOn(port), processes);
    assert.deepEqual(Object.keys(ready), ['ready', 'protocol', 'host', 'port', 'pids']);
    assert.equal(new Set(ready.pids).size, processes + 1);
    assert.deepEqual(childrenOf(server).map(parentOf), Array(processes).fill(pid));
    await until(() => socketsOf(pid) === 0, 'the first process has no socket, so it takes no connection');
  });

  it('refuses numbers it cannot have', async () => {
    for (const wrong of ['0', '-1', '2x', '']) {
      const { code, stderr, stdout } = await runToEnd([...command(), ...wordsFor(wrong)]);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, wrong);
      assert.notEqual(stderr, '');
    }
  });

  it('serves 200 connections from every process, byte for byte', async () => {
    const server = await start();
    const sockets = await openMany(server, 200);
    await Promise.all(sockets.map((socket, i) => exchange(socket, randomBytes(i + 1))));
    await Promise.all(sockets.map((socket, i) => exchange(socket, randomBytes((200 - i) * 100))));
    const held = childrenOf(server).map(heldBy);
    assert.equal(held.reduce((sum, each) => sum + each), 200);
    assert.ok(held.every((each) => each > 0), `held by each: ${held.join(', ')}`);
    destroy(sockets);
  });

  it('goes on when one process is killed, says which and how, and ends with 1 when none is left', async () => {
    const server = await start();
    const [first, ...others] = childrenOf(server);
    const sockets = await openMany(server, 100);
    await Promise.all(sockets.map((socket) => exchange(socket)));
    const lost = heldBy(first);
    const ended = new Set();
    for (const socket of sockets) {
      socket.on('end', () => ended.add(socket)).on('close', () => ended.add(socket)).resume();
    }
    process.kill(first, 'SIGKILL');
    await until(() => ended.size === lost, 'the end of its connections');
    await until(() => new RegExp(`\\b${first}\\b.*\n`).test(server.stderr()), 'it says so');
    await Promise.all(sockets.filter((socket) => !ended.has(socket)).map((socket) => exchange(socket)));
    const later = await openMany(server, 50);
    await Promise.all(later.map((socket) => exchange(socket)));
    for (const pid of others) process.kill(pid, 'SIGKILL');
    assert.deepEqual(await within(server.exited, 'its end'), { code: 1, signal: null });
    for (const pid of [first, ...others]) assert.match(server.stderr(), new RegExp(`\\b${pid}\\b`));
    destroy([...sockets, ...later]);
  });

  it('ends with 0 when all its processes were told to', async () => {
    const server = await start();
    for (const pid of childrenOf(server)) process.kill(pid, 'SIGTERM');
    assert.deepEqual(await within(server.exited, 'its end'), { code: 0, signal: null });
  });

  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) {
    it(`ends at ${signal} with 0 under load, every process before the first, and starts again at once`, async () => {
      const server = await start();
      const sockets = await openMany(server, 50);
      await keepBusy(sockets);
      process.kill(childrenOf(server)[0], 'SIGSTOP'); // even one that is stopped
      assert.deepEqual(await within(server.end(signal), 'its end'), { code: 0, signal: null });
      assert.deepEqual(server.ready.pids.filter(lives), []);
      assert.equal(server.stderr(), '');
      destroy(sockets);
      const again = await start({ args: ['-p', String(server.port)] });
      const socket = await open(again);
      await exchange(socket);
      destroy([socket]);
    });
  }

  it('leaves nobody behind when the first process is killed, and starts again at once', async () => {
    const server = await start();
    const sockets = await openMany(server, 50);
    await Promise.all(sockets.map((socket) => exchange(socket)));
    process.kill(server.pid, 'SIGKILL');
    await until(() => !server.ready.pids.some(lives), 'the end of every process');
    const again = await start({ args: ['-p', String(server.port)] });
    const socket = await open(again);
    await exchange(socket);
    destroy([socket, ...sockets]);
  });

  for (const [there, comes] of [[1, 2], [2, 1], [2, 2]]) {
    it(`is not joined by a second server: ${there} of them, and ${comes} on the same port`, async () => {
      const { port } = await start({ count: there });
      const second = [...command(), ...wordsFor(comes), '-p', String(port)];
      const { code, stdout, stderr } = await runToEnd(second);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, /Address already in use/);
      assert.equal(listenersOn(port), there);
    });
  }

  it('keeps no descriptor or memory of 1,000 abrupt clients', async () => {
    const server = await start();
    const first = await open(server);
    await exchange(first);
    const memory = () => server.ready.pids.reduce((/** @type {number} */ sum, /** @type {number} */ pid) =>
      sum + residentBytes(pid), 0);
    const abrupt = async () => {
      for (let i = 0; i < 5; i++) {
        const sockets = await openMany(server, 100);
        for (const socket of sockets) socket.write('half a word');
        if (i % 2 === 0) reset(sockets);
        else destroy(sockets);
      }
      await until(() => heldInAll(server) === 1, 'the descriptors are closed');
    };
    await abrupt();
    const warm = memory();
    await abrupt();
    const grown = memory() - warm;
    if (measured) assert.ok(grown < processes * MIB, `they have grown by ${grown} bytes`);
    await exchange(first);
    destroy([first]);
  });

  it(`out of descriptors in every process: neither spins nor dies, and the surplus is: ${surplus}`, async function () {
    this.timeout(30_000);
    const server = await start({ descriptors: DESCRIPTORS, count: 2 });
    const sockets = await openMany(server, DESCRIPTORS + 6); // more than one process could have
    await Promise.all(sockets.map((socket) => exchange(socket)));
    const surplusSockets = await openMany(server, 4 * DESCRIPTORS);
    for (const socket of surplusSockets) socket.resume();
    const closed = () => surplusSockets.filter((socket) => socket.readableEnded || socket.closed).length;
    const lines = () => server.stderr().trim().split('\n').sort();
    await until(() => lines().length === 2, 'each of them says so');
    const room = 2 * DESCRIPTORS - sockets.length;
    if (surplus === 'closed') await until(() => closed() >= surplusSockets.length - room, 'it is closed');
    else await until(() => childrenOf(server).every((pid) => heldBy(pid) > DESCRIPTORS - SPARE), 'all are in use');
    const share = await cpuShareOf(server.ready.pids);
    if (measured) assert.ok(share < 0.05, `they take ${(share * 100).toFixed(1)} % of a core`);
    await Promise.all(sockets.map((socket) => exchange(socket)));
    destroy(sockets);
    const serve = async (/** @type {import('./client.js').Socket} */ socket) => {
      if (surplus === 'backlog') await exchange(socket);
      destroy([socket]); // which makes room for one that waits
    };
    await Promise.all(surplusSockets.map(serve));
    await until(() => heldInAll(server) === 0, 'descriptors are free again');
    const later = await openMany(server, 20);
    await Promise.all(later.map((socket) => exchange(socket)));
    assert.equal(lines().length, 2, server.stderr());
    destroy(later);
  });
}

/** @param {number} port @returns {number} sockets that listen on it */
function listenersOn(port) {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return lines.filter((line) => new RegExp(`^ *\\d+: [0-9A-F]{8}:${hex} 00000000:0000 0A `).test(line)).length;
}
