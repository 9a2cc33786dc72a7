// Out of descriptors: it neither dies nor spins, says so once, and serves on. The one thing to know: what becomes of
// the surplus is the model's own, and the manifest says which.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { destroy } from '../connection.js';
import {
  cpuShareOf,
  descriptorLimitOf,
  limitDescriptors,
  lowestFree,
  processesOf,
  socketsOf,
  untilAtRest,
} from '../tree.js';
import { until } from '../wait.js';

const LIMIT = 64;
/** A runtime holds some for itself. */
const RUNTIME_LIMIT = 128;
/** Beyond the limit. */
const SURPLUS = 40;
const SHARE = 0.05;
const WINDOWS = 4;
const LOWERED =
  'out of descriptors (a limit that is lowered while it runs): neither spins nor dies, says it once, serves on';

/** @typedef {import('../check.js').RunningServer} RunningServer */

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function descriptorChecks({ protocol, manifest, places, measured, exact, has, words }) {
  const surplus = manifest?.surplus ?? null;
  const limit = exact ? LIMIT : RUNTIME_LIMIT;
  const asked = limit + SURPLUS;
  const byOption = has('threads') && Number.isFinite(places);
  const about = { measured, protocol, places: Number.isFinite(places) ? places : 1 };
  if (Number.isFinite(places) && !byOption) return [check(LOWERED, (context) => lowered(context, about))];
  const told = surplus === null ? '' : `, and the surplus is: ${surplus}`;
  return [
    check(`out of descriptors: neither spins nor dies, says it once${told}`, async (context) => {
      const { start, open, openMany } = context;
      const args = byOption ? words('threads', 2 * asked) : words('processes', 1);
      const server = await start({ descriptors: limit, args });
      await untilAtRest(server);
      const idle = socketsOf(server);
      const connections = await openMany(server, asked);
      for (const connection of connections) connection.listen();
      const ended = () => connections.filter((each) => each.ended).length;
      const transfer = connections[0].protocol.transfer();
      for (const connection of connections) connection.send(transfer);
      const answered = () => connections.filter((each) => each.hasReply(transfer)).length;
      const isFull = () => (manifest ? server.stderr() !== '' : answered() + ended() > limit / 2);
      await until(
        () => isFull() || answered() === asked,
        () => `it says so; ${answered()} are answered`,
      );
      // A process each: none of them ever holds so many.
      if (answered() === asked) return lowered(context, about);
      if (surplus === 'closed')
        await until(
          () => ended() >= asked - limit,
          () => `the surplus is closed, not ${ended()}`,
        );
      if (measured) await untilQuiet(server);
      if (manifest) saidOnce(server); // of a command without a manifest nobody knows whether it says so at all
      const held = socketsOf(server) - idle;
      const [first] = connections;
      assert.ok(!first.ended, 'the first connection was closed');
      await first.reply(transfer);
      await first.exchange();
      // Those it holds leave; the backlog is then served, where it is kept there.
      destroy(connections.slice(1, limit - 4));
      const rest = connections.slice(limit - 4);
      if (surplus === 'backlog') await Promise.all(rest.map((connection) => connection.reply(transfer)));
      destroy(rest);
      await until(
        () => socketsOf(server) <= idle + 1,
        () => `descriptors are free again: ${socketsOf(server)} sockets`,
      );
      await (await open(server)).exchange();
      // Full once more.
      const again = await openMany(server, asked);
      if (surplus === 'closed') for (const connection of again) connection.listen();
      await until(() => socketsOf(server) - idle >= held - 2 || again.some((each) => each.ended), 'it is full again');
      await untilAtRest(server);
      if (manifest) saidOnce(server);
    }),
  ];
}

/**
 * For servers that never hold so many: the limit is lowered while one runs, and raised again.
 * @param {import('../check.js').Context} context
 * @param {Pick<import('../check.js').About, 'measured' | 'places' | 'protocol'>} about places: accepts that may wait
 */
async function lowered({ start, open }, { measured, places, protocol }) {
  const server = await start();
  const limits = new Map(processesOf(server).map((pid) => [pid, descriptorLimitOf(pid)]));
  for (const pid of limits.keys()) limitDescriptors(pid, lowestFree(pid));
  const transfer = protocol.transfer();
  let waiting = await open(server);
  // An accept that waits in the kernel has its descriptor already: so many are served. The next accepts find none.
  for (let i = 0; i <= places && server.stderr() === ''; i++) {
    waiting.listen();
    waiting.send(transfer);
    await until(() => waiting.hasReply(transfer) || server.stderr() !== '', 'it serves, or says that it cannot');
    if (!waiting.hasReply(transfer)) break;
    waiting.shutdown();
    await waiting.readToEnd();
    waiting = await open(server);
  }
  await until(() => server.stderr() !== '', 'it says so');
  if (measured) await untilQuiet(server);
  for (const [pid, limit] of limits) limitDescriptors(pid, limit);
  if (!waiting.listening) waiting.send(transfer);
  await waiting.reply(transfer);
  const lines = server.stderr().trim().split('\n');
  assert.ok(lines.length <= limits.size, `each process says it once:\n${server.stderr()}`);
}

/** @param {RunningServer} server */
function saidOnce(server) {
  assert.equal(server.stderr().trim().split('\n').length, 1, `it says it once:\n${server.stderr()}`);
}

/**
 * What spins does so in every window; a runtime that is busy with itself soon stops.
 * @param {RunningServer} server
 */
export async function untilQuiet(server) {
  let share = 1;
  for (let i = 0; i < WINDOWS && share >= SHARE; i++) share = await cpuShareOf(server);
  assert.ok(share < SHARE, `it takes ${(share * 100).toFixed(1)} % of a core while nothing happens`);
}
