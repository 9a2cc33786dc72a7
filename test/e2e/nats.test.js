// Protocol nats of the client, against nats-server.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { requireTool } from '../hooks.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { assertAllReplies } from '../fixtures/e2e-exchanges.js';
import { until } from '../fixtures/e2e-processes.js';
import { sandbox } from '../fixtures/e2e-run.js';

const COMMAND = 'exec nats-server --addr 127.0.0.1 --port {port}';
const NATS = { protocol: 'nats', command: COMMAND, connections: 20, duration: '500ms' };
/** As a service that answers in turn. */
const MESSAGE = /^MSG \S+ 1 (\S+) ([0-9]+)\r\n/;

/** @param {number} port @param {string} subject @returns {Promise<() => void>} its end; it answers by lengths */
async function startService(port, subject) {
  const socket = connect(port, '127.0.0.1');
  let got = '';
  let ready = false;
  socket.write(`CONNECT {"verbose":false}\r\nSUB ${subject} 1\r\nPING\r\n`);
  socket
    .setEncoding('latin1')
    .on('error', () => {})
    .on('data', (bytes) => {
      got += bytes;
      for (;;) {
        const [head, to, length] = MESSAGE.exec(got) ?? [];
        if (head === undefined && !got.includes('\r\n')) return;
        if (head === undefined) {
          ready ||= got.startsWith('PONG');
          if (got.startsWith('PING')) socket.write('PONG\r\n');
          if (got.startsWith('MSG')) return;
          got = got.slice(got.indexOf('\r\n') + 2);
        } else if (got.length < head.length + Number(length) + 2) {
          return;
        } else {
          got = got.slice(head.length + Number(length) + 2);
          socket.write(`PUB ${to} ${length.length}\r\n${length}\r\n`);
        }
      }
    });
  await until('the service has subscribed', () => ready);
  return () => void socket.destroy();
}

describe('a run with protocol nats', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  /** @type {(() => void)[]} */
  const ends = [];
  after(() => ends.forEach((end) => end()));

  for (const [what, scenario] of /** @type {const} */ ([
    ['gets back what it publishes', {}],
    ['gets back several at once, in order', { pipeline: 16, pause: '0s', payload: '1KiB' }],
    ['gets back what is due by a schedule', { rate: '2000/s', pause: '0s', duration: '1s' }],
    ['publishes large messages over io_uring', { payload: '200KiB', io: 'auto' }],
  ])) {
    const add = what === 'gets back what it publishes' ? it : it.slow;
    add(what, async function () {
      requireTool(this, 'nats-server');
      const run = box.stress({ ...NATS, ...scenario });
      await assertAllReplies(run, 'ok');
    });
  }

  it.slow('answers the pings of a server that drops silent clients', async function () {
    requireTool(this, 'nats-server');
    const config = join(box.folder, 'nats.conf');
    writeFileSync(config, 'ping_interval: "300ms"\nping_max: 3\n');
    const run = box.stress({
      ...NATS,
      command: `${COMMAND} --config ${config}`,
      workload: 'hold',
      pause: undefined,
      duration: '3s',
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, leg.connections.lost, leg.attempts.total], [20, 0, 20]);
    assert.ok(leg.transfers.bytesReceived > 20 * 'PING\r\n'.length * 2, `${leg.transfers.bytesReceived} bytes came`);
  });

  it.slow('counts requests that no service answers', async function () {
    requireTool(this, 'nats-server');
    const run = box.stress({ ...NATS, nats: { mode: 'request', subject: 'nobody' } });
    await assertAllReplies(run, 'error');
  });

  it('sends requests to a service and accepts any reply', async function () {
    requireTool(this, 'nats-server');
    const { folder } = box;
    const server = spawn('nats-server', ['--addr', '127.0.0.1', '--port', '-1', '--ports_file_dir', folder], {
      stdio: 'ignore',
    });
    ends.push(() => void server.kill());
    const ports = () => readdirSync(folder).filter((name) => name.endsWith('.ports'));
    await until('nats-server says its port', () => ports().length > 0);
    const {
      nats: [address],
    } = JSON.parse(readFileSync(join(folder, ports()[0]), 'utf8'));
    const port = Number(new URL(address).port);
    ends.push(await startService(port, 'lengths'));
    const run = box.stress({
      ...NATS,
      command: undefined,
      target: `127.0.0.1:${port}`,
      payload: '12345B',
      nats: { mode: 'request', subject: 'lengths' },
    });
    await assertAllReplies(run, 'ok');
  });

  for (const [what, secret, flags] of /** @type {const} */ ([
    ['login', 'ann:a:"b"', '--user ann --pass \'a:"b"\''],
    ['token', 'one:two', '--auth one:two'],
  ])) {
    const add = what === 'login' ? it : it.slow;
    add(`authenticates by a ${what} that is stored nowhere`, async function () {
      requireTool(this, 'nats-server');
      const file = join(box.folder, what);
      writeFileSync(file, `${secret}\n`);
      const command = join(box.folder, 'start');
      writeFileSync(command, `exec nats-server --addr 127.0.0.1 --port "$1" ${flags}\n`);
      const run = box.stress({ ...NATS, command: `exec sh ${command} {port}`, nats: { [what]: file } });
      await assertAllReplies(run, 'ok');
      const kept = readFileSync(join(String(run.folder), 'scenario.json'), 'utf8');
      assert.ok(kept.includes(file) && !kept.includes(JSON.stringify(secret).slice(1, -1)), kept);
    });
  }

  it.slow('counts connections that the server rejects with cause greeting', async function () {
    requireTool(this, 'nats-server');
    const config = join(box.folder, 'nats.conf');
    writeFileSync(config, 'max_connections: 12\n');
    const run = box.stress({ ...NATS, command: `${COMMAND} --config ${config}` });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, leg.connections.lost], [12, 0]);
    assert.ok(leg.rejects.greeting >= 8, JSON.stringify(leg.rejects));
    assert.equal(leg.rejects.greeting, leg.rejects.total);
  });
});
