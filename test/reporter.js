// Mocha's `spec`, with `N passed, N failed, N skipped` as the last line.

import Mocha from 'mocha';

export default class Reporter extends Mocha.reporters.Spec {
  /** @override */
  epilogue() {
    super.epilogue();
    const { passes = 0, failures = 0, pending = 0 } = this.stats;
    console.log(`${passes} passed, ${failures} failed, ${pending} skipped`);
  }
}
