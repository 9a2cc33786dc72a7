// `broadside doctor`: which limits of this machine would restrict a scenario, without starting anything.
// All figures are those of the plan that `stress` would follow. It changes nothing: a folder that it makes, to see
// whether it can be made, is removed immediately.

import { limitsTable } from '../console/limits-table.js';
import { print } from '../console/print.js';
import { textTable } from '../console/text-table.js';
import { typed } from '../invocation.js';
import { clientCeilings } from '../plan/preflight.js';
import { pointsOf } from '../measure/settings.js';
import { combineDecisions, decidePoints } from '../plan/points.js';
import { scenarioOptions, unitsHelp } from '../scenario/flags.js';
import { transportFacts } from '../transports/index.js';
import { count, counted, bytes } from '../words/format.js';
import { formatLoad, warningText } from '../words/warnings.js';
import { canRun, folderCheck, legsOf, missingLegs, serverChecks } from './doctor-checks.js';
import { doctorPage, remarksOf } from './doctor-page.js';
import { withShortFlags } from './short-flags.js';
import { readBusyCores } from '../machine/usage.js';
import { readHost } from '../machine/host.js';
import { optionError } from './option-values.js';
import { optionsOf, partOptions, requestOf } from './options.js';
import { prepare } from './preparation.js';
import { folderOptions, json, OUTPUT } from './shared-options.js';

/**
 * @import { Options } from 'yargs'
 * @import { Row } from '../console/limits-table.js'
 * @import { Host } from '../machine/host.js'
 * @import { Decision } from '../plan/preflight.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Command } from './index.js'
 * @import { Output } from './options.js'
 * @import { Prepared } from './preparation.js'
 */

/** @type {Record<string, Options>} */
export const builder = {
  ...withShortFlags(scenarioOptions()),
  ...optionsOf('agents'),
  ...partOptions('nats'),
  ...optionsOf('server-agent'),
  ...folderOptions,
  json,
  all: { type: 'boolean', group: OUTPUT, description: 'List every limit, those too that are not short' },
};

export const epilogue = unitsHelp;

export const everyday = [
  ...['config', 'command', 'servers', 'connections', 'duration', 'rate', 'payload', 'protocol', 'ramp.add'],
  ...['agents', 'nats', 'server-agent', 'logs', 'report', 'json', 'all'],
];

/** @type {Command['examples']} */
export const examples = [
  ['', 'what this machine has, and how busy it is now'],
  ['--config 80k-continuous', 'the limits that would restrict this scenario'],
  ['--agents 4 --nats nats://10.0.0.1:4222', 'the agents that a run could use'],
];

/** @param {any} argv */
export async function handler(argv) {
  const request = requestOf(argv);
  const { agents: wanted, output } = request;
  const hasScenario = request.scenario !== null;
  if (wanted?.serverAgent && !hasScenario) {
    throw optionError('server-agent', wanted.serverAgent, 'needs a scenario; for the agents alone, give --agents N');
  }
  const prepared = hasScenario ? await prepare(request) : null;
  try {
    if (wanted !== null && wanted.count > 0) {
      const { doctorOfAgents } = await import('./doctor-agents.js');
      await doctorOfAgents(wanted, output, prepared, argv.all ?? false);
    } else if (prepared !== null) await showLimits(output, prepared, argv.all ?? false);
    else await showMachine(output);
  } finally {
    await prepared?.place?.close();
  }
}

/**
 * Prints the limits of this machine for a scenario.
 * @param {Output} output @param {Prepared} prepared @param {boolean} isOfAll whether every limit is listed
 */
async function showLimits(output, prepared, isOfAll) {
  const busy = await readBusyCores(prepared.host.cpus);
  const points = decidePoints(pointsOf(prepared.scenario), prepared.host, prepared.known);
  const decision = combineDecisions(points.map((one) => one.decision));
  const checks = [
    ...serverChecks(prepared.scenario, prepared.known),
    await folderCheck('logs', output.logs),
    await folderCheck('report', output.report),
  ];
  const missing = missingLegs(prepared.scenario, prepared.known);
  const can = canRun(prepared.scenario, decision, checks, missing);
  print(
    output.only === 'json'
      ? JSON.stringify(asJson(prepared, decision, checks, { can, missing, busy }), null, 2)
      : asText(prepared, decision, checks, { missing, busy, isOfAll }),
  );
  process.exitCode = can ? 0 : 3;
}

/** @param {Output} output Prints what the machine has, whatever is to be measured. */
async function showMachine({ logs, only }) {
  const host = await readHost({ logs });
  const busy = await readBusyCores(host.cpus);
  const facts = Object.fromEntries(machineFacts(host, busy).map(({ name, data }) => [name, data]));
  print(only === 'json' ? JSON.stringify({ machine: facts }, null, 2) : machineText(host, busy));
}

/**
 * @param {Prepared} prepared
 * @param {Decision} decision
 * @param {Row[]} checks
 * @param {{can: boolean, missing: string[], busy: number}} verdict  busy: cores, now
 */
function asJson({ scenario, left }, { scenario: run, sizing, limits, possible }, checks, { can, missing, busy }) {
  const sizes = (/** @type {Scenario | null} */ one) =>
    one && { connections: one.connections, connectRate: one.connectRate };
  return {
    scenario: scenario.name,
    requested: sizes(scenario),
    can,
    missing,
    runs: sizes(run),
    possible: sizes(run ?? possible),
    workers: sizing.workers,
    engines: sizing.engines,
    sources: sizing.sources,
    legs: sizing.servers,
    limits,
    checks,
    busyCores: busy,
    left,
  };
}

