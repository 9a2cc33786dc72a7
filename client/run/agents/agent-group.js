// The agents of a run, as its controller sees them: found, reserved, their clocks compared, heard each second, released.
// The one thing to know: an agent that was declared lost stays lost for the run; what it says afterwards is not read, because
// what it had in flight has been counted as lost.
import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { jetstream, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { createInbox } from '@nats-io/transport-node';
import { EnvironmentError } from '../../errors.js';
import { agentOf } from '../../results/agents.js';
import { warning } from '../../results/warnings.js';
import { clockOffset, ROUND_TRIPS } from './clock-offset.js';
import { decode, encode, PROTOCOL_VERSION } from './codec.js';
import { Inbox } from './inbox.js';
import { BEAT_MS, MISSED_BEATS } from './messages.js';
import { Outbox } from './outbox.js';
import { RemoteWorker } from './remote-worker.js';
import { streamOf, subjects } from './subjects.js';

const ASK_MS = 5000;
/** For agents to answer; each reads the limits of its machine first. */
const FIND_MS = 30_000;
/** Between two questions who is there, until there are enough. */
const ASK_AGAIN_MS = 500;
/** Once there are enough, others may answer for this long, so that the choice does not depend on who is first. */
const SETTLE_MS = 300;
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
 * @property {number} driftNs     of its clock, in the current leg
 * @property {number} lateNs      of the start of the current leg
 */

/**
 * Asks who is there until enough agents have answered.
 * @param {NatsConnection} nc
 * @param {{ count: number, target?: import('../../results/endpoint.js').Endpoint, except?: string[], waitMs?: number }} wanted
 * @returns {Promise<Hello[]>} of `count` agents that are free, in the order of their names
 * @throws {EnvironmentError} when there are fewer
 */
export async function findAgents(nc, { count, target, except = [], waitMs = FIND_MS }) {
  /** @type {Map<string, Hello>} */
  const found = new Map();
  const inbox = createInbox();
  const answers = nc.subscribe(inbox, {
    callback: (_, message) => {
      const hello = /** @type {Hello} */ (decode(message.data));
      found.set(hello.name, hello);
    },
  });
  const free = () =>
    [...found.values()]
      .filter(({ name, run, version }) => run === null && version === PROTOCOL_VERSION && !except.includes(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  const deadline = performance.now() + waitMs;
  while (free().length < count && performance.now() < deadline) {
    nc.publish(subjects.discover, encode({ target: target ?? null }), { reply: inbox });
    const again = performance.now() + ASK_AGAIN_MS;
    while (free().length < count && performance.now() < again) await wait(20);
  }
  if (free().length >= count) await wait(SETTLE_MS);
  answers.unsubscribe();
  const agents = free();
  if (agents.length >= count) return agents.slice(0, count);
  const others = [...found.values()].filter(({ name }) => !agents.some((one) => one.name === name));
  const remarks = others.map(({ name, run, version }) =>
    version === PROTOCOL_VERSION ? `${name} works for run ${run}` : `${name} is of another version of Broadside`,
  );
  throw new EnvironmentError(
    [
      `--agents ${count}: ${agents.length} free agents have answered within ${waitMs / 1000} s` +
        (agents.length === 0 ? '' : ` (${agents.map(({ name }) => name).join(', ')})`),
      ...remarks,
      'start one on each host: broadside agent --nats URL --allow NETWORK',
    ].join('\n'),
    {
      code: 'EAGENTS',
      data: { wanted: count, free: agents.map(({ name }) => name), others: others.map(({ name }) => name) },
    },
  );
}

/** Emits 'warning' (Warning) and 'lost' (KnownAgent). */
export class AgentGroup extends EventEmitter {
  /**
   * @param {{ nc: NatsConnection, jsm: JetStreamManager }} nats
   * @param {{ hellos: Hello[], tolerated?: number, timeoutMs?: number }} options
   */
  constructor({ nc, jsm }, { hellos, tolerated = 0, timeoutMs = MISSED_BEATS * BEAT_MS }) {
    super();
    this.nc = nc;
    this.jsm = jsm;
    this.tolerated = tolerated;
    this.timeoutMs = timeoutMs;
    /** @type {KnownAgent[]} */
    this.agents = hellos.map((hello) => ({
      name: hello.name,
      hello,
      sources: [],
      clock: { exactOffsetNs: 0n, offsetNs: 0, roundTripNs: 0 },
      outbox: null,
      heardAt: 0,
      lost: null,
      driftNs: 0,
      lateNs: 0,
    }));
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

  get names() {
    return this.agents.map(({ name }) => name);
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
    await Promise.all(
      this.agents.map(async (agent) => {
        agent.clock = await this.measureClock(agent);
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
  async ask(name, request) {
    try {
      return decode((await this.nc.request(subjects.agent(name), encode(request), { timeout: ASK_MS })).data);
    } catch (error) {
      throw new EnvironmentError(`agent ${name} does not answer (${/** @type {Error} */ (error).message})`, {
        code: 'EAGENTSILENT',
        data: { name },
        cause: error,
      });
    }
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
    const answers = await Promise.all(
      this.names.map((name) => this.ask(name, { type: 'reserve', version: PROTOCOL_VERSION, run, targets })),
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
    for (const agent of this.agents) {
      agent.outbox = new Outbox(publisher, subjects.to(run, agent.name), { maxBytes: nc.info?.max_payload });
    }
    this.inbox = new Inbox(nc, streamOf(run), subjects.from(run, '*'), (entry, subject) => {
      const name = subject.slice(subject.lastIndexOf('.') + 1);
      const agent = this.agents.find((one) => one.name === name);
      if (agent !== undefined) this.receive(agent, entry);
    }).open();
    this.forgive();
    this.ticker = setInterval(() => this.tick(), BEAT_MS);
    void this.followConnection();
  }

  /** Nothing could be heard until now. */
  forgive() {
    this.tickedAt = performance.now();
    for (const agent of this.agents) agent.heardAt = this.tickedAt;
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
    for (const agent of this.agents) {
      if (agent.lost === null && now - agent.heardAt > this.timeoutMs) {
        this.lose(agent, `nothing came from it for ${(this.timeoutMs / 1000).toFixed(0)} s`);
      }
    }
  }

  /** @param {KnownAgent} agent @param {string} how */
  lose(agent, how) {
    agent.lost = how;
    agent.outbox?.close();
    this.emit('warning', warning('agent-lost', { agent: agent.name, how, started: true }));
    this.current?.lose(agent);
  }

  /** @param {KnownAgent} agent @param {import('./messages.js').FromAgent} entry */
  receive(agent, entry) {
    if (agent.lost !== null) return;
    agent.heardAt = performance.now();
    if (entry.type === 'stopped')
      this.emit('warning', warning('agent-stopped', { agent: agent.name, forMs: entry.forMs }));
    else if (entry.type !== 'beat') this.current?.receive(entry);
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
    for (const agent of this.agents) Object.assign(agent, { lateNs: 0, driftNs: 0 });
    this.current = new LegAgents(this, leg);
    return this.current;
  }

  /** The leg has ended: how far the clocks have moved since the run began. @returns {Promise<AgentState[]>} */
  async endLeg() {
    this.current = null;
    await Promise.all(
      this.agents.map(async (agent) => {
        const now = agent.lost === null ? await this.measureClock(agent).catch(() => null) : null;
        if (now !== null) agent.driftNs = Number(now.exactOffsetNs - agent.clock.exactOffsetNs);
        agent.clock = now ?? agent.clock;
      }),
    );
    return this.agents.map(({ name, clock, driftNs, lateNs, lost }) => ({
      name,
      clockUncertaintyNs: Math.ceil(clock.roundTripNs / 2),
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
    await Promise.all(this.agents.map(({ outbox, lost }) => (lost === null ? outbox?.settled() : null)));
    await Promise.all(
      this.agents.map(({ name, lost }) =>
        lost === null ? this.ask(name, { type: 'release', run }).catch(() => null) : null,
      ),
    );
    await this.inbox?.close();
    for (const { outbox } of this.agents) outbox?.close();
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
    return this.group.lost.length <= this.group.tolerated;
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
