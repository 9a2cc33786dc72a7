// The agents of a run, as its controller sees them: found, reserved, their clocks compared, heard each second, released.
// The one thing to know: an agent that was declared lost stays lost for the run; what it says afterwards is not read, because
// what it had in flight has been counted as lost.
import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { jetstream, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { EnvironmentError } from '../../errors.js';
import { agentOf } from '../../results/agents.js';
import { warning } from '../../results/warnings.js';
import { askAgent } from './ask-agent.js';
import { clockOffset, ROUND_TRIPS } from './clock-offset.js';
import { PROTOCOL_VERSION } from './codec.js';
import { Inbox } from './inbox.js';
import { BEAT_MS, MISSED_BEATS } from './messages.js';
import { Outbox } from './outbox.js';
import { RemoteWorker } from './remote-worker.js';
import { environmentOf } from './server-agent.js';
import { streamOf, subjects } from './subjects.js';

const ASK_MS = 5000;
/** Between the first round trips of two agents, whose clocks are compared. */
const CLOCK_GAP_MS = 5;
/** Workers learn of the start this long before it, and of a drain. */
const START_LEAD_NS = 1_000_000_000n;
const NOTICE_NS = 500e6;
/** For how long the server keeps what nobody has collected, and knows the ids of messages. */
const KEEP_NS = 7 * 24 * 3600e9;
const DUPLICATES_NS = 120e9;

/**
 * @typedef {import('./messages.js').Hello} Hello
 * @typedef {import('@nats-io/transport-node').NatsConnection} NatsConnection
 * @typedef {import('@nats-io/jetstream').JetStreamManager} JetStreamManager
 * @typedef {import('../../results/agents.js').AgentState} AgentState
 * @typedef {import('../cluster/worker-handle.js').Events} Events
 *
 * @typedef {object} KnownAgent
 * @property {string} name
 * @property {Hello} hello
 * @property {string[]} sources   addresses that its workers connect from; empty: the kernel's choice
 * @property {import('./clock-offset.js').ClockOffset & { exactOffsetNs: bigint }} clock
 * @property {Outbox | null} outbox
 * @property {number} heardAt     by performance.now()
 * @property {string | null} lost how
 * @property {boolean} hasStopped  its load by itself, before the end of a leg
 * @property {number} uncertaintyNs of the offset of its clock, at the start and at the end of the current leg, whichever is greater
 * @property {number} driftNs     of its clock, in the current leg
 * @property {number} lateNs      of the start of the current leg
 */

/** @param {Hello} hello @returns {KnownAgent} */
const knownAgent = (hello) => ({
  name: hello.name,
  hello,
  sources: [],
  clock: { exactOffsetNs: 0n, offsetNs: 0, roundTripNs: 0 },
  outbox: null,
  heardAt: 0,
  lost: null,
  hasStopped: false,
  uncertaintyNs: 0,
  driftNs: 0,
  lateNs: 0,
});

/** Emits 'warning' (Warning), 'cut-short' (Warning: why the current leg cannot be complete), and of the agent with the servers 'server' (its message) and 'server-lost' (how). */
export class AgentGroup extends EventEmitter {
  /**
   * @param {{ nc: NatsConnection, jsm: JetStreamManager }} nats
   * @param {{ hellos: Hello[], serverHello?: Hello, tolerated?: number, timeoutMs?: number }} options  hellos: of those that send
   *   load; serverHello: of the one that starts the servers
   */
  constructor({ nc, jsm }, { hellos, serverHello, tolerated = 0, timeoutMs = MISSED_BEATS * BEAT_MS }) {
    super();
    this.nc = nc;
    this.jsm = jsm;
    this.tolerated = tolerated;
    this.timeoutMs = timeoutMs;
    /** Those that send load. */
    this.agents = hellos.map(knownAgent);
    this.serverAgent = serverHello === undefined ? null : knownAgent(serverHello);
    /** All of them. */
    this.members = this.serverAgent === null ? this.agents : [...this.agents, this.serverAgent];
    /** @type {string | null} */
    this.run = null;
    /** @type {Inbox | null} */
    this.inbox = null;
    /** @type {LegAgents | null} */
    this.current = null;
    /** @type {NodeJS.Timeout | null} */
    this.ticker = null;
    this.tickedAt = 0;
  }

  /** Of those that send load. */
  get names() {
    return this.agents.map(({ name }) => name);
  }

  /** Whether the workers are on agents; otherwise only the servers are. */
  get sendsLoad() {
    return this.agents.length > 0;
  }

  /** @returns {Promise<Record<string, unknown> | null>} the machine of the servers, for environment.json; null: it is this one */
  async describeServerMachine() {
    if (this.serverAgent === null) return null;
    const { name, hello } = this.serverAgent;
    return { agent: name, address: hello.serves?.address, ...(await environmentOf(this.nc, name)) };
  }

  /** @param {string[][]} sources of each agent, as its share of the load needs them */
  takeSources(sources) {
    sources.forEach((own, index) => Object.assign(this.agents[index], { sources: own }));
  }

  get lost() {
    return this.agents.filter(({ lost }) => lost !== null);
  }

  /** Compares the clock of each agent with this one's. */
  async measureClocks() {
    await this.inTurn(async (agent) => {
      agent.clock = await this.measureClock(agent);
    });
  }

  /**
   * Begins with one agent after another: the round trips of hundreds at once would wait for each other in this process.
   * @param {(agent: KnownAgent) => Promise<void>} use
   */
  async inTurn(use) {
    await Promise.all(
      this.members.map(async (agent, index) => {
        await wait(index * CLOCK_GAP_MS);
        await use(agent);
      }),
    );
  }

  /** @param {KnownAgent} agent */
  async measureClock({ name }) {
    const trips = [];
    for (let i = 0; i < ROUND_TRIPS; i += 1) {
      const sentNs = process.hrtime.bigint();
      const { ns } = await this.ask(name, { type: 'clock' });
      trips.push({ sentNs, remoteNs: ns, receivedNs: process.hrtime.bigint() });
    }
    return clockOffset(trips);
  }

  /** @param {string} name @param {import('./messages.js').Request} request @returns {Promise<any>} */
  ask(name, request) {
    return askAgent(this.nc, name, request, ASK_MS);
  }

  /**
   * Reserves all agents for a run, and makes the stream of what is said in it.
   * @param {string} run @param {string[]} targets addresses
   * @throws {EnvironmentError} when one refuses; the others are free again
   */
  async begin(run, targets) {
    const { nc } = this;
    await this.jsm.streams.add({
      name: streamOf(run),
      subjects: [subjects.run(run)],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: KEEP_NS,
      duplicate_window: DUPLICATES_NS,
    });
    this.run = run;
    /** @type {import('./messages.js').ReserveRequest} */
    const load = { type: 'reserve', version: PROTOCOL_VERSION, run, targets };
    const answers = await Promise.all(
      this.members.map((agent) =>
        this.ask(agent.name, agent === this.serverAgent ? { ...load, targets: [], serves: true } : load),
      ),
    ).catch(async (error) => {
      await this.end();
      throw error;
    });
    const refused = answers.filter(({ ok }) => !ok);
    if (refused.length > 0) {
      await this.end();
      throw new EnvironmentError(refused.map(({ text }) => text).join('\n'), {
        code: 'EAGENTREFUSED',
        data: { agents: refused.map(({ code, data }) => ({ code, data })) },
      });
    }
    const publisher = jetstream(nc);
    for (const agent of this.members) {
      agent.outbox = new Outbox(publisher, subjects.to(run, agent.name), { maxBytes: nc.info?.max_payload });
    }
    const byName = new Map(this.members.map((agent) => [agent.name, agent]));
    this.inbox = new Inbox(nc, streamOf(run), subjects.from(run, '*'), (entry, subject) => {
      const agent = byName.get(subject.slice(subject.lastIndexOf('.') + 1));
      if (agent !== undefined) this.receive(agent, entry);
    }).open();
    this.forgive();
    this.ticker = setInterval(() => this.tick(), BEAT_MS);
    void this.followConnection();
  }

  /** Nothing could be heard until now. */
  forgive() {
    this.tickedAt = performance.now();
    for (const agent of this.members) agent.heardAt = this.tickedAt;
  }

  async followConnection() {
    for await (const { type } of this.nc.status()) if (type === 'reconnect') this.forgive();
  }

  tick() {
    const now = performance.now();
    if (this.run !== null) this.nc.publish(subjects.beat(this.run));
    // after a pause of this process, or without a connection, it is not the agents that are silent
    const wasAway = now - this.tickedAt > 2 * BEAT_MS || !(/** @type {any} */ (this.nc).protocol?.connected ?? true);
    if (wasAway) return this.forgive();
    this.tickedAt = now;
    for (const agent of this.members) {
      if (agent.lost === null && now - agent.heardAt > this.timeoutMs) {
        this.lose(agent, `nothing came from it for ${(this.timeoutMs / 1000).toFixed(0)} s`);
      }
    }
  }

  /** @param {KnownAgent} agent @param {string} how */
  lose(agent, how) {
    agent.lost = how;
    agent.outbox?.close();
    if (agent === this.serverAgent) return void this.emit('server-lost', how);
    this.emit('warning', warning('agent-lost', { agent: agent.name, how, started: true }));
    this.current?.lose(agent);
  }

  /** @param {KnownAgent} agent @param {import('./messages.js').FromAgent} entry */
  receive(agent, entry) {
    if (agent.lost !== null) return;
    agent.heardAt = performance.now();
    if (entry.type === 'stopped') this.stop(agent, entry);
    else if (entry.type === 'server') this.emit('server', entry.message);
    else if (entry.type !== 'beat') this.current?.receive(entry);
  }

  /** @param {KnownAgent} agent @param {{ forMs: number, legs: string[] }} entry */
  stop(agent, { forMs, legs }) {
    const stopped = warning('agent-stopped', { agent: agent.name, forMs });
    this.emit('warning', stopped);
    agent.hasStopped ||= legs.length > 0;
    if (agent.hasStopped && !this.tolerates()) this.emit('cut-short', stopped);
  }

  /** Whether a leg can be complete without the agents that are lost, or have stopped their load by themselves. */
  tolerates() {
    return this.agents.filter(({ lost, hasStopped }) => lost !== null || hasStopped).length <= this.tolerated;
  }

  /** @param {KnownAgent} agent @param {import('./messages.js').ToAgent} entry */
  send(agent, entry) {
    agent.outbox?.add(entry);
  }

  /** @param {KnownAgent} agent @param {number} lateNs */
  startedLate(agent, lateNs) {
    if (lateNs > 0 && agent.lateNs === 0) {
      this.emit('warning', warning('agent-started-late', { agent: agent.name, lateNs }));
    }
    agent.lateNs = Math.max(agent.lateNs, lateNs);
  }

  /** @param {string} leg @returns {import('../cluster/primary.js').WorkerSource} its workers */
  forLeg(leg) {
    for (const agent of this.members) Object.assign(agent, { lateNs: 0, driftNs: 0 });
    this.current = new LegAgents(this, leg);
    return this.current;
  }

  /** The leg has ended: how far the clocks have moved since the run began. @returns {Promise<AgentState[]>} */
  async endLeg() {
    this.current = null;
    await this.inTurn(async (agent) => {
      const { clock: before } = agent;
      const now = agent.lost === null ? await this.measureClock(agent).catch(() => null) : null;
      agent.clock = now ?? before;
      agent.driftNs = Number(agent.clock.exactOffsetNs - before.exactOffsetNs);
      agent.uncertaintyNs = Math.ceil(Math.max(before.roundTripNs, agent.clock.roundTripNs) / 2);
    });
    return this.agents.map(({ name, uncertaintyNs, driftNs, lateNs, lost }) => ({
      name,
      clockUncertaintyNs: uncertaintyNs,
      clockDriftNs: driftNs,
      startLateNs: lateNs,
      ...(lost === null ? {} : { agentLost: /** @type {const} */ (true) }),
    }));
  }

  /** The agents are free again. @param {{ keep?: boolean }} [options] keep: the stream, for what nobody has read */
  async end({ keep = false } = {}) {
    const { run } = this;
    if (this.ticker) clearInterval(this.ticker);
    if (run === null) return;
    this.run = null;
    await Promise.all(this.members.map(({ outbox, lost }) => (lost === null ? outbox?.settled() : null)));
    await Promise.all(
      this.members.map(({ name, lost }) =>
        lost === null ? this.ask(name, { type: 'release', run }).catch(() => null) : null,
      ),
    );
    await this.inbox?.close();
    for (const { outbox } of this.members) outbox?.close();
    if (!keep) await this.jsm.streams.delete(streamOf(run)).catch(() => false);
  }

  /** Ends the connection. */
  async close() {
    await this.nc.close();
  }
}

/** The workers of one leg. @implements {WorkerSource} */
class LegAgents {
  startLeadNs = START_LEAD_NS;
  noticeNs = NOTICE_NS;

  /** @param {AgentGroup} group @param {string} leg */
  constructor(group, leg) {
    this.group = group;
    this.leg = leg;
    this.agents = group.agents.length;
    /** @type {RemoteWorker[]} */
    this.workers = [];
  }

  /** @param {number} index @param {Events} events @param {number[]} shares of its engines */
  make(index, events, shares) {
    const { leg, group } = this;
    const worker = new RemoteWorker(index, events, shares, {
      leg,
      agent: group.agents[agentOf(index, this.agents)],
      carrier: group,
    });
    this.workers[index] = worker;
    return worker;
  }

  tolerates() {
    return this.group.tolerates();
  }

  /** @param {import('./messages.js').FromAgent} entry */
  receive(entry) {
    if ('leg' in entry && entry.leg === this.leg) this.workers[entry.worker]?.receive(entry);
  }

  /** @param {KnownAgent} agent */
  lose(agent) {
    for (const worker of this.workers) if (worker.agent === agent) worker.loseHost();
  }
}

/** @typedef {import('../cluster/primary.js').WorkerSource} WorkerSource */
