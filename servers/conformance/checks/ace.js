// ace alone: lengths that promise more memory than there is, and headers that promise nothing.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { BIG, header, LITTLE, message } from '../protocols/ace.js';
import { queuesOf, untilRead } from '../queues.js';
import { memoryOf } from '../tree.js';
import { until } from '../wait.js';

const MIB = 1024 * 1024;
const SENT = 48 * MIB;
const MOST = 2 * MIB;
const RUNTIME = 32 * MIB;

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function aceChecks({ protocol, places, measured, exact }) {
  if (protocol.name !== 'ace') return [];
  return [
    check('counts down a message of 2^32 - 1 bytes without keeping it', async ({ start, open }) => {
      const server = await start();
      const connection = await open(server);
      const length = Buffer.alloc(4, 0xff);
      connection.write(Buffer.concat([header(1, BIG), length]));
      await untilRead(server.port, [connection]);
      const before = memoryOf(server);
      const block = Buffer.alloc(MIB);
      for (let sent = 0; sent < SENT; sent += block.length) {
        connection.write(block);
        await until(() => connection.socket.writableLength === 0 || connection.ended, 'the server reads on');
      }
      await untilRead(server.port, [connection]);
      assert.ok(!connection.ended, `it closed the connection (${connection.endedBy})`);
      const grown = memoryOf(server) - before;
      const most = exact ? MOST : RUNTIME;
      if (measured) assert.ok(grown < most, `it has grown by ${grown} bytes for ${SENT} of a message`);
      connection.reset();
      await (await open(server)).exchange();
    }),

    check('reads the number of messages in the byte order that the header says', async ({ shared, open }) => {
      const server = await shared();
      for (const order of [BIG, LITTLE]) {
        const connection = await open(server);
        // 2^24 in the other order: a server that mistakes it does not close.
        connection.write(Buffer.concat([header(1, order), message(10).request]));
        assert.equal((await connection.readToEnd()).length, 2, 'bytes of the reply');
      }
    }),

    ...(places < 2
      ? []
      : [
          check('leaves alone who sends half a header, and serves the others', async ({ shared, open }) => {
            const server = await shared();
            const half = await open(server);
            half.write(protocol.half);
            await untilRead(server.port, [half]);
            await (await open(server)).exchange();
            const isOpen = queuesOf(server.port).some(({ remotePort }) => remotePort === half.localPort);
            assert.ok(isOpen, 'its connection is open');
          }),
        ]),
  ];
}
