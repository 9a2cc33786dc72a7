// The place of a run whose workers are on agents, or whose servers an agent starts: facts for the plan, and the work of
// the agents during the run. It connects to the NATS server at first use.
import { readHost } from '../machine/host.js';
import { LocalWorkers } from '../run/cluster/forked-worker.js';
import { listAgentLogs } from './agent-logs.js';
import { AgentGroup } from './agent-group.js';
import { clockErrorNs } from './clock-offset.js';
import { combinedHost } from './combined-host.js';
import { findAgents } from './find-agents.js';
import { checkForAgents, checkForServerAgent, checkServerAgent } from './place-rules.js';
import { RemoteLauncher } from './remote-launcher.js';
import { availabilityOn, findServerAgent, launcherOn } from './server-agent.js';

/**
 * @import { Plan } from '../measure/settings.js'
 * @import { LegEvents, LocalLauncher, Place } from '../run/place.js'
 * @import { Launcher } from '../run/server-under-test.js'
 * @import { NatsServer } from './connection.js'
 */

/**
 * @typedef {{ count: number, nats: NatsServer, tolerated: number, timeoutMs: number | undefined, serverAgent: string |
 *   null }} AgentsWanted  count: agents that send load; 0: this host does; serverAgent: null if this host
 *   starts the servers
 */

/** The port of a server on an agent is not known before the run; no server listens on this one. */
const NO_PORT = 1;

/** @param {string} name @returns {string} the agent's name in messages */
const titleOf = (name) => `agent ${name}`;

/** @param {Plan} plan @param {string} [serverHost] address of an agent's servers @returns {string[]} addresses */
const targetsOf = ({ legs }, serverHost) => [
  ...new Set(
    legs.flatMap(({ server }) =>
      server.kind === 'target' ? (server.targets ?? [server]).map(({ host }) => host) : (serverHost ?? []),
    ),
  ),
];

/** @implements {Place} */
export class AgentsPlace {
  isHere = false;

  /** @param {AgentsWanted} wanted @param {LocalLauncher} launcher of this host */
  constructor(wanted, launcher) {
    this.wanted = wanted;
    this.local = launcher;
    /** @type {Launcher} */
    this.launcher = launcher;
    /** @type {ReturnType<AgentsPlace['connect']> | null} */
    this.connection = null;
    /** @type {AgentGroup | null} */
    this.agents = null;
    /** Absent if the load comes from this host. @type {Place['listLog']} */
    this.listLog = undefined;
    /** Listeners for events of the current legs, by leg id. @type {Map<string, LegEvents>} */
    this.listeners = new Map();
  }

  /** @type {Place['check']} */
  check(scenario) {
    const { count, serverAgent } = this.wanted;
    if (serverAgent !== null) checkForServerAgent(scenario);
    if (count > 0) checkForAgents(scenario, count, { startsServers: serverAgent !== null });
  }

  /** @returns {ReturnType<AgentsPlace['connect']>} the same at each call */
  open() {
    this.connection ??= this.connect();
    return this.connection;
  }

  /** Opens the connection, and finds the agent that starts the servers, if there is one. */
  async connect() {
    const { nats, serverAgent } = this.wanted;
    const { openNats } = await import('./connection.js');
    const broker = await openNats(nats, 'broadside controller');
    try {
      return { broker, serverHello: serverAgent === null ? undefined : await findServerAgent(broker, serverAgent) };
    } catch (error) {
      await broker.close();
      throw error;
    }
  }

  /** @type {Place['checkAvailability']} */
  checkAvailability = async (servers) => {
    const { serverAgent } = this.wanted;
    if (serverAgent === null) return this.local.checkAvailability(servers);
    const { broker } = await this.open();
    return availabilityOn(broker, serverAgent, servers);
  };

  /** @type {Place['facts']} */
  async facts(scenario, { logs }) {
    const { count, tolerated, timeoutMs } = this.wanted;
    const { broker, serverHello } = await this.open();
    let { target } = scenario;
    let server;
    if (serverHello !== undefined) {
      const { name, host, serves } = serverHello;
      const { address, commands } = serves;
      checkServerAgent(scenario, { name, address, commands });
      target = { host: address, port: NO_PORT };
      server = { name, title: titleOf(name), address, host };
    }
    const host = { ...(await readHost({ logs, target })), server };
    const except = server === undefined ? [] : [server.name];
    const hellos = count === 0 ? [] : await findAgents(broker, { count, target, except });
    const group = new AgentGroup(broker, { hellos, serverHello, tolerated, timeoutMs });
    this.agents = group;
    await group.measureClocks();
    if (serverHello !== undefined) this.launcher = launcherOn(group);
    if (!group.sendsLoad) return { host, load: host };
    this.listLog = ({ leg, ...log }) => listAgentLogs({ leg, ...log, agents: leg.agents ?? [] });
    const hosts = group.agents.map(({ name, hello, clock }) => ({
      ...{ name, title: titleOf(name), host: hello.host },
      clockErrorNs: clockErrorNs(clock),
    }));
    return { host, load: { ...combinedHost(hosts), server } };
  }

  /** The agents of the run; facts() finds them. */
  get group() {
    if (this.agents === null) throw new TypeError('the agents have not been found yet');
    return this.agents;
  }

  /** @type {Place['begin']} */
  async begin({ folder, plan }) {
    const { group, launcher } = this;
    if (launcher instanceof RemoteLauncher) launcher.folder = folder.folder;
    await group.begin(folder.id, targetsOf(plan, group.serverAgent?.hello.serves?.address));
  }

  /** @type {Place['describe']} */
  async describe() {
    const { group } = this;
    const server = await group.describeServerMachine();
    const agents = group.logPlaces;
    return { ...(server && { server }), ...(agents.length > 0 && { agents }) };
  }

  /** @type {Place['workersFor']} */
  workersFor(leg, { warn, markIncomplete }) {
    const { group } = this;
    if (!group.sendsLoad) return new LocalWorkers(leg);
    this.listeners.set(leg.id, { warn, markIncomplete });
    group.on('warning', warn).on('cut-short', markIncomplete);
    return group.forLeg(leg);
  }

  /** @type {Place['legEnded']} */
  async legEnded({ id }) {
    const { group } = this;
    const listener = this.listeners.get(id);
    if (listener) group.off('warning', listener.warn).off('cut-short', listener.markIncomplete);
    this.listeners.delete(id);
    const hosts = await group.endLeg(id);
    return group.sendsLoad ? { hosts } : {};
  }

  async end() {
    const connection = await this.connection?.catch(() => null);
    try {
      await this.agents?.end();
    } finally {
      if (connection && !connection.broker.isClosed) await connection.broker.close();
    }
  }
}
