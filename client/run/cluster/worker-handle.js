// One worker of a leg as the primary sees it: its state, its engines, and the timer of its replacement. How its process
// is started and reached is up to the subclass: a child of this process (forked-worker.js), or one on another host.

/**
 * @import { Warning } from '../../../config/types.js'
 * @import { DividedOver } from '../../measure/parts.js'
 * @import { ClientMeter } from '../leg-meter.js'
 * @import { FromWorker, ToWorker } from './messages.js'
 */

/**
 * One engine of a worker. share: of the leg, that it has; log: its transfer log, while it may write to it; splits: the
 * second stream of that; hasEnded: it has delivered its last interval.
 * @typedef {{ share: number, log: string | null, splits: string | null, hasEnded: boolean }} EngineState
 *
 * @typedef {object} Events  each with the worker it is about
 * @property {(worker: WorkerHandle, pid: number) => void} forked
 * @property {(worker: WorkerHandle, message: FromWorker) => void} message
 * @property {(worker: WorkerHandle, how: string, started: boolean) => void} lost  started: false: it could not be
 *
 * Where the workers of a leg are.
 * @typedef {object} WorkerSource
 * @property {(index: number, events: Events, shares: number[]) => WorkerHandle} make  one worker, not yet started;
 *   shares: of its engines
 * @property {bigint} startLeadNs  workers learn of the start this long before it
 * @property {number} noticeNs     and of a drain, or of a steady state that begins earlier, this long before it
 * @property {number} clockErrorNs  by which the clock of one of several hosts that have them may be off at most
 * @property {DividedOver['hosts']} [hosts]  that have them; absent: this one
 * @property {(serverPids: number[]) => ClientMeter} meter  what their host says, if that is this one
 * @property {(worker: WorkerHandle) => boolean} tolerates  whether the leg is complete without a worker that cannot be
 *   replaced
 */

/** @typedef {'starting' | 'ready' | 'running' | 'waiting' | 'ended' | 'lost'} WorkerState */

/**
 * The states that may follow each one. waiting: its process has ended, and another one may replace it; ended: all its
 * engines have; lost: it takes no part in the leg any more, although they have not.
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
/** Of the lines that a process wrote to stderr, how many a message quotes. */
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
     * Of the worker's own process, once it has spoken; it may not be the one that was started.
     * @type {number | null}
     */
    this.pid = null;
    /** Resolves when the last process that was started has ended. @type {Promise<void>} */
    this.ended = Promise.resolve();
    /** How often it was replaced. */
    this.generation = 0;
    /** @type {WorkerState} */
    this.state = 'starting';
    /** Whether a process was started, and has not ended as far as is known. */
    this.hasProcess = false;
    this.stderr = '';
    /** @type {NodeJS.Timeout | null} */
    this.restart = null;
  }

  /**
   * @param {string} _how @param {boolean} _hasStarted whether the leg has
   * @returns {Warning | null} why the leg is not complete if the worker is lost; null: that follows from the leg
   */
  lossOf(_how, _hasStarted) {
    return null;
  }

  get hasLeft() {
    return this.state === 'ended' || this.state === 'lost';
  }

  /** @returns {EngineState[]} those whose last interval has not come */
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

  /** Starts its process; a subclass extends it. */
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

  /** Of one that waits. @param {number} ms @param {() => void} replace */
  replaceAfter(ms, replace) {
    this.restart = setTimeout(() => {
      this.restart = null;
      replace();
    }, ms);
  }

  /**
   * The only way to another state. What has left the leg stays as it is.
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
