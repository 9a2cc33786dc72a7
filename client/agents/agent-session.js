// The work of an agent for one run: starts the workers that the controller asks for, and the servers if it may;
// carries their messages, and ends them. The agent judges every target itself. It stops the load when its reports are
// no longer acknowledged, because a load generator that is out of reach must not continue.
import path from 'node:path';
import { RunError } from '../errors.js';
import { MOST_WORKERS } from '../plan/host-shares.js';
import { makeFolder } from '../store/output-folder.js';
import { arrowName, splitsName } from '../store/transfer-log/index.js';
import { reserveFor } from '../run/cluster/leg-log.js';
import { LocalWorkers } from '../run/cluster/forked-worker.js';
import { Allowance } from './allowance.js';
import { Inbox } from './inbox.js';
import { Outbox } from './outbox.js';
import { BEAT_MS } from './messages.js';
import { checkedOrder, checkStart, objectionTo } from './order-shape.js';
import { ServerHost } from './server-host.js';
import { streamOf, subjects, token } from './subjects.js';
import { steadyStage } from '../measure/slices.js';

/**
 * @import { LegSettings } from '../engine/index.js'
 * @import { LegConfig, ToWorker } from '../run/cluster/messages.js'
 * @import { Events, WorkerHandle, WorkerSource } from '../run/cluster/worker-handle.js'
 * @import { AllowList } from './allow-list.js'
 * @import { Broker } from './broker.js'
 * @import { FromAgent, ToAgent, Which } from './messages.js'
 * @import { Serving } from './server-host.js'
 * @import { FromServerHost } from './server-messages.js'
 */

/**
 * @typedef {{ handle: WorkerHandle, which: Which, startNs: bigint | null, drainTimeoutNs: number, endNs: number,
 *   engines: number }} Held  one worker's process; endNs: end of its leg, from the leg's start; engines: number that
 *   have not ended
 *
 * @typedef {object} Options
 * @property {Broker} broker
 * @property {string} run
 * @property {string} name       of the agent
 * @property {string} folder     for the logs of its workers
 * @property {AllowList} allow
 * @property {number} deadlineMs it stops the load after this time without an acknowledgement, and ends after this time
 *   without a sign of the controller
 * @property {(line: string) => void} log
 * @property {() => bigint} [clock]
 * @property {Pick<WorkerSource, 'make'>} [workers]  instead of child processes
 * @property {Serving} [serving]  absent: it starts no servers
 */

/** A worker that has not ended this long after the load was stopped is killed. */
const GRACE_MS = 2000;
/**
 * An agent that has sent nothing for this long sends a beat. During a leg it sends none, because its workers report
 * each second.
 */
const QUIET_MS = 1.25 * BEAT_MS;
/** After the run, unacknowledged reports are kept this long. */
const KEEP_MS = 5 * 60_000;

export class AgentSession {
  /** @param {Options} options */
  constructor({ broker, run, name, folder, allow, deadlineMs, log, clock, workers, serving }) {
    this.run = run;
    this.name = name;
    this.folder = folder;
    this.allow = allow;
    this.deadlineMs = deadlineMs;
    this.log = log;
    this.clock = clock ?? (() => process.hrtime.bigint());
    this.outbox = new Outbox(broker, subjects.from(run, name));
    this.inbox = new Inbox(broker, streamOf(run), subjects.to(run, name), {
      onBatch: (bytes) => this.allows(this.allowance.take(bytes, performance.now())),
      onEntry: (entry) => this.receive(checkedOrder(entry)),
      onUnreadable: (why) => void this.end(`an order of the controller cannot be carried out: ${why}`),
    });
    this.source = workers ?? new LocalWorkers({});
    this.allowance = new Allowance(performance.now());
    this.orders = new Allowance(performance.now());
    const say = (/** @type {FromServerHost} */ message) => this.say({ type: 'server', message });
    this.servers = serving && new ServerHost(serving, { say, clock: this.clock, log });
    /** Processes that have not ended, by leg, worker and generation. @type {Map<string, Held>} */
    this.held = new Map();
    this.controllerSeenAt = performance.now();
    this.stoppedAt = /** @type {number | null} */ (null);
    this.ended = false;
    /** @type {NodeJS.Timeout | null} */
    this.ticker = null;
    /** @type {NodeJS.Timeout | null} */
    this.beatTimer = null;
    this.endSigns = broker.subscribe(subjects.beat(run), () => void (this.controllerSeenAt = performance.now()));
    /** @type {() => void} */
    this.resolve = () => {};
    /** Resolves when the agent is free again. */
    this.over = new Promise((/** @type {(value: void) => void} */ resolve) => {
      this.resolve = resolve;
    });
  }

