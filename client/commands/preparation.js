// From what was asked for to what is to be run, before anything starts: load the scenario, find its servers and agents,
// read the machine's limits, plan. `doctor` stops before the plan.

import { existsSync } from 'node:fs';
import { tlsVersion } from '../engine/index.js';
import * as launcher from '../../servers/launcher/index.js';
import { EnvironmentError, UsageError } from '../errors.js';
import { typed } from '../invocation.js';
import { listeningProcesses } from '../machine/listening-processes.js';
import { readHost } from '../machine/host.js';
import { combinedHost } from '../plan/agents.js';
import { planRun } from '../plan/plan.js';
import { warning, warningText } from '../words/warnings.js';
import { scenarioNames } from '../scenario/file.js';
import { choose } from '../scenario/merge.js';
import { mistakesError } from '../scenario/mistakes.js';
import { withServers } from '../scenario/keys/servers.js';
import { dropUnavailable, matchServers, unavailableServers } from '../scenario/keys/server-patterns.js';
import { clockErrorNs } from '../agents/clock-offset.js';
import { wrapperWords } from '../run/wrapper.js';
import {
  checkForAgents,
  checkForServerAgent,
  checkMachine,
  checkServerAgent,
  protocolMismatches,
  unsupportedOptions,
} from '../scenario/place-rules.js';
import { serverProcessRule } from '../scenario/rules/conditions.js';
import { brokenRules } from '../scenario/rules/rule.js';
import { comparedServers } from '../scenario/rules/measurement.js';
import { commandLabels } from '../scenario/rules/servers.js';
import { loadScenario } from '../scenario/scenario.js';

/**
 * @import { Endpoint, Warning } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { ListedServer } from '../../servers/launcher/manifest/list-servers.js'
 * @import { BroadsideError } from '../errors.js'
 * @import { Host } from '../machine/host.js'
 * @import { KnownServer } from '../plan/processes.js'
 * @import { AgentGroup } from '../agents/agent-group.js'
 * @import { NatsServer } from '../agents/connection.js'
 * @import { Order } from '../run/run.js'
 * @import { Machine } from '../scenario/place-rules.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { AgentsWanted, Request } from './options.js'
 * @import { Baseline } from './run-comparison.js'
 */

/**
 * @typedef {object} Prepared
 * @property {Scenario} scenario  every pattern among its servers replaced by the servers it matches
 * @property {Host} host
 * @property {Endpoint} [target]  what is connected to, as far as it is known before the run
 * @property {KnownServer[]} known  the servers it names
 * @property {ServerAgentPlace | null} place  where servers are started; null: here
 * @property {Warning[]} left  one for all servers that a pattern matches and that are left out for the same reason
 */

/** Nothing is known yet of the port of a server that is started on another host; nothing listens on this one. */
const NO_PORT = 1;

/**
 * @param {Request} request
 * @returns {Promise<Prepared>} whose place the caller closes
 * @throws {BroadsideError}
 */
export async function prepare(request) {
  const { agents } = request;
  const place = agents?.serverAgent ? new ServerAgentPlace(agents.nats, agents.serverAgent) : null;
  try {
    return { ...(await prepareFor(place, request)), place };
  } catch (error) {
    await place?.close();
    throw error;
  }
}

/**
 * @param {ServerAgentPlace | null} place
 * @param {Request} request
 * @returns {Promise<Omit<Prepared, 'place'>>}
 */
async function prepareFor(place, { command, scenario: named, agents, output }) {
  if (named === null || (named.config === undefined && !choose(named.flags))) throw noScenarioError(command);
  const requested = await loadScenario({ ...named, ...(!output.isDryRun && { isAccepted: launcher.isAccepted }) });
  if (place !== null) checkForServerAgent(requested);
  const hasAgents = agents !== null && agents.count > 0;
  if (hasAgents) {
    checkForAgents(requested, agents.count, { startsServers: place !== null });
  }
  const found =
    requested.servers === undefined
      ? { scenario: requested, known: [], left: [] }
      : await findServers(requested, place?.checkAvailability ?? launcher.checkAvailability);
  checkMachine(requested, thisMachine);
  // agents may reach another program at the address of the target
  const machine = hasAgents ? { ...thisMachine, listeningProcesses: () => [[]] } : thisMachine;
  checkMachine(requested, machine, [serverProcessRule]);
  const server = await place?.machine(found.scenario);
  const target = server === undefined ? requested.target : { host: server.address, port: NO_PORT };
  const host = await readHost({ logs: output.logs, target });
  return { ...found, target, host: server === undefined ? host : { ...host, server } };
}

