// What test/interface.js adds to mocha's describe and it.

declare namespace Mocha {
  interface SuiteFunction {
    /** Runs only with BROADSIDE_SANITIZE. */
    sanitized: (title: string, body: (this: Suite) => void) => Suite;
  }

  interface TestFunction {
    /** Runs only with BROADSIDE_SANITIZE. */
    sanitized: (title: string, body: (this: Context) => unknown) => Test;
  }
}
