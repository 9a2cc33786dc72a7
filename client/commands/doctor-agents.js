// `broadside doctor --agents N`: which agents are there, what their hosts have, and whether each can carry its share of
// a scenario. It chooses the agents, and divides the load, as `stress` does; it reserves none of them.

import { foundAgentsTable } from '../console/found-agents-table.js';
import { limitsTable } from '../console/limits-table.js';
import { print } from '../console/print.js';
import { pointsOf } from '../measure/settings.js';
import { combineDecisions, decidePoints, limitsOfAgents } from '../plan/points.js';
import { combinedHost } from '../plan/agents.js';
import { clientCeilings } from '../plan/preflight.js';
import { count, counted } from '../words/format.js';
import { formatLoad } from '../words/warnings.js';
import { AllowList } from '../run/agents/allow-list.js';
import { clockErrorNs } from '../run/agents/clock-offset.js';
import { canRun, folderCheck, missingLegs, permissionChecks, serverChecks } from './doctor-checks.js';
import { doctorPage, remarksOf } from './doctor-page.js';

/**
 * @import { Endpoint, Limit } from '../../config/types.js'
 * @import { FoundAgent } from '../console/found-agents-table.js'
 * @import { Row } from '../console/limits-table.js'
 * @import { AgentShare } from '../plan/agents.js'
 * @import { Hello } from '../run/agents/messages.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { AgentsWanted, Output } from './options.js'
 * @import { Prepared } from './preparation.js'
 */

/**
 * What was found out.
 * @typedef {object} Findings
 * @property {number} wanted
 * @property {FoundAgent[]} agents
 * @property {string | null} tooFew  why the load cannot be divided
 * @property {string | null} serverAgent
 * @property {AgentShare[]} shares  of the agents that would have the load, where there is a scenario
 * @property {Row[]} checks
 * @property {Limit[]} serverLimits  of servers on an agent
 * @property {string[]} missing  legs whose server it cannot start
 * @property {Scenario | null} scenario
 */

/**
 * @param {AgentsWanted} wanted
 * @param {Output} output
 * @param {Prepared | null} prepared null: no scenario is given
 */
export async function doctorOfAgents(wanted, output, prepared, isOfAll = false) {
  const findings = await examine(wanted, output, prepared);
  const can = canCarry(findings);
  print(output.only === 'json' ? JSON.stringify(asJson(findings, can), null, 2) : asText(findings, can, isOfAll));
  process.exitCode = can ? 0 : 3;
}

/**
 * @param {AgentsWanted} wanted
 * @param {{ logs: string, report: string }} folders
 * @param {Prepared | null} prepared
 * @returns {Promise<Findings>}
 */
async function examine({ count: wanted, nats, serverAgent }, folders, prepared) {
  const [{ openNats }, { AgentGroup }, { conditionOf, discoverAgents, FIND_MS, freeAgents, tooFewText }] =
    await Promise.all([
      import('../run/agents/connection.js'),
      import('../run/agents/agent-group.js'),
      import('../run/agents/find-agents.js'),
    ]);
  const scenario = prepared?.scenario ?? null;
  const target = prepared?.target;
  const broker = await openNats(nats, 'broadside doctor');
  try {
    const except = serverAgent === null ? [] : [serverAgent];
    const hellos = await discoverAgents(broker, { count: wanted, target, except });
    const free = freeAgents(hellos);
    const group = new AgentGroup(broker, { hellos: free });
    await group.measureClocks();
    const isEnough = free.length >= wanted;
    const used = isEnough ? free.slice(0, wanted) : [];
    const load =
      prepared === null || !isEnough
        ? NO_LOAD
        : await loadOn(used, prepared, target === undefined ? [] : [target], folders);
    /** @type {Hello[]} */
    const serving = prepared?.place ? [(await prepared.place.open()).hello] : [];
    const agents = [...hellos, ...serving].map((hello) => {
      const share = load.shares.find(({ name }) => name === hello.name);
      const clock = group.agents.find(({ name }) => name === hello.name)?.clock;
      return {
        ...hello,
        state: conditionOf(hello),
        isForServers: serving.includes(hello),
        clockUncertaintyNs: clock === undefined ? null : clockErrorNs(clock),
        share: share === undefined ? null : shareOf(share, load.checks),
      };
    });
    const tooFew = isEnough ? null : tooFewText(hellos, wanted, FIND_MS);
    return { wanted, agents, tooFew, serverAgent, scenario, ...load };
  } finally {
    await broker.close();
  }
}

/** @type {Pick<Findings, 'shares' | 'checks' | 'serverLimits' | 'missing'>} */
const NO_LOAD = { shares: [], checks: [], serverLimits: [], missing: [] };

/**
 * @param {Hello[]} agents that would have the load
 * @param {Prepared} prepared
 * @param {Endpoint[]} servers that are started, where they are
 * @param {{ logs: string, report: string }} folders of the controller
 * @returns {Promise<typeof NO_LOAD>} what it needs of each, and what decides besides the limits
 */
