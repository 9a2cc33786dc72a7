// What a server of several processes does beyond the contract of one: every process serves, the end of one is said and
// leaves the others alone, and none outlives the first. Where each process serves one connection at a time (preforked),
// there are as many connections at once as processes.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { destroy } from '../connection.js';
import { keepBusy } from '../load.js';
import { lives, parentOf, socketsOfProcess, untilAtRest } from '../tree.js';
import { endMs, until, within } from '../wait.js';
import { abruptCheck } from './clients.js';
import { untilQuiet } from './descriptors.js';
import { endingOf, refusedBy, refuses } from './options.js';

const COUNT = 4;
const ROUNDS = 8;
/** Out of so many descriptors, each process needs fewer than SPARE for itself. */
const DESCRIPTORS = 64;
const SPARE = 14;

/** @typedef {import('../check.js').RunningServer} RunningServer */

/** @param {RunningServer} server */
const childrenOf = ({ pids }) => pids.slice(1);

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function processChecks(about) {
  const { exact, places, words, has, protocol } = about;
  if (!has('processes')) return [];
  const oneEach = Number.isFinite(places);
  const many = oneEach ? COUNT : 200;
  const args = words('processes', COUNT);
  const name = (/** @type {string} */ text) => `of ${COUNT} processes: ${text}`;

  const checks = [
    check(name('says so once all are there, on the port that the kernel picked for all'), async ({ start }) => {
      const { ready, pid, pids, port } = await start({ args, port: 0 });
      assert.deepEqual(Object.keys(ready ?? {}), ['ready', 'protocol', 'host', 'port', 'pids']);
      assert.ok(port > 0);
      assert.equal(new Set(pids).size, COUNT + 1, `pids: ${pids.join(', ')}`);
      assert.deepEqual(pids.slice(1).map(parentOf), Array(COUNT).fill(pid));
    }),

    check(name('refuses numbers it cannot have'), async ({ start }) => {
      for (const wrong of ['0', '-1', '2x', '']) await refuses(start, { args: words('processes', wrong) });
    }),

    check(name('serves connections from every process'), async ({ start, openMany }) => {
      const server = await start({ args });
      await untilAtRest(server);
      const own = childrenOf(server).map(socketsOfProcess);
      /** @type {import('../check.js').Connection[]} */
      const connections = [];
      const held = () => childrenOf(server).map((pid, i) => socketsOfProcess(pid) - own[i]);
      // Where they share one listener, who takes a connection is chance: with enough of them each has some.
      for (let i = 0; i < ROUNDS && held().some((each) => each === 0); i++) {
        connections.push(...(await openMany(server, many)));
        await Promise.all(connections.map((connection, at) => connection.exchange(protocol.transfer(at + 1))));
      }
      assert.equal(
        held().reduce((sum, each) => sum + each),
        connections.length,
        `held by each: ${held().join(', ')}`,
      );
      assert.ok(
        held().every((each) => each > 0),
        `held by each: ${held().join(', ')}`,
      );
    }),

    check(name('goes on when one is killed, says which, and ends with 1 when none is left'), async (context) => {
      const { start, openMany } = context;
      const server = await start({ args });
      await untilAtRest(server);
      const [first, ...others] = childrenOf(server);
      const own = socketsOfProcess(first);
      const connections = await openMany(server, many);
      await Promise.all(connections.map((connection) => connection.exchange()));
      const lost = socketsOfProcess(first) - own;
      for (const connection of connections) connection.listen();
      process.kill(first, 'SIGKILL');
      const ended = () => connections.filter((connection) => connection.ended).length;
      await until(
        () => ended() === lost,
        () => `the end of its ${lost} connections, not of ${ended()}`,
      );
      await until(() => new RegExp(`\\b${first}\\b.*\n`).test(server.stderr()), `it says that ${first} has ended`);
      const left = connections.filter((connection) => !connection.ended);
      assert.ok(left.length > 0);
      await Promise.all(left.map((connection) => connection.exchange()));
      destroy(connections);
      const later = await openMany(server, oneEach ? COUNT - 1 : 50);
      await Promise.all(later.map((connection) => connection.exchange()));
      for (const pid of others) process.kill(pid, 'SIGKILL');
      assert.deepEqual(await within(server.exited, 'its end'), { code: 1, signal: null });
      for (const pid of [first, ...others]) assert.match(server.stderr(), new RegExp(`\\b${pid}\\b`));
    }),

    check(name('ends with 0 when all were told to'), async ({ start }) => {
      const server = await start({ args });
      for (const pid of childrenOf(server)) process.kill(pid, 'SIGTERM');
      assert.deepEqual(await within(server.exited, 'its end'), { code: 0, signal: null });
    }),

    .../** @type {const} */ (['SIGTERM', 'SIGINT']).map((signal) =>
      check(
        name(`ends at ${signal} with 0 under load, one of them stopped, and starts again at once`),
        async (context) => {
          const { start, open, openMany } = context;
          const server = await start({ args });
          await keepBusy(await openMany(server, oneEach ? COUNT : 50));
          process.kill(childrenOf(server)[0], 'SIGSTOP');
          assert.deepEqual(await within(server.end(signal), 'its end', endMs()), { code: 0, signal: null });
          assert.deepEqual(server.pids.filter(lives), [], 'these outlive the first');
          assert.equal(server.stderr(), '');
          await (await open(await start({ args, port: server.port }))).exchange();
        },
      ),
    ),

    check(name('leaves nobody behind when the first is killed, and starts again at once'), async (context) => {
      const { start, open, openMany } = context;
      const server = await start({ args });
      const connections = await openMany(server, oneEach ? COUNT : 50);
      await Promise.all(connections.map((connection) => connection.exchange()));
      process.kill(server.pid, 'SIGKILL');
      await until(
        () => !server.pids.some(lives),
        () => `the end of ${server.pids.filter(lives).join(', ')}`,
      );
      await (await open(await start({ args, port: server.port }))).exchange();
    }),

    check(name('is not joined by a second server on its port'), async ({ start }) => {
      for (const [there, comes] of [
        [1, 2],
        [2, 1],
        [2, 2],
      ]) {
        const { port } = await start({ args: words('processes', there) });
        const ending = await endingOf(start, { args: words('processes', comes), port });
        refusedBy(ending, `of ${comes} processes, on the port of another server of ${there},`);
      }
    }),

    abruptCheck(about, { name: name('keeps nothing of 1,000 abrupt clients'), args }),
  ];
  // What a runtime needs for itself leaves no room in so few descriptors.
  return oneEach || !exact ? checks : [...checks, outOfDescriptors(about)];
}

