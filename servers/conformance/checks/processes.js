// Servers with several processes: every process serves, the end of a process is reported and does not affect the
// others, and none outlives the first. If each process serves one connection at a time (preforked), as many connections
// are served at once as there are processes.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { destroy } from '../connection.js';
import { keepBusy } from '../load.js';
import { isAlive, parentOf, socketsOfProcess, untilIdle } from '../tree.js';
import { endMs, until, within } from '../wait.js';
import { abruptCheck } from './clients.js';
import { assertDoesNotSpin } from './descriptors.js';
import { assertRejected, endingOf, rejects } from './options.js';

/**
 * @import { Check, Subject } from '../check.js'
 * @import { Connection } from '../connection.js'
 * @import { RunningServer } from '../start.js'
 */

const COUNT = 4;
const ROUNDS = 8;
/** Descriptors per process; fewer than SPARE are used by the process itself. */
const DESCRIPTORS = 64;
const SPARE = 14;

/** @param {RunningServer} server */
const childrenOf = ({ pids }) => pids.slice(1);

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function processChecks(subject) {
  const { exact, concurrency, words, has, protocol } = subject;
  if (!has('processes')) return [];
  const oneEach = Number.isFinite(concurrency);
  const many = oneEach ? COUNT : 200;
  const args = words('processes', COUNT);
  const name = (/** @type {string} */ text) => `${COUNT} processes: ${text}`;

  const checks = [
    check(
      'processes-ready-line',
      name('one ready line, with the port that the kernel has chosen'),
      async ({ start }) => {
        const { ready, pid, pids, port } = await start({ args, port: 0 });
        const { transport = 'tcp', ...fields } = ready ?? {}; // servers with SCTP name their transport
        assert.deepEqual([Object.keys(fields), transport], [['ready', 'protocol', 'host', 'port', 'pids'], 'tcp']);
        assert.ok(port > 0);
        assert.equal(new Set(pids).size, COUNT + 1, `pids: ${pids.join(', ')}`);
        assert.deepEqual(pids.slice(1).map(parentOf), Array(COUNT).fill(pid));
      },
    ),

    check('processes-invalid-count', name('invalid numbers are rejected'), async ({ start }) => {
      for (const invalid of ['0', '-1', '2x', '']) await rejects(start, { args: words('processes', invalid) });
    }),

    check('processes-all-serve', name('every process serves connections'), async ({ start, openMany }) => {
      const server = await start({ args });
      await untilIdle(server);
      const idleSockets = childrenOf(server).map(socketsOfProcess);
      /** @type {Connection[]} */
      const connections = [];
      const held = () => childrenOf(server).map((pid, i) => socketsOfProcess(pid) - idleSockets[i]);
      // with a shared listener the distribution is random; with enough connections every process has some
      for (let i = 0; i < ROUNDS && held().some((count) => count === 0); i++) {
        connections.push(...(await openMany(server, many)));
        await Promise.all(connections.map((connection, at) => connection.exchange(protocol.transfer(at + 1))));
      }
      assert.equal(
        held().reduce((sum, count) => sum + count),
        connections.length,
        `connections per process: ${held().join(', ')}`,
      );
      assert.ok(
        held().every((count) => count > 0),
        `connections per process: ${held().join(', ')}`,
      );
    }),

    check(
      'processes-one-killed',
      name('continue when one is killed, report its id, end with 1 after the last'),
      async (context) => {
        const { start, openMany } = context;
        const server = await start({ args });
        await untilIdle(server);
        const [first, ...remaining] = childrenOf(server);
        const idleSockets = socketsOfProcess(first);
        const connections = await openMany(server, many);
        await Promise.all(connections.map((connection) => connection.exchange()));
        const lost = socketsOfProcess(first) - idleSockets;
        for (const connection of connections) connection.listen();
        process.kill(first, 'SIGKILL');
        const ended = () => connections.filter((connection) => connection.ended).length;
        await until(
          () => ended() === lost,
          () => `the end of its ${lost} connections; ${ended()} have ended`,
        );
        await until(
          () => new RegExp(`\\b${first}\\b.*\n`).test(server.stderr()),
          `a message that process ${first} has ended`,
        );
        const open = connections.filter((connection) => !connection.ended);
        assert.ok(open.length > 0);
        await Promise.all(open.map((connection) => connection.exchange()));
        destroy(connections);
        const later = await openMany(server, oneEach ? COUNT - 1 : 50);
        await Promise.all(later.map((connection) => connection.exchange()));
        for (const pid of remaining) process.kill(pid, 'SIGKILL');
        assert.deepEqual(await within(server.exited, 'its end'), { code: 1, signal: null });
        for (const pid of [first, ...remaining]) assert.match(server.stderr(), new RegExp(`\\b${pid}\\b`));
      },
    ),

    check('processes-all-terminated', name('end with 0 when each gets SIGTERM'), async ({ start }) => {
      const server = await start({ args });
      for (const pid of childrenOf(server)) process.kill(pid, 'SIGTERM');
      assert.deepEqual(await within(server.exited, 'its end'), { code: 0, signal: null });
    }),

    .../** @type {const} */ (['SIGTERM', 'SIGINT']).map((signal) =>
      check(
        `processes-${signal.toLowerCase()}-load`,
        name(`end with 0 on ${signal} under load, one of them stopped, and can be restarted immediately`),
        async (context) => {
          const { start, open, openMany } = context;
          const server = await start({ args });
          await keepBusy(await openMany(server, oneEach ? COUNT : 50));
          process.kill(childrenOf(server)[0], 'SIGSTOP');
          assert.deepEqual(await within(server.end(signal), 'its end', endMs()), { code: 0, signal: null });
          assert.deepEqual(server.pids.filter(isAlive), [], 'processes that outlive the first');
          assert.equal(server.stderr(), '');
          await (await open(await start({ args, port: server.port }))).exchange();
        },
      ),
    ),

    check(
      'processes-first-killed',
      name('none remains when the first is killed; can be restarted immediately'),
      async (context) => {
        const { start, open, openMany } = context;
        const server = await start({ args });
        const connections = await openMany(server, oneEach ? COUNT : 50);
        await Promise.all(connections.map((connection) => connection.exchange()));
        process.kill(server.pid, 'SIGKILL');
        await until(
          () => !server.pids.some(isAlive),
          () => `the end of ${server.pids.filter(isAlive).join(', ')}`,
        );
        await (await open(await start({ args, port: server.port }))).exchange();
      },
    ),

    check('processes-second-server', name('a second server on the port is rejected'), async ({ start }) => {
      for (const [running, added] of [
        [1, 2],
        [2, 1],
        [2, 2],
      ]) {
        const { port } = await start({ args: words('processes', running) });
        const ending = await endingOf(start, { args: words('processes', added), port });
        assertRejected(ending, `with ${added} processes, on the port of a server with ${running},`);
      }
    }),

    abruptCheck(subject, {
      id: 'processes-abrupt-clients',
      name: name('everything is released after 1,000 abrupt clients'),
      args,
    }),
  ];
  // a language runtime needs too many descriptors itself
  return oneEach || !exact ? checks : [...checks, outOfDescriptors(subject)];
}

