// The server stops reading from clients that send and never read, and loses no bytes.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { floodUntilStuck } from '../flood.js';
import { memoryOf } from '../tree.js';

/** @import { Check, Subject } from '../check.js' */

const KIB = 1024;
const MIB = 1024 * KIB;
const MAX_BYTES = 64 * MIB;
const GROWTH = 256 * KIB;
/** Memory that an allocator may add at the first large replies, with any number of clients. */
const ONCE = MIB;
/** Memory that a language runtime may keep for reuse, per process. */
const RUNTIME = 32 * MIB;
/** Enough clients that their total growth may exceed `ONCE`. */
const CLIENTS = 10;

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function neverReadsChecks({ concurrency, measured, exact }) {
  const count = Math.min(CLIENTS, Math.max(1, concurrency - 1));
  return [
    check(
      'never-reads',
      'limits memory for clients that never read, and loses nothing when they read later',
      async (context) => {
        const { start, open, openMany } = context;
        const server = await start();
        const connections = await openMany(server, count);
        await Promise.all(connections.map((connection) => connection.exchange()));
        const before = memoryOf(server);
        const floods = await floodUntilStuck(server, connections, MAX_BYTES);
        connections.forEach(({ ended, endedBy }) => assert.ok(!ended, `the server closed the connection (${endedBy})`));
        for (const { sent, accepted } of floods) {
          assert.ok(sent < MAX_BYTES, `the server read all ${sent} bytes`);
          assert.ok(accepted > 128 * KIB, `the kernel accepted only ${accepted} bytes, so no buffer was full`);
        }
        if (measured) {
          const grown = memoryOf(server) - before;
          const max = Math.max(count * GROWTH, ONCE) + (exact ? 0 : RUNTIME * server.pids.length);
          assert.ok(grown < max, `memory has grown by ${grown} bytes for ${count} such clients`);
        }
        if (concurrency > count) await (await open(server)).exchange();
        const [reader] = connections;
        const [{ transfer, times }] = floods;
        for (let i = 0; i < times; i++) await reader.reply(transfer);
        await reader.exchange();
      },
      { timeoutMs: 60_000 },
    ),
  ];
}
