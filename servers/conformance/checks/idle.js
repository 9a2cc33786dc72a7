// --idle-timeout: who says nothing for so long is closed, who talks is not, nor who waits for work to be done.

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { check } from '../check.js';
import { until } from '../wait.js';

const IDLE_MS = 200;
const TALKS_MS = 3 * IDLE_MS;
const PAUSE_MS = 40;
const GRAIN_MS = 1;

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function idleChecks({ protocol, places, has, words }) {
  if (!has('idleTimeout')) return [];
  const args = words('idleTimeout', `${IDLE_MS}ms`);
  const several = places > 2;
  return [
    check('closes who idles for --idle-timeout, and nobody who talks', async ({ start, open }) => {
      const server = await start({ args });
      let talks = await open(server);
      let spoke = performance.now();
      const idles = async () => {
        const started = performance.now();
        const silent = await open(server);
        const once = await open(server);
        const spoke = performance.now();
        await once.exchange();
        for (const [connection, since] of /** @type {const} */ ([
          [silent, started],
          [once, spoke],
        ])) {
          connection.listen();
          await until(() => connection.ended, 'the end of the one that idles');
          const after = performance.now() - since;
          assert.ok(after >= IDLE_MS - GRAIN_MS, `it was closed after ${after.toFixed(0)} ms`);
        }
      };
      const idling = several ? idles() : null;
      for (let end = spoke + TALKS_MS; performance.now() < end; await wait(PAUSE_MS)) {
        if (performance.now() - spoke > IDLE_MS / 2) {
          // on a busy machine we have idled ourselves: from the beginning
          talks.reset();
          talks = await open(server);
          end = performance.now() + TALKS_MS;
        }
        spoke = performance.now();
        await talks.exchange();
      }
      talks.reset();
      await (idling ?? idles());
    }),

    ...(has('work')
      ? [
          check('does not take for idle who waits for his reply', async ({ start, open }) => {
            const server = await start({ args: [...args, ...words('work', `${2 * IDLE_MS}ms`)] });
            await (await open(server)).exchange(protocol.transfer());
          }),
        ]
      : []),
  ];
}
