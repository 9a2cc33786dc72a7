// What real servers do besides replies: greetings that reject, pings, replies in several datagrams, and data that is
// refused.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks } from '../fixtures/e2e-books.js';
import { assertAllReplies } from '../fixtures/e2e-exchanges.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../skip.js';

const CONNECTIONS = 20;

describe('a run against a real server', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, connections: CONNECTIONS });

  /** @param {string} config of nats-server */
  function natsWith(config) {
    const file = join(box.folder, 'nats.conf');
    writeFileSync(file, config);
    return { protocol: 'nats', command: `exec nats-server --addr 127.0.0.1 --port {port} --config ${file}` };
  }

  it('counts connections that nats-server rejects with cause greeting', async function () {
    requireTool(this, 'nats-server');
    const run = box.stress(natsWith('max_connections: 12\n'));
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, leg.connections.lost], [12, 0]);
    assert.ok(leg.rejects.greeting >= CONNECTIONS - 12, JSON.stringify(leg.rejects));
    assert.equal(leg.rejects.greeting, leg.rejects.total);
  });

  it('answers the pings of a nats-server that drops silent clients', async function () {
    requireTool(this, 'nats-server');
    const nats = natsWith('ping_interval: "300ms"\nping_max: 3\n');
    const run = box.stress({ ...nats, workload: 'hold', pause: undefined, duration: '3s' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, leg.connections.lost], [CONNECTIONS, 0]);
    assert.equal(leg.attempts.total, CONNECTIONS);
    assert.ok(
      leg.transfers.bytesReceived > CONNECTIONS * 'PING\r\n'.length * 2,
      `${leg.transfers.bytesReceived} bytes`,
    );
  });

  it('speaks memcached in text and binary, with gets of several keys and sets', async function () {
    requireTool(this, 'memcached');
    const mixed = { ratio: '2:1', keysPerGet: 7, keys: 10, keyBytes: 16 };
    const few = { pause: '0s', start: 'together', lifetime: { transfers: 10, reopen: false }, duration: '60s' };
    const tests = ['text', 'binary'].map((format) => ({ as: format, memcached: { ...mixed, format } }));
    const run = box.stress({ ...few, servers: ['memcached'], protocol: 'memcached', pipeline: 5, tests });
    await run.endsWith(0);
    const { legs } = await assertBooks(run, { planned: true });
    assert.equal(legs.length, tests.length);
    for (const { leg } of legs) {
      assert.deepEqual([leg.errors.total, leg.rejects.total, leg.transfers.failed], [0, 0, 0]);
      assert.deepEqual(leg.statuses, { total: 10 * CONNECTIONS, ok: 10 * CONNECTIONS });
    }
  });

  it('reads replies of memcached in several datagrams', async function () {
    requireTool(this, 'memcached');
    const memcached = { format: 'binary', keys: 100 };
    const udp = { servers: ['memcached'], protocol: 'memcached', transport: 'udp', payload: '20KiB', memcached };
    await assertAllReplies(box.stress({ ...udp, transfers: 500, duration: '60s' }), 'ok');
  });

  it('reports why keys of redis-server could not be set', async function () {
    requireTool(this, 'redis-server');
    const place = '--port {port} --bind 127.0.0.1 --save "" --appendonly no --dir /tmp';
    const run = box.stress({ protocol: 'redis', command: `exec redis-server ${place} --maxmemory 1` });
    await run.endsWith(1);
    const { errorCode, errorData } = run.summary().legs[0].failure.data;
    assert.deepEqual([errorCode, errorData.problem], ['EFILL', 'answer']);
    assert.ok(errorData.reason.includes('-OOM'), errorData.reason);
  });
});
