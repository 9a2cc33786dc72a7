// A worker that is a child of this process: Node's cluster starts it, IPC carries its messages.
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { HostMeter } from '../../machine/host-meter.js';
import { keptSecrets } from '../../protocols/kept-secrets.js';
import { wrapperWords } from '../wrapper.js';
import { LOCAL_NOTICE_NS } from './warm-up.js';
import { WorkerHandle } from './worker-handle.js';

/**
 * @import { Worker } from 'node:cluster'
 * @import { Leg } from './assignment.js'
 * @import { FromWorker, ToWorker } from './messages.js'
 * @import { Events, WorkerSource } from './worker-handle.js'
 */

const START_LEAD_NS = 200_000_000n;
const WORKER_FILE = fileURLToPath(new URL('./worker.js', import.meta.url));

/** The workers of a leg as children of this process. @implements {WorkerSource} */
export class LocalWorkers {
  startLeadNs = START_LEAD_NS;
  noticeNs = LOCAL_NOTICE_NS;
  clockErrorNs = 0;
  hosts = undefined;

  /** @param {Pick<Leg, 'wrap'>} leg */
  constructor({ wrap }) {
    prepareForks(WORKER_FILE);
    this.wrapper = wrap?.client === undefined ? [] : wrapperWords(wrap.client);
  }

  /** @param {number} index @param {Events} events @param {number[]} [shares] of the engines */
  make(index, events, shares = [index]) {
    return new ForkedWorker(index, events, shares, this.wrapper);
  }

  /** @param {number[]} serverPids */
  meter(serverPids) {
    return new HostMeter(serverPids);
  }

  /** Every worker can be replaced, so none may be missing. */
  tolerates() {
    return false;
  }
}

class ForkedWorker extends WorkerHandle {
  /**
   * @param {number} index @param {Events} events @param {number[]} shares of the engines
   * @param {string[]} [wrapper] program and arguments that the worker runs under
   */
  constructor(index, events, shares, wrapper = []) {
    super(index, events, shares);
    this.wrapper = wrapper;
    /** @type {Worker | null} */
    this.child = null;
  }

  /** @override */
  fork() {
    super.fork();
    this.child = null;
    /** @type {Worker} */
    let child;
    try {
      child = forkWorker(this.wrapper);
    } catch (error) {
      this.events.lost(this, /** @type {Error} */ (error).message, false);
      return;
    }
    this.child = child;
    child.process.stderr?.on('data', (chunk) => this.keepStderr(String(chunk)));
    const { pid } = child.process;
    child.on('error', (error) => {
      // without a pid there is no process and no 'exit' comes; any other error is followed by 'exit'
      if (pid === undefined && this.child === child && this.hasProcess) this.events.lost(this, error.message, false);
    });
    child.on('message', (/** @type {FromWorker} */ message) => {
      if (this.child !== child || !this.hasProcess) return; // Node may deliver messages after 'exit'
      if (message.type === 'hello') this.pid = message.pid;
      this.events.message(this, message);
    });
    this.ended = new Promise((/** @type {(value: void) => void} */ resolve) => {
      child.process.once('close', () => resolve()).once('error', () => resolve());
    });
    child.on('exit', (code, signal) => {
      if (this.child !== child || !this.hasProcess) return;
      this.killWrapped();
      this.events.lost(this, signal ?? `exit code ${code}`, true);
    });
    if (pid !== undefined) this.events.forked(this, pid);
  }

  /** @override @param {ToWorker} message */
  send(message) {
    if (this.hasProcess && this.child?.isConnected()) this.child.send(message, undefined, () => {});
  }

  /** @override */
  kill() {
    if (!this.hasProcess) return;
    this.killWrapped();
    this.child?.process.kill('SIGKILL');
  }

  /** Kills a worker that is the child of a wrapper; it would outlive the wrapper. */
  killWrapped() {
    if (this.pid === null || this.pid === this.child?.process.pid) return;
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  }

  /** @override */
  disconnect() {
    if (this.child?.isConnected()) this.child.disconnect();
  }
}

/**
 * A worker's JavaScript runs once a second and allocates little. A small young generation frees the arrays of its
 * intervals soon, and a collection now and then (worker-loop.js) the rest; optimised code would take megabytes after a
 * minute and save nothing.
 */
const WORKER_OPTIONS = ['--max-semi-space-size=1', '--no-opt', '--expose-gc'];

/** Applies to all later forks of this process. @param {string} workerFile */
function prepareForks(workerFile) {
  cluster.setupPrimary({
    exec: workerFile,
    args: [],
    execArgv: optionsOf(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

const optionsOf = () => [...process.execArgv, ...WORKER_OPTIONS];

/**
 * @param {string[]} wrapper  a program and its arguments, to which the worker's command line is appended; it must keep
 *   inherited descriptors open; empty: no wrapper
 * @returns {Worker}
 */
function forkWorker(wrapper) {
  const node = process.execPath;
  const [program = node, ...words] = wrapper;
  cluster.setupPrimary({ execArgv: wrapper.length === 0 ? optionsOf() : [...words, node, ...optionsOf()] });
  process.execPath = program; // cluster has no option for the program
  try {
    return cluster.fork(keptSecrets);
  } finally {
    process.execPath = node;
  }
}
