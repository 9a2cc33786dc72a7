// Protocol websocket of the client, against our servers in Node and one of this test that counts pings and frames. Both
// use the package ws.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocketServer } from 'ws';
import { codesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const WEBSOCKET = { protocol: 'websocket', connections: 20, duration: '500ms' };
const OK = [0, 0, 0];

/** @param {any} leg */
const troubles = ({ errors, connections, transfers }) => [errors.total, connections.lost, transfers.failed];

describe('a run with protocol websocket', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  /** @type {WebSocketServer[]} */
  const servers = [];
  after(() => {
    for (const server of servers) {
      server.clients.forEach((client) => client.terminate());
      server.close();
    }
  });

  /** @param {import('ws').ServerOptions} [options] @returns {Promise<{sockets: WebSocketServer, target: string}>} */
  async function listen(options = {}) {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, ...options });
    servers.push(server);
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    return { sockets: server, target: `127.0.0.1:${port}` };
  }

  for (const [what, scenario] of /** @type {const} */ ([
    ['gets its messages back', { servers: ['node'] }],
    ['gets several back at once, from several processes', { servers: ['node-cluster'], pipeline: 16, pause: '0s' }],
    ['gets back what is due by a schedule', { servers: ['node'], rate: '2000/s', pause: '0s', duration: '1s' }],
    ['gets large messages back, over any io', { servers: ['node'], payload: '300KiB', io: 'auto' }],
    [
      'gets them back after some work',
      { servers: [{ name: 'node', options: { work: '1ms' } }], pipeline: 4, pause: '0s' },
    ],
  ])) {
    const add = what === 'gets its messages back' ? it : it.slow;
    add(what, async () => {
      const run = box.stress({ ...WEBSOCKET, ...scenario });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.ok(leg.transfers.count > 0, `${leg.transfers.count} transfers`);
      assert.deepEqual(troubles(leg), OK);
      assert.equal(leg.rejects.total, 0);
    });
  }

  it.slow('upgrades a connection for each message, if the workload reconnects for each', async () => {
    const run = box.stress({
      ...WEBSOCKET,
      servers: ['node'],
      workload: 'reconnect',
      pause: undefined,
      connectRate: '1000/s',
    });
    await run.endsWith(0);
    const [leg] = run.summary().legs;
    assert.deepEqual([...troubles(leg), leg.rejects.total], [...OK, 0]);
    assert.ok(leg.connections.reopened >= 10, `${leg.connections.reopened} reopened`);
  });

  it.slow('answers pings before, within and after replies in many frames', async () => {
    const { sockets, target } = await listen();
    const counted = { pings: 0, pongs: 0, wrong: 0 };
    sockets.on('connection', (socket) => {
      const ping = () => {
        counted.pings += 1;
        socket.ping(`ping ${counted.pings}`);
      };
      ping();
      socket.on('pong', (content) => {
        counted.pongs += 1;
        if (!/^ping [0-9]+$/.test(content.toString())) counted.wrong += 1;
      });
      socket.on('message', (content) => {
        const bytes = /** @type {Buffer} */ (content);
        ping();
        socket.send(bytes.subarray(0, 10), { fin: false });
        ping();
        socket.send(bytes.subarray(10, 10), { fin: false });
        socket.send(bytes.subarray(10), { fin: true });
        if (counted.pings % 3 === 0) ping();
      });
    });
    const run = box.stress({ ...WEBSOCKET, target });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([...troubles(leg), counted.wrong], [...OK, 0]);
    assert.ok(leg.transfers.count > 0, `${leg.transfers.count} transfers`);
    const pairs = 2 * leg.transfers.count;
    assert.ok(
      counted.pings > pairs && counted.pongs >= pairs,
      `${JSON.stringify(counted)} of ${leg.transfers.count} transfers`,
    );
  });

  it.slow('answers pings while connections are idle', async () => {
    const { sockets, target } = await listen();
    let pongs = 0;
    sockets.on('connection', (socket) => {
      socket.on('pong', () => void (pongs += 1));
      const timer = setInterval(() => socket.ping('x'.repeat(125)), 20);
      socket.on('close', () => clearInterval(timer));
    });
    const run = box.stress({ ...WEBSOCKET, target, workload: 'hold', pause: undefined });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, ...troubles(leg)], [20, ...OK]);
    assert.ok(pongs > 20, `${pongs} pongs`);
  });

  it.slow('counts closes by the server as closed, and modified messages as corrupt', async () => {
    const { sockets, target } = await listen();
    const done = { closed: 0, corrupt: 0, codes: new Set() };
    sockets.on('connection', (socket) => {
      let messages = 0;
      socket.on('close', (code) => void done.codes.add(code));
      socket.on('message', (content) => {
        const bytes = /** @type {Buffer} */ (content);
        messages += 1;
        if (messages < 5) {
          socket.send(bytes);
        } else if ((done.closed + done.corrupt) % 2 === 0) {
          done.closed += 1;
          socket.close(1001, 'bye');
        } else {
          done.corrupt += 1;
          bytes[7] ^= 1;
          socket.send(bytes);
        }
      });
    });
    const run = box.stress({ ...WEBSOCKET, target, backoff: { base: '10ms' }, duration: '1s' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.ok(done.codes.has(1001), 'its goodbye is answered');
    assert.ok(leg.errors.closed > 5 && leg.errors.corrupt > 5, JSON.stringify(leg.errors));
    assert.equal(leg.errors.closed + leg.errors.corrupt, leg.errors.total);
    assert.ok(leg.errors.closed <= done.closed && leg.errors.corrupt <= done.corrupt, JSON.stringify(done));
  });

  it("requests the scenario's path with its host and headers, and is rejected elsewhere", async () => {
    /** @type {string[]} */
    const asked = [];
    const { sockets, target } = await listen({ path: '/chat', handleProtocols: () => 'soap' });
    sockets.on('connection', (socket, { headers: { host, origin } }) => {
      asked.push(`${host} ${origin}`);
      socket.on('message', (content, binary) => socket.send(content, { binary }));
    });
    const websocket = { path: '/chat', host: 'www.example.org', headers: { Origin: 'https://www.example.org' } };
    const run = box.stress({ ...WEBSOCKET, target, websocket });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual(troubles(leg), OK);
    assert.ok(
      asked.length >= 20 && asked.every((each) => each === 'www.example.org https://www.example.org'),
      asked[0],
    );
    const other = box.stress({ ...WEBSOCKET, target, websocket: { path: '/elsewhere' }, force: true });
    await other.endsWith(1);
    const {
      legs: [{ leg: rejected }],
    } = await assertBooks(other);
    assert.ok(rejected.rejects.greeting >= 20, JSON.stringify(rejected.rejects));
    assert.deepEqual([rejected.rejects.greeting, rejected.attempts.opened], [rejected.rejects.total, 0]);
    assert.ok(codesOf(rejected.warnings).includes('target-unverified'), 'the first exchange failed too');
  });
});
