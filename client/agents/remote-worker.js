// The workers of a leg on agents: each has the same handle as a child process, and the stream of the run carries its
// messages.
import { hostOf } from '../measure/hosts.js';
import { protocolOf } from '../protocols/index.js';
import { warning } from './warnings.js';
import { WorkerHandle } from '../run/cluster/worker-handle.js';
import { clockErrorNs } from './clock-offset.js';
import { BEAT_MS } from './messages.js';
import { must } from './shape.js';
import { WorkerAccount } from './worker-account.js';

/**
 * @import { Leg } from '../plan/plan.js'
 * @import { Endpoint } from '../run/cluster/assignment.js'
 * @import { FromWorker, ToWorker } from '../run/cluster/messages.js'
 * @import { Events, WorkerSource } from '../run/cluster/worker-handle.js'
 * @import { ClientMeter } from '../run/leg-meter.js'
 * @import { AgentGroup } from './agent-group.js'
 * @import { KnownAgent } from './known-agent.js'
 * @import { FromAgent, ToAgent, Which } from './messages.js'
 * @import { Leg as AccountLeg } from './worker-account.js'
 */

/**
 * @typedef {{ send: (agent: KnownAgent, entry: ToAgent) => void, startedLate: (agent: KnownAgent, lateNs: number) =>
 *   void, slicedLate: (agent: KnownAgent, lateNs: number) => void, lose: (agent: KnownAgent, how: string) => void }}
 *   Carrier
 */

/** An agent that can be heard is lost if it takes longer than this to kill a worker. */
const KILLED_MS = 10_000;

class RemoteWorker extends WorkerHandle {
  /**
   * @param {number} index @param {Events} events @param {number[]} shares of its engines
   * @param {{ leg: AccountLeg & { id: string }, agent: KnownAgent, sources: string[], carrier: Carrier, killedMs?:
   *   number }} place  leg: as planned; sources: addresses to connect from; empty: the kernel chooses; killedMs: time
   *   limit for its agent to kill it
   */
  constructor(index, events, shares, { leg, agent, sources, carrier, killedMs = KILLED_MS }) {
    super(index, events, shares);
    this.planned = leg;
    this.leg = leg.id;
    /** Checks the messages of its last process. */
    this.account = new WorkerAccount(leg, index);
    this.agent = agent;
    this.sources = sources;
    this.killedMs = killedMs;
    this.carrier = carrier;
  }

  /** @override @param {string} how @param {boolean} hasStarted */
  lossOf(how, hasStarted) {
    const { name, lost } = this.agent;
    return lost === null ? null : warning('agent-lost', { agent: name, how, started: hasStarted });
  }

  /** Whether its process may still send messages. */
  get isReachable() {
    return this.hasProcess && !this.hasLeft;
  }

  /** @returns {Which} */
  get which() {
    return { leg: this.leg, worker: this.index, generation: this.generation };
  }

  /** @override */
  fork() {
    super.fork();
    this.account = new WorkerAccount(this.planned, this.index);
    if (this.agent.lost === null) this.carrier.send(this.agent, { ...this.which, type: 'fork' });
    else setImmediate(() => this.loseHost());
  }

  /** @override @param {ToWorker} message */
  send(message) {
    if (this.isReachable)
      this.carrier.send(this.agent, { ...this.which, type: 'message', message: this.converted(message) });
  }

  /**
   * @param {ToWorker} message
   * @returns {ToWorker} with times of the agent's clock and the agent's addresses
   */
  converted(message) {
    const { sources, agent } = this;
    const { clock } = agent;
    if (message.type === 'start') return { ...message, startNs: message.startNs + clock.exactOffsetNs };
    if (message.type !== 'leg') return message;
    this.account.hasKinds = protocolOf(message.configs[0].settings.protocol).kinds === true;
    const from = (/** @type {Endpoint[]} */ endpoints) =>
      sources.length === 0
        ? endpoints
        : endpoints.flatMap((endpoint) => sources.map((source) => ({ ...endpoint, source })));
    return {
      ...message,
      configs: message.configs.map(({ settings, ...config }) => ({
        ...config,
        settings: {
          ...settings,
          endpoints: from(settings.endpoints),
          t0Ns: settings.t0Ns + clock.exactOffsetNs,
        },
      })),
    };
  }

