// `stress --live [port]`: the report so far, in a browser, while the run is in progress.
// Without the option nothing of it is loaded.

import { once } from 'node:events';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { print } from '../console/print.js';
import { EnvironmentError } from '../errors.js';

/** @import { RunDisplay } from '../console/run-display.js' */

/** After the end of a run, for the thread to send the last state of the page. */
const CLOSE_MS = 10_000;

/**
 * The live page of a run, which a thread makes and serves: what measures loses no time by it. Whatever fails there ends
 * the page, never the run.
 */
class Live {
  /** @param {Worker} thread @param {RunDisplay} display */
  constructor(thread, display) {
    this.thread = thread;
    /** @type {Promise<void>} */
    this.ended = new Promise((exited) => void thread.once('exit', () => exited()));
    thread.on('error', (error) =>
      display.runWarning(`the live page has ended, the run continues: ${error.stack ?? error.message}`),
    );
    thread.on('message', () => void thread.terminate()); // it has closed
  }

  /** @param {string} folder of the run */
  follow(folder) {
    this.thread.postMessage({ folder: resolve(folder) });
  }

  /**
   * @param {string | null} page the file of the report; null: there is none
   * @returns {Promise<void>} when the readers have what they may have
   */
  async close(page) {
    this.thread.postMessage({ end: { page: page && resolve(page) } });
    const patience = setTimeout(() => void this.thread.terminate(), CLOSE_MS);
    await this.ended;
    clearTimeout(patience);
  }
}

/**
 * Serves the live page, and says where.
 * @param {number} port @param {RunDisplay} display of the run
 * @returns {Promise<Live>}
 * @throws {EnvironmentError} the port cannot be had
 */
export async function openLive(port, display) {
  const thread = new Worker(new URL('./live-thread.js', import.meta.url), { workerData: { port } });
  const [{ url, failure }] = await once(thread, 'message');
  if (failure) {
    await thread.terminate();
    throw new EnvironmentError(failure.message, failure);
  }
  display.screen.page = url;
  // the output of these is read by programs
  print(`live    ${url}`, display.only === null ? process.stdout : process.stderr);
  return new Live(thread, display);
}
