// Waits for conditions and promises. Deadlines are much longer than needed, so a missed deadline is a failure, not a
// sign of a slow machine.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';

const PATIENCE_MS = 10_000;
/** The default deadline of code that withPatience() runs. @type {AsyncLocalStorage<number>} */
const patience = new AsyncLocalStorage();
/** In a run a server has 2 seconds to end; this allows for a busy machine. */
const END_MS = 6000;
const FIRST_LOOK_MS = 1;
const MAX_LOOK_MS = 10;

/**
 * @template T
 * @param {number} ms the default deadline of everything that `body` does
 * @param {() => T} body
 * @returns {T}
 */
export const withPatience = (ms, body) => patience.run(ms, body);

const defaultMs = () => patience.getStore() ?? PATIENCE_MS;

/** @returns {number} ms that a server may take to end */
export const endMs = () => Math.min(END_MS, defaultMs());

/** A deadline was reached. */
export class TimeoutError extends assert.AssertionError {
  /** @param {string} what @param {number} ms */
  constructor(what, ms) {
    super({ message: `timed out after ${ms} ms waiting for ${what}` });
    this.timeoutMs = ms;
  }
}

/**
 * @param {() => unknown} condition
 * @param {string | (() => string)} what names the condition in the error
 * @param {number} [patienceMs]
 */
export async function until(condition, what, patienceMs = defaultMs()) {
  const end = Date.now() + patienceMs;
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_LOOK_MS)) {
    if (await condition()) return;
    if (Date.now() >= end) throw new TimeoutError(typeof what === 'string' ? what : what(), patienceMs);
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
export async function within(promise, what, patienceMs = defaultMs()) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(new TimeoutError(typeof what === 'string' ? what : what(), patienceMs));
    }, patienceMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Calls `act` for every item, at most `limit` at the same time.
 * @template T
 * @param {T[]} items
 * @param {number} limit
 * @param {(item: T, index: number) => Promise<unknown>} act
 */
export async function forEachLimited(items, limit, act) {
  let next = 0;
  const serve = async () => {
    while (next < items.length) {
      const index = next++;
      await act(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, serve));
}
