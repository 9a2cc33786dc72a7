// The server ends on SIGTERM and SIGINT, leaves no process behind, and can be restarted on its port.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { keepBusy } from '../load.js';
import { remainingProcesses } from '../tree.js';
import { endMs, until, within } from '../wait.js';

/**
 * @typedef {import('../check.js').Context} Context
 * @typedef {import('../check.js').RunningServer} RunningServer
 */

/**
 * @param {import('../check.js').Subject} subject
 * @returns {import('../check.js').Check[]}
 */
export function endingChecks(subject) {
  return [
    .../** @type {const} */ (['SIGTERM', 'SIGINT']).flatMap((signal) => [
      check(`${signal.toLowerCase()}-idle`, `ends with 0 on ${signal}, idle`, async ({ start, open }) => {
        const idle = await start();
        await (await open(idle)).exchange();
        await assertEnds(idle, signal);
      }),
      underLoad(subject, signal),
    ]),

    check(
      'restart',
      'can be restarted on its port immediately, with connections in TIME_WAIT',
      async ({ start, open, openMany }) => {
        const first = await start();
        const connections = await openMany(first, Math.min(20, subject.concurrency));
        await Promise.all(connections.map((connection) => connection.exchange()));
        await within(first.end(), 'its end', endMs()); // it closes first, so TIME_WAIT is on its side
        for (const connection of connections) await connection.readToEnd();
        for (const connection of connections) connection.shutdown();
        const second = await start({ port: first.port });
        assert.equal(second.port, first.port);
        await (await open(second)).exchange();
      },
    ),
  ];
}

/**
 * @param {import('../check.js').Subject} subject
 * @param {NodeJS.Signals} [signal]
 */
export function underLoad({ concurrency }, signal = 'SIGTERM') {
  return check(`${signal.toLowerCase()}-load`, `ends with 0 on ${signal}, under load`, async ({ start, openMany }) => {
    const server = await start();
    const connections = await openMany(server, 50);
    await keepBusy(connections.slice(0, Math.min(connections.length, concurrency)));
    await assertEnds(server, signal);
  });
}

/**
 * @param {RunningServer} server
 * @param {NodeJS.Signals} signal
 */
async function assertEnds(server, signal) {
  const ending = await within(server.end(signal), `its end on ${signal}`, endMs());
  assert.deepEqual(ending, { code: 0, signal: null });
  await until(
    () => remainingProcesses(server).length === 0,
    () => `the end of its processes ${remainingProcesses(server).join(', ')}`,
    endMs(),
  );
}