  /** @returns {this} */
  open() {
    this.inbox.open();
    this.ticker = setInterval(() => this.tick(), BEAT_MS);
    const beat = () => this.say({ type: 'beat', ns: this.clock() });
    this.beatTimer = setTimeout(beat, QUIET_MS);
    beat();
    return this;
  }

  tick() {
    const now = performance.now();
    if (this.stoppedAt === null && this.held.size > 0 && this.outbox.overdueMs > this.deadlineMs) this.stopLoad();
    if (now - this.controllerSeenAt <= this.deadlineMs) return;
    // without a controller, a leg that has begun continues to its planned end; no other leg begins
    for (const { handle, startNs, endNs } of this.held.values()) {
      if (startNs === null || Number(this.clock() - startNs) > endNs + GRACE_MS * 1e6) handle.kill();
    }
    if (this.held.size === 0 && !this.servers?.isKept) void this.end('the controller is gone');
  }

  /** Ends the load of all workers: requests in flight may be answered, and no other requests begin. */
  stopLoad() {
    const forMs = Math.round(this.outbox.overdueMs);
    this.stoppedAt = performance.now();
    this.log(`nothing was acknowledged for ${(forMs / 1000).toFixed(1)} s: the load is stopped`);
    this.say({ type: 'stopped', forMs, agent: this.name, legs: this.unfinishedLegs() });
    for (const { handle, startNs, drainTimeoutNs } of this.held.values()) {
      const atNs = startNs === null ? -1 : Number(this.clock() - startNs);
      if (atNs < 0) handle.kill();
      else handle.send({ type: 'drain', atNs });
      setTimeout(() => handle.kill(), drainTimeoutNs / 1e6 + GRACE_MS).unref();
    }
  }

  /** @returns {string[]} legs whose workers are to send load, now or later */
  unfinishedLegs() {
    const running = [...this.held.values()].filter(({ startNs, endNs, drainTimeoutNs }) => {
      return startNs === null || Number(this.clock() - startNs) < endNs - drainTimeoutNs;
    });
    return [...new Set(running.map(({ which }) => which.leg))];
  }

  /** Ends the work for the run unless it may go on. @param {boolean} isAllowed @returns {boolean} isAllowed */
  allows(isAllowed) {
    if (!isAllowed) void this.end('the controller gives more orders than any run needs');
    return isAllowed;
  }

  /** @param {ToAgent} entry */
  receive(entry) {
    if (this.ended || !this.allows(this.orders.take(0, performance.now()))) return;
    if (entry.type === 'server') return void this.servers?.receive(entry.message);
    const held = this.held.get(keyOf(entry));
    if (entry.type === 'fork') this.fork(entry);
    else if (held === undefined)
      return; // it has ended
    else if (entry.type === 'message') this.pass(held, entry.message);
    else if (entry.type === 'kill') held.handle.kill();
    else if (entry.type === 'end') held.handle.disconnect();
  }

  /** @param {Which} which */
  fork({ leg, worker, generation }) {
    const which = { leg, worker, generation };
    const refusal =
      this.stoppedAt !== null
        ? 'the agent has stopped the load'
        : this.held.size >= MOST_WORKERS
          ? `the agent runs at most ${MOST_WORKERS} workers`
          : null;
    if (refusal !== null) {
      this.say({ ...which, type: 'lost', how: refusal, started: false, stderr: '' });
      return;
    }
    if (this.held.has(keyOf(which))) return; // the order was repeated
    /** @type {Events} */
    const events = {
      forked: (_, pid) => this.say({ ...which, type: 'forked', pid }),
      message: (workerHandle, message) => {
        this.say({ ...which, type: 'message', message });
        if (message.type === 'done') this.engineEnded(which, workerHandle);
      },
      lost: (workerHandle, how, started) => {
        this.held.delete(keyOf(which));
        this.say({ ...which, type: 'lost', how, started, stderr: workerHandle.stderr });
      },
    };
    const handle = this.source.make(worker, events, [worker]); // the controller assigns the engines' shares
    this.held.set(keyOf(which), { handle, which, startNs: null, drainTimeoutNs: 0, endNs: 0, engines: 1 });
    handle.fork();
  }

  /**
   * Lets a worker end when all of its engines have ended: the controller may be gone.
   * @param {Which} which
   * @param {WorkerHandle} worker
   */
  engineEnded(which, worker) {
    const held = this.held.get(keyOf(which));
    if (held !== undefined) held.engines -= 1;
    if (held === undefined || held.engines <= 0) worker.disconnect();
  }

