// The agents of a run, as its controller sees them: reserved, read, given their part of each leg, released.
// A lost agent stays lost for the run. Its later messages are not read, because its transfers in flight have been
// counted as lost.
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
 * Emits 'warning' (Warning) and 'cut-short' (Warning: why the current legs cannot be complete); for the agent that
 * starts the servers also 'server' (its message) and 'server-lost' (how it was lost).
 */
export class AgentGroup extends EventEmitter {
  /**
   * @param {Broker} broker
   * @param {{ hellos: Hello[], serverHello?: Hello, tolerated?: number, timeoutMs?: number }} options  hellos: of the
   *   agents that send load; serverHello: of the agent that starts the servers
   */
  constructor(broker, { hellos, serverHello, tolerated = 0, timeoutMs = MISSED_BEATS * BEAT_MS }) {
    super();
    this.broker = broker;
    this.tolerated = tolerated;
    this.timeoutMs = timeoutMs;
    /** The agents that send load. */
    this.agents = hellos.map(knownAgent);
    this.serverAgent = serverHello === undefined ? null : knownAgent(serverHello);
    /** The agents that send load, and the agent that starts the servers. */
    this.members = this.serverAgent === null ? this.agents : [...this.agents, this.serverAgent];
    /** @type {string | null} */
    this.run = null;
    /** @type {Inbox | null} */
    this.inbox = null;
    /** @type {SilenceWatch | null} */
    this.watch = null;
    /** The current legs, by their ids: several where they are measured side by side. @type {Map<string, LegAgents>} */
    this.current = new Map();
    this.setMaxListeners(0); // each current leg adds listeners
  }

  /** Names of the agents that send load. */
  get names() {
    return this.agents.map(({ name }) => name);
  }

  /** Whether the workers run on agents; otherwise only the servers do. */
  get sendsLoad() {
    return this.agents.length > 0;
  }

  /**
   * @returns {Promise<Record<string, unknown> | null>} the machine of the servers, for environment.json; null: this
   *   host
   */
  async describeServerMachine() {
    if (this.serverAgent === null) return null;
    const { name, hello } = this.serverAgent;
    return { address: hello.serves?.address, ...(await environmentOf(this.broker, name)) };
  }

  /** Hosts and folders of the agents' transfer logs, for environment.json. */
  get logPlaces() {
    return this.agents.map(({ name, hello: { logs } }) => ({ agent: name, ...logs }));
  }

  get lost() {
    return this.agents.filter(({ lost }) => lost !== null);
  }

  /** Compares the clock of each agent with this host's. */
  async measureClocks() {
    await measureClocks(this.broker, this.members);
  }

