// That it ends when it is told to, leaves nobody behind, and comes back on its port.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { keepBusy } from '../load.js';
import { leftOf } from '../tree.js';
import { endMs, until, within } from '../wait.js';

/**
 * @typedef {import('../check.js').Context} Context
 * @typedef {import('../check.js').RunningServer} RunningServer
 */

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function endingChecks(about) {
  return [
    .../** @type {const} */ (['SIGTERM', 'SIGINT']).flatMap((signal) => [
      check(`ends at ${signal} with 0, idle`, async ({ start, open }) => {
        const idle = await start();
        await (await open(idle)).exchange();
        await ends(idle, signal);
      }),
      underLoad(about, signal),
    ]),

    check('starts again on its port at once, with connections in TIME_WAIT', async ({ start, open, openMany }) => {
      const first = await start();
      const connections = await openMany(first, Math.min(20, about.places));
      await Promise.all(connections.map((connection) => connection.exchange()));
      await within(first.end(), 'its end', endMs()); // it closes first, so TIME_WAIT is at its side
      for (const connection of connections) await connection.readToEnd();
      for (const connection of connections) connection.shutdown();
      const second = await start({ port: first.port });
      assert.equal(second.port, first.port);
      await (await open(second)).exchange();
    }),
  ];
}

/**
 * @param {import('../check.js').About} about
 * @param {NodeJS.Signals} [signal]
 */
export function underLoad({ places }, signal = 'SIGTERM') {
  return check(`ends at ${signal} with 0, under load`, async ({ start, openMany }) => {
    const server = await start();
    const connections = await openMany(server, 50);
    await keepBusy(connections.slice(0, Math.min(connections.length, places)));
    await ends(server, signal);
  });
}

/**
 * @param {RunningServer} server
 * @param {NodeJS.Signals} signal
 */
async function ends(server, signal) {
  const ending = await within(server.end(signal), `its end at ${signal}`, endMs());
  assert.deepEqual(ending, { code: 0, signal: null });
  await until(
    () => leftOf(server).length === 0,
    () => `all its processes end, also ${leftOf(server).join(', ')}`,
    endMs(),
  );
}