  /** @param {Held} held @param {ToWorker} message */
  pass(held, message) {
    if (message.type === 'leg') return this.assign(held, message);
    if (message.type === 'start') {
      checkStart(message.startNs, this.clock());
      held.startNs = message.startNs;
      this.sayLateness(held, 'started', 0);
    }
    if (message.type === 'slices') this.sayLateness(held, 'sliced', steadyStage(message.slices).fromNs);
    held.handle.send(message);
  }

  /**
   * @param {Held} held of a leg whose start is known
   * @param {'started' | 'sliced'} type
   * @param {number} fromNs planned time, from the leg's start
   */
  sayLateness({ which, startNs }, type, fromNs) {
    const lateNs = startNs === null ? 0 : Number(this.clock() - startNs) - fromNs;
    this.say({ ...which, type, lateNs: Math.max(0, lateNs) });
  }

  /** @param {Held} held @param {Extract<ToWorker, { type: 'leg' }>} message */
  assign(held, message) {
    try {
      held.handle.send({ ...message, configs: this.accept(held, message.configs) });
    } catch (error) {
      const why = `agent: ${/** @type {Error} */ (error).message}`;
      this.say({ ...held.which, type: 'message', message: { type: 'failed', message: why } });
      held.handle.kill();
    }
  }

  /**
   * @param {Held} held @param {LegConfig[]} configs
   * @returns {LegConfig[]} with logs in the agent's folder
   * @throws {Error} when the agent refuses them
   */
  accept(held, configs) {
    const why = this.objectionTo(configs);
    if (why !== null) throw new RunError(why);
    const settings = configs.map((config) => config.settings);
    held.drainTimeoutNs = Math.max(...settings.map(({ drainTimeoutNs }) => drainTimeoutNs));
    held.endNs = Math.max(...settings.map(({ steadyToNs, drainTimeoutNs }) => steadyToNs + drainTimeoutNs));
    held.engines = configs.length;
    return configs.map((config) => ({
      ...config,
      settings: { ...config.settings, log: this.logOf(held.which, config.settings) },
    }));
  }

  /** @param {LegConfig[]} configs @returns {string | null} why the agent refuses them; null: it does not */
  objectionTo(configs) {
    const endpoints = configs.flatMap(({ settings }) => settings.endpoints);
    const refused = this.allow.refused(endpoints.map(({ address }) => address));
    if (refused.length > 0) {
      return `its targets ${refused.join(', ')} are not permitted here (--allow ${this.allow.texts.join(' ')})`;
    }
    return configs.map(objectionTo).find((why) => why !== null) ?? null;
  }

  /**
   * @param {Which} which @param {LegSettings} settings
   * @returns {LegSettings['log']} with paths in the agent's folder
   */
  logOf({ leg, generation }, { log, slots: { first: share } }) {
    if (log === null) return null;
    const folder = path.join(this.folder, token(leg));
    try {
      makeFolder(folder);
    } catch (error) {
      // its engines run without a log, and their reports say so
      this.log(`no transfer log: ${/** @type {Error} */ (error).message}`);
    }
    return {
      path: path.join(folder, arrowName(share, generation)),
      splitsPath: log.splitsPath === null ? null : path.join(folder, splitsName(share, generation)),
      reserveBytes: reserveFor(folder, this.held.size),
    };
  }

  /** @param {FromAgent} entry */
  say(entry) {
    this.outbox.add(entry);
    this.beatTimer?.refresh();
  }

  /**
   * Kills the workers and servers, reports their ends, and is free for another run.
   * @param {string} why
   */
  async end(why) {
    if (this.ended) return this.over;
    this.ended = true;
    this.log(`run ${this.run} is over: ${why}`);
    if (this.ticker) clearInterval(this.ticker);
    if (this.beatTimer) clearTimeout(this.beatTimer);
    this.beatTimer = null;
    const handles = [...this.held.values()].map(({ handle }) => handle);
    for (const handle of handles) handle.kill();
    await Promise.all([...handles.map(({ ended }) => ended), this.servers?.end(why)]);
    this.giveUpAfter(KEEP_MS);
    await this.outbox.settled();
    this.outbox.close();
    this.endSigns();
    await this.inbox.close();
    this.resolve();
  }

  /** Gives up reporting after this time. @param {number} ms */
  giveUpAfter(ms) {
    const giveUp = setTimeout(() => this.outbox.close(), ms);
    void this.over.then(() => clearTimeout(giveUp));
  }
}

/** @param {Which} which */
const keyOf = ({ leg, worker, generation }) => `${leg} ${worker} ${generation}`;
