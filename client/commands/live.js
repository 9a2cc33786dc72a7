// `stress --live [port]`: the report so far, in a browser, while the run is in progress.
// Without the option nothing of it is loaded.

import { once } from 'node:events';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { print } from '../console/print.js';
import { EnvironmentError } from '../errors.js';
import { numberOf, refusedOption } from './option-values.js';

/**
 * @import { Options } from 'yargs'
 * @import { RunDisplay } from '../console/run-display.js'
 * @import { UsageError } from '../errors.js'
 */

/** @type {Record<string, Options>} */
export const liveOptions = {
  live: {
    type: 'string',
    description: 'Show the report during the run, at a URL on 127.0.0.1; a port may follow (default: a free one)',
    group: 'Output:',
  },
};

const LAST_PORT = 65_535;
/** After the end of a run, for the thread to send the last state of the page. */
const CLOSE_MS = 10_000;

/**
 * @param {any} argv of stress
 * @returns {number | null} 0: a free port; null: the option was not given
 * @throws {UsageError}
 */
export function livePortOf(argv) {
  if (argv.live === undefined) return null;
  const port = argv.live === '' ? 0 : /** @type {number} */ (numberOf('live', argv.live, { range: [0, LAST_PORT] }));
  if (argv['dry-run']) {
    throw refusedOption('live', argv.live, 'nothing runs with --dry-run; leave one of the two out');
  }
  return port;
}

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
  // the output of these is read by programs
  print(`live    ${url}`, display.only === null ? process.stdout : process.stderr);
  return new Live(thread, display);
}
