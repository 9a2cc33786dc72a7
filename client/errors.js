// The errors a user meets. The class decides the exit code; `code` and `data` are for programs, the message is for
// people: what, where, the value, and what to do. They are printed without a stack.
// An error has a code like those of the system (ELIMIT); each thing it lists in `data` (a
// mistake, a limit) is a row with a code of its own, in kebab-case.

/** @typedef {Record<string, any>} Data  of an error, a mistake, a finding, a limit: its code says what it holds */

/** Base of all errors that are answered by one message and an exit code. */
export class BroadsideError extends Error {
  /**
   * @param {string} message
   * @param {{code?: string, data?: Data, exitCode?: number, cause?: unknown}} [options]
   */
  constructor(message, { code = 'EBROADSIDE', data = {}, exitCode = 1, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.data = data;
    this.exitCode = exitCode;
  }
}

/** The command line or the scenario is wrong; nothing was started. */
export class UsageError extends BroadsideError {
  /**
   * @param {string} message
   * @param {{code?: string, data?: Data, cause?: unknown}} [options]
   */
  constructor(message, { code = 'EUSAGE', data, cause } = {}) {
    super(message, { code, data, exitCode: 2, cause });
  }
}

/** The machine cannot run the request: a limit, a missing tool, a full disk. */
export class EnvironmentError extends BroadsideError {
  /**
   * @param {string} message
   * @param {{code?: string, data?: Data, cause?: unknown}} [options]
   */
  constructor(message, { code = 'EENVIRONMENT', data, cause } = {}) {
    super(message, { code, data, exitCode: 3, cause });
  }
}

/** A run, or a leg of it, is missing or incomplete. */
export class RunError extends BroadsideError {
  /**
   * @param {string} message
   * @param {{code?: string, data?: Data, cause?: unknown}} [options]
   */
  constructor(message, { code = 'ERUN', data, cause } = {}) {
    super(message, { code, data, exitCode: 1, cause });
  }
}
