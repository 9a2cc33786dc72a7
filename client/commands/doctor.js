// `broadside doctor`: prints what this machine has, or its limits for a scenario, without starting anything.

import { limitsTable } from '../console/limits-table.js';
import { print } from '../console/print.js';
import { styleFor, wrap } from '../console/terminal-text.js';
import { textTable } from '../console/text-table.js';
import { typed } from '../invocation.js';
import { clientCeilings } from '../plan/preflight.js';
import { pointsOf } from '../measure/settings.js';
import { decidePoints, tightest } from '../plan/points.js';
import { scenarioOptions, unitsHelp } from '../scenario/flags.js';
import { transportFacts } from '../transports/index.js';
import { count, counted, bytes } from '../words/format.js';
import { formatLoad, warningText } from '../words/warnings.js';
import { withShortFlags } from './short-flags.js';
import { readBusyCores } from '../machine/usage.js';
import { readHost } from '../machine/host.js';
import { partOptions, requestOf } from './options.js';
import { prepare, warnUnavailable } from './preparation.js';
import { folderOptions, json, OUTPUT } from './shared-options.js';

/**
 * @import { Options } from 'yargs'
 * @import { Limit, Warning } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { Decision } from '../plan/preflight.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Command } from './index.js'
 * @import { Output, Request } from './options.js'
 * @import { Typed } from './option-rows.js'
 */

/** @type {Record<string, Options>} */
export const builder = {
  ...withShortFlags(scenarioOptions()),
  ...folderOptions,
  json,
  all: { type: 'boolean', group: OUTPUT, description: 'List every limit, those too that are not short' },
};

export const epilogue = unitsHelp;

export const everyday = [
  ...['config', 'command', 'servers', 'connections', 'duration', 'rate', 'payload', 'protocol', 'ramp.add'],
  ...['logs', 'report', 'json', 'all'],
];

/** @type {Command['refused']} */
export const refused = Object.fromEntries(
  Object.keys(partOptions('place', 'nats')).map((name) => [
    name,
    `doctor is about this machine alone; for other hosts, type: ${typed('stress', '--dry-run')}, with the same flags`,
  ]),
);

/** @type {Command['examples']} */
export const examples = [
  ['', 'what this machine has, and how busy it is now'],
  ['--config 80k-continuous', 'the limits that would restrict this scenario'],
];

/** @param {Typed & { all?: boolean }} argv */
export async function handler(argv) {
  const request = requestOf(argv);
  if (request.scenario === null) await showMachine(request.output);
  else await showLimits(request, argv.all ?? false);
}

/**
 * Prints the limits of this machine for a scenario.
 * @param {Request} request @param {boolean} listsAll whether to list every limit
 */
async function showLimits(request, listsAll) {
  const prepared = await prepare(request);
  const { scenario, host, known, left } = prepared;
  const warnings = [...warnUnavailable(prepared), ...left];
  const decisions = decidePoints(pointsOf(scenario), host, known).map(({ decision }) => decision);
  const limits = tightest(decisions.map((decision) => decision.limits));
  const can = decisions.every((decision) => decision.scenario !== null);
  const { possible } = decisions.find((decision) => decision.possible !== null) ?? { possible: null };
  print(
    request.output.only === 'json'
      ? JSON.stringify(
          { scenario: scenario.name, requested: sizes(scenario), can, possible: sizes(possible), limits, warnings },
          null,
          2,
        )
      : limitsText(scenario, limits, warnings, { verdict: verdictOf(scenario, limits, { can, possible }), listsAll }),
  );
  process.exitCode = can ? 0 : 3;
}

/** @param {Scenario | null} scenario */
const sizes = (scenario) => scenario && { connections: scenario.connections, connectRate: scenario.connectRate };

/** Prints what the machine has. @param {Output} output */
async function showMachine({ logs, only }) {
  const host = await readHost({ logs });
  const busy = await readBusyCores(host.cpus);
  const facts = Object.fromEntries(machineFacts(host, busy).map(({ name, data }) => [name, data]));
  print(only === 'json' ? JSON.stringify({ machine: facts }, null, 2) : machineText(host, busy));
}

const MAX_TEXT_WIDTH = 120;

/**
 * @param {Scenario} scenario
 * @param {Limit[]} limits
 * @param {Warning[]} warnings
 * @param {{ verdict: string, listsAll: boolean }} more
 * @returns {string} lines, the last with its line end
 */
function limitsText(scenario, limits, warnings, { verdict, listsAll }) {
  const style = styleFor(process.stdout, process.env);
  const width = process.stdout.columns || Number(process.env.COLUMNS) || Infinity;
  const fold = (/** @type {string} */ text) => wrap(text, Math.min(width, MAX_TEXT_WIDTH)).join('\n');
  const short = limits.filter(({ exceeded }) => exceeded);
  return [
    fold(style('bold', `${scenario.name}: ${formatLoad(scenario)}`)),
    '',
    limitsTable(limits, width, style, listsAll),
    '',
    ...short.map(limitText).map(fold),
    ...warnings.map(warningText).map(fold),
    fold(style('bold', verdict)),
    '',
  ].join('\n');
}

/** @param {Limit} limit that is exceeded @returns {string} a sentence */
function limitText({ name, servers, text, needed }) {
  if (servers.length > 0) return `${servers.join(', ')}: ${text}`;
  return needed === null ? text : `${name}: ${text}`;
}

/**
 * @param {Scenario} scenario
 * @param {Limit[]} limits
 * @param {{ can: boolean } & Pick<Decision, 'possible'>} decision
 * @returns {string} the conclusion
 */
function verdictOf(scenario, limits, { can, possible }) {
  const forced = possible === null ? '' : `With --force, the client runs ${formatLoad(possible, scenario)}.`;
  if (can) return forced || 'The client can generate this load on this machine.';
  const names = clientCeilings(limits).map(({ name }) => name);
  return `Not possible on this machine: ${names.join(', ')}. See the remedies above. ${forced}`.trimEnd();
}

/** If other programs use more cores than this, the results show it. */
const BUSY = 0.3;

/**
 * @param {number} busy cores' worth of time
 * @param {number} cpus that a run may use
 * @returns {string} a sentence; '' if the machine is idle
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
