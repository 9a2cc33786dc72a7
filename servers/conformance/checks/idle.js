// --idle-timeout closes idle connections, but not active connections or those that wait for a reply.

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { check } from '../check.js';
import { until } from '../wait.js';

/** @import { Check, Subject } from '../check.js' */

const IDLE_MS = 200;
const TALKS_MS = 3 * IDLE_MS;
const PAUSE_MS = 40;
const GRAIN_MS = 1;
const TRIES = 5;

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function idleChecks({ protocol, concurrency, has, words }) {
  if (!has('idleTimeout')) return [];
  const args = words('idleTimeout', `${IDLE_MS}ms`);
  const servesSeveral = concurrency > 2;
  return [
    check('idle-timeout', 'closes connections idle for --idle-timeout, and no active ones', async ({ start, open }) => {
      const server = await start({ args });
      let active = await open(server);
      let spoke = performance.now();
      const checkIdle = async () => {
        const started = performance.now();
        const silent = await open(server);
        const usedOnce = await open(server);
        const usedMs = performance.now();
        await usedOnce.exchange();
        for (const [connection, since] of /** @type {const} */ ([
          [silent, started],
          [usedOnce, usedMs],
        ])) {
          connection.listen();
          await until(() => connection.ended, 'the end of the idle connection');
          const after = performance.now() - since;
          assert.ok(after >= IDLE_MS - GRAIN_MS, `it was closed after ${after.toFixed(0)} ms, too early`);
        }
      };
      const idleChecked = servesSeveral ? checkIdle() : null;
      for (let end = spoke + TALKS_MS; performance.now() < end; await wait(PAUSE_MS)) {
        if (performance.now() - spoke > IDLE_MS / 2) {
          // on a busy machine this side was idle for too long: start over
          active.reset();
          active = await open(server);
          end = performance.now() + TALKS_MS;
        }
        spoke = performance.now();
        await active.exchange();
      }
      active.reset();
      await (idleChecked ?? checkIdle());
    }),

    ...(has('work')
      ? [
          check('idle-timeout-work', 'does not count waiting for a reply as idle', async ({ start, open }) => {
            const server = await start({ args: [...args, ...words('work', `${2 * IDLE_MS}ms`)] });
            // on a busy machine the request may reach the server after it was idle for too long: try again
            for (let remaining = TRIES; ; remaining--) {
              const connection = await open(server);
              try {
                return await connection.exchange(protocol.transfer());
              } catch (error) {
                if (remaining === 1 || !connection.ended) throw error;
              }
            }
          }),
        ]
      : []),
  ];
}
