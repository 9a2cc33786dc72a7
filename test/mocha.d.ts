// Types of what test/interface.js adds to mocha's describe and it.

declare namespace Mocha {
  interface SuiteFunction {
    /** Defined only if BROADSIDE_SANITIZE is 1. */
    sanitized: (title: string, body: (this: Suite) => void) => Suite;
  }

  interface TestFunction {
    /** Defined only if BROADSIDE_SANITIZE is 1. */
    sanitized: (title: string, body: (this: Context) => unknown) => Test;
  }
}
