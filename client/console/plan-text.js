// What --dry-run prints: the plan, its time and its disk, for people. Pure.

import { groupedTexts } from '../results/group-warnings.js';
import { formatEndpoint, LISTEN_HOSTS } from '../results/endpoint.js';
import { leftBehind } from '../protocols/index.js';
import { TLS_CONNECTION_BYTES } from '../plan/limits/client.js';
import { ROW_BYTES } from '../results/transfer-log.js';
import { firstConnections, profileText } from '../results/profile.js';
import { connectionsText } from '../scenario/keys/sweep.js';
import { lifetimeText } from '../scenario/keys/lifetime.js';
import { socketWords } from '../scenario/keys/socket.js';
import { formatCount, formatDuration, formatSize } from '../results/units.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */

/** More source addresses are told by the first and the last. */
const SOURCES_SHOWN = 4;

/** @param {Scenario} scenario */
function rampText(scenario) {
  const { ramp } = scenario;
  const connections = firstConnections(scenario);
  const every = `every ${formatDuration(ramp.everyNs)}`;
  if (ramp.add >= connections && !ramp.spread) return `all at once, then ${formatDuration(ramp.everyNs)} to settle`;
  return `${formatCount(ramp.add)} more ${every}${ramp.spread ? ', spaced evenly' : ''}`;
}

/** @param {Scenario} scenario @param {import('../plan/plan.js').Plan} plan */
function connectionsRow(scenario, plan) {
  const { sweep, connectionsProfile } = scenario;
  if (connectionsProfile !== null) {
    const first = firstConnections(scenario);
    return `${profileText(connectionsProfile, formatCount, formatDuration)}${
      first === 0 ? '' : `; up to ${formatCount(first)} by the ramp, ${rampText(scenario)}`
    }`;
  }
  return `${sweep === null ? formatCount(plan.connections) : connectionsText(scenario)}, ${rampText(scenario)}`;
}

/** @param {Scenario} scenario */
function loadText({
  workload,
  payloadBytes,
  protocol: spoken,
  tls,
  heartbeatNs,
  pauseNs,
  connectRate,
  pipeline,
  rate,
  rateProfile,
  arrivals,
}) {
  const protocol = `${spoken}${tls ? ' over TLS' : ''}`;
  const size = payloadBytes === 0 ? '' : ` of ${formatSize(payloadBytes)}`;
  if (rate !== null) {
    const rates =
      rateProfile === null
        ? `${formatCount(rate)} requests per second`
        : `requests per second: ${profileText(rateProfile, formatCount, formatDuration)}`;
    const spacing = arrivals === 'poisson' ? ', at random times' : '';
    return `${workload}: ${protocol}${size}, ${rates}${spacing} (open loop)`;
  }
  switch (workload) {
    case 'once':
      return `once: one transfer (${protocol}${size}), then close`;
    case 'reconnect':
      return `reconnect: one transfer (${protocol}${size}), then close and connect again, ${
        connectRate === null ? 'without a limit' : `at most ${formatCount(connectRate)} connects per second`
      }`;
    case 'hold':
      return heartbeatNs === 0
        ? 'hold: stay open, no transfers'
        : `hold: stay open, one transfer (${protocol}${size}) every ${formatDuration(heartbeatNs)}`;
    default:
      return `continuous: ${protocol}${size}, repeated${
        pipeline === 1 ? '' : `, ${formatCount(pipeline)} in flight per connection`
      }${pauseNs === 0 ? '' : `, pause ${formatDuration(pauseNs)}`} (closed loop)`;
  }
}

/**
 * @param {import('../plan/plan.js').PlannedServer} server
 * @returns {string}
 */
function serverText(server) {
  switch (server.kind) {
    case 'named': {
      const set = [...Object.entries(server.options), ...Object.entries(server.env)].map(
        ([key, value]) => `${key} ${value}`,
      );
      return `server ${server.name}${set.length === 0 ? '' : ` (${set.join(', ')})`}`;
    }
    case 'target':
      return `target ${formatEndpoint(server)}${server.pid === null ? '' : `, process ${server.pid}`}`;
    case 'command':
      return `command ${server.command}`;
  }
}

/**
 * @param {Scenario} scenario
 * @param {import('../plan/plan.js').Plan} plan
 * @returns {string}
 */
function diskText({ transferLog }, { expected }) {
  if (transferLog === 'none') return 'no transfer log; a few MiB of samples';
  const row = ROW_BYTES[transferLog];
  if (expected.transferLogBytes !== null) return `transfer log about ${formatSize(expected.transferLogBytes)}`;
  const perMillion = (/** @type {number} */ bytes) => `${formatSize(bytes * 1e6)}`;
  return transferLog === 'arrow'
    ? `transfer log ${perMillion(row)} per million transfers`
    : `transfer log ${perMillion(row)} per million transfers, and ${perMillion(ROW_BYTES.arrow)} while a leg runs`;
}

/** @param {Scenario} scenario @returns {[string, string][]} nothing, where connections live for ever */
function lifetimeRows({ lifetime }) {
  return lifetime === null ? [] : [['lifetime', `${lifetimeText(lifetime)}, then reopened`]];
}

/** @param {Scenario} scenario @param {import('../plan/plan.js').Plan} plan @returns {[string, string][]} of what there is */
function tlsRows({ tls }, { connections }) {
  if (tls === null) return [];
  const { minVersion, maxVersion, verify, serverName, resume } = tls;
  return [
    [
      'TLS',
      [
        minVersion === maxVersion ? minVersion : `${minVersion} to ${maxVersion}`,
        verify ? `certificate verified${serverName === null ? '' : ` for ${serverName}`}` : 'certificate not verified',
        ...(resume ? ['sessions resumed'] : []),
        `up to ${formatSize(TLS_CONNECTION_BYTES)} of memory per connection, ${formatSize(TLS_CONNECTION_BYTES * connections)} in all`,
      ].join('; '),
    ],
  ];
}

