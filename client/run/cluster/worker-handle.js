// One worker of a leg as the primary sees it: its state, its engines, and the timer of its replacement. Subclasses
// start and reach its process: a child of this process (forked-worker.js) or a process on another host.

/**
 * @import { Warning } from '../../../config/types.js'
 * @import { DividedOver } from '../../measure/parts.js'
 * @import { ClientMeter } from '../leg-meter.js'
 * @import { FromWorker, ToWorker } from './messages.js'
 */

/**
 * One engine of a worker. share: its share of the leg; log: its transfer log, while it may write to it; splits: the
 * second stream of the log; hasEnded: it has delivered its last interval.
 * @typedef {{ share: number, log: string | null, splits: string | null, hasEnded: boolean }} EngineState
 *
 * @typedef {object} Events  each with the worker it is about
 * @property {(worker: WorkerHandle, pid: number) => void} forked
 * @property {(worker: WorkerHandle, message: FromWorker) => void} message
 * @property {(worker: WorkerHandle, how: string, started: boolean) => void} lost  started: false: it could not be
 *   started
 *
 * Makes the workers of a leg, and knows their hosts.
 * @typedef {object} WorkerSource
 * @property {(index: number, events: Events, shares: number[]) => WorkerHandle} make  one worker, not yet started;
 *   shares: of its engines
 * @property {bigint} startLeadNs  time between the message of the start and the start
 * @property {number} noticeNs  how long beforehand workers are told when a drain, or an earlier steady state, begins
 * @property {number} clockErrorNs  largest error of a host's clock
 * @property {DividedOver['hosts']} [hosts]  of the workers; absent: only this host
 * @property {(serverPids: number[]) => ClientMeter} meter  of this host, if the workers are on it
 * @property {(worker: WorkerHandle) => boolean} tolerates  whether the leg is complete without a worker that cannot be
 *   replaced
 */

/** @typedef {'starting' | 'ready' | 'running' | 'waiting' | 'ended' | 'lost'} WorkerState */

/**
 * The states that may follow each state. waiting: the process has ended, and may be replaced; ended: all engines have
 * ended; lost: the worker has left the leg before its engines ended.
 * @type {Record<WorkerState, WorkerState[]>}
 */
const NEXT = {
  starting: ['starting', 'ready', 'waiting', 'ended', 'lost'],
  ready: ['running', 'waiting', 'ended', 'lost'],
  running: ['waiting', 'ended', 'lost'],
  waiting: ['starting', 'lost'],
  ended: [],
  lost: [],
};

const MAX_STDERR_CHARACTERS = 4000;
/** Lines of a process's stderr that a message quotes. */
const MAX_TAIL_LINES = 3;

/** @abstract */
export class WorkerHandle {
  /** @param {number} index @param {Events} events @param {number[]} [shares] of its engines */
  constructor(index, events, shares = [index]) {
    this.index = index;
    /** @type {EngineState[]} */
    this.engines = shares.map((share) => ({ share, log: null, splits: null, hasEnded: false }));
    this.events = events;
    /**
     * Of the worker's process; null until its first message. Under a wrapper it is not the process that was started.
     * @type {number | null}
     */
    this.pid = null;
    /** Resolves when the process that was started last has ended. @type {Promise<void>} */
    this.ended = Promise.resolve();
    /** How often it was replaced. */
    this.generation = 0;
    /** @type {WorkerState} */
    this.state = 'starting';
    /** Whether a process was started whose end is not known yet. */
    this.hasProcess = false;
    this.stderr = '';
    /** @type {NodeJS.Timeout | null} */
    this.restart = null;
  }

  /**
   * @param {string} _how @param {boolean} _hasStarted whether the leg has started
   * @returns {Warning | null} why the leg cannot be complete after the worker's loss; null: the worker may be replaced
   */
  lossOf(_how, _hasStarted) {
    return null;
  }

  get hasLeft() {
    return this.state === 'ended' || this.state === 'lost';
  }

  /** @returns {EngineState[]} engines whose last interval has not come */
  get running() {
    return this.engines.filter(({ hasEnded }) => !hasEnded);
  }

  /** @returns {string} the last lines that its process wrote to stderr */
  get stderrTail() {
    return this.stderr.trim().split('\n').slice(-MAX_TAIL_LINES).join(' | ');
  }

  /** @param {string} text that its process wrote */
  keepStderr(text) {
    this.stderr = (this.stderr + text).slice(-MAX_STDERR_CHARACTERS);
  }

  /** Starts the worker's process; subclasses extend this. */
  fork() {
    this.transition('starting');
    Object.assign(this, { stderr: '', pid: null, hasProcess: true });
    for (const engine of this.engines) Object.assign(engine, { log: null, splits: null });
  }

  /** @param {ToWorker} _message */
  send(_message) {}

  /** @param {bigint} startNs of the leg */
  start(startNs) {
    this.transition('running');
    this.send({ type: 'start', startNs });
  }

  /** Kills its process, if it has one. */
  kill() {}

  /** Ends the connection to its process, which then ends by itself. */
  disconnect() {}

  /** Replaces a waiting worker later. @param {number} ms @param {() => void} replace */
  replaceAfter(ms, replace) {
    this.restart = setTimeout(() => {
      this.restart = null;
      replace();
    }, ms);
  }

  /**
   * Changes the state; nothing else does. A worker that has left the leg keeps its state.
   * @param {WorkerState} state
   */
  transition(state) {
    if (!NEXT[this.state].includes(state)) return;
    if (this.restart) clearTimeout(this.restart);
    this.restart = null;
    if (state === 'waiting') this.hasProcess = false;
    const isLeaving = state === 'ended' || state === 'lost';
    if (isLeaving && this.hasProcess) this.disconnect();
    this.state = state;
  }
}
