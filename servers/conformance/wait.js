// Waiting for conditions and with deadlines. The one thing to know: a deadline is far beyond what is needed; reaching
// it is a failure, not a slow machine.

import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';

let patience = 10_000;
/** In a run a server has 2 seconds to end; this allows for a busy machine. */
const END_MS = 6000;
const FIRST_LOOK_MS = 1;
const LONGEST_LOOK_MS = 10;

/** @param {number} ms how long is waited where nothing else is said, from now on and by everybody in this process */
export function setPatience(ms) {
  patience = ms;
}

/** @returns {number} ms that a server may take to end */
export const endMs = () => Math.min(END_MS, patience);

/**
 * @param {() => unknown} condition
 * @param {string | (() => string)} what is waited for
 * @param {number} [patienceMs]
 */
export async function until(condition, what, patienceMs = patience) {
  const end = Date.now() + patienceMs;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
    if (await condition()) return;
    if (Date.now() >= end) assert.fail(`not within ${patienceMs} ms: ${typeof what === 'string' ? what : what()}`);
    await wait(pauseMs);
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {string | (() => string)} what
 * @param {number} [patienceMs]
 * @returns {Promise<T>}
 */
export async function within(promise, what, patienceMs = patience) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new assert.AssertionError({
          message: `not within ${patienceMs} ms: ${typeof what === 'string' ? what : what()}`,
        }),
      );
    }, patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls `each` for every item, at most `places` at the same time.
 * @template T
 * @param {T[]} items
 * @param {number} places
 * @param {(item: T, index: number) => Promise<unknown>} each
 */
export async function inTurns(items, places, each) {
  let next = 0;
  const serve = async () => {
    while (next < items.length) {
      const index = next++;
      await each(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(places, items.length) }, serve));
}