/** @param {Subject} subject */
function outOfDescriptors({ manifest, words, measured }) {
  const surplus = manifest?.surplus;
  return check(
    'processes-descriptor-limit',
    `2 processes out of descriptors: do not spin or exit; further connections ${surplus === 'closed' ? 'are closed' : 'wait in the accept queue'}`,
    async ({ start, openMany }) => {
      const server = await start({ args: words('processes', 2), descriptors: DESCRIPTORS });
      await untilIdle(server);
      const idleSockets = childrenOf(server).map(socketsOfProcess);
      const held = () => childrenOf(server).map((pid, i) => socketsOfProcess(pid) - idleSockets[i]);
      const connections = await openMany(server, DESCRIPTORS + 6); // more than a single process could serve
      await Promise.all(connections.map((connection) => connection.exchange()));
      const beyond = await openMany(server, 4 * DESCRIPTORS);
      if (surplus === 'closed') for (const connection of beyond) connection.listen();
      const ended = () => beyond.filter((connection) => connection.ended).length;
      const lines = () => server.stderr().trim().split('\n');
      await until(
        () => lines().length === 2,
        () => `a message from each process; stderr:\n${server.stderr()}`,
      );
      const room = 2 * DESCRIPTORS - connections.length;
      if (surplus === 'closed')
        await until(
          () => ended() >= beyond.length - room,
          () => `further connections to be closed; ${ended()} connections are`,
        );
      else
        await until(
          () => held().every((count) => count > DESCRIPTORS - SPARE),
          () => `all descriptors to be in use; sockets per process: ${held()}`,
        );
      if (measured) await assertDoesNotSpin(server);
      await Promise.all(connections.map((connection) => connection.exchange()));
      destroy(connections);
      await Promise.all(
        beyond.map(async (connection) => {
          if (surplus === 'backlog') await connection.exchange();
          connection.destroy(); // frees a descriptor for a connection that waits
        }),
      );
      await until(
        () => held().every((count) => count === 0),
        () => `descriptors to be free again; sockets per process: ${held()}`,
      );
      const later = await openMany(server, 20);
      await Promise.all(later.map((connection) => connection.exchange()));
      assert.equal(lines().length, 2, server.stderr());
    },
  );
}
