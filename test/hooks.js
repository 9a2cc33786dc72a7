// Loaded before every test: skips tests that cannot run here, and decides which tests are retried. A skip is counted by
// its reason at the end; under BROADSIDE_CI (set by .ci/run) it is a failure, except for the short list below.

import { findProgram } from '../servers/launcher/process/find-program.js';
import { beginJobs, hold, idle, release } from './fixtures/job-pool.js';
import { quietMachine } from './fixtures/quiet-machine.js';

/** The full titles of tests that may be skipped in .ci/run too, each with the reason why it has to be. */
export const MAY_BE_SKIPPED = new Map(
  /** @type {[RegExp, string][]} */ ([
    [/^an original that no package carries /, 'an environment variable names it: test/fixtures/originals.js'],
    [/^every server(, timed)? java-virtual /, 'virtual threads need Java 21, and Debian 12 has Java 17'],
  ]),
);

/** @type {WeakMap<Mocha.Test | Mocha.Suite, string>} why a test, or all of a suite, was skipped; for the reporter */
export const skipReasons = new WeakMap();

/** Whether a test will run: not all do under --grep, or without the settings of their tiers. The reporter knows. */
export const selection = { has: (/** @type {Mocha.Test} */ _test) => true };

/** Suites with real processes, sockets, timers or a browser, on a machine that others may share. */
const LIVE = /\/test\/(contract|e2e|integration|native|report)\//;

export const mochaHooks = {
  beforeAll: beginJobs,
  /**
   * A live test that fails gets a second try: alone, and in .ci/run once the machine is quiet. The reporter records it.
   * @this {Context}
   */
  async beforeEach() {
    const test = this.currentTest;
    if (!test || !LIVE.test(test.file ?? '')) return;
    test.retries(1);
    if (isRetry(test)) {
      this.timeout(300_000);
      await hold();
      if (process.env.BROADSIDE_CI) await quietMachine();
    }
  },
  /** @this {Context} */
  afterEach() {
    if (this.currentTest && isRetry(this.currentTest)) release();
  },
  /** @this {Context} */
  async afterAll() {
    this.timeout(300_000);
    await idle();
  },
};

/** @typedef {import('mocha').Context} Context `this` of a test or a hook */

/** @param {Mocha.Test} test */
function isRetry(test) {
  return /** @type {any} */ (test).currentRetry() > 0; // absent from mocha's types
}

/**
 * Skips the test, or in a before hook all of its suite.
 * @param {Context} context
 * @param {string} reason what is missing, and where it comes from
 * @returns {never}
 */
export function skip(context, reason) {
  const title = context.currentTest?.fullTitle() ?? context.test?.fullTitle() ?? '';
  if (process.env.BROADSIDE_CI && ![...MAY_BE_SKIPPED.keys()].some((pattern) => pattern.test(title))) {
    throw new Error(`not to be skipped under BROADSIDE_CI: ${reason}`);
  }
  const runnable = /** @type {Mocha.Test | Mocha.Hook} */ (context.test);
  const beforeAll = runnable.type === 'hook' && runnable.title.startsWith('"before all"');
  const skipped = beforeAll ? runnable.parent : runnable.type === 'hook' ? context.currentTest : runnable;
  skipReasons.set(/** @type {Mocha.Test | Mocha.Suite} */ (skipped), reason);
  return context.skip();
}

/**
 * @param {Context} context
 * @param {string} program looked for on the PATH
 * @param {string} [from] the package that brings it
 * @returns {string} where it is
 */
export function requireTool(context, program, from = program) {
  return findProgram(program) ?? skip(context, `${program} is not installed (apt-get install ${from})`);
}
