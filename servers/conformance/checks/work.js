// Simulated work: each request takes the time given by --work in the way given by --work-kind, and nothing else
// changes. work-kinds.js judges each kind.

import assert from 'node:assert/strict';
import { check, NO_MANIFEST } from '../check.js';
import { together } from '../protocols/index.js';
import { untilRead } from '../queues.js';
import { cpuNsOf, socketsOf, untilIdle } from '../tree.js';
import { endMs, forEachLimited, until, within } from '../wait.js';
import { rejects } from './options.js';
import { KINDS, MIN_MS, checkDistribution } from './work-kinds.js';

/** @import { Check, Subject } from '../check.js' */

const RANGE = '30ms-50ms';
const SPREAD = { minMs: 2, maxMs: 10 };
/** Servers started at the same time. */
const STARTS = 4;
const INVALID = ['30', '30 ms', '-1ms', '50ms-30ms', '61m', '3601s', 'ms', '1ms-', '1ms-2', ''];
/** CPU time after which a server is known to spin. */
const SOME_CPU_NS = 50e6;
const LEAVING = 6;
const LONG = '100s';
/** ThreadSanitizer delays signals while a thread is in clock_nanosleep(2). */
const LONG_SANITIZED = '1s';

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function workChecks(subject) {
  const { manifest, has, words, protocol, measured } = subject;
  if (manifest !== null && !has('work')) return [];
  const skipped = manifest === null ? NO_MANIFEST : null;
  const kinds = Object.keys(KINDS);
  const args = (/** @type {string} */ kind, range = RANGE) => [...words('work', range), ...words('workKind', kind)];
  return [
    check(
      'work-options',
      'rejects invalid values of --work, and --work-kind without it',
      async ({ start }) => {
        const invalid = [
          ...INVALID.map((value) => words('work', value)),
          words('workKind', 'block'),
          args('nap'),
          [...words('work', '1ms'), ...words('workSeed', '-1')],
          [...words('work', '1ms'), ...words('workSeed', 'x')],
        ];
        await forEachLimited(invalid, STARTS, (options) => rejects(start, { args: options }));
      },
      { skipped },
    ),

    check(
      'work-times',
      `draws the times of work evenly from ${SPREAD.minMs}ms-${SPREAD.maxMs}ms`,
      async (context) => {
        const server = await context.start({ args: args('spin', `${SPREAD.minMs}ms-${SPREAD.maxMs}ms`) });
        await checkDistribution(context, server, SPREAD);
      },
      { skipped },
    ),

    ...Object.entries(KINDS).map(([kind, { description, judge }]) =>
      check(
        `work-${kind}`,
        `work of kind ${kind}: no reply is early${description}`,
        async (context) => {
          await judge(context, subject, args(kind));
        },
        { skipped },
      ),
    ),

    check(
      'work-half-close',
      `sends a half-closed client its replies after ${MIN_MS} ms of work each`,
      async (context) => {
        const server = await context.start({ args: args('wait') });
        const connection = await context.open(server);
        const transfer = together([protocol.transfer(), protocol.transfer(), protocol.transfer()]);
        const sent = performance.now();
        connection.send(transfer);
        connection.shutdown();
        await connection.reply(transfer);
        const took = performance.now() - sent;
        // echo has no frames: the bytes of one read are one request
        const min = protocol.name === 'echo' ? MIN_MS : 3 * MIN_MS;
        assert.ok(took >= min, `the last reply arrived after ${took.toFixed(1)} ms; at least ${min} ms was expected`);
        assert.equal((await connection.readToEnd()).length, 0, 'bytes beyond the replies');
        assert.equal(connection.endedBy, 'FIN');
      },
      { skipped },
    ),

    check(
      'work-leaving-clients',
      'continues after clients that close during their work',
      async ({ start, open, openMany }) => {
        for (const kind of kinds) {
          const server = await start({ args: args(kind, '10ms-20ms') });
          await untilIdle(server);
          const idleSockets = socketsOf(server);
          const connections = await openMany(server, LEAVING);
          for (const connection of connections) connection.send(protocol.transfer());
          await untilRead(server.port, connections.slice(0, 1));
          connections.forEach((connection, i) => (i % 2 === 0 ? connection.reset() : connection.destroy()));
          await until(
            () => socketsOf(server) === idleSockets,
            () => `${kind}: ${socketsOf(server) - idleSockets} sockets to be closed`,
          );
          await (await open(server)).exchange();
        }
      },
      { skipped },
    ),

    check(
      'work-sigterm',
      'ends with 0 on SIGTERM with work pending, of every kind',
      async ({ start, open }) => {
        for (const kind of kinds) {
          const server = await start({ args: args(kind, measured ? LONG : LONG_SANITIZED) });
          const connection = await open(server);
          connection.send(protocol.transfer());
          await untilRead(server.port, [connection]);
          if (kind === 'spin') await until(() => cpuNsOf(server) > SOME_CPU_NS, 'the server to spin');
          const ending = await within(server.end(), `its end during work of kind ${kind}`, endMs());
          assert.deepEqual(ending, { code: 0, signal: null }, kind);
        }
      },
      { skipped },
    ),
  ];
}
