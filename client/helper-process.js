// A module of this program that runs in a process of its own, beside the process that measures. A worker thread would
// be lighter, but V8 may abort the whole process, or hang, when a thread ends while its code is being compiled
// (nodejs/node issue 54918).

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @import { ChildProcess } from 'node:child_process' */

/**
 * @typedef {{ failure: { message: string, code?: string, data?: object } }} HelperFailure  what the module threw
 */

/**
 * Starts a helper: a module that calls `serveTask`. It ends when it is killed, or with this process. Its messages are
 * what it sends, or a HelperFailure; `error` is emitted where no process can be started.
 * @param {URL} module @param {object} task structured-cloneable
 * @returns {ChildProcess}
 */
export function startHelper(module, task) {
  const helper = fork(fileURLToPath(module), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  tell(helper, task);
  return helper;
}

/**
 * @param {ChildProcess | NodeJS.Process} process of a helper, or this process in a helper @param {object} message
 */
export function tell(process, message) {
  process.send?.(message, undefined, undefined, () => {}); // where it has ended, `exit` says so
}

/**
 * In a helper: receives its task, and stays until it is killed or the process that started it has ended.
 * @template T
 * @param {(task: T) => Promise<void>} begin
 */
export function serveTask(begin) {
  endWithParent();
  process.on('uncaughtException', (/** @type {NodeJS.ErrnoException & { data?: object }} */ { message, code, data }) =>
    tell(process, { failure: { message, code, data } }),
  );
  process.once('message', begin);
}

/** This process ignores the signals of the terminal, and ends when the process that forked it has ended. */
export function endWithParent() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(0));
}
