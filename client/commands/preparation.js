// From what was asked for to what is to be run, before anything starts: load the scenario, find its servers and agents,
// read the machine's limits, plan. `doctor` stops before the plan.

import { existsSync } from 'node:fs';
import { tlsVersion } from '../engine/index.js';
import * as launcher from '../../servers/launcher/index.js';
import { EnvironmentError, UsageError } from '../errors.js';
import { listeningProcesses } from '../machine/listening-processes.js';
import { readHost } from '../machine/host.js';
import { combinedHost } from '../plan/agents.js';
import { planRun } from '../plan/plan.js';
import { warning, warningText } from '../words/warnings.js';
import { scenarioNames } from '../scenario/file.js';
import { mistakesError } from '../scenario/mistakes.js';
import { withServers } from '../scenario/keys/servers.js';
import { dropUnavailable, matchServers, unavailableServers } from '../scenario/keys/server-patterns.js';
import { clockErrorNs } from '../run/agents/clock-offset.js';
import { wrapperWords } from '../run/wrapper.js';
import {
  checkForAgents,
  checkForServerAgent,
  checkMachine,
  protocolMismatches,
  unsupportedOptions,
} from '../scenario/place-rules.js';
import { serverProcessRule } from '../scenario/rules/conditions.js';
import { brokenRules } from '../scenario/rules/rule.js';
import { comparedServers } from '../scenario/rules/measurement.js';
import { commandLabels } from '../scenario/rules/servers.js';
import { loadScenario } from '../scenario/scenario.js';
import { ServerAgentPlace } from './server-agent.js';

/**
 * @import { Endpoint, Warning } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { ListedServer } from '../../servers/launcher/manifest/list-servers.js'
 * @import { BroadsideError } from '../errors.js'
 * @import { Host } from '../machine/host.js'
 * @import { KnownServer } from '../plan/processes.js'
 * @import { AgentGroup } from '../run/agents/agent-group.js'
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
 * @property {Warning[]} left  one for all servers that a pattern matches and that are left out for the same reason
 */

/** Nothing is known yet of the port of a server that is started on another host; nothing listens on this one. */
const NO_PORT = 1;

/**
 * @param {Request} request
 * @param {ServerAgentPlace | null} [elsewhere]  null: servers are started here
 * @returns {Promise<Prepared>}
 * @throws {BroadsideError}
 */
export async function prepare({ command, scenario: named, agents, output }, elsewhere = null) {
  if (named === null) throw noScenarioError(command);
  const requested = await loadScenario({ ...named, ...(!output.isDryRun && { isAccepted: launcher.isAccepted }) });
  if (elsewhere !== null) checkForServerAgent(requested);
  const hasAgents = agents !== null && agents.count > 0;
  if (hasAgents) {
    checkForAgents(requested, agents.count, { startsServers: elsewhere !== null });
  }
  const found =
    requested.servers === undefined
      ? { scenario: requested, known: [], left: [] }
      : await findServers(requested, elsewhere?.checkAvailability ?? launcher.checkAvailability);
  checkMachine(requested, thisMachine);
  // agents may reach another program at the address of the target
  const machine = hasAgents ? { ...thisMachine, listeningProcesses: () => [[]] } : thisMachine;
  checkMachine(requested, machine, [serverProcessRule]);
  const server = await elsewhere?.machine(found.scenario);
  const target = server === undefined ? requested.target : { host: server.address, port: NO_PORT };
  const host = await readHost({ logs: output.logs, target });
  return { ...found, target, host: server === undefined ? host : { ...host, server } };
}

/** @param {string} typed the command, up to its arguments @returns {UsageError} */
function noScenarioError(typed) {
  const known = scenarioNames();
  const text = [
    `which scenario? An example that works: ${typed} --config smoke`,
    `Scenarios in config/: ${known.join(', ')}`,
    `Without a scenario, give a server and connections: ${typed} --servers epoll --connections 100`,
  ].join('\n');
  return new UsageError(text, { code: 'ENOSCENARIO', data: { known } });
}

/**
 * Only the servers that the scenario asks for are checked: the toolchains of other languages are not started.
 * @param {Scenario} requested
 * @param {(servers: ListedServer[]) => Promise<KnownServer[]>} checkAvailability
 * @returns {Promise<Omit<Prepared, 'host' | 'target'>>}
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
function warnUnavailable({ scenario: { servers = [], commands = [] }, known, left }) {
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
  const wanted = request.agents;
  if (wanted === null) return planHere(await prepare(request));
  const place = wanted.serverAgent === null ? null : new ServerAgentPlace(wanted.nats, wanted.serverAgent);
  try {
    return await planForAgents(wanted, await prepare(request, place), place);
  } catch (error) {
    await place?.close();
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
 * @param {ServerAgentPlace | null} place  where the servers are started; null: they are running already
 * @returns {Promise<Planned>}
 * @throws {BroadsideError}
 */
async function planForAgents(wanted, prepared, place) {
  const { host, target } = prepared;
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
    import('../run/agents/connection.js'),
    import('../run/agents/agent-group.js'),
    import('../run/agents/find-agents.js'),
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
