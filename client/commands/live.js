// `stress --live [port]`: the report so far, in a browser, while the run is in progress.
// Without the option nothing of it is loaded.

import { once } from 'node:events';
import { resolve } from 'node:path';
import { print } from '../console/print.js';
import { EnvironmentError } from '../errors.js';
import { startHelper, tell } from '../helper-process.js';

/**
 * @import { ChildProcess } from 'node:child_process'
 * @import { RunDisplay } from '../console/run-display.js'
 * @import { HelperFailure } from '../helper-process.js'
 */

/** After the end of a run, for the helper to send the last state of the page. */
const CLOSE_MS = 10_000;

/**
 * The live page of a run, which a helper process makes and serves: what measures loses no time by it. Whatever fails
 * there ends the page, never the run.
 */
class Live {
  /** @param {ChildProcess} helper @param {RunDisplay} display */
  constructor(helper, display) {
    this.helper = helper;
    let isExpected = false;
    const end = () => {
      isExpected = true;
      helper.kill('SIGKILL');
    };
    this.end = end;
    /** @param {string} reason */
    const fail = (reason) => {
      if (!isExpected) display.runWarning(`the live page has ended, the run continues: ${reason}`);
      end();
    };
    /** @type {Promise<void>} */
    this.ended = new Promise((exited) => {
      helper.once('exit', (code, signal) => {
        fail(`its process ended (${signal ?? `exit code ${code}`})`);
        exited();
      });
    });
    helper.on('message', (/** @type {{ hasClosed: true } | HelperFailure} */ message) => {
      if ('failure' in message) fail(message.failure.message);
      else end();
    });
  }

  /** @param {string} folder of the run */
  follow(folder) {
    tell(this.helper, { folder: resolve(folder) });
  }

  /**
   * @param {string | null} page the file of the report; null: there is none
   * @returns {Promise<void>} when the readers have what they may have
   */
  async close(page) {
    tell(this.helper, { end: { page: page && resolve(page) } });
    const patience = setTimeout(this.end, CLOSE_MS);
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
  const helper = startHelper(new URL('./live-helper.js', import.meta.url), { port });
  const exited = once(helper, 'exit').then(() => [{ failure: { message: 'the process of the live page has ended' } }]);
  const [{ url, failure }] = await Promise.race([once(helper, 'message'), exited]);
  if (failure) {
    helper.kill('SIGKILL');
    throw new EnvironmentError(failure.message, failure);
  }
  display.screen.page = url;
  // the output of these is read by programs
  print(`live    ${url}`, display.only === null ? process.stdout : process.stderr);
  return new Live(helper, display);
}