/** @param {string} command as it was typed, up to its arguments @returns {UsageError} */
function noScenarioError(command) {
  const known = scenarioNames();
  const text = [
    `what to measure? A server that runs: ${command} http://127.0.0.1:8080/`,
    `One of yours to be started: ${command} --command './mine --port {port}'`,
    `A scenario: ${typed('stress', '--config FILE')}, or broadside.json in this folder, ` +
      'or one that comes with Broadside, such as --config smoke: ' +
      known.join(', '),
  ].join('\n');
  return new UsageError(text, { code: 'ENOSCENARIO', data: { known } });
}

/**
 * Only the servers that the scenario asks for are checked: the toolchains of other languages are not started.
 * @param {Scenario} requested
 * @param {(servers: ListedServer[]) => Promise<KnownServer[]>} checkAvailability
 * @returns {Promise<Pick<Prepared, 'scenario' | 'known' | 'left'>>}
 */
async function findServers(requested, checkAvailability) {
  const listed = launcher.listServers();
  const { met, mistakes } = matchServers(requested, listed);
  const named = { ...requested, servers: met.filter(({ pattern }) => pattern === null).map(({ entry }) => entry) };
  const all = [...mistakes, ...unsupportedOptions(named, listed), ...protocolMismatches(named, listed)];
  if (all.length > 0) throw mistakesError(all, 'ESERVER');
  for (const { name } of named.servers) {
    // two servers of one name are ambiguous: an error
    if (listed.filter((server) => server.name === name).length > 1) await launcher.chooseServer(listed, name);
  }
  const wanted = new Set(met.map(({ entry }) => entry.name));
  const known = await checkAvailability(listed.filter(({ name }) => wanted.has(name)));
  const { servers, left } = dropUnavailable(met, requested, known);
  // with the servers that patterns have found
  const broken = brokenRules([commandLabels, ...comparedServers], { ...requested, servers }, (path) => `--${path}`);
  if (broken.length > 0) throw mistakesError(broken);
  if (servers.length === 0 && requested.commands === undefined) {
    const text = ['servers: no server that the patterns match can be measured here', ...left.map(warningText)].join(
      '\n',
    );
    const details = { code: 'ESERVER', data: { left } };
    throw left.some(({ data }) => data.missing) ? new EnvironmentError(text, details) : new UsageError(text, details);
  }
  return { scenario: withServers(requested, servers), known, left };
}

/**
 * Named servers that are not available here: known before anything starts.
 * @param {Prepared} prepared
 * @returns {Warning[]} one for each reason
 * @throws {EnvironmentError} when no leg can run
 */
export function warnUnavailable({ scenario: { servers = [], commands = [] }, known, left }) {
  const { labels, reasons } = unavailableServers(servers, known);
  if (labels.length > 0 && labels.length === servers.length + commands.length) {
    const lines = reasons.map(
      ({ names, cause, remedy }) => `servers: ${names.join(', ')}: not available: ${cause}; ${remedy}`,
    );
    throw new EnvironmentError([...lines, ...left.map(warningText)].join('\n'), {
      code: 'ESERVER',
      data: { unavailable: reasons, left },
    });
  }
  return reasons.map(({ names, ...reason }) => warning('server-unavailable', { servers: names, ...reason }));
}

/** @type {Machine} */
const thisMachine = {
  hasProcess: (pid) => existsSync(`/proc/${pid}`),
  listeningProcesses,
  tlsVersion,
  missingProgram: (wrapper) => {
    const [program] = wrapperWords(wrapper);
    return launcher.findProgram(program) === null ? program : null;
  },
};

/**
 * What is to be run, and where.
 * @typedef {Pick<Prepared, 'scenario' | 'host' | 'known'>
 *   & {plan: Plan, next: Order['next'], answered?: boolean, baseline?: Baseline | null, agents?: AgentGroup}} Planned
 *     answered: its targets answered an exchange; agents: that the load is divided over
 *
 * @param {Request} request
 * @returns {Promise<Planned>}
 * @throws {BroadsideError}
 */
