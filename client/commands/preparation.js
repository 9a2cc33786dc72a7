// What `stress` and `doctor` do before anything starts: load the scenario, find its servers, read the machine's limits.

import { existsSync } from 'node:fs';
import { tlsVersion } from '../engine/index.js';
import * as launcher from '../../servers/launcher/index.js';
import { EnvironmentError, UsageError } from '../errors.js';
import { readHost } from '../machine/host.js';
import { warningText } from '../results/group-warnings.js';
import { warning } from '../results/warnings.js';
import { scenarioNames } from '../scenario/file.js';
import { mistakesError } from '../scenario/mistakes.js';
import { dropUnavailable, matchServers, unavailableServers } from '../scenario/keys/server-patterns.js';
import { wrapperWords } from '../run/wrapper.js';
import { checkMachine, protocolMismatches, unsupportedOptions } from '../scenario/place-rules.js';
import { brokenRules } from '../scenario/rules/rule.js';
import { commandLabels } from '../scenario/rules/servers.js';
import { loadScenario } from '../scenario/scenario.js';

/** @typedef {import('../results/warnings.js').Warning} Warning */
/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */
/** @typedef {import('../plan/processes.js').KnownServer} KnownServer */
/** @typedef {import('../../servers/launcher/builder/availability.js').ListedServer} ListedServer */

/**
 * @typedef {object} Prepared
 * @property {Scenario} scenario  every pattern among its servers replaced by the servers it matches
 * @property {import('../machine/host.js').Host} host
 * @property {KnownServer[]} known  the servers it names
 * @property {Warning[]} left  one for all servers that a pattern matches and that are left out for the same reason
 */

/**
 * Another host that the servers are started on.
 * @typedef {object} ServerPlace
 * @property {(scenario: Scenario) => void} check  throws where no such host could start its servers
 * @property {(servers: ListedServer[]) => Promise<(ListedServer & import('../run/agents/messages.js').Availability)[]>} checkAvailability
 * @property {(scenario: Scenario) => Promise<import('../machine/host.js').ServerMachine>} machine  rejects where this one cannot
 */

/** Nothing is known yet of the port of a server that is started on another host; nothing listens on this one. */
export const NO_PORT = 1;

/**
 * @param {Pick<import('./request.js').Request, 'command' | 'scenario' | 'output'>} request
 * @param {ServerPlace | null} [elsewhere]  null: servers are started here
 * @returns {Promise<Prepared>}
 * @throws {import('../errors.js').BroadsideError}
 */
export async function prepare({ command, scenario: named, output }, elsewhere = null) {
  if (named === null) throw noScenarioError(command);
  const requested = await loadScenario(named);
  elsewhere?.check(requested);
  const found =
    requested.servers === undefined
      ? { scenario: requested, known: [], left: [] }
      : await findServers(requested, elsewhere?.checkAvailability ?? launcher.checkAvailability);
  checkMachine(requested, thisMachine);
  const server = await elsewhere?.machine(found.scenario);
  const target = server === undefined ? requested.target : { host: server.address, port: NO_PORT };
  const host = await readHost({ logs: output.logs, target });
  return { ...found, host: server === undefined ? host : { ...host, server } };
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
 * @param {ServerPlace['checkAvailability']} checkAvailability
 * @returns {Promise<Omit<Prepared, 'host'>>}
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
  const twice = brokenRules([commandLabels], { ...requested, servers }, (path) => `--${path}`);
  if (twice.length > 0) throw mistakesError(twice); // with a server that a pattern has found
  if (servers.length === 0 && requested.commands === undefined) {
    const text = ['servers: no server that the patterns match can be measured here', ...left.map(warningText)].join(
      '\n',
    );
    const details = { code: 'ESERVER', data: { left } };
    throw left.some(({ data }) => data.missing) ? new EnvironmentError(text, details) : new UsageError(text, details);
  }
  return { scenario: { ...requested, servers }, known, left };
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
    const lines = reasons.map(({ names, cause }) => `servers: ${names.join(', ')}: not available: ${cause}`);
    throw new EnvironmentError([...lines, ...left.map(warningText)].join('\n'), {
      code: 'ESERVER',
      data: { unavailable: reasons, left },
    });
  }
  return reasons.map(({ names, ...reason }) => warning('server-unavailable', { servers: names, ...reason }));
}

/** @type {import('../scenario/place-rules.js').Machine} */
export const thisMachine = {
  hasProcess: (pid) => existsSync(`/proc/${pid}`),
  tlsVersion,
  missingProgram: (wrapper) => {
    const [program] = wrapperWords(wrapper);
    return launcher.findProgram(program) === null ? program : null;
  },
};