async function loadOn(agents, { scenario, host: { server }, known }, servers, { logs, report }) {
  const together = { ...combinedHost(agents), server };
  const points = decidePoints(pointsOf(scenario), together, known);
  const { limits, shares = [] } = combineDecisions(points.map(({ decision }) => decision));
  const targets = (scenario.targets ?? servers).map(({ host }) => host);
  const permissions = agents.map(({ name, allow }) => ({
    name,
    allow,
    refused: new AllowList(allow).refused(targets),
  }));
  return {
    shares: shares.map((share) => ({
      ...share,
      decision: { ...share.decision, limits: share.decision.limits.filter((limit) => limit.servers.length === 0) },
    })),
    serverLimits: limits.filter((limit) => limit.servers.length > 0),
    missing: missingLegs(scenario, known),
    checks: [
      ...permissionChecks(permissions, targets),
      ...serverChecks(scenario, known),
      await folderCheck('logs', logs),
      await folderCheck('report', report),
    ],
  };
}

/** @param {AgentShare} share @param {Row[]} checks @returns {NonNullable<FoundAgent['share']>} */
function shareOf({ name, scenario, decision }, checks) {
  const isRefused = checks.some(({ exceeded, servers }) => exceeded && servers.includes(name));
  return {
    connections: scenario.connections,
    workers: decision.sizing.workers,
    limits: decision.limits,
    fits: decision.scenario !== null && !isRefused,
  };
}

/** @param {Findings} findings @returns {boolean} whether `stress` would measure anything */
const canCarry = ({ tooFew, shares, checks, scenario, missing }) =>
  tooFew === null &&
  shares.every(({ decision }) => decision.scenario !== null) &&
  (scenario === null || canRun(scenario, { scenario }, checks, missing));

/** @param {FoundAgent[]} agents @returns {string[]} of those that can have load */
const freeNames = (agents) =>
  agents.filter(({ state, isForServers }) => state === 'free' && !isForServers).map(({ name }) => name);

/** @param {Findings} findings @param {boolean} can */
function asJson({ wanted, agents, serverAgent, scenario, shares, checks, serverLimits, missing }, can) {
  const free = freeNames(agents);
  return {
    ...(scenario === null
      ? {}
      : {
          scenario: scenario.name,
          requested: { connections: scenario.connections, connectRate: scenario.connectRate },
        }),
    can,
    wanted,
    free,
    ...(serverAgent === null ? {} : { serverAgent, serverLimits, missing }),
    agents: agents.map(({ name, state, run, broadside, allow, serves, host, clockUncertaintyNs, share }) => {
      const decision = shares.find((one) => one.name === name)?.decision;
      return {
        ...{ name, state, run, broadside, allow, serves, clockUncertaintyNs },
        machine: {
          cores: host.cores,
          memoryAvailableBytes: host.memoryAvailableBytes,
          descriptors: host.descriptors,
          ports: host.ports,
        },
        ...(share === null ? {} : { share: { ...share, sources: decision?.sizing.sources } }),
      };
    }),
    ...(scenario === null ? {} : { checks }),
  };
}

/** @param {Findings} findings @param {boolean} can @param {boolean} isOfAll @returns {string} */
function asText(findings, can, isOfAll) {
  const { wanted, agents, serverAgent, scenario, shares, checks, serverLimits } = findings;
  const rows = [...limitsOfAgents(shares), ...serverLimits, ...checks];
  const load = scenario === null ? '' : `${scenario.name}: ${formatLoad(scenario)}, `;
  return doctorPage({
    head: (style) =>
      style('bold', `${load}${counted(wanted, 'agent')}${serverAgent === null ? '' : `, servers on ${serverAgent}`}`),
    tables: (width, style) => [
      ...(agents.length === 0 ? [] : [foundAgentsTable(agents, style)]),
      ...(shares.length === 0 ? [] : [limitsTable(rows, width, style, isOfAll)]),
    ],
    remarks: remarksOf(rows),
    verdict: verdictOf(findings, can),
  });
}

/** @param {Findings} findings @param {boolean} can @returns {string} the conclusion, in words */
function verdictOf({ tooFew, wanted, agents, shares, checks, serverLimits, missing }, can) {
  if (tooFew !== null) return tooFew;
  const limits = shares.flatMap(({ decision }) => decision.limits);
  if (!can) {
    const names = [...clientCeilings(limits), ...checks.filter(({ exceeded }) => exceeded)].map(({ name }) => name);
    return `Not possible on these agents: ${[...new Set(names)].join(', ')}. See the remedies above.`;
  }
  if (shares.length === 0) {
    const free = freeNames(agents);
    return `${count(free.length)} of ${counted(agents.length, 'agent')} ${
      free.length === 1 ? 'is' : 'are'
    } free; a run would use ${free.slice(0, wanted).join(', ')}.`;
  }
  const kernel = limits.filter(({ exceeded, side }) => exceeded && side === 'kernel').map(({ name }) => name);
  const servers = new Set(serverLimits.filter(({ exceeded }) => exceeded).flatMap((limit) => limit.servers));
  return [
    shares.length === 1 ? 'The agent can generate this load.' : 'The agents can generate this load.',
    ...(missing.length === 0 ? [] : [`The server of these legs is not available: ${missing.join(', ')}.`]),
    ...(servers.size === 0
      ? []
      : [`${[...servers].join(', ')}: limited by the server itself; the results will show it.`]),
    ...(kernel.length === 0
      ? []
      : [`Limits of kernel or machine may affect the run: ${[...new Set(kernel)].join(', ')}.`]),
  ].join(' ');
}
