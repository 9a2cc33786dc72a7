// The errors that a user meets, printed without a stack. The class decides the exit code; `code` and `data` are for
// programs; the message tells people what happened, where, the value, and what to do. An error's code looks like a
// system error's (ELIMIT). Each row that it lists in `data` (a mistake, a limit) has its own code, in kebab-case.

/** @typedef {Record<string, any>} Data  details of an error, mistake, finding or limit; its code decides the fields */

/** Base class of the errors that end a command with one message and an exit code. */
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

/** A run or one of its legs is missing or incomplete. */
export class RunError extends BroadsideError {
  /**
   * @param {string} message
   * @param {{code?: string, data?: Data, cause?: unknown}} [options]
   */
  constructor(message, { code = 'ERUN', data, cause } = {}) {
    super(message, { code, data, exitCode: 1, cause });
  }
}
