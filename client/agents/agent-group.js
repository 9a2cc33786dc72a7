// The agents of a run, as its controller sees them: reserved, heard, given their part of each leg, released.
// The one thing to know: an agent that was declared lost stays lost for the run; what it says afterwards is not read,
// because what it had in flight has been counted as lost.
import { EventEmitter } from 'node:events';
import { EnvironmentError } from '../errors.js';
import { isObject, ownValue } from '../measure/objects.js';
import { warning } from './warnings.js';
import { measureClocks, measureDrifts } from './agent-clocks.js';
import { Allowance } from './allowance.js';
import { askAgent } from './ask-agent.js';
import { decodeReport } from './codec.js';
import { checkedEntry } from './entry-shape.js';
import { Inbox } from './inbox.js';
import { knownAgent } from './known-agent.js';
import { LegAgents } from './remote-worker.js';
import { BEAT_MS, MISSED_BEATS } from './messages.js';
import { Outbox } from './outbox.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import { environmentOf } from './server-agent.js';
import { checkedMessage } from './server-shape.js';
import { isText, must } from './shape.js';
import { SilenceWatch } from './silence-watch.js';
import { senderOf, streamOf, subjects } from './subjects.js';

/**
 * @import { HostState } from '../measure/hosts.js'
 * @import { Broker } from './broker.js'
 * @import { KnownAgent } from './known-agent.js'
 * @import { FromAgent, Hello, Refusal, ReserveRequest, ToAgent } from './messages.js'
 * @import { PlannedLeg } from './remote-worker.js'
 */

/**
 * Emits 'warning' (Warning), 'cut-short' (Warning: why the current legs cannot be complete), and of the agent with the
 * servers 'server' (its message) and 'server-lost' (how).
 */
export class AgentGroup extends EventEmitter {
  /**
   * @param {Broker} broker
   * @param {{ hellos: Hello[], serverHello?: Hello, tolerated?: number, timeoutMs?: number }} options  hellos: of those
   *   that send load; serverHello: of the one that starts the servers
   */
  constructor(broker, { hellos, serverHello, tolerated = 0, timeoutMs = MISSED_BEATS * BEAT_MS }) {
    super();
    this.broker = broker;
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
    /** @type {SilenceWatch | null} */
    this.watch = null;
    /** The current legs, by their ids: several where they are measured side by side. @type {Map<string, LegAgents>} */
    this.current = new Map();
    this.setMaxListeners(0); // each of the current legs has some
  }

  /** Of those that send load. */
  get names() {
    return this.agents.map(({ name }) => name);
  }

  /** Whether the workers are on agents; otherwise only the servers are. */
  get sendsLoad() {
    return this.agents.length > 0;
  }

  /**
   * @returns {Promise<Record<string, unknown> | null>} the machine of the servers, for environment.json; null: it is
   *   this one
   */
  async describeServerMachine() {
    if (this.serverAgent === null) return null;
    const { name, hello } = this.serverAgent;
    return { address: hello.serves?.address, ...(await environmentOf(this.broker, name)) };
  }

  /** Where those that send load keep their transfer logs, for environment.json. */
  get logPlaces() {
    return this.agents.map(({ name, hello: { logs } }) => ({ agent: name, ...logs }));
  }

  get lost() {
    return this.agents.filter(({ lost }) => lost !== null);
  }

  /** Compares the clock of each agent with this one's. */
  async measureClocks() {
    await measureClocks(this.broker, this.members);
  }

