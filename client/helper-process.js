// Runs a module of this program in a child process, beside the process that measures. A worker thread would be
// lighter, but V8 may abort the whole process, or hang, when a thread ends while its code is being compiled
// (nodejs/node issue 54918).

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** @import { ChildProcess } from 'node:child_process' */

/**
 * @typedef {{ failure: { message: string, code?: string, data?: object } }} HelperFailure  what the module threw
 */

/**
 * Starts a helper: a module that calls `serveTask`. The helper runs until it is killed or this process ends. It sends
 * the module's messages, or a HelperFailure. It emits `error` if the process cannot be started.
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
  process.send?.(message, undefined, undefined, () => {}); // a peer that has ended emits `exit`
}

/**
 * In a helper: receives its task, and runs until it is killed or its parent process ends.
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

/** Makes this process ignore the terminal's signals and end with its parent process. */
export function endWithParent() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(0));
}
