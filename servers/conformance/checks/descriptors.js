// A server that is out of descriptors neither exits nor spins, reports it once, and continues. Further connections wait
// or are closed, as the manifest says.

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
  untilIdle,
} from '../tree.js';
import { until } from '../wait.js';

/**
 * @import { Check, Context, Subject } from '../check.js'
 * @import { RunningServer } from '../start.js'
 */

const LIMIT = 64;
/** A language runtime uses descriptors itself. */
const RUNTIME_LIMIT = 128;
/** Connections beyond the limit. */
const SURPLUS = 40;
/** Share of a core that counts as spinning. */
const SHARE = 0.05;
const WINDOWS = 4;
const LOWERED_NAME =
  'out of descriptors (limit lowered while it runs): does not spin or exit, reports it once, continues';

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function descriptorChecks({ protocol, manifest, concurrency, measured, exact, has, words }) {
  const surplus = manifest?.surplus ?? null;
  const limit = exact ? LIMIT : RUNTIME_LIMIT;
  const requested = limit + SURPLUS;
  const byOption = has('threads') && Number.isFinite(concurrency);
  const reduced = { measured, protocol, concurrency: Number.isFinite(concurrency) ? concurrency : 1 };
  if (Number.isFinite(concurrency) && !byOption) {
    return [check('descriptor-limit', LOWERED_NAME, (context) => lowerLimit(context, reduced))];
  }
  const suffix =
    surplus === null ? '' : `; further connections ${surplus === 'closed' ? 'are closed' : 'wait in the accept queue'}`;
  return [
    check(
      'descriptor-limit',
      `out of descriptors: does not spin or exit, reports it once${suffix}`,
      async (context) => {
        const { start, open, openMany } = context;
        const args = byOption ? words('threads', 2 * requested) : words('processes', 1);
        const server = await start({ descriptors: limit, args });
        await untilIdle(server);
        const idleSockets = socketsOf(server);
        const connections = await openMany(server, requested);
        for (const connection of connections) connection.listen();
        const ended = () => connections.filter((connection) => connection.ended).length;
        const transfer = connections[0].protocol.transfer();
        for (const connection of connections) connection.send(transfer);
        const answered = () => connections.filter((connection) => connection.hasReply(transfer)).length;
        const isFull = () => (manifest ? server.stderr() !== '' : answered() + ended() > limit / 2);
        await until(
          () => isFull() || answered() === requested,
          () => `a message on stderr; ${answered()} connections are answered`,
        );
        // with a process per connection no process ever reaches the limit
        if (answered() === requested) return lowerLimit(context, reduced);
        if (surplus === 'closed')
          await until(
            () => ended() >= requested - limit,
            () => `further connections to be closed; ${ended()} connections are`,
          );
        if (measured) await assertDoesNotSpin(server);
        if (manifest) assertReportedOnce(server); // a command without a manifest need not report it
        const held = socketsOf(server) - idleSockets;
        const [first] = connections;
        assert.ok(!first.ended, 'the first connection was closed');
        await first.reply(transfer);
        await first.exchange();
        // when the accepted connections are closed, those in the accept queue are served
        destroy(connections.slice(1, limit - 4));
        const queued = connections.slice(limit - 4);
        if (surplus === 'backlog') await Promise.all(queued.map((connection) => connection.reply(transfer)));
        destroy(queued);
        await until(
          () => socketsOf(server) <= idleSockets + 1,
          () => `descriptors to be free again; ${socketsOf(server)} sockets are open`,
        );
        await (await open(server)).exchange();
        // exhaust the descriptors again
        const again = await openMany(server, requested);
        if (surplus === 'closed') for (const connection of again) connection.listen();
        await until(
          () => socketsOf(server) - idleSockets >= held - 2 || again.some((connection) => connection.ended),
          'the descriptors to be exhausted again',
        );
        await untilIdle(server);
        if (manifest) assertReportedOnce(server);
      },
    ),
  ];
}

/**
 * For servers that never use that many descriptors: lowers the limit while the server runs, and raises it again.
 * @param {Context} context
 * @param {Pick<Subject, 'measured' | 'concurrency' | 'protocol'>} subject concurrency: how many accept calls may wait
 */
async function lowerLimit({ start, open }, { measured, concurrency, protocol }) {
  const server = await start();
  const limits = new Map(processesOf(server).map((pid) => [pid, descriptorLimitOf(pid)]));
  for (const pid of limits.keys()) limitDescriptors(pid, lowestFree(pid));
  const transfer = protocol.transfer();
  let waiting = await open(server);
  // an accept call that waits in the kernel already has its descriptor, so as many connections are still served
  for (let i = 0; i <= concurrency && server.stderr() === ''; i++) {
    waiting.listen();
    waiting.send(transfer);
    await until(() => waiting.hasReply(transfer) || server.stderr() !== '', 'a reply, or a message on stderr');
    if (!waiting.hasReply(transfer)) break;
    waiting.shutdown();
    await waiting.readToEnd();
    waiting = await open(server);
  }
  await until(() => server.stderr() !== '', 'a message on stderr');
  if (measured) await assertDoesNotSpin(server);
  for (const [pid, limit] of limits) limitDescriptors(pid, limit);
  if (!waiting.listening) waiting.send(transfer);
  await waiting.reply(transfer);
  const lines = server.stderr().trim().split('\n');
  assert.ok(lines.length <= limits.size, `each process must report it once:\n${server.stderr()}`);
}

/** @param {RunningServer} server */
function assertReportedOnce(server) {
  assert.equal(server.stderr().trim().split('\n').length, 1, `it must be reported once:\n${server.stderr()}`);
}

/**
 * Asserts that the server uses little CPU time. A server that spins does so in every window; a language runtime that
 * collects garbage soon stops.
 * @param {RunningServer} server
 */
export async function assertDoesNotSpin(server) {
  let share = 1;
  for (let i = 0; i < WINDOWS && share >= SHARE; i++) share = await cpuShareOf(server);
  assert.ok(share < SHARE, `it uses ${(share * 100).toFixed(1)} % of a core while nothing happens`);
}