export async function planOf(request) {
  const prepared = await prepare(request);
  if (request.agents === null) return planHere(prepared);
  try {
    return await planForAgents(request.agents, prepared);
  } catch (error) {
    await prepared.place?.close();
    throw error;
  }
}

/**
 * The plan of a run whose load comes from the prepared host.
 * @param {Prepared} prepared
 * @returns {Promise<Planned>}
 * @throws {BroadsideError}
 */
async function planHere(prepared) {
  const { scenario, host, known, left } = prepared;
  const unavailable = warnUnavailable(prepared);
  const remarks = [...unavailable, ...left];
  return { scenario, host, known, ...(await planRun(scenario, host, known, remarks)) };
}

/**
 * The plan of a run whose load is divided over agents, or whose servers are started on one.
 * @param {AgentsWanted} wanted
 * @param {Prepared} prepared
 * @returns {Promise<Planned>}
 * @throws {BroadsideError}
 */
async function planForAgents(wanted, prepared) {
  const { host, target, place } = prepared;
  const agents = await openAgents(wanted, target, place && (await place.open()));
  try {
    if (!agents.sendsLoad) return { ...(await planHere(prepared)), agents };
    const hosts = agents.agents.map(({ name, hello, clock }) => ({
      name,
      host: hello.host,
      clockErrorNs: clockErrorNs(clock),
    }));
    const together = { ...combinedHost(hosts), server: host.server };
    return { ...(await planHere({ ...prepared, host: together })), host, agents };
  } catch (error) {
    await agents.close();
    throw error;
  }
}

/**
 * Finds the agents that the load is divided over, and measures their clocks.
 * @param {AgentsWanted} wanted
 * @param {Endpoint | undefined} target
 * @param {Awaited<ReturnType<ServerAgentPlace['open']>> | null} [server]  the agent that starts the
 *   servers
 */
async function openAgents({ count, nats, tolerated, timeoutMs }, target, server = null) {
  const [{ openNats }, { AgentGroup }, { findAgents }] = await Promise.all([
    import('../agents/connection.js'),
    import('../agents/agent-group.js'),
    import('../agents/find-agents.js'),
  ]);
  const broker = server?.broker ?? (await openNats(nats, 'broadside controller'));
  try {
    const except = server === null ? [] : [server.hello.name];
    const hellos = count === 0 ? [] : await findAgents(broker, { count, target, except });
    const group = new AgentGroup(broker, { hellos, serverHello: server?.hello, tolerated, timeoutMs });
    await group.measureClocks();
    return group;
  } catch (error) {
    await broker.close();
    throw error;
  }
}

/**
 * The agent that starts the servers of a run, as far as the plan needs it: which servers it can start, and the limits
 * of its machine. The connection to it is made at the first question.
 */
export class ServerAgentPlace {
  /** @param {NatsServer} nats @param {string} name */
  constructor(nats, name) {
    this.nats = nats;
    this.name = name;
    /** @type {ReturnType<ServerAgentPlace['connect']> | null} */
    this.opened = null;
  }

  /** @returns {ReturnType<ServerAgentPlace['connect']>} the same each time */
  open() {
    this.opened ??= this.connect();
    return this.opened;
  }

  async connect() {
    const [{ openNats }, { findServerAgent }] = await Promise.all([
      import('../agents/connection.js'),
      import('../agents/server-agent.js'),
    ]);
    const broker = await openNats(this.nats, 'broadside controller');
    try {
      return { broker, hello: await findServerAgent(broker, this.name) };
    } catch (error) {
      await broker.close();
      throw error;
    }
  }

  /**
   * @template {{ name: string }} Server
   * @param {Server[]} servers
   */
  checkAvailability = async (servers) => {
    const { availabilityOn } = await import('../agents/server-agent.js');
    const { broker } = await this.open();
    return availabilityOn(broker, this.name, servers);
  };

  /** @param {Scenario} scenario */
  async machine(scenario) {
    const { hello } = await this.open();
    const { name, host } = hello;
    const { address, commands } = hello.serves;
    checkServerAgent(scenario, { name, address, commands });
    return { name, address, host };
  }

  /** For a plan that has failed. */
  async close() {
    const opened = await this.opened?.catch(() => null);
    if (opened && !opened.broker.isClosed) await opened.broker.close();
  }
}
