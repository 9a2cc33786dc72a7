// A server over SCTP. Its client is sctp/association.js: SCTP packets in UDP, which reach a server whose stack is
// usrsctp. Node has no SCTP of the kernel, so of a server over that only what needs no association is checked.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { check } from '../check.js';
import { keepBusy } from '../load.js';
import { BIG, header } from '../protocols/ace.js';
import { vectorsOf } from '../protocols/index.js';
import * as sctp from '../sctp/packets.js';
import { memoryOf, remainingProcesses } from '../tree.js';
import { endMs, forEachLimited, until, within } from '../wait.js';
import { sizeChecks } from './exchange.js';

/**
 * @import { Check, Context, Subject } from '../check.js'
 * @import { Connection } from '../connection.js'
 * @import { Vector } from '../protocols/index.js'
 * @import { Association } from '../sctp/association.js'
 * @import { RunningServer } from '../start.js'
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const AT_ONCE = 50;
const MANY = 300;
const MOST_SPLITS = 300;
/** Of a message that is announced with 2^32 - 1 bytes. */
const SENT = 2 * MIB;
const GROWTH = 2 * MIB;
/** A larger flood of packets could overflow the socket's buffer. */
const FLOOD = 500;
const LARGEST = 256 * KIB;
const SHARED = new Set(['sizes', 'pipelining']);
const NO_CLIENT = {
  code: 'kernel-sctp',
  text: 'the checks speak SCTP over UDP only, and the server uses SCTP of the kernel',
};

/** @param {Connection} connection @returns {Association} */
const associationOf = ({ socket }) => /** @type {Association} */ (socket);

/**
 * @param {Subject} subject
 * @param {string | null} stack of the server
 * @returns {Check[]}
 */
export function sctpChecks(subject, stack) {
  const { protocol } = subject;
  const small = { ...protocol, sizes: protocol.sizes.filter((size) => size <= LARGEST) };
  const withAssociations = [
    ...exchangesOver(subject),
    ...sizeChecks({ ...subject, protocol: small }).filter(({ id }) => SHARED.has(id)),
    ...rudeOver(subject),
    ...hostileOver(subject),
    check('sctp-end-load', 'ends with 0 on SIGTERM, under load', async ({ start, openMany }) => {
      const server = await start();
      await keepBusy(await openMany(server, 20));
      await assertEnds(server);
    }),
  ];
  return [
    ...withAssociations.map((each) => (stack === 'kernel' ? { ...each, skipped: NO_CLIENT } : each)),
    check('sctp-end-idle', 'ends with 0 on SIGTERM, idle', async ({ start }) => assertEnds(await start())),
    check('sctp-restart', 'can be restarted on its port immediately', async ({ start, open }) => {
      const first = await start();
      if (stack !== 'kernel') await (await open(first)).exchange();
      await within(first.end(), 'its end', endMs());
      const second = await start({ port: first.port });
      assert.equal(second.port, first.port);
      if (stack !== 'kernel') await (await open(second)).exchange();
    }),
    check('sctp-port-taken', 'ends with a nonzero exit status if the port is taken', async ({ start }) => {
      const { port } = await start();
      await assert.rejects(start({ port }), { code: 'ended-early' });
    }),
  ];
}

/** @param {Subject} subject @returns {Check[]} */
function exchangesOver({ protocol, exact, has }) {
  const vectors = vectorsOf(protocol).filter(({ needs }) => needs === undefined || has(needs));
  const splits = vectors.flatMap((vector) => {
    const bytes = Buffer.from(vector.send.join(''), 'hex');
    return Array.from({ length: Math.max(0, Math.min(bytes.length, 64) - 1) }, (_, i) => ({
      vector,
      pieces: [bytes.subarray(0, i + 1), bytes.subarray(i + 1)],
    }));
  });
  const part = Math.ceil(splits.length / MOST_SPLITS);
  const tried = splits.filter((_, i) => i % part === 0);
  /** @param {Connection} connection @param {Vector} vector @param {Buffer[]} pieces */
  const play = async (connection, vector, pieces) => {
    for (const piece of pieces) if (piece.length > 0) connection.write(piece);
    if (vector.closes) {
      protocol.judge(await connection.readToEnd(), vector, exact);
      return;
    }
    connection.listen();
    const judge = () => protocol.judge(connection.rest, vector, exact);
    await until(() => passes(judge) || connection.ended, `the reply to ${vector.name}`);
    judge(); // SCTP has no half-close: the replies come before the end
    connection.shutdown();
    await until(() => connection.ended, 'the end of the association');
    judge();
    assert.equal(connection.endedBy, 'FIN', `${vector.name}: ended by`);
  };
  return [
    check('sctp-vectors', 'answers the wire vectors correctly', async ({ shared, open }) => {
      const server = await shared();
      await forEachLimited(vectors, AT_ONCE, async (vector) =>
        play(
          await open(server),
          vector,
          vector.send.map((piece) => Buffer.from(piece, 'hex')),
        ),
      );
    }),
    check('sctp-split-vectors', 'answers them split into two messages at any byte', async ({ shared, open }) => {
      const server = await shared();
      await forEachLimited(tried, AT_ONCE, async ({ vector, pieces }) => play(await open(server), vector, pieces));
    }),
  ];
}

/** @param {() => void} judge */
function passes(judge) {
  try {
    judge();
    return true;
  } catch {
    return false;
  }
}

