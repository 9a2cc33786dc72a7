// That one client cannot hurt the others, nor the server: silence, early closes, resets, crowds.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { check } from '../check.js';
import { destroy, reset } from '../connection.js';
import { descriptorsOf, isAsleep, memoryOf, processesOf, socketsOf, threadsOf, untilAtRest } from '../tree.js';
import { until } from '../wait.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const BURST = 128 * KIB;
/** What a runtime's own threads, descriptors and memory may change by while it works. */
const RUNTIME = { threads: 16, descriptors: 16, bytes: 32 * MIB };
const CLEAN = { threads: 0, descriptors: 0, bytes: 2 * MIB };

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function clientChecks(about) {
  const { protocol, places, crowd } = about;
  const silentOnes = Math.min(20, places - 1);
  return [
    silentOnes > 0
      ? check('goes on after clients that say nothing, leave early or reset', async ({ shared, open, openMany }) => {
          const server = await shared();
          const silent = await openMany(server, silentOnes);
          await rudeClients(server, openMany, protocol, 100);
          for (const connection of silent) await connection.exchange();
          reset(silent);
          await (await open(server)).exchange();
        })
      : check(
          'goes on after clients that leave early or reset; one that says nothing is waited for, by design',
          async ({ shared, open, openMany }) => {
            const server = await shared();
            await rudeClients(server, openMany, protocol, 100);
            const silent = await open(server);
            const next = await open(server);
            const transfer = protocol.transfer();
            next.send(transfer);
            await until(() => isAsleep(server), 'it has done with both what it does');
            silent.destroy();
            await next.reply(transfer);
          },
        ),

    abruptCheck(about, { name: 'keeps no descriptor, thread, process or memory of 1,000 abrupt clients', args: [] }),

    Number.isFinite(places)
      ? check(
          `serves ${crowd.toLocaleString('en')} connections in turn, ${places} at once`,
          async ({ start, openMany }) => {
            const server = await start();
            const connections = await openMany(server, crowd);
            await Promise.all(
              connections.map(async (connection) => {
                await connection.exchange();
                connection.destroy(); // makes room for the next
              }),
            );
          },
          { timeoutMs: 60_000 },
        )
      : check(
          `serves ${crowd.toLocaleString('en')} connections at once`,
          async ({ start, openMany }) => {
            const server = await start();
            const connections = await openMany(server, crowd);
            await Promise.all(connections.map((connection) => connection.exchange()));
            await Promise.all(connections.map((connection) => connection.exchange(protocol.transfer(1))));
            assert.ok(socketsOf(server) >= crowd, `it holds ${socketsOf(server)} sockets`);
          },
          { timeoutMs: 60_000 },
        ),
  ];
}

/**
 * @param {import('../check.js').About} about
 * @param {{name: string, args: string[]}} options
 */
export function abruptCheck({ protocol, places, measured, exact }, { name, args }) {
  return check(name, async (context) => {
    const { start, open, openMany } = context;
    const server = await start({ args });
    const stays = places > 1 ? await open(server) : null;
    await stays?.exchange();
    await untilAtRest(server);
    const before = countsOf(server);
    const slack = exact ? CLEAN : RUNTIME;
    const most = { ...before };
    most.descriptors += slack.descriptors;
    most.threads += slack.threads;
    const abrupt = async () => {
      for (let i = 0; i < 5; i++) {
        const connections = await openMany(server, 100);
        for (const connection of connections) connection.write(protocol.half);
        if (i % 2 === 0) reset(connections);
        else destroy(connections);
      }
      await until(
        () => isWithin(countsOf(server), most),
        () => `it is as before (${JSON.stringify(before)}), not ${JSON.stringify(countsOf(server))}`,
      );
    };
    await abrupt();
    const warm = memoryOf(server); // what a runtime keeps for reuse is in here
    await abrupt();
    const grown = memoryOf(server) - warm;
    if (measured) assert.ok(grown < slack.bytes * before.processes, `it has grown by ${grown} bytes`);
    await (stays ?? (await open(server))).exchange();
  });
}

/**
 * @param {import('../check.js').RunningServer} server
 * @param {import('../check.js').Context['openMany']} openMany
 * @param {import('../check.js').Protocol} protocol
 * @param {number} rounds
 */
async function rudeClients(server, openMany, protocol, rounds) {
  const burst = protocol.burst(BURST);
  for (let i = 0; i < rounds; i++) {
    const [early, rude, greedy] = await openMany(server, 3);
    early.destroy();
    rude.write(randomBytes(64 * KIB)); // nonsense to most protocols
    rude.reset();
    greedy.send(burst); // more than one read takes: the first reply is answered by a reset, the second finds it broken
    greedy.destroy();
  }
}

/** @param {import('../check.js').RunningServer} server */
const countsOf = (server) => ({
  sockets: socketsOf(server),
  descriptors: descriptorsOf(server),
  threads: threadsOf(server),
  processes: processesOf(server).length,
});

/** @param {Record<string, number>} now @param {Record<string, number>} most */
const isWithin = (now, most) => Object.keys(most).every((key) => now[key] <= most[key]);
