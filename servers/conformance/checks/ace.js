// ace only: lengths beyond the available memory, and incomplete headers.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { BIG, header, LITTLE, message } from '../protocols/ace.js';
import { queuesOf, untilRead } from '../queues.js';
import { memoryOf } from '../tree.js';
import { until } from '../wait.js';

/** @import { Check, Subject } from '../check.js' */

const MIB = 1024 * 1024;
/** Bytes of a message, and how much memory may grow meanwhile; a runtime's memory also holds garbage. */
const EXACT = { sent: 48 * MIB, growth: 2 * MIB };
const RUNTIME = { sent: 160 * MIB, growth: 64 * MIB };

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function aceChecks({ protocol, concurrency, measured, exact }) {
  if (protocol.name !== 'ace') return [];
  const { sent: total, growth } = exact ? EXACT : RUNTIME;
  return [
    check('ace-large-message', 'counts a message of 2^32 - 1 bytes without storing it', async ({ start, open }) => {
      const server = await start();
      const connection = await open(server);
      const length = Buffer.alloc(4, 0xff);
      connection.write(Buffer.concat([header(1, BIG), length]));
      await untilRead(server.port, [connection]);
      const before = memoryOf(server);
      const block = Buffer.alloc(MIB);
      for (let sent = 0; sent < total; sent += block.length) {
        connection.write(block);
        await until(() => connection.socket.writableLength === 0 || connection.ended, 'the server to continue reading');
      }
      await untilRead(server.port, [connection]);
      assert.ok(!connection.ended, `the server closed the connection (${connection.endedBy})`);
      const grown = memoryOf(server) - before;
      if (measured) assert.ok(grown < growth, `memory has grown by ${grown} bytes after ${total} bytes of a message`);
      connection.reset();
      await (await open(server)).exchange();
    }),

    check(
      'ace-byte-order',
      'reads the number of messages in the byte order of the header',
      async ({ shared, open }) => {
        const server = await shared();
        for (const order of [BIG, LITTLE]) {
          const connection = await open(server);
          // 2^24 in the other byte order: a server that confuses them does not close
          connection.write(Buffer.concat([header(1, order), message(10).request]));
          assert.equal((await connection.readToEnd()).length, 2, 'bytes of the reply');
        }
      },
    ),

    ...(concurrency < 2
      ? []
      : [
          check(
            'ace-partial-header',
            'keeps a connection with half a header open, and serves the others',
            async ({ shared, open }) => {
              const server = await shared();
              const half = await open(server);
              half.write(protocol.half);
              await untilRead(server.port, [half]);
              await (await open(server)).exchange();
              const isOpen = queuesOf(server.port).some(({ remotePort }) => remotePort === half.localPort);
              assert.ok(isOpen, 'its connection must stay open');
            },
          ),
        ]),
  ];
}
