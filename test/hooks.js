// Loaded before every test: how a test says that it cannot run here. On a user's machine that is a skip with its
// reason, printed at the end; under BROADSIDE_CI (set by .ci/run) it is a failure, but for the short list below. And
// which tests get a second try.

import { findProgram } from '../servers/launcher/process/find-program.js';

/** The full titles of tests that may be skipped in .ci/run too, each with the reason why it has to be. */
export const MAY_BE_SKIPPED = new Map(
  /** @type {[RegExp, string][]} */ ([
    [/^every server java-virtual /, 'virtual threads need Java 21, and Debian 12 has Java 17'],
  ]),
);

/** @type {{title: string, reason: string}[]} what was skipped, for the reporter */
export const skips = [];

/** Whether a test will run, by its full title: not all do under --grep. The reporter knows. */
export const selection = { has: (/** @type {string} */ _title) => true };

/** Suites that run real processes against real time, on a machine that others may share. */
const LIVE = /\/test\/(contract|e2e|integration)\//;

/** A live test that fails is tried once more; the reporter lists it, and lets only a few of them pass. */
export const mochaHooks = {
  /** @this {Context} */
  beforeEach() {
    const test = this.currentTest;
    if (test && LIVE.test(test.file ?? '')) test.retries(1);
  },
};

/** @typedef {import('mocha').Context} Context `this` of a test or a hook */

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
  skips.push({ title, reason });
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

/**
 * For the suites that .ci/run switches on: BROADSIDE_SLOW, BROADSIDE_SANITIZE.
 * @param {Context} context
 * @param {string} name of the environment variable that must not be empty
 */
export function requireSetting(context, name) {
  if (!process.env[name]) skip(context, `${name}=1 switches it on`);
}