  /**
   * Reserves all agents for a run, and begins to hear what they say in it.
   * @param {string} run @param {string[]} targets addresses
   * @throws {EnvironmentError} when one refuses; the others are free again
   */
  async begin(run, targets) {
    const { broker, agents, serverAgent, members, timeoutMs } = this;
    await makeStream(
      broker,
      run,
      members.map(({ name }) => name),
    );
    this.run = run;
    try {
      await reserveAgents(broker, run, { agents, serverAgent, targets });
    } catch (error) {
      await this.end();
      throw error;
    }
    for (const agent of members) {
      agent.allowance = new Allowance(performance.now());
      agent.outbox = new Outbox(broker, subjects.to(run, agent.name));
    }
    this.inbox = new Inbox(broker, streamOf(run), subjects.from(run, '*'), {
      decode: decodeReport,
      onBatch: (bytes, subject) => this.allows(this.agentOf(subject), bytes),
      onEntry: (entry, subject) => {
        const agent = this.agentOf(subject);
        if (agent?.lost === null) this.receive(agent, checkedEntry(entry));
      },
      onUnreadable: (why, subject) => {
        const agent = this.agentOf(subject);
        if (agent?.lost === null) this.shutOut(agent, `what it reports cannot be true: ${why}`);
      },
    }).open();
    const onSilent = (/** @type {KnownAgent} */ agent) =>
      this.lose(agent, `nothing came from it for ${(timeoutMs / 1000).toFixed(0)} s`);
    this.watch = new SilenceWatch(broker, { run, agents: members, timeoutMs, onSilent }).open();
  }

  /** @param {string} subject @returns {KnownAgent | undefined} the one that has sent it */
  agentOf(subject) {
    const name = senderOf(subject);
    return this.members.find((agent) => agent.name === name);
  }

  /**
   * @param {KnownAgent | undefined} agent
   * @param {number} bytes of a batch of its reports
   * @returns {boolean} whether it is read
   */
  allows(agent, bytes) {
    if (agent?.lost !== null) return false;
    if (agent.allowance.take(bytes, performance.now())) return true;
    this.shutOut(agent, 'it reports far more than its workers can');
    return false;
  }

  /**
   * The agent is lost, and the stream takes nothing of it any more: it must not delay what the others report.
   * @param {KnownAgent} agent
   * @param {string} how
   */
  shutOut(agent, how) {
    this.lose(agent, how);
    this.watch?.forgive();
    const { run } = this;
    if (run === null) return;
    const heard = this.members.filter((one) => one.shutOut !== true && one !== agent).map(({ name }) => name);
    agent.shutOut = true;
    void setSenders(this.broker, run, heard);
  }

  /** @param {KnownAgent} agent @param {string} how */
  lose(agent, how) {
    if (agent.lost !== null) return;
    agent.lost = how;
    agent.outbox?.close();
    if (agent === this.serverAgent) return void this.emit('server-lost', how);
    this.emit('warning', warning('agent-lost', { agent: agent.name, how, started: true }));
    for (const leg of this.current.values()) leg.lose(agent);
  }