  /**
   * Reserves all agents for a run, and begins to read their reports.
   * @param {string} run @param {string[]} targets addresses
   * @throws {EnvironmentError} when an agent refuses; then all are free again
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
        if (agent?.lost === null) this.shutOut(agent, `its report is invalid: ${why}`);
      },
    }).open();
    const onSilent = (/** @type {KnownAgent} */ agent) =>
      this.lose(agent, `no message from it for ${(timeoutMs / 1000).toFixed(0)} s`);
    this.watch = new SilenceWatch(broker, { run, agents: members, timeoutMs, onSilent }).open();
  }

  /** @param {string} subject @returns {KnownAgent | undefined} the sender */
  agentOf(subject) {
    const name = senderOf(subject);
    return this.members.find((agent) => agent.name === name);
  }

  /**
   * @param {KnownAgent | undefined} agent
   * @param {number} bytes of a batch of its reports
   * @returns {boolean} whether the batch is to be read
   */
  allows(agent, bytes) {
    if (agent?.lost !== null) return false;
    if (agent.allowance.take(bytes, performance.now())) return true;
    this.shutOut(agent, 'it reports far more than its workers can');
    return false;
  }

  /**
   * Loses the agent and makes the stream refuse its messages, so that it does not delay the reports of the others.
   * @param {KnownAgent} agent
   * @param {string} how
   */
  shutOut(agent, how) {
    this.lose(agent, how);
    this.watch?.forgive();
    const { run } = this;
    if (run === null) return;
    const senders = this.members.filter((member) => member.shutOut !== true && member !== agent);
    agent.shutOut = true;
    void setSenders(
      this.broker,
      run,
      senders.map(({ name }) => name),
    );
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
      must(agent === this.serverAgent, 'it reports servers, but starts none');
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

  /** Whether a leg can be complete without the agents that are lost or have stopped their load. */
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

  /** Reports that the agent loaded several servers at once. @param {KnownAgent} agent @param {number} lateNs */
  slicedLate(agent, lateNs) {
    if (lateNs === 0 || agent.wasSlicedLate) return;
    agent.wasSlicedLate = true;
    const late = warning('agent-slices-late', { agent: agent.name, lateNs });
    this.emit('warning', late);
    this.emit('cut-short', late);
  }

  /**
   * @param {PlannedLeg} leg that begins alone or joins the current legs
   * @returns {LegAgents} its workers
   */
  forLeg(leg) {
    if (this.current.size === 0) this.beginLegs();
    const workers = new LegAgents(this, leg);
    this.current.set(leg.id, workers);
    return workers;
  }

  /** Begins to measure how late agents start and how far their clocks drift. */
  beginLegs() {
    for (const agent of this.members) {
      Object.assign(agent, { lateNs: 0, wasSlicedLate: false, driftNs: 0, firstClock: agent.clock });
    }
  }

  /**
   * @param {string} [id] of the leg that has ended; absent if its workers ran on this host
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

  /** Releases the agents. */
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

  /** Closes the connection. */
  async close() {
    await this.broker.close();
  }
}

const ASK_MS = 5000;

/**
 * @param {string} run
 * @param {string[]} names of agents
 * @returns {string[]} subjects of the stream: the controller's, and these agents'
 */
const takenBy = (run, names) => [subjects.to(run, '*'), ...names.map((name) => subjects.from(run, name))];

/** @param {Broker} broker @param {string} run @param {string[]} names of its agents */
const makeStream = (broker, run, names) => broker.makeStream(streamOf(run), takenBy(run, names));

/**
 * @param {Broker} broker @param {string} run @param {string[]} names of the agents whose reports the stream takes
 * @returns {Promise<unknown>} null: no answer
 */
const setSenders = (broker, run, names) => broker.changeStream(streamOf(run), takenBy(run, names)).catch(() => null);

/** @param {Broker} broker @param {string} run @returns {Promise<unknown>} null: no stream, or no answer */
const deleteStream = (broker, run) => broker.deleteStream(streamOf(run)).catch(() => null);

/**
 * Reserves each agent for this run until it is released.
 * @param {Broker} broker @param {string} run
 * @param {{ agents: KnownAgent[], serverAgent: KnownAgent | null, targets: string[] }} wanted agents: send load;
 *   serverAgent: starts the servers; targets: addresses
 * @throws {EnvironmentError} when an agent refuses or does not answer; the others stay reserved
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

/** @param {unknown} answer other than a reservation @returns {Pick<Refusal, 'code' | 'data' | 'text'>} */
const asRefusal = (answer) =>
  isObject(answer) && isText(answer.text) && isText(answer.code)
    ? { code: answer.code, data: isObject(answer.data) ? answer.data : {}, text: answer.text }
    : { code: 'agent-unclear', data: {}, text: 'an agent answers its reservation with neither yes nor no' };

/** @param {Broker} broker @param {string} run @param {KnownAgent[]} agents lost ones are not asked */
async function releaseAgents(broker, run, agents) {
  const living = agents.filter(({ lost }) => lost === null);
  await Promise.all(
    living.map(({ name }) => askAgent(broker, name, { type: 'release', run }, ASK_MS).catch(() => null)),
  );
}
