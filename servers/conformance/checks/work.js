// Business work: that each request costs what --work says, in the way that --work-kind says, and that nothing else is
// lost by it. How single kinds are judged is in work-kinds.js.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { untilRead } from '../queues.js';
import { cpuNsOf, socketsOf, untilAtRest } from '../tree.js';
import { endMs, inTurns, until, within } from '../wait.js';
import { refuses } from './options.js';
import { KINDS, LEAST_MS, meanIsRight } from './work-kinds.js';

const UNKNOWN = 'it has no manifest that says how work is asked for';
const RANGE = '30ms-50ms';
/** Programs that start at the same time. */
const STARTS = 4;
const WRONG = ['30', '30 ms', '-1ms', '50ms-30ms', '61m', '3601s', 'ms', '1ms-', '1ms-2', ''];
/** A spinning server has done this much of what takes it 100 s. */
const SOME_CPU_NS = 50e6;
const LEAVING = 6;
const LONG = '100s';
/** ThreadSanitizer keeps a signal back until the thread does something else than clock_nanosleep(2). */
const LONG_SANITIZED = '1s';

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function workChecks(about) {
  const { manifest, has, words, protocol, measured } = about;
  if (manifest !== null && !has('work')) return [];
  const needs = manifest === null && UNKNOWN;
  const kinds = Object.keys(KINDS);
  const args = (/** @type {string} */ kind, range = RANGE) => [...words('work', range), ...words('workKind', kind)];
  return [
    check(
      'refuses work that is no time, and a kind without work',
      async ({ start }) => {
        const wrong = [
          ...WRONG.map((value) => words('work', value)),
          words('workKind', 'block'),
          args('nap'),
          [...words('work', '1ms'), ...words('workSeed', '-1')],
          [...words('work', '1ms'), ...words('workSeed', 'x')],
        ];
        await inTurns(wrong, STARTS, (each) => refuses(start, { args: each }));
      },
      { needs },
    ),

    check(
      `draws the times of work from all of ${RANGE}`,
      async (context) => {
        await meanIsRight(context, about, await context.start({ args: args('wait') }));
      },
      { needs },
    ),

    ...Object.entries(KINDS).map(([kind, { promise, judge }]) =>
      check(
        `works by ${kind}: no reply is early${promise}`,
        async (context) => {
          await judge(context, about, args(kind));
        },
        { needs },
      ),
    ),

    check(
      `gives a half-closed client the replies that it works on, after ${LEAST_MS} ms each`,
      async (context) => {
        const server = await context.start({ args: args('wait') });
        const connection = await context.open(server);
        const transfer = together([protocol.transfer(), protocol.transfer(), protocol.transfer()]);
        const sent = performance.now();
        connection.send(transfer);
        connection.shutdown();
        await connection.reply(transfer);
        const took = performance.now() - sent;
        // echo has no frame: what one read returned is one request.
        const least = protocol.name === 'echo' ? LEAST_MS : 3 * LEAST_MS;
        assert.ok(took >= least, `the last reply came after ${took.toFixed(1)} ms`);
        assert.equal((await connection.readToEnd()).length, 0, 'bytes beyond the replies');
        assert.equal(connection.endedBy, 'FIN');
      },
      { needs },
    ),

    check(
      'goes on after clients that leave while it works for them',
      async ({ start, open, openMany }) => {
        for (const kind of kinds) {
          const server = await start({ args: args(kind, '10ms-20ms') });
          await untilAtRest(server);
          const idle = socketsOf(server);
          const connections = await openMany(server, LEAVING);
          for (const connection of connections) connection.send(protocol.transfer());
          await untilRead(server.port, connections.slice(0, 1));
          connections.forEach((connection, i) => (i % 2 === 0 ? connection.reset() : connection.destroy()));
          await until(
            () => socketsOf(server) === idle,
            () => `${kind}: their ${socketsOf(server) - idle} sockets are closed`,
          );
          await (await open(server)).exchange();
        }
      },
      { needs },
    ),

    check(
      'ends at SIGTERM with work pending, of every kind',
      async ({ start, open }) => {
        for (const kind of kinds) {
          const server = await start({ args: args(kind, measured ? LONG : LONG_SANITIZED) });
          const connection = await open(server);
          connection.send(protocol.transfer());
          await untilRead(server.port, [connection]);
          if (kind === 'spin') await until(() => cpuNsOf(server) > SOME_CPU_NS, 'it spins');
          const ending = await within(server.end(), `its end while it works by ${kind}`, endMs());
          assert.deepEqual(ending, { code: 0, signal: null }, kind);
        }
      },
      { needs },
    ),
  ];
}

/**
 * @param {import('../protocols/index.js').Transfer[]} transfers
 * @returns {import('../protocols/index.js').Transfer} all of them, sent at once
 */
function together(transfers) {
  return {
    what: transfers.map(({ what }) => what).join(', '),
    request: Buffer.concat(transfers.map(({ request }) => request)),
    replies: transfers.reduce((sum, { replies }) => sum + replies, 0),
    least: transfers.reduce((sum, { least }) => sum + least, 0),
    reply: Buffer.concat(transfers.map(({ reply }) => reply ?? Buffer.alloc(0))),
    expected: transfers.flatMap(({ expected }) => expected ?? []),
  };
}
