// The errors a user meets. The class decides the exit code; `code` is for programs, the message is for people:
// what, where, the value, and what to do. They are printed without a stack.

/** Base of all errors that are answered by one message and an exit code. */
export class BroadsideError extends Error {
  /**
   * @param {string} message
   * @param {{code?: string, exitCode?: number, cause?: unknown}} [options]
   */
  constructor(message, { code = 'EBROADSIDE', exitCode = 1, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.exitCode = exitCode;
  }
}

/** The command line or the scenario is wrong; nothing was started. */
export class UsageError extends BroadsideError {
  /**
   * @param {string} message
   * @param {{code?: string, cause?: unknown}} [options]
   */
  constructor(message, { code = 'EUSAGE', cause } = {}) {
    super(message, { code, exitCode: 2, cause });
  }
}

/** The machine cannot do what was asked: a limit, a missing tool, a full disk. */
export class EnvironmentError extends BroadsideError {
  /**
   * @param {string} message
   * @param {{code?: string, cause?: unknown}} [options]
   */
  constructor(message, { code = 'EENVIRONMENT', cause } = {}) {
    super(message, { code, exitCode: 3, cause });
  }
}

/** A run, or a leg of it, is missing or incomplete. */
export class RunError extends BroadsideError {
  /**
   * @param {string} message
   * @param {{code?: string, cause?: unknown}} [options]
   */
  constructor(message, { code = 'ERUN', cause } = {}) {
    super(message, { code, exitCode: 1, cause });
  }
}
