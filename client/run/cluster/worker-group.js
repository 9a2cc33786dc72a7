// The workers of a leg as a group: starts them, sends messages to all, and tells their common state.
import { setTimeout as wait } from 'node:timers/promises';
import { sharesOf } from './assignment.js';

/**
 * @import { Leg } from './assignment.js'
 * @import { ToWorker } from './messages.js'
 * @import { Events, WorkerHandle, WorkerSource } from './worker-handle.js'
 */

export class WorkerGroup {
  /**
   * @param {WorkerSource} source
   * @param {Leg} leg
   * @param {Events} events
   */
  constructor(source, leg, events) {
    const { workers } = leg;
    const engines = sharesOf(leg) / workers;
    this.isWrapped = leg.wrap?.client !== undefined;
    this.all = Array.from({ length: workers }, (_, index) => {
      const shares = Array.from({ length: engines }, (__, engine) => index + engine * workers);
      return source.make(index, events, shares);
    });
  }

  /** Starts the processes. */
  fork() {
    for (const worker of this.all) worker.fork();
  }

  /** @returns {WorkerHandle[]} workers that still take part in the leg */
  get present() {
    return this.all.filter(({ hasLeft }) => !hasLeft);
  }

  /** @returns {number[]} */
  get notReady() {
    return this.all.filter(({ state }) => state !== 'ready').map(({ index }) => index);
  }

  /** Whether the workers can start: at least one is ready, and none can still become ready. */
  get canStart() {
    return this.present.length > 0 && this.present.every(({ state }) => state === 'ready');
  }

  /** @param {bigint} startNs */
  start(startNs) {
    for (const worker of this.present) worker.start(startNs);
  }

  /** @param {ToWorker} message */
  send(message) {
    for (const worker of this.all) worker.send(message);
  }

  /**
   * Waits for the wrappers of workers, which may write their results when the worker has ended.
   * @param {number} ms to wait at most
   * @returns {Promise<{ worker: number, stderr: string }[]>} the output of each wrapper that wrote any
   */
  async wrappersEnd(ms) {
    if (!this.isWrapped) return [];
    const deadline = new AbortController();
    const ended = Promise.all(this.all.map((worker) => worker.ended));
    await Promise.race([ended, wait(ms, undefined, { signal: deadline.signal }).catch(() => {})]);
    deadline.abort();
    return this.all.flatMap(({ index, stderr }) => (stderr.trim() === '' ? [] : [{ worker: index, stderr }]));
  }
}
