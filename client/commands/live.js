// `stress --live [port]`: shows the report in a browser during the run. Loaded only with the option.

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

/** Time limit for the helper to send the final page after the end of a run. */
const CLOSE_MS = 10_000;

/**
 * The live page of a run, made and served by a helper process so that measuring loses no time. A failure there ends the
 * page, never the run.
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
   * @returns {Promise<void>} resolves when the readers have the final page, at the latest after CLOSE_MS
   */
  async close(page) {
    tell(this.helper, { end: { page: page && resolve(page) } });
    const timer = setTimeout(this.end, CLOSE_MS);
    await this.ended;
    clearTimeout(timer);
  }
}

/**
 * Serves the live page and prints its URL.
 * @param {number} port @param {RunDisplay} display of the run
 * @returns {Promise<Live>}
 * @throws {EnvironmentError} when the port is not available
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
  // programs read stdout if only a part of the output is printed
  print(`live    ${url}`, display.only === null ? process.stdout : process.stderr);
  return new Live(helper, display);
}