  /** @param {KnownAgent} agent @param {FromAgent} entry */
  receive(agent, entry) {
    agent.heardAt = performance.now();
    if (entry.type === 'stopped') this.stop(agent, entry);
    else if (entry.type === 'server') {
      must(agent === this.serverAgent, 'it starts no servers, and reports some');
      this.emit('server', checkedMessage(entry.message));
    } else if ('leg' in entry) this.current.get(entry.leg)?.receive(agent, entry);
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

  /** @param {KnownAgent} agent @param {ToAgent} entry */
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

  /** Some of what was measured is not of one server alone. @param {KnownAgent} agent @param {number} lateNs */
  slicedLate(agent, lateNs) {
    if (lateNs === 0 || agent.wasSlicedLate) return;
    agent.wasSlicedLate = true;
    const late = warning('agent-slices-late', { agent: agent.name, lateNs });
    this.emit('warning', late);
    this.emit('cut-short', late);
  }

  /**
   * @param {PlannedLeg} leg that begins alone, or together with those that are current
   * @returns {LegAgents} its workers
   */
  forLeg(leg) {
    if (this.current.size === 0) this.beginLegs();
    const workers = new LegAgents(this, leg);
    this.current.set(leg.id, workers);
    return workers;
  }

  /** From now on it is known how late agents start, and how far their clocks move. */
  beginLegs() {
    for (const agent of this.members) {
      Object.assign(agent, { lateNs: 0, wasSlicedLate: false, driftNs: 0, firstClock: agent.clock });
    }
  }

  /**
   * @param {string} [id] of the leg that has ended; absent: of one whose workers are on this host
   * @returns {Promise<HostState[]>}
   */
  async endLeg(id = '') {
    this.current.delete(id);
    await measureDrifts(this.broker, this.members);
    return this.agents.map(({ name, uncertaintyNs, driftNs, lateNs, lost }) => ({
      name,
      clockUncertaintyNs: uncertaintyNs,
      clockDriftNs: driftNs,
      startLateNs: lateNs,
      ...(lost === null ? {} : { agentLost: /** @type {const} */ (true) }),
    }));
  }

  /** The agents are free again. */
  async end() {
    const { run } = this;
    this.watch?.close();
    if (run === null) return;
    this.run = null;
    await Promise.all(this.members.map(({ outbox, lost }) => (lost === null ? outbox?.settled() : null)));
    await releaseAgents(this.broker, run, this.members);
    await this.inbox?.close();
    for (const { outbox } of this.members) outbox?.close();
    await deleteStream(this.broker, run);
  }

  /** Ends the connection. */
  async close() {
    await this.broker.close();
  }
}

const ASK_MS = 5000;

/**
 * @param {string} run
 * @param {string[]} names of agents
 * @returns {string[]} what its stream takes: of the controller, and of these agents
 */
const takenBy = (run, names) => [subjects.to(run, '*'), ...names.map((name) => subjects.from(run, name))];

/** @param {Broker} broker @param {string} run @param {string[]} names of its agents */
const makeStream = (broker, run, names) => broker.makeStream(streamOf(run), takenBy(run, names));

/**
 * @param {Broker} broker @param {string} run @param {string[]} names of the agents whose reports it takes from now on
 * @returns {Promise<unknown>} null: there was no answer
 */
const setSenders = (broker, run, names) => broker.changeStream(streamOf(run), takenBy(run, names)).catch(() => null);

/** @param {Broker} broker @param {string} run @returns {Promise<unknown>} null: there was none, or no answer */
const deleteStream = (broker, run) => broker.deleteStream(streamOf(run)).catch(() => null);

/**
 * Makes each work for no other run until it is released.
 * @param {Broker} broker @param {string} run
 * @param {{ agents: KnownAgent[], serverAgent: KnownAgent | null, targets: string[] }} wanted agents: that send load;
 *   serverAgent: that starts the servers; targets: addresses
 * @throws {EnvironmentError} when one refuses, or does not answer; the others stay reserved
 */
async function reserveAgents(broker, run, { agents, serverAgent, targets }) {
  /** @type {ReserveRequest} */
  const load = { type: 'reserve', version: PROTOCOL_VERSION, run, targets };
  const requests = agents.map(({ name }) => askAgent(broker, name, load, ASK_MS));
  if (serverAgent !== null) {
    requests.push(askAgent(broker, serverAgent.name, { ...load, targets: [], serves: true }, ASK_MS));
  }
  const refused = (await Promise.all(requests)).filter((answer) => ownValue(answer, 'ok') !== true).map(asRefusal);
  if (refused.length === 0) return;
  throw new EnvironmentError(refused.map(({ text }) => text).join('\n'), {
    code: 'EAGENTREFUSED',
    data: { agents: refused.map(({ code, data }) => ({ code, data })) },
  });
}

/** @param {unknown} answer that is not a reservation @returns {Pick<Refusal, 'code' | 'data' | 'text'>} */
const asRefusal = (answer) =>
  isObject(answer) && isText(answer.text) && isText(answer.code)
    ? { code: answer.code, data: isObject(answer.data) ? answer.data : {}, text: answer.text }
    : { code: 'agent-unclear', data: {}, text: 'an agent answers neither yes nor no to its reservation' };

/** @param {Broker} broker @param {string} run @param {KnownAgent[]} agents those that are lost are not asked */
async function releaseAgents(broker, run, agents) {
  const living = agents.filter(({ lost }) => lost === null);
  await Promise.all(
    living.map(({ name }) => askAgent(broker, name, { type: 'release', run }, ASK_MS).catch(() => null)),
  );
}
