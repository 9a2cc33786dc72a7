// The server ends on SIGTERM and SIGINT, leaves no process behind, and can be restarted on its port.

import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { check } from '../check.js';
import { keepBusy } from '../load.js';
import { remainingProcesses } from '../tree.js';
import { endMs, until, within } from '../wait.js';

/**
 * @import { Check, Context, Subject } from '../check.js'
 * @import { RunningServer } from '../start.js'
 */

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function endingChecks(subject) {
  return [
    .../** @type {const} */ (['SIGTERM', 'SIGINT']).flatMap((signal) => [
      check(`${signal.toLowerCase()}-idle`, `${endsOn(subject, signal)}, idle`, async ({ start, open }) => {
        const idle = await start();
        await (await open(idle)).exchange();
        await assertEnds(subject, idle, signal);
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
 * @param {Subject} subject
 * @param {NodeJS.Signals} [signal]
 */
export function underLoad(subject, signal = 'SIGTERM') {
  const { concurrency } = subject;
  return check(
    `${signal.toLowerCase()}-load`,
    `${endsOn(subject, signal)}, under load`,
    async ({ start, openMany }) => {
      const server = await start();
      const connections = await openMany(server, 50);
      await keepBusy(connections.slice(0, Math.min(connections.length, concurrency)));
      await assertEnds(subject, server, signal);
    },
  );
}

/** @param {Subject} subject @returns {boolean} whether the default action of a signal may end it */
const mayDieOfSignal = ({ manifest }) => manifest === null || manifest.language === 'contributed';

/** @param {Subject} subject @param {NodeJS.Signals} signal @returns {string} for a check's name */
const endsOn = (subject, signal) => `ends ${mayDieOfSignal(subject) ? '' : 'with 0 '}on ${signal}`;

/**
 * @param {Subject} subject
 * @param {RunningServer} server
 * @param {NodeJS.Signals} signal
 */
async function assertEnds(subject, server, signal) {
  const ending = await within(server.end(signal), `its end on ${signal}`, endMs());
  // a shell reports the end by a signal as an exit status
  const byDefault = ending.signal === signal || ending.code === 128 + constants.signals[signal];
  if (!byDefault || !mayDieOfSignal(subject)) assert.deepEqual(ending, { code: 0, signal: null });
  await until(
    () => remainingProcesses(server).length === 0,
    () => `the end of its processes ${remainingProcesses(server).join(', ')}`,
    endMs(),
  );
}
