// A client that sends and never reads: the server stops reading from it, and nothing is lost.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { floodUntilStuck } from '../flood.js';
import { memoryOf } from '../tree.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const MOST = 64 * MIB;
const GROWTH = 256 * KIB;
/** What a runtime keeps for reuse once it has worked that much; each process has one. */
const RUNTIME = 32 * MIB;
/** So many that what each may add is more than what a server's allocator adds once. */
const CLIENTS = 10;

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function neverReadsChecks({ places, measured, exact }) {
  const count = Math.min(CLIENTS, Math.max(1, places - 1));
  return [
    check(
      'does not grow for clients that never read, and loses nothing when they do',
      async (context) => {
        const { start, open, openMany } = context;
        const server = await start();
        const connections = await openMany(server, count);
        await Promise.all(connections.map((connection) => connection.exchange()));
        const before = memoryOf(server);
        const floods = await floodUntilStuck(server, connections, MOST);
        connections.forEach(({ ended, endedBy }) => assert.ok(!ended, `it closed the connection (${endedBy})`));
        for (const { sent, accepted } of floods) {
          assert.ok(sent < MOST, `it took all ${sent} bytes`);
          assert.ok(accepted > 128 * KIB, `only ${accepted} bytes were taken: no buffer was filled`);
        }
        if (measured) {
          const grown = memoryOf(server) - before;
          const most = count * GROWTH + (exact ? 0 : RUNTIME * server.pids.length);
          assert.ok(grown < most, `it has grown by ${grown} bytes for ${count} such clients`);
        }
        if (places > count) await (await open(server)).exchange();
        const [reader] = connections;
        const [{ transfer, times }] = floods;
        for (let i = 0; i < times; i++) await reader.reply(transfer);
        await reader.exchange();
      },
      { timeoutMs: 60_000 },
    ),
  ];
}