/** @param {import('../check.js').About} about */
function outOfDescriptors({ manifest, words, measured }) {
  const surplus = manifest?.surplus;
  return check(
    `of 2 processes: out of descriptors in both: neither spins nor dies, and the surplus is: ${surplus}`,
    async ({ start, openMany }) => {
      const server = await start({ args: words('processes', 2), descriptors: DESCRIPTORS });
      await untilAtRest(server);
      const own = childrenOf(server).map(socketsOfProcess);
      const held = () => childrenOf(server).map((pid, i) => socketsOfProcess(pid) - own[i]);
      const connections = await openMany(server, DESCRIPTORS + 6); // more than one process could have
      await Promise.all(connections.map((connection) => connection.exchange()));
      const beyond = await openMany(server, 4 * DESCRIPTORS);
      if (surplus === 'closed') for (const connection of beyond) connection.listen();
      const ended = () => beyond.filter((connection) => connection.ended).length;
      const lines = () => server.stderr().trim().split('\n');
      await until(
        () => lines().length === 2,
        () => `each of them says so, not:\n${server.stderr()}`,
      );
      const room = 2 * DESCRIPTORS - connections.length;
      if (surplus === 'closed')
        await until(
          () => ended() >= beyond.length - room,
          () => `it is closed, not ${ended()}`,
        );
      else
        await until(
          () => held().every((each) => each > DESCRIPTORS - SPARE),
          () => `all are in use, not ${held()}`,
        );
      if (measured) await untilQuiet(server);
      await Promise.all(connections.map((connection) => connection.exchange()));
      destroy(connections);
      await Promise.all(
        beyond.map(async (connection) => {
          if (surplus === 'backlog') await connection.exchange();
          connection.destroy(); // makes room for one that waits
        }),
      );
      await until(
        () => held().every((each) => each === 0),
        () => `descriptors are free again, not ${held()}`,
      );
      const later = await openMany(server, 20);
      await Promise.all(later.map((connection) => connection.exchange()));
      assert.equal(lines().length, 2, server.stderr());
    },
  );
}
