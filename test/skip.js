// Skips of tests that cannot run on this machine. The reason is part of the title that the reporter shows; .ci/run
// forbids every skip.

import { findProgram } from '../servers/launcher/process/find-program.js';

/** @import { Context } from 'mocha' */

/**
 * Skips the test, or in a before hook all tests of its suite.
 * @param {Context} context
 * @param {string} reason what is missing, and where it comes from
 * @returns {never}
 */
export function skip(context, reason) {
  const runnable = /** @type {Mocha.Test | Mocha.Hook} */ (context.test);
  const explain = (/** @type {Mocha.Test} */ test) => void (test.title += ` (skipped: ${reason})`);
  if (runnable.type !== 'hook') explain(/** @type {Mocha.Test} */ (runnable));
  else if (runnable.title.startsWith('"before all"')) runnable.parent?.eachTest(explain);
  else if (context.currentTest) explain(context.currentTest);
  return context.skip();
}

/**
 * @param {Context} context
 * @param {string} program looked for on the PATH
 * @param {string} [from] the package that brings it
 * @returns {string} its path
 */
export function requireTool(context, program, from = program) {
  return findProgram(program) ?? skip(context, `${program} is not installed (apt-get install ${from})`);
}
