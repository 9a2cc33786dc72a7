// One worker of a leg as the primary sees it: its process, its state, and the timer of its replacement.
import { forkWorker } from './fork-options.js';

const MAX_STDERR_CHARACTERS = 4000;
const MAX_TAIL_LINES = 3;

/**
 * @typedef {import('./messages.js').ToWorker} ToWorker
 * @typedef {import('./messages.js').FromWorker} FromWorker
 *
 * @typedef {object} Events  each with the worker it is about
 * @property {(worker: WorkerHandle, pid: number) => void} forked
 * @property {(worker: WorkerHandle, message: FromWorker) => void} message
 * @property {(worker: WorkerHandle, how: string, started: boolean) => void} lost  started: false: it could not be
 */

export class WorkerHandle {
  /** @param {number} index @param {Events} events @param {string[]} [wrapper] that it runs under */
  constructor(index, events, wrapper = []) {
    this.index = index;
    this.events = events;
    this.wrapper = wrapper;
    /** Of the worker's own process, once it has spoken; it may not be the one that was started. @type {number | null} */
    this.pid = null;
    /** Resolves when the last process that was started has ended. @type {Promise<void>} */
    this.ended = Promise.resolve();
    /** How often it was replaced. */
    this.generation = 0;
    /** @type {'starting' | 'ready' | 'running' | 'waiting' | 'ended' | 'given up'} */
    this.state = 'starting';
    /** @type {import('node:cluster').Worker | null} */
    this.child = null;
    this.stderr = '';
    /** Its transfer log, while it may write to it. @type {string | null} */
    this.log = null;
    /** The second stream of that. @type {string | null} */
    this.splits = null;
    /** @type {NodeJS.Timeout | null} */
    this.restart = null;
  }

  get hasLeft() {
    return this.state === 'ended' || this.state === 'given up';
  }

  /** @returns {string} the last lines that its process wrote to stderr */
  get stderrTail() {
    return this.stderr.trim().split('\n').slice(-MAX_TAIL_LINES).join(' | ');
  }

  fork() {
    Object.assign(this, {
      child: null,
      state: 'starting',
      stderr: '',
      log: null,
      splits: null,
      restart: null,
      pid: null,
    });
    /** @type {import('node:cluster').Worker} */
    let child;
    try {
      child = forkWorker(this.wrapper);
    } catch (error) {
      this.events.lost(this, /** @type {Error} */ (error).message, false);
      return;
    }
    this.child = child;
    child.process.stderr?.on('data', (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-MAX_STDERR_CHARACTERS);
    });
    const { pid } = child.process;
    child.on('error', (error) => {
      // without a pid there is no process and no 'exit' will come; any other error is followed by one
      if (pid === undefined && this.child === child) this.events.lost(this, error.message, false);
    });
    child.on('message', (/** @type {FromWorker} */ message) => {
      if (this.child === child && message.type === 'hello') this.pid = message.pid;
      if (this.child === child) this.events.message(this, message); // Node may deliver some after 'exit'
    });
    this.ended = new Promise((resolve) => {
      child.process.once('close', () => resolve()).once('error', () => resolve());
    });
    child.on('exit', (code, signal) => {
      if (this.child === child) this.killOwn();
      if (this.child === child) this.events.lost(this, signal ?? `exit code ${code}`, true);
    });
    if (pid !== undefined) this.events.forked(this, pid);
  }

  /** @param {ToWorker} message */
  send(message) {
    if (this.child?.isConnected()) this.child.send(message, undefined, () => {});
  }

  kill() {
    this.killOwn();
    this.child?.process.kill('SIGKILL');
  }

  /** Kills a worker that is a child of its wrapper, which would outlive it. */
  killOwn() {
    if (this.pid === null || this.pid === this.child?.process.pid) return;
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  }

  /** @param {number} ms @param {() => void} replace */
  replaceAfter(ms, replace) {
    this.state = 'waiting';
    this.restart = setTimeout(() => {
      this.restart = null;
      replace();
    }, ms);
  }

  /** It takes no part in the leg any more. @param {'ended' | 'given up'} state */
  leave(state) {
    if (this.restart) clearTimeout(this.restart);
    this.restart = null;
    this.state = state;
    if (this.child?.isConnected()) this.child.disconnect();
  }
}
