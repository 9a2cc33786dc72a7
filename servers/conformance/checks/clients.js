// One client cannot harm the others or the server: silence, early closes, resets, many connections.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { check } from '../check.js';
import { destroy, reset } from '../connection.js';
import { descriptorsOf, isAsleep, memoryOf, processesOf, socketsOf, threadsOf, untilIdle } from '../tree.js';
import { together } from '../protocols/index.js';
import { until, withPatience } from '../wait.js';

/**
 * @import { Check, Context, Subject } from '../check.js'
 * @import { Connection } from '../connection.js'
 * @import { Protocol } from '../protocols/index.js'
 * @import { RunningServer } from '../start.js'
 */

const KIB = 1024;
const MIB = 1024 * KIB;
/** Sent at once, longer than one read. Short requests would be much work, and other clients would wait. */
const BURST = { requests: 32, bytes: 4 * KIB };
/** How much the threads, descriptors and memory of a language runtime may vary. */
const RUNTIME = { threads: 16, descriptors: 16, bytes: 32 * MIB };
const CLEAN = { threads: 0, descriptors: 0, bytes: 2 * MIB };
/** How long the whole crowd may take. */
const CROWD_MS = 60_000;

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function clientChecks(subject) {
  const { protocol, concurrency, crowd } = subject;
  const silentCount = Math.min(20, concurrency - 1);
  return [
    silentCount > 0
      ? check(
          'rude-clients',
          'continues after clients that stay silent, close early or reset',
          async ({ shared, open, openMany }) => {
            const server = await shared();
            const silent = await openMany(server, silentCount);
            await rudeClients(server, openMany, protocol, 100);
            for (const connection of silent) await connection.exchange();
            reset(silent);
            await (await open(server)).exchange();
          },
        )
      : check(
          'rude-clients',
          'continues after clients that close early or reset; by design it waits for a silent client',
          async ({ shared, open, openMany }) => {
            const server = await shared();
            await rudeClients(server, openMany, protocol, 100);
            const silent = await open(server);
            const next = await open(server);
            const transfer = protocol.transfer();
            next.send(transfer);
            await until(() => isAsleep(server), 'the server to become idle');
            silent.destroy();
            await next.reply(transfer);
          },
        ),

    abruptCheck(subject, {
      id: 'abrupt-clients',
      name: 'releases descriptors, threads, processes and memory after 1,000 abrupt clients',
      args: [],
    }),

    Number.isFinite(concurrency)
      ? check(
          'many-connections',
          `serves ${crowd.toLocaleString('en')} connections, ${concurrency} at once`,
          async ({ start, openMany }) => {
            const server = await start();
            const connections = await openMany(server, crowd);
            const exchangeOnce = async (/** @type {Connection} */ connection) => {
              await connection.exchange();
              connection.destroy(); // lets the server accept another connection
            };
            // the last connection waits for all others
            await withPatience(CROWD_MS, () => Promise.all(connections.map(exchangeOnce)));
          },
          { timeoutMs: CROWD_MS },
        )
      : check(
          'many-connections',
          `serves ${crowd.toLocaleString('en')} connections at once`,
          async ({ start, openMany }) => {
            const server = await start();
            const connections = await openMany(server, crowd);
            await Promise.all(connections.map((connection) => connection.exchange()));
            await Promise.all(connections.map((connection) => connection.exchange(protocol.transfer(1))));
            assert.ok(socketsOf(server) >= crowd, `the server has only ${socketsOf(server)} sockets`);
          },
          { timeoutMs: CROWD_MS },
        ),
  ];
}

/**
 * @param {Subject} subject
 * @param {{id: string, name: string, args: string[]}} options
 */
export function abruptCheck({ protocol, concurrency, measured, exact }, { id, name, args }) {
  return check(id, name, async (context) => {
    const { start, open, openMany } = context;
    const server = await start({ args });
    const stays = concurrency > 1 ? await open(server) : null;
    await stays?.exchange();
    await untilIdle(server);
    const before = countsOf(server);
    const slack = exact ? CLEAN : RUNTIME;
    const max = { ...before };
    max.descriptors += slack.descriptors;
    max.threads += slack.threads;
    const abrupt = async () => {
      for (let i = 0; i < 5; i++) {
        const connections = await openMany(server, 100);
        for (const connection of connections) connection.write(protocol.half);
        if (i % 2 === 0) reset(connections);
        else destroy(connections);
      }
      await until(
        () => isWithin(countsOf(server), max),
        () => `the counts ${JSON.stringify(before)}, now ${JSON.stringify(countsOf(server))}`,
      );
    };
    await abrupt();
    const warm = memoryOf(server); // includes what a runtime keeps for reuse
    await abrupt();
    const grown = memoryOf(server) - warm;
    if (measured) assert.ok(grown < slack.bytes * before.processes, `memory has grown by ${grown} bytes`);
    await (stays ?? (await open(server))).exchange();
  });
}

/**
 * @param {RunningServer} server
 * @param {Context['openMany']} openMany
 * @param {Protocol} protocol
 * @param {number} rounds
 */
async function rudeClients(server, openMany, protocol, rounds) {
  const burst = together(Array.from({ length: BURST.requests }, () => protocol.transfer(BURST.bytes)));
  for (let i = 0; i < rounds; i++) {
    const [early, rude, greedy] = await openMany(server, 3);
    early.destroy();
    rude.write(randomBytes(64 * KIB)); // invalid in most protocols
    rude.reset();
    greedy.send(burst); // more than one read: the first reply triggers a reset, the second fails with EPIPE
    greedy.destroy();
  }
}

/** @param {RunningServer} server */
const countsOf = (server) => ({
  sockets: socketsOf(server),
  descriptors: descriptorsOf(server),
  threads: threadsOf(server),
  processes: processesOf(server).length,
});

/** @param {Record<string, number>} now @param {Record<string, number>} max */
const isWithin = (now, max) => Object.keys(max).every((key) => now[key] <= max[key]);
