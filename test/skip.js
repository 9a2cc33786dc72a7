// Skips tests that cannot run on this machine, and adds the reason to their title in the output. .ci/run allows no
// skips.

import { findProgram } from '../servers/launcher/process/find-program.js';

/** @import { Context } from 'mocha' */

/**
 * Skips a test; called in a before hook, all tests of its suite.
 * @param {Context} context
 * @param {string} reason what is missing, and how to get it
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
 * @param {string} program to find on the PATH
 * @param {string} [from] name of its Debian package
 * @returns {string} path of the program
 */
export function requireTool(context, program, from = program) {
  return findProgram(program) ?? skip(context, `${program} is not installed (apt-get install ${from})`);
}
