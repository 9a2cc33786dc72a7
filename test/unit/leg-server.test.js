// The server of a leg: its memory before the load, and an interruption while it starts.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { openLegServer } from '../../client/run/leg-server.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

/** @import { AddressInfo, Socket } from 'node:net' */

/**
 * @param {(socket: Socket) => void} [accepted]
 * @returns {Promise<{ port: number, close: () => void }>} an echo server
 */
async function listen(accepted = () => {}) {
  const echo = createServer((socket) => {
    accepted(socket);
    socket.on('error', () => {}).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const { port } = /** @type {AddressInfo} */ (echo.address());
  return { port, close: () => void echo.close() };
}

/** @param {number} port */
const startedOn = (port) => ({ host: '127.0.0.1', port, pids: [], authority: null, exited: new Promise(() => {}) });

/** @returns {{ promise: Promise<unknown>, resolve: (value?: unknown) => void }} */
function defer() {
  /** @type {any} */
  let resolve;
  return { promise: new Promise((done) => void (resolve = done)), resolve };
}

describe('the server of a leg', () => {
  const leg = { server: { kind: 'command', command: 'x' }, pin: { server: null }, sources: [] };
  const context = /** @type {any} */ ({ leg, log: { info: () => {} }, warn: assert.fail });
  const settings = resolveScenario({}, { command: 'x {port}', connections: 1 });

  it('has its memory from when it was ready and checked, here and on another machine', async () => {
    const reading = (/** @type {number} */ rssBytes) => ({ cpuSeconds: 0, rssBytes, threads: 1, processes: 1 });
    const memoryOf = async (/** @type {object} */ change) => {
      let rssBytes = 1000;
      const echo = await listen(() => void (rssBytes = 2000));
      const started = {
        ...startedOn(echo.port),
        usage: () => reading(rssBytes),
        stop: async () => ({ code: 0, signal: null }),
        ...change,
      };
      const launcher = /** @type {any} */ ({ startServer: async () => started });
      const server = await openLegServer(launcher, settings, context, new Promise(() => {}));
      rssBytes = 9000;
      await server?.stop();
      echo.close();
      return server?.startRssBytes;
    };
    const there = { reading: reading(3000), hasEnded: false };
    assert.equal(await memoryOf({}), 2000);
    assert.equal(await memoryOf({ meter: { read: async () => ({ instances: [there, there] }) } }), 6000);
    assert.equal(await memoryOf({ meter: { read: async () => null } }), undefined, 'no reading came');
  });

  it('has no such memory where it is a target, which had connections before', async () => {
    const { port, close } = await listen();
    const target = { server: { kind: 'target', host: '127.0.0.1', port, pid: process.pid } };
    const reading = { cpuSeconds: 0, rssBytes: 1000, threads: 1, processes: 1 };
    const launcher = /** @type {any} */ ({ watchPid: () => ({ usage: () => reading }) });
    const contextOfLeg = { ...context, leg: { ...leg, ...target }, answered: true, warn: () => {} };
    const server = await openLegServer(launcher, settings, contextOfLeg, new Promise(() => {}));
    const read = await server?.meter.read([]);
    const memory = [read?.instances[0].reading?.rssBytes, server?.startRssBytes];
    await server?.stop();
    close();
    assert.deepEqual(memory, [1000, undefined]);
  });

  it('says when it ended, since the load began', async () => {
    const endedAt = async (/** @type {number} */ atNs) => {
      const { port, close } = await listen();
      const { promise: exited, resolve: exit } = defer();
      const { promise: warned, resolve: warn } = defer();
      const started = { ...startedOn(port), exited, usage: () => null, stop: async () => ({ code: 3, signal: null }) };
      const launcher = /** @type {any} */ ({ startServer: async () => started });
      const contextOfLeg = { ...context, warn, sinceStart: () => atNs };
      const server = await openLegServer(launcher, settings, contextOfLeg, new Promise(() => {}));
      exit({ code: 3, signal: null, left: 0, lastLines: [] });
      const { code, data } = /** @type {any} */ (await warned);
      await server?.stop();
      close();
      return [code, data.atNs];
    };
    assert.deepEqual(await endedAt(4e9), ['server-ended', 4e9]);
    assert.deepEqual(await endedAt(-Infinity), ['server-ended', undefined], 'before the load');
  });

  it('is stopped if the run was interrupted before it was ready, also where that fails', async () => {
    const { promise: ready, resolve: answer } = defer();
    const { promise: stopped, resolve: stop } = defer();
    const { port, close } = await listen();
    const started = {
      ...startedOn(port),
      async stop() {
        stop();
        throw new Error('its agent was lost');
      },
    };
    const launcher = /** @type {any} */ ({ startServer: () => ready.then(() => started) });
    assert.equal(await openLegServer(launcher, settings, context, Promise.resolve()), null);
    answer();
    await stopped;
    await new Promise(setImmediate); // mocha fails where a rejection is not handled
    close();
  });
});