/** @param {Scenario} scenario @returns {[string, string][]} where it is not the usual one */
function socketRows({ socket }) {
  const words = socketWords(socket);
  return words.length === 0 ? [] : [['sockets', words.join(', ')]];
}

/** @param {Scenario} scenario @returns {[string, string][]} where it is not the usual place */
function listenRows({ listen, target }) {
  if (target !== undefined || listen === 'ipv4') return [];
  return [['listen', listen === 'unix' ? 'a Unix socket in a temporary folder' : LISTEN_HOSTS[listen]]];
}

/** @param {Scenario} scenario @returns {[string, string][]} what is written into a server that is not ours */
function leftRows(scenario) {
  const left = leftBehind(scenario);
  return left === null ? [] : [['writes', left]];
}

/** @param {import('../plan/plan.js').Leg} leg @returns {string[][]} nothing, where the kernel chooses */
function sourceRows({ sources }) {
  if (sources.length === 0) return [];
  const some = sources.length <= SOURCES_SHOWN ? sources.join(', ') : `${sources[0]} to ${sources.at(-1)}`;
  return [['sources', `${formatCount(sources.length)} ${sources.length === 1 ? 'address' : 'addresses'}: ${some}`]];
}

/** @param {Scenario} scenario @returns {string[][]} nothing, where nothing is pinned */
function pinRows({ pin: { client, server } }) {
  const sides = [
    client === null ? [] : `the workers to CPU ${client}`,
    server === null ? [] : `the server to CPU ${server}`,
  ].flat();
  return sides.length === 0 ? [] : [['pinned', sides.join(', ')]];
}

/** @param {import('../plan/plan.js').Leg} leg @returns {string} nothing, where there is none */
function warmUpText({ rampToNs, steadyFromNs, warmupTransfers }) {
  if (steadyFromNs === rampToNs) return '';
  const time = formatDuration(steadyFromNs - rampToNs);
  return warmupTransfers === null
    ? `${time} warm-up, `
    : `warm-up until ${formatCount(warmupTransfers)} transfers, up to ${time}, `;
}

/** @param {import('../plan/plan.js').Plan} plan @returns {string[][]} of a sweep, a row for all legs of a server */
function legRows({ legs }) {
  if (legs.every(({ series }) => series === undefined)) {
    return legs.map(({ id, server }) => [`  ${id}`, serverText(server)]);
  }
  return [...new Set(legs.map(({ series = '' }) => series))].map((name) => {
    const own = legs.filter(({ series }) => series === name);
    return [
      `  ${name}`,
      `${formatCount(own.length)} ${own.length === 1 ? 'leg' : 'legs'}: ${serverText(own[0].server)}`,
    ];
  });
}

/**
 * @param {Scenario} scenario
 * @param {import('../plan/plan.js').Plan} plan
 * @param {import('../machine/host.js').Host} host
 * @returns {string} several lines, the last without a line end
 */
export function describePlan(scenario, plan, host) {
  const [first] = plan.legs;
  if (first === undefined) return 'nothing to do';
  const workers = Math.max(...plan.legs.map((leg) => leg.workers));
  const free = host.diskFreeBytes === null ? '' : ` (${formatSize(host.diskFreeBytes)} free)`;
  const rows = [
    ['scenario', plan.scenario + (scenario.description === '' ? '' : `: ${scenario.description}`)],
    ['connections', connectionsRow(scenario, plan)],
    ['workload', loadText(scenario)],
    [
      'a leg',
      `${scenario.transfers === null ? '' : `at most ${formatCount(scenario.transfers)} transfers; `}${formatDuration(
        first.rampToNs,
      )} ramp, ${warmUpText(first)}${formatDuration(first.steadyToNs - first.steadyFromNs)} steady ` +
        `state, up to ${formatDuration(first.drainTimeoutNs)} drain`,
    ],
    [
      'deadlines',
      `connect ${formatDuration(scenario.connectTimeoutNs)}, transfer ${formatDuration(scenario.transferTimeoutNs)}`,
    ],
    [
      'client',
      `${workers} ${workers === 1 ? 'worker' : 'workers'}, up to ` +
        `${formatCount(plan.expected.descriptorsPerWorker)} of ${formatCount(host.descriptors)} descriptors each, ${first.io}${scenario.io === 'auto' ? ' (auto)' : ''}${
          scenario.busyPollNs === 0 ? '' : `, polls ${formatDuration(scenario.busyPollNs)} before it sleeps`
        }`,
    ],
    ...lifetimeRows(scenario),
    ...listenRows(scenario),
    ...socketRows(scenario),
    ...tlsRows(scenario, plan),
    ...leftRows(scenario),
    ...sourceRows(first),
    ...pinRows(scenario),
    ['legs', ''],
    ...legRows(plan),
    [
      'time',
      `up to ${formatDuration(plan.expected.seconds * 1e9)} in ${plan.legs.length} ` +
        `${plan.legs.length === 1 ? 'leg' : 'legs'}, plus the start of each server`,
    ],
    ['disk', diskText(scenario, plan) + free],
    ...groupedTexts(plan.warnings).map((text) => ['warning', text]),
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length)) + 2;
  return rows.map(([name = '', text = '']) => (name.padEnd(width) + text).trimEnd()).join('\n');
}