  /** @override */
  kill() {
    if (!this.isReachable) return;
    this.carrier.send(this.agent, { ...this.which, type: 'kill' });
    this.expectEnd(this.generation);
  }

  /** Loses an agent that can be heard but does not end a worker. @param {number} generation of the process */
  expectEnd(generation) {
    const begunAt = performance.now();
    const timer = setInterval(() => {
      const isOver = !this.isReachable || this.generation !== generation;
      const isHeard = this.agent.heardAt > begunAt + this.killedMs;
      if (isOver || isHeard) clearInterval(timer);
      if (!isOver && isHeard) {
        this.carrier.lose(this.agent, `its worker ${this.index} did not end within ${this.killedMs / 1000} s`);
      }
    }, BEAT_MS);
    timer.unref();
  }

  /** @override */
  disconnect() {
    this.carrier.send(this.agent, { ...this.which, type: 'end' });
  }

  /** Reports the worker lost with its agent. */
  loseHost() {
    if (!this.isReachable) return;
    this.events.lost(this, this.agent.lost ?? 'lost', true);
  }

  /** @param {FromWorker} message of its process */
  take(message) {
    // on this host, the whole leg would fail
    if (message.type === 'failed') return this.carrier.lose(this.agent, `its worker ${this.index}: ${message.message}`);
    if (message.type === 'hello') this.pid = message.pid;
    const hasBegun = this.state === 'running' || message.type === 'hello' || message.type === 'ready';
    must(hasBegun, 'a worker reports before the start of its leg');
    this.events.message(this, message);
  }

  /** @param {FromAgent & Which} entry of this worker */
  receive(entry) {
    if (!this.isReachable || entry.generation !== this.generation) return;
    if (entry.type === 'message') this.take(this.account.take(entry.message));
    else if (entry.type === 'forked') this.events.forked(this, entry.pid);
    else if (entry.type === 'started') this.carrier.startedLate(this.agent, entry.lateNs);
    else if (entry.type === 'sliced') this.carrier.slicedLate(this.agent, entry.lateNs);
    else if (entry.type === 'lost') {
      this.keepStderr(entry.stderr);
      this.events.lost(this, entry.how, entry.started);
    }
  }
}

/** @type {ClientMeter} */
const NO_METER = Object.freeze({
  beginKernel() {},
  beginCores() {},
  read: () => ({ busy: [], kernel: {} }),
});

/** Workers receive the start, and a drain, this long in advance. */
const START_LEAD_NS = 1_000_000_000n;
const NOTICE_NS = 500e6;

/**
 * @typedef {AccountLeg & Pick<Leg, 'id' | 'agentSources'>} PlannedLeg
 */

/** The workers of one leg, on the agents of its run. @implements {WorkerSource} */
export class LegAgents {
  startLeadNs = START_LEAD_NS;
  noticeNs = NOTICE_NS;

  /** @param {AgentGroup} group @param {PlannedLeg} leg */
  constructor(group, leg) {
    this.group = group;
    this.leg = leg;
    this.hosts = { count: group.agents.length, workers: leg.workers };
    /** @type {RemoteWorker[]} */
    this.workers = [];
  }

  /** @param {number} index @param {Events} events @param {number[]} shares of its engines */
  make(index, events, shares) {
    const { leg, group } = this;
    const agent = hostOf(index, this.hosts.count);
    const worker = new RemoteWorker(index, events, shares, {
      leg,
      agent: group.agents[agent],
      sources: leg.agentSources?.[agent] ?? [],
      carrier: group,
    });
    this.workers[index] = worker;
    return worker;
  }

  /** Largest possible error of the agents' clocks now; 0 with a single agent. */
  get clockErrorNs() {
    const { agents } = this.group;
    return agents.length > 1 ? Math.max(...agents.map(({ clock }) => clockErrorNs(clock))) : 0;
  }

  /** The workers' intervals contain what the agents use. */
  meter() {
    return NO_METER;
  }

  tolerates() {
    return this.group.tolerates();
  }

  /**
   * @param {KnownAgent} agent
   * @param {Extract<FromAgent, Which>} entry of this leg
   */
  receive(agent, entry) {
    const worker = this.workers[entry.worker];
    must(worker?.agent === agent, `it reports worker ${entry.worker} of another agent`);
    worker.receive(entry);
  }

  /** @param {KnownAgent} agent */
  lose(agent) {
    for (const worker of this.workers) if (worker.agent === agent) worker.loseHost();
  }
}
