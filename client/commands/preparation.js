// Prepares a run before anything starts: loads the scenario, finds its servers and its place, reads the limits of the
// machines, and plans. `doctor` stops before the plan.

import { existsSync } from 'node:fs';
import { tlsVersion } from '../engine/index.js';
import * as launcher from '../../servers/launcher/index.js';
import { EnvironmentError, UsageError } from '../errors.js';
import { typed } from '../invocation.js';
import { listeningProcesses } from '../machine/listening-processes.js';
import { planRun } from '../plan/plan.js';
import { warning, warningText } from '../words/warnings.js';
import { scenarioNames } from '../scenario/file.js';
import { choose } from '../scenario/merge.js';
import { mistakesError } from '../scenario/mistakes.js';
import { withServers } from '../scenario/keys/servers.js';
import { dropUnavailable, matchServers, unavailableServers } from '../scenario/keys/server-patterns.js';
import { Here } from '../run/place.js';
import { wrapperWords } from '../run/wrapper.js';
import { checkMachine, protocolMismatches, unsupportedOptions } from '../scenario/place-rules.js';
import { serverProcessRule } from '../scenario/rules/conditions.js';
import { brokenRules } from '../scenario/rules/rule.js';
import { comparedServers } from '../scenario/rules/measurement.js';
import { commandLabels } from '../scenario/rules/servers.js';
import { loadScenario } from '../scenario/scenario.js';

/**
 * @import { Warning } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { ListedServer } from '../../servers/launcher/manifest/list-servers.js'
 * @import { BroadsideError } from '../errors.js'
 * @import { Host } from '../machine/host.js'
 * @import { KnownServer } from '../plan/processes.js'
 * @import { Place } from '../run/place.js'
 * @import { Order } from '../run/run.js'
 * @import { Machine } from '../scenario/place-rules.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Request } from './options.js'
 * @import { Baseline } from './run-comparison.js'
 */

/**
 * @typedef {object} Prepared
 * @property {Scenario} scenario  with the matching servers in place of patterns
 * @property {Host} host
 * @property {Host} load  the host or hosts that send the load
 * @property {KnownServer[]} known  the servers that the scenario names
 * @property {Place} place  where the servers are started
 * @property {Warning[]} left  for each reason, one about the servers that match a pattern and are left out
 */

/**
 * @param {Request} request
 * @returns {Promise<Prepared>} the caller ends its place
 * @throws {BroadsideError}
 */
export async function prepare(request) {
  const place = request.place === null ? new Here(launcher) : await request.place.open(launcher);
  try {
    return { ...(await prepareFor(place, request)), place };
  } catch (error) {
    await place.end();
    throw error;
  }
}

/**
 * @param {Place} place
 * @param {Request} request
 * @returns {Promise<Omit<Prepared, 'place'>>}
 */
async function prepareFor(place, { command, scenario: named, output }) {
  if (named === null || (named.config === undefined && !choose(named.flags))) throw noScenarioError(command);
  const requested = await loadScenario({ ...named, ...(!output.isDryRun && { isAccepted: launcher.isAccepted }) });
  place.check(requested);
  const matched =
    requested.servers === undefined
      ? { scenario: requested, known: [], left: [] }
      : await findServers(requested, place.checkAvailability);
  checkMachine(requested, thisMachine);
  const { listeningProcesses: processesAt = () => [[]] } = place.launcher;
  checkMachine(requested, { ...thisMachine, listeningProcesses: processesAt }, [serverProcessRule]);
  return { ...matched, ...(await place.facts(matched.scenario, output)) };
}

/** @param {string} command as typed, without its arguments @returns {UsageError} */
function noScenarioError(command) {
  const known = scenarioNames();
  const text = [
    `what to measure? A server that runs: ${command} http://127.0.0.1:8080/`,
    `A program to start: ${command} --command './mine --port {port}'`,
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
  const allMistakes = [...mistakes, ...unsupportedOptions(named, listed), ...protocolMismatches(named, listed)];
  if (allMistakes.length > 0) throw mistakesError(allMistakes, 'ESERVER');
  for (const { name } of named.servers) {
    // two servers with the same name are ambiguous, which is an error
    if (listed.filter((server) => server.name === name).length > 1) await launcher.chooseServer(listed, name);
  }
  const wanted = new Set(met.map(({ entry }) => entry.name));
  const known = await checkAvailability(listed.filter(({ name }) => wanted.has(name)));
  const { servers, left } = dropUnavailable(met, requested, known);
  // these rules also apply to the servers that match patterns
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
 * Warns about named servers that are not available here, before anything starts.
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
 * A planned run and its place.
 * @typedef {Pick<Prepared, 'scenario' | 'host' | 'known' | 'place'>
 *   & {plan: Plan, next: Order['next'], answered?: boolean, baseline?: Baseline | null}} Planned
 *     answered: whether its targets answered an exchange
 *
 * @param {Request} request
 * @returns {Promise<Planned>} the caller ends its place
 * @throws {BroadsideError}
 */
export async function planOf(request) {
  const prepared = await prepare(request);
  const { scenario, host, load, known, left, place } = prepared;
  try {
    const remarks = [...warnUnavailable(prepared), ...left];
    return { scenario, host, known, place, ...(await planRun(scenario, load, known, remarks)) };
  } catch (error) {
    await place.end();
    throw error;
  }
}