/** @param {Subject} subject @returns {Check[]} */
function rudeOver({ protocol, measured }) {
  return [
    check('sctp-many', `serves ${MANY} associations at once`, async ({ shared, openMany }) => {
      const connections = await openMany(await shared(), MANY);
      await Promise.all(connections.map((connection) => connection.exchange()));
      await Promise.all(connections.map((connection) => connection.exchange(protocol.transfer(1))));
    }),
    check(
      'sctp-rude-clients',
      'continues after clients that stay silent, vanish, or abort in the middle of a request',
      async ({ start, open, openMany }) => {
        const server = await start();
        const silent = await openMany(server, 10);
        let before = 0;
        for (let round = 0; round < 4; round++) {
          const connections = await openMany(server, 50);
          for (const connection of connections) connection.write(protocol.half);
          connections.forEach((connection, i) =>
            i === 0 ? associationOf(connection).vanish() : associationOf(connection).resetAndDestroy(),
          );
          await (await open(server)).exchange();
          if (round === 1) before = memoryOf(server);
        }
        const grown = memoryOf(server) - before;
        if (measured) assert.ok(grown < GROWTH, `memory has grown by ${grown} bytes`);
        for (const connection of silent) await connection.exchange();
      },
    ),
    check(
      'sctp-never-reads',
      'serves the others while a client does not read, with bounded memory',
      async ({ start, open }) => {
        const server = await start();
        const other = await open(server);
        await other.exchange();
        const before = memoryOf(server);
        const connection = await open(server);
        const transfer = protocol.burst(64 * KIB);
        for (let sent = 0; sent < 8 * MIB; sent += transfer.request.length) connection.send(transfer);
        for (let i = 0; i < 20; i++) await other.exchange();
        await until(() => connection.ended || associationOf(connection).peerWindow < 64 * KIB, 'the server to stop');
        await other.exchange();
        const grown = memoryOf(server) - before;
        if (measured) assert.ok(grown < 4 * GROWTH, `memory has grown by ${grown} bytes`);
      },
    ),
  ];
}

/** @param {Subject} subject @returns {Check[]} */
function hostileOver({ protocol, measured }) {
  /** @param {string} id @param {string} name @param {(association: Association) => Promise<void> | void} act */
  const hostile = (id, name, act) =>
    check(id, name, async ({ shared, open }) => {
      const server = await shared();
      const other = await open(server);
      await other.exchange();
      const bad = await open(server);
      await act(associationOf(bad));
      await other.exchange();
      await (await open(server)).exchange();
      assert.equal(server.stderr(), '', 'stderr');
    });
  return [
    hostile('sctp-half-message', 'serves the others while a message is incomplete', (association) =>
      association.queueMessage(randomBytes(50_000), { last: false }),
    ),
    hostile('sctp-abort-message', 'continues after an ABORT in the middle of a message', (association) => {
      association.queueMessage(randomBytes(50_000), { last: false });
      association.resetAndDestroy();
    }),
    hostile('sctp-truncated', 'continues after truncated and empty chunks', (association) => {
      const head = { from: association.localPort, to: association.remotePort, tag: association.peerTag };
      const tsn = sctp.uint32(association.nextTsn);
      association.transmitRaw(sctp.seal(head, Buffer.from([sctp.DATA, 3, 0xff, 0xf0]))); // longer than the packet
      association.transmitRaw(sctp.seal(head, Buffer.from([sctp.DATA, 3, 0, 3]))); // shorter than its header
      association.transmitRaw(sctp.seal(head, Buffer.alloc(0)));
      association.transmitRaw(randomBytes(7));
      association.transmit({ type: sctp.DATA, flags: 3, value: Buffer.concat([tsn, Buffer.alloc(8)]) }); // no payload
    }),
    hostile('sctp-init-flood', `continues after ${FLOOD} INITs, cookies and random packets`, async (association) => {
      for (let i = 0; i < FLOOD; i++) {
        const init = sctp.initChunk(1 + i, 1500, i);
        const from = 1 + i;
        const to = association.remotePort;
        association.transmitRaw(sctp.encodePacket({ from, to, tag: 0, chunks: [init] }));
        const cookie = { type: sctp.COOKIE_ECHO, value: randomBytes(200) };
        association.transmitRaw(sctp.encodePacket({ from, to, tag: i, chunks: [cookie] }));
        association.transmitRaw(randomBytes(12 + (i % 500)));
        if (i % 20 === 0) await association.drained();
      }
    }),
    ...(protocol.name === 'ace'
      ? [
          check('sctp-ace-large-message', 'counts a message of 2^32 - 1 bytes without storing it', async (context) => {
            const { start, open } = context;
            const server = await start();
            await (await open(server)).exchange();
            const connection = await open(server);
            const before = memoryOf(server);
            connection.write(Buffer.concat([header(1, BIG), Buffer.alloc(4, 0xff)]));
            const block = Buffer.alloc(64 * KIB);
            for (let sent = 0; sent < SENT; sent += block.length) {
              connection.write(block);
              await until(
                () => connection.socket.writableLength === 0 || connection.ended,
                'the server to continue reading',
              );
            }
            assert.ok(!connection.ended, `the server ended the association (${connection.endedBy})`);
            const grown = memoryOf(server) - before;
            if (measured) assert.ok(grown < GROWTH, `memory has grown by ${grown} bytes`);
            connection.reset();
            await (await open(server)).exchange();
          }),
        ]
      : []),
  ];
}

/** @param {RunningServer} server */
async function assertEnds(server) {
  const ending = await within(server.end(), 'its end on SIGTERM', endMs());
  assert.deepEqual(ending, { code: 0, signal: null });
  await until(() => remainingProcesses(server).length === 0, 'the end of its processes', endMs());
}
