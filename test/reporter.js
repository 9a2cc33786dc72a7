// Prints one line for each test that ran, then how many did not run and why, then as the last line `N passed, N failed,
// N skipped`. A run fails if it executed no test, skipped one that it must not, needed too many second tries, or leaves a
// handle open. Second tries are also appended to the file that BROADSIDE_SECOND_TRIES names: .ci/run prints it.

import { appendFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';
import { runAloneFirst } from './fixtures/side-by-side.js';
import { MAY_BE_SKIPPED, selection, skipReasons } from './hooks.js';
import { missingSetting } from './interface.js';

const { EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING, EVENT_TEST_RETRY, EVENT_RUN_END } =
  Mocha.Runner.constants;
const { color, symbols } = Mocha.reporters.Base;
const HERE = fileURLToPath(new URL('.', import.meta.url));
/** How long the process may take to end by itself after the last test. */
const GRACE_MS = 10_000;
/** A neighbour on the machine spoils one test or another; more second tries in a run are a defect. */
const MOST_SECOND_TRIES = 3;
/** The time of a longer test is shown. */
const SHOWN_MS = 100;

export default class Reporter extends Mocha.reporters.Base {
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
    /** @type {Map<string, Mocha.Test[]>} tests that did not run, by reason */
    this.skipped = new Map();
    /** @type {Mocha.Suite[]} the suites whose titles are printed above the next line */
    this.headings = [];
    /** Tests that are not in a tier of this run. */
    this.leftOut = 0;

    const { grep, invert = false } = /** @type {Mocha.MochaOptions & {invert?: boolean}} */ (options);
    const isSelected = (/** @type {Mocha.Test} */ test) =>
      !(grep instanceof RegExp) || grep.test(test.fullTitle()) !== invert;
    selection.has = (test) => isSelected(test) && missingSetting(test) === null;
    this.#leaveOut(runner.suite, isSelected);
    runAloneFirst(runner);

    runner.on(EVENT_TEST_PASS, (test) => this.#passed(test));
    runner.on(EVENT_TEST_FAIL, (test) => this.#print(test, color('fail', `${this.failures.length}) ${test.title}`)));
    runner.on(EVENT_TEST_RETRY, (test, error) => {
      this.#record(test.fullTitle(), error);
      this.#print(test, color('medium', `${test.title}: failed, gets a second try`));
    });
    runner.on(EVENT_TEST_PENDING, (test) => this.#pending(test));
    runner.once(EVENT_RUN_END, () => this.epilogue());
    process.on('exit', () => this.#close());
  }

  /**
   * Takes the tests whose setting is missing out of a suite, and counts them.
   * @param {Mocha.Suite} suite
   * @param {(test: Mocha.Test) => boolean} isSelected whether it would run with the setting
   */
  #leaveOut(suite, isSelected) {
    suite.tests = suite.tests.filter((test) => {
      const setting = missingSetting(test);
      if (setting === null) return true;
      if (isSelected(test)) {
        this.#count(`not in the default tier; ${setting}=1 includes them, as .ci/run does`, test);
        this.leftOut += 1;
      }
      return false;
    });
    for (const inner of suite.suites) this.#leaveOut(inner, isSelected);
  }

  /** @param {string} reason @param {Mocha.Test} test */
  #count(reason, test) {
    const tests = this.skipped.get(reason) ?? [];
    this.skipped.set(reason, tests);
    tests.push(test);
  }

  /** @param {string} title of a test that gets a second try @param {any} error of the first */
  #record(title, error) {
    this.secondTries.push(`${title}: ${error?.stack ?? error}`);
    const { BROADSIDE_SECOND_TRIES: file } = process.env;
    const reason = String(error?.message ?? error).replace(/\s+/g, ' ');
    if (file) appendFileSync(file, `${new Date().toISOString()}\t${title}\t${reason}\n`);
  }

  /** @param {Mocha.Test} test */
  #passed(test) {
    const { duration = 0 } = test;
    const time = duration > SHOWN_MS ? color(duration > test.slow() ? 'slow' : 'medium', ` (${duration} ms)`) : '';
    this.#print(test, `${color('checkmark', String(symbols.ok))} ${color('pass', test.title)}${time}`);
  }

  /** Prints a line below the titles of its suites, unless these are already printed. @param {Mocha.Test} test @param {string} line */
  #print(test, line) {
    /** @type {Mocha.Suite[]} */
    const suites = [];
    for (let suite = test.parent; suite && !suite.root; suite = suite.parent) suites.unshift(suite);
    suites.forEach((suite, depth) => {
      if (this.headings[depth] === suite) return;
      this.headings.length = depth;
      this.headings.push(suite);
      console.log(`${depth === 0 ? '\n' : ''}${'  '.repeat(depth + 1)}${color('suite', suite.title)}`);
    });
    this.headings.length = suites.length;
    console.log(`${'  '.repeat(suites.length + 1)}${line}`);
  }

  /** @param {Mocha.Test} test */
  #pending(test) {
    const title = test.fullTitle();
    if (process.env.BROADSIDE_CI && ![...MAY_BE_SKIPPED.keys()].some((pattern) => pattern.test(title))) {
      this.complaints.push(`skipped under BROADSIDE_CI without being on the list in test/hooks.js: ${title}`);
    }
    let reason = skipReasons.get(test);
    for (let suite = test.parent; suite && !reason; suite = suite.parent) reason = skipReasons.get(suite);
    this.#count(reason ?? 'without a reason', test);
  }

  #printSkipped() {
    if (this.skipped.size > 0) console.log('  skipped:');
    for (const [reason, tests] of this.skipped) {
      console.log(`    ${tests.length} ${tests.length === 1 ? 'test' : 'tests'}: ${reason}`);
      console.log(`      ${whichOf(tests)}`);
    }
  }

  /**
   * Called by mocha after the last test, with the way to its exit status.
   * @param {number} failures
   * @param {(failures: number) => void} [end]
   * @override
   */
  done(failures, end) {
    this.#printSkipped();
    const { length } = this.secondTries;
    if (length > 0) console.log('  failed, and got a second try:');
    for (const told of this.secondTries) console.log(`    ${told}`);
    if (length > MOST_SECOND_TRIES)
      this.complaints.push(`${length} second tries: at most ${MOST_SECOND_TRIES} in a run`);
    if (this.stats.passes + this.stats.failures === 0) this.complaints.push('no test was executed');
    for (const complaint of this.complaints) console.error(`  ${complaint}`);
    end?.(failures + this.complaints.length);
    // As in client/commands/program.js: the end of the event loop is the end of the process.
    process.once('beforeExit', () => process.exit());
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      console.error(`  the tests are over but ${GRACE_MS / 1000} s later the process has not ended; open: ${open}`);
      // a try that failed may have left it
      if (failures === 0 && length === 0) this.complaints.push('a handle was left open');
      // Mocha's own exit listener sets the exit code to its count; this one comes after it.
      process.once('exit', () => void (process.exitCode = Math.max(1, Math.min(255, failures))));
      process.exit();
    }, GRACE_MS).unref();
  }

  #close() {
    const { passes = 0, failures = 0, pending = 0 } = this.stats;
    const skipped = pending + this.leftOut;
    console.log(`\n${passes} passed, ${failures + this.complaints.length} failed, ${skipped} skipped`);
  }
}

/** @param {Mocha.Test[]} tests @returns {string} one by its title, few by their files, more by their folders */
function whichOf(tests) {
  if (tests.length === 1) return tests[0].fullTitle();
  const files = tests.map(({ file = '' }) => relative(HERE, file));
  const byFile = counted(files);
  return (byFile.length <= 3 ? byFile : counted(files.map((file) => file.split(sep)[0]))).join(', ');
}

/** @param {string[]} names @returns {string[]} each once, with its number */
function counted(names) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${name} ${count}`);
}