/**
 * @param {Prepared} prepared
 * @param {Decision} decision
 * @param {Row[]} checks
 * @param {{ missing: string[], busy: number, isOfAll: boolean }} more  busy: cores, now
 * @returns {string}
 */
function asText({ scenario, left, host }, decision, checks, { missing, busy, isOfAll }) {
  const {
    sizing: { workers, sources },
    limits,
  } = decision;
  /** @type {Row[]} */
  const rows = [...limits, ...checks];
  const parts = [
    formatLoad(scenario),
    counted(workers, 'worker'),
    ...(sources.length === 0 ? [] : [counted(sources.length, 'source address', 'source addresses')]),
  ];
  return doctorPage({
    head: (style) => `${style('bold', scenario.name)}: ${parts.join(', ')}`,
    tables: (width, style) => [limitsTable(rows, width, style, isOfAll)],
    remarks: [...remarksOf(rows), ...left.map(warningText), busyText(busy, host.cpus.length)],
    verdict: lastSentence(scenario, decision, checks, missing),
  });
}

/**
 * The conclusion, in words.
 * @param {Scenario} requested
 * @param {Decision} decision
 * @param {Row[]} checks
 * @param {string[]} missing  labels of legs
 * @returns {string}
 */
export function lastSentence(requested, decision, checks, missing) {
  const { scenario, limits, possible } = decision;
  const ceilings = clientCeilings(limits).map(({ name }) => name);
  if (!canRun(requested, decision, checks, missing)) {
    const absent = checks.filter(({ exceeded }) => exceeded).map(({ name }) => name);
    const reasons = [...(scenario === null ? ceilings : []), ...absent];
    return `Not possible on this machine: ${reasons.join(', ')}. See the remedies above.${
      scenario !== null || possible === null ? '' : ` With --force, the client runs ${formatLoad(possible)}.`
    }`;
  }
  const exceeded = (/** @type {'server' | 'kernel'} */ which) =>
    limits.filter((limit) => limit.exceeded && limit.side === which);
  const servers = [...new Set(exceeded('server').flatMap((limit) => limit.servers))];
  const kernel = exceeded('kernel').map(({ name }) => name);
  const legs = `${count(missing.length)} of ${count(legsOf(requested))} legs`;
  return [
    ceilings.length === 0
      ? 'The client can generate this load on this machine.'
      : `With --force, the client runs a reduced load (${ceilings.join(', ')}): ${formatLoad(scenario ?? requested, requested)}.`,
    ...(missing.length === 0
      ? []
      : [`${legs} cannot run, because the server is not available: ${missing.join(', ')}.`]),
    ...(servers.length === 0 ? [] : [`${servers.join(', ')}: limited by the server itself; the results will show it.`]),
    ...(kernel.length === 0 ? [] : [`Limits of kernel or machine may affect the run: ${kernel.join(', ')}.`]),
  ].join(' ');
}

/** Above this share of a core, what others use shows in the results. */
const BUSY = 0.3;

/**
 * @param {number} busy cores' worth of time
 * @param {number} cpus that a run may use
 * @returns {string} a sentence; empty where it is idle
 */
const busyText = (busy, cpus) =>
  busy < BUSY ? '' : `${busy.toFixed(1)} of ${counted(cpus, 'CPU')} are busy now: a run would measure a busy machine.`;

/**
 * @param {Host} host @param {number} busy cores
 * @returns {{name: string, value: string, data: unknown}[]}
 */
function machineFacts(host, busy) {
  const { cores, cpuQuota, cpus, memoryBytes, memoryAvailableBytes, descriptors, ports, somaxconn, diskFreeBytes } =
    host;
  const { loopbacks, hasIpv6 } = host;
  return [
    {
      name: 'cores',
      value: `${Number(cores.toFixed(2))}${cpuQuota === null ? '' : ` (CPU quota; ${counted(cpus.length, 'CPU')})`}; ${busy.toFixed(1)} busy now`,
      data: { cores, busy, cpuQuota },
    },
    {
      name: 'memory',
      value: `${bytes(memoryAvailableBytes)} of ${bytes(memoryBytes)} available`,
      data: { memoryBytes, memoryAvailableBytes },
    },
    {
      name: 'descriptors',
      value: `${count(descriptors)} for each worker, and for each server process`,
      data: { descriptors },
    },
    {
      name: 'network',
      value: [
        loopbacks.length === 0
          ? 'the loopback interface is down: ip link set lo up'
          : `loopback ${loopbacks.join(', ')}`,
        ...(hasIpv6 || loopbacks.length === 0 ? [] : ['no IPv6']),
      ].join('; '),
      data: { loopbacks, hasIpv6 },
    },
    { name: 'ports', value: `${count(ports)} for each pair of source address and target`, data: { ports } },
    {
      name: 'accept queue',
      value: somaxconn === null ? 'not known' : `at most ${counted(somaxconn, 'connection')}`,
      data: { somaxconn },
    },
    ...transportFacts(host),
    {
      name: 'disk for logs',
      value: diskFreeBytes === null ? 'not known' : `${bytes(diskFreeBytes)} free`,
      data: { diskFreeBytes },
    },
  ];
}

/** @param {Host} host @param {number} busy cores @returns {string} */
const machineText = (host, busy) =>
  [
    ...textTable(
      [
        { title: 'machine', left: true, text: ({ name }) => name },
        { title: '', left: true, text: ({ value }) => value },
      ],
      machineFacts(host, busy),
    ).lines,
    '',
    ...[busyText(busy, host.cpus.length)].filter((text) => text !== ''),
    `For the limits of a scenario: ${typed('doctor', '--config 10k-1kb')}. For the servers: ${typed('servers')}`,
    '',
  ].join('\n');
