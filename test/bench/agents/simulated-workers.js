// Workers without a process and without an engine, in place of the children that an agent forks: they answer what a worker
// answers, and report made-up seconds when the real ones would end.

import { WorkerHandle } from '../../../client/run/cluster/worker-handle.js';

/** The drain: nothing is in flight. */
const DRAIN_NS = 50e6;
const SECOND_NS = 1e9;

/**
 * @typedef {import('../../../client/run/cluster/worker-handle.js').Events} Events
 * @typedef {import('../../../client/run/cluster/messages.js').FromWorker} FromWorker
 * @typedef {import('../../../client/run/cluster/messages.js').ToWorker} ToWorker
 * @typedef {import('../../../client/run/cluster/messages.js').LegConfig} LegConfig
 * @typedef {import('./made-up-intervals.js').MakeInterval} MakeInterval
 */

const USAGE = { cpuSeconds: 0.5, engineCpuSeconds: 0.4, waitSeconds: 0.01, rssBytes: 60e6, wallSeconds: 1 };

export class SimulatedWorkers {
  /** @param {MakeInterval} makeInterval */
  constructor(makeInterval) {
    this.makeInterval = makeInterval;
  }

  /** @param {number} index @param {Events} events @param {number[]} [shares] of its engines */
  make(index, events, shares = [index]) {
    return new SimulatedWorker(index, events, shares, this.makeInterval);
  }
}

class SimulatedWorker extends WorkerHandle {
  /** @param {number} index @param {Events} events @param {number[]} shares @param {MakeInterval} makeInterval */
  constructor(index, events, shares, makeInterval) {
    super(index, events, shares);
    this.makeInterval = makeInterval;
    this.live = false;
    /** @type {LegConfig | null} */
    this.config = null;
    this.startNs = 0n;
    this.endNs = 0;
    this.second = 0;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** @type {() => void} */
    this.resolve = () => {};
  }

  /** @override */
  fork() {
    super.fork();
    this.live = true;
    this.ended = new Promise((/** @type {(value: void) => void} */ resolve) => {
      this.resolve = resolve;
    });
    this.events.forked(this, process.pid);
    setImmediate(() => this.say({ type: 'hello', pid: process.pid }));
  }

  /** @override @param {ToWorker} message */
  send(message) {
    if (message.type === 'leg') {
      [this.config] = message.configs;
      this.endNs = this.config.steadyToNs;
      setImmediate(() => this.say({ type: 'ready' }));
    } else if (message.type === 'start') {
      this.startNs = message.startNs;
      this.awaitSecond();
    } else if (message.type === 'drain') this.endNs = Math.min(this.endNs, message.atNs);
  }

  /** @returns {number} ns since the start at which the next interval ends */
  get nextNs() {
    return Math.min((this.second + 1) * SECOND_NS, this.endNs + DRAIN_NS);
  }

  awaitSecond() {
    const aheadNs = Number(this.startNs - process.hrtime.bigint()) + this.nextNs;
    this.timer = setTimeout(() => this.report(), Math.max(0, Math.ceil(aheadNs / 1e6)));
  }

  report() {
    const { config } = this;
    if (config === null) return;
    const toNs = this.nextNs;
    const last = toNs > this.endNs;
    const warmupFromNs = config.steadyFromNs - config.warmupNs;
    const phase = last ? 'drain' : toNs > config.steadyFromNs ? 'steady' : toNs > warmupFromNs ? 'warmup' : 'ramp';
    const when = { second: this.second + 1, phase, fromNs: this.second * SECOND_NS, toNs, last };
    this.second += 1;
    const made = this.makeInterval(/** @type {any} */ (when), config.slots.count);
    // its transfers of each connection would not be those of its seconds
    const interval = last ? { ...made, histograms: {} } : made;
    this.say({ type: 'interval', engine: 0, interval, usage: USAGE });
    if (last) this.say({ type: 'done', engine: 0, log: null });
    else this.awaitSecond();
  }

  /** @param {FromWorker} message */
  say(message) {
    if (this.live) this.events.message(this, message);
  }

  /** @override */
  kill() {
    this.end('SIGKILL');
  }

  /** @override */
  disconnect() {
    this.end('exit code 0');
  }

  /** @param {string} how */
  end(how) {
    if (!this.live) return;
    this.live = false;
    clearTimeout(this.timer);
    setImmediate(() => {
      this.events.lost(this, how, true);
      this.resolve();
    });
  }
}
