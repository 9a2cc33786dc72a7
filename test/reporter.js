// Mocha's spec reporter, then why tests were skipped, then as the very last line `N passed, N failed, N skipped` from
// mocha's own counts. A run that executed no test, skipped one that it must not, needed too many second tries, or
// leaves a handle open has failed.

import Mocha from 'mocha';
import { MAY_BE_SKIPPED, selection, skips } from './hooks.js';

/** How long the process may take to end by itself after the last test. */
const GRACE_MS = 10_000;
/** A neighbour on the machine spoils one test or another; more than these are a defect. */
const SECOND_TRIES = 3;

export default class Reporter extends Mocha.reporters.Spec {
  /**
   * @param {Mocha.Runner} runner
   * @param {Mocha.MochaOptions} options
   */
  constructor(runner, options) {
    super(runner, options);
    /** @type {string[]} */
    this.complaints = [];
    /** @type {string[]} */
    this.secondTries = [];
    runner.on(Mocha.Runner.constants.EVENT_TEST_RETRY, (test, error) => {
      this.secondTries.push(`${test.fullTitle()}: ${error?.stack ?? error}`);
    });
    const { grep, invert = false } = /** @type {Mocha.MochaOptions & {invert?: boolean}} */ (options);
    if (grep instanceof RegExp) selection.has = (title) => grep.test(title) !== invert;
    if (process.env.BROADSIDE_CI) runner.on(Mocha.Runner.constants.EVENT_TEST_PENDING, (test) => this.#pending(test));
    process.on('exit', () => this.#close());
  }

  /** @param {Mocha.Test} test */
  #pending(test) {
    const title = test.fullTitle();
    if (![...MAY_BE_SKIPPED.keys()].some((pattern) => pattern.test(title))) {
      this.complaints.push(`skipped under BROADSIDE_CI without being on the list in test/hooks.js: ${title}`);
    }
  }

  /**
   * Called by mocha after the last test, with the way to its exit status.
   * @param {number} failures
   * @param {(failures: number) => void} [end]
   * @override
   */
  done(failures, end) {
    if (skips.length > 0) console.log('  skipped:');
    for (const { title, reason } of skips) console.log(`    ${title}: ${reason}`);
    if (this.secondTries.length > 0) console.log('  failed at first, and were tried once more:');
    for (const told of this.secondTries) console.log(`    ${told}`);
    if (this.secondTries.length > SECOND_TRIES) this.complaints.push(`more than ${SECOND_TRIES} second tries`);
    if (this.stats.passes + this.stats.failures === 0) this.complaints.push('no test was executed');
    for (const complaint of this.complaints) console.error(`  ${complaint}`);
    end?.(failures + this.complaints.length);
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      console.error(`  the tests are over but ${GRACE_MS / 1000} s later the process has not ended; open: ${open}`);
      this.complaints.push('a handle was left open');
      // Mocha's own exit listener sets the exit code to its count; this one comes after it.
      process.once('exit', () => void (process.exitCode = Math.max(1, Math.min(255, failures))));
      process.exit();
    }, GRACE_MS).unref();
  }

  #close() {
    const { passes = 0, failures = 0, pending = 0 } = this.stats;
    console.log(`\n${passes} passed, ${failures + this.complaints.length} failed, ${pending} skipped`);
  }
}
