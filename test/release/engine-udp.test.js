// Memcached over UDP against a server that loses, repeats and reorders datagrams: what was lost is a timeout, what does
// not belong to the reply awaited is counted and dropped, and no reply is taken for another.

import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { makePayload } from '../../client/run/payload.js';
import { causes } from '../fixtures/hostile/books.js';
import { runLeg } from '../fixtures/hostile/leg.js';

const OPTIONS = { ratio: '1:0', keys: 1000, keysPerGet: 1, keyBytes: 18, format: 'text', prefill: false };
const DATAGRAM_BYTES = 1400;
const HEADER_BYTES = 8;

/** @param {number} id @param {number} number @param {number} of @param {Buffer} content */
function datagram(id, number, of, content) {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(number, 2);
  header.writeUInt16BE(of, 4);
  return Buffer.concat([header, content]);
}

/** @param {Buffer} request a get @param {number} payloadBytes @param {number} id @returns {Buffer[]} its reply */
function replyTo(request, payloadBytes, id) {
  const [, key] = request.toString('latin1', HEADER_BYTES).trimEnd().split(' ');
  const reply = Buffer.concat([
    Buffer.from(`VALUE ${key} 0 ${payloadBytes}\r\n`),
    makePayload(payloadBytes, 7),
    Buffer.from('\r\nEND\r\n'),
  ]);
  const size = DATAGRAM_BYTES - HEADER_BYTES;
  const count = Math.ceil(reply.length / size);
  return Array.from({ length: count }, (_, i) =>
    datagram(id, i, count, reply.subarray(i * size, Math.min(reply.length, (i + 1) * size))),
  );
}

/**
 * @param {(reply: Buffer[], id: number, n: number) => Buffer[]} behave what is sent instead of a reply, the n-th
 * @param {number} payloadBytes
 */
async function startServer(behave, payloadBytes) {
  const socket = createSocket('udp4');
  const did = { requests: 0, sent: 0 };
  socket.on('message', (request, { port, address }) => {
    const id = request.readUInt16BE(0);
    assert.deepEqual([...request.subarray(2, HEADER_BYTES)], [0, 0, 0, 1, 0, 0]);
    did.requests += 1;
    for (const bytes of behave(replyTo(request, payloadBytes, id), id, did.requests)) {
      did.sent += 1;
      socket.send(bytes, port, address);
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, did, stop: () => socket.close() };
}

const SLOTS = 5;

/**
 * @param {(reply: Buffer[], id: number, n: number) => Buffer[]} behave
 * @param {number} payloadBytes
 * @param {object} [wish]
 */
async function against(behave, payloadBytes, wish = {}) {
  const server = await startServer(behave, payloadBytes);
  try {
    const leg = await runLeg({
      port: server.port,
      transport: 'udp',
      protocol: { name: 'memcached', options: OPTIONS },
      payloadBytes,
      slots: SLOTS,
      workload: 'continuous',
      drainWhen: ({ transfers }) => transfers >= 300,
      ...wish,
    });
    return { leg, did: server.did };
  } finally {
    server.stop();
  }
}

describe('the engine over UDP', function () {
  this.timeout(60_000);

  for (const payloadBytes of [64, 5000]) {
    it(`reads replies of ${payloadBytes} bytes`, async () => {
      const { leg, did } = await against((reply) => reply, payloadBytes);
      const { transfers, unfinished, bytesSent, strays } = leg.counters;
      assert.deepEqual([causes(leg.counters, 'errors'), causes(leg.counters, 'rejects'), strays], [{}, {}, 0]);
      assert.equal(did.requests, transfers + unfinished);
      const requestBytes = 'get value:000000000000\r\n'.length;
      assert.equal(bytesSent, did.requests * requestBytes, 'frames are not counted');
    });
  }

  it('counts datagrams that come twice, or for an earlier request, and drops them', async () => {
    let foreign = 0;
    const { leg } = await against((reply, id) => {
      foreign += 1 + reply.length;
      return [datagram((id + 0xffff) & 0xffff, 0, 1, Buffer.from('END\r\n')), ...reply.flatMap((one) => [one, one])];
    }, 3000);
    assert.deepEqual(causes(leg.counters, 'errors'), {});
    const { transfers, strays } = leg.counters;
    assert.ok(transfers >= 300, `${transfers} transfers`);
    // the last ones may come when the sockets are closed
    assert.ok(strays > 0 && strays <= foreign && strays >= foreign - SLOTS * 10, `${strays} of ${foreign}`);
  });

  it('takes no reply for whole whose datagrams come in another order', async () => {
    const { leg } = await against((reply, _id, n) => (n % 50 === 0 ? reply.toReversed() : reply), 3000, {
      transferMs: 1500,
    });
    const { timeout, ...others } = causes(leg.counters, 'errors');
    assert.deepEqual(others, {});
    assert.ok(timeout > 0, `${timeout} timeouts`);
    assert.ok(leg.counters.strays >= timeout, `${leg.counters.strays} strays`);
  });

  it('drops what has no whole header', async () => {
    const { leg } = await against((reply) => [Buffer.alloc(0), Buffer.from('short'), ...reply], 64);
    assert.deepEqual(causes(leg.counters, 'errors'), {});
    assert.ok(leg.counters.strays >= leg.counters.transfers, `${leg.counters.strays} strays`);
  });

  it('reports a port that nothing listens on as reset', async () => {
    const server = await startServer((reply) => reply, 64);
    server.stop();
    const leg = await runLeg({
      port: server.port,
      transport: 'udp',
      protocol: { name: 'memcached', options: OPTIONS },
      slots: SLOTS,
      workload: 'continuous',
      drainWhen: ({ lost }) => lost >= SLOTS,
    });
    assert.equal(leg.counters.transfers, 0);
    const { reset, ...others } = causes(leg.counters, 'errors');
    assert.ok(reset >= SLOTS, `${reset}`);
    assert.deepEqual(others, {});
  });
});
