// Decides what a run does about limits. Those of the client refuse it, or with `force` reduce it to what fits; the
// others become warnings. All figures come from the list of limits.

import { EnvironmentError } from '../errors.js';
import { typed } from '../invocation.js';
import { FAST_CONNECTS_PER_SECOND } from './sources.js';
import { sizeRun } from './sizing.js';
import { axesText } from '../words/axes.js';
import { count } from '../words/format.js';
import { instancesOf } from '../scenario/keys/instances.js';
import { formatLoad, warning } from '../words/warnings.js';

/**
 * @import { Limit, Warning } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Load } from '../words/warnings.js'
 * @import { HostShare } from './host-shares.js'
 * @import { KnownServer } from './processes.js'
 * @import { Sizing } from './sizing.js'
 */

/** @param {Limit} limit @returns {string} the text for people, without the servers it is about */
const textOf = ({ name, servers, text, needed }) =>
  `${servers.length > 0 || needed === null ? '' : `${name}: `}${text}`;

/** @param {Limit} limit @returns {string} with what to do */
const sentence = (limit) => `${textOf(limit)}${limit.remedy === null ? '' : ` ${limit.remedy}`}`;

/** @param {Limit[]} limits */
export function clientCeilings(limits) {
  return limits.filter(({ side, exceeded }) => exceeded && side === 'client');
}

/** @param {Limit} limit @returns {Warning} */
function limitWarning(limit) {
  const { code, servers, side, needed, available, remedy } = limit;
  return {
    ...{ code, severity: 'caution' },
    data: { ...(servers.length > 0 ? { servers } : {}), side, needed, available },
    text: textOf(limit),
    ...(remedy === null ? {} : { remedy }),
  };
}

/** @param {Limit[]} limits @returns {Warning[]} for exceeded limits of server and kernel */
function warningsOf(limits) {
  return limits.filter(({ side, exceeded }) => exceeded && side !== 'client').map(limitWarning);
}

/**
 * The largest whole number up to `limit` for which `fits` is true, if it is true for all smaller ones.
 * @param {number} limit
 * @param {(value: number) => boolean} fits
 * @returns {number} 0 when none fits
 */
function largestThatFits(limit, fits) {
  let low = 0;
  let high = limit;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The machine with 5 % fewer ports and less memory, which other programs use too, so that a reduced run fits.
 * @param {Host} host
 * @returns {Host}
 */
function withMargin(host) {
  return { ...host, ports: Math.floor(host.ports * 0.95), memoryAvailableBytes: host.memoryAvailableBytes * 0.95 };
}

/**
 * Reduces a scenario to what the client can do here: fewer connections. In workload `reconnect`, closed connections
 * take ports too: there the connect rate is reduced as well, and if ports are too few, half of them go to connections
 * and half to those in TIME_WAIT.
 * @param {Scenario} scenario  that exceeds a limit of the client
 * @param {Host} host
 * @param {KnownServer[]} known
 * @param {number} variants
 * @returns {Scenario | null} null when not even one connection is possible
 */
function cutDown(scenario, host, known, variants) {
  const reduced = withMargin(host);
  const fewestPossible = Math.max(...instancesOf(scenario));
  const fits = (/** @type {Scenario} */ candidate) =>
    clientCeilings(sizeRun(candidate, reduced, known, variants).limits).length === 0;
  const fitConnections = (/** @type {Scenario} */ candidate) => ({
    ...candidate,
    connections: largestThatFits(candidate.connections, (connections) => fits({ ...candidate, connections })),
  });
  const { workload, connections, connectRate } = scenario;
  if (workload !== 'reconnect') {
    const cut = fitConnections(scenario);
    return cut.connections < fewestPossible ? null : cut;
  }
  let cut = fitConnections({ ...scenario, connectRate: Math.min(1, connectRate ?? 1) });
  if (cut.connections < fewestPossible) return null;
  const fastest = Math.max(1, Math.floor(connectRate ?? FAST_CONNECTS_PER_SECOND));
  const rateOf = (/** @type {Scenario} */ candidate) =>
    largestThatFits(fastest, (rate) => fits({ ...candidate, connectRate: rate }));
  if (cut.connections < connections && rateOf(cut) < fastest) {
    cut = { ...cut, connections: Math.max(fewestPossible, Math.ceil(cut.connections / 2)) };
  }
  const rate = rateOf(cut);
  return { ...cut, connectRate: rate < fastest ? rate : connectRate };
}

/** @param {Scenario} scenario @returns {Load} */
const loadOf = ({ connections, connectRate }) => ({ connections, connectRate });

/**
 * @typedef {object} Decision
 * @property {Scenario | null} scenario   the scenario to run: as requested, or reduced; null: refused
 * @property {Sizing} sizing  of `scenario`; of the requested scenario when it is refused
 * @property {Limit[]} limits  of what can be run, with the ceilings that the requested load exceeds
 * @property {Scenario | null} possible   the largest load of the client, if that is less than requested
 * @property {string | null} refusal      the message for a refused run
 * @property {Warning[]} warnings
 * @property {HostShare[]} [shares]  of the hosts that the load is divided over; one that is refused refuses the run
 */

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {KnownServer[]} known
 * @param {number} [variants] of the run, each with its legs
 * @returns {Decision}
 */
export function decide(scenario, host, known, variants = 1) {
  const requested = sizeRun(scenario, host, known, variants);
  const ceilings = clientCeilings(requested.limits);
  if (ceilings.length === 0) {
    return {
      scenario,
      sizing: requested,
      limits: requested.limits,
      possible: null,
      refusal: null,
      warnings: warningsOf(requested.limits),
    };
  }
  const possible = cutDown(scenario, host, known, variants);
  const sentences = ceilings.map(sentence);
  if (possible === null || !scenario.force) {
    const counted = ceilings.some(({ needed }) => needed !== null);
    const lines = [
      ...(counted
        ? [`connections: ${count(scenario.connections)} exceeds what the client can open on this machine`]
        : []),
      ...sentences,
      ...(possible === null ? [] : [`with --force the run is reduced to ${formatLoad(possible, scenario)}`]),
    ];
    return {
      scenario: null,
      sizing: requested,
      limits: requested.limits,
      possible,
      refusal: lines.join('\n'),
      warnings: [],
    };
  }
  const sizing = sizeRun(possible, host, known, variants);
  const limits = sizing.limits.map((limit) => ceilings.find(({ name }) => name === limit.name) ?? limit);
  const forced = warning('load-reduced', {
    requested: loadOf(scenario),
    possible: loadOf(possible),
    limits: ceilings.map((limit) => ({ code: limit.code, text: sentence(limit) })),
  });
  const warnings = [forced, ...warningsOf(limits)];
  return { scenario: possible, sizing, limits, possible, refusal: null, warnings };
}

/**
 * @param {Decision} decision
 * @param {Record<string, unknown>} [axes] of the legs that it is about
 * @returns {EnvironmentError}
 */
export function refusalOf(decision, axes = {}) {
  const share = decision.shares?.find((entry) => entry.decision.scenario === null);
  const { refusal, limits, possible } = share?.decision ?? decision;
  const { test } = axes;
  const data = {
    ...(share === undefined ? {} : { host: share.name }),
    ...(test === undefined ? {} : { test }),
    ...(Object.keys(axes).length === 0 ? {} : { axes }),
    limits: clientCeilings(limits),
    possible: possible && loadOf(possible),
  };
  const whose = test === undefined ? 'at ' : 'test ';
  const about = Object.keys(axes).length === 0 ? '' : `${whose}${axesText(axes)}: `;
  const where = share === undefined ? '' : `${share.title}, its share of the load: `;
  const isCounted = data.limits.some(({ needed }) => needed !== null);
  const more =
    decision.shares === undefined && isCounted
      ? `\nto list every limit, run: ${typed('doctor')}, with the same flags`
      : '';
  return new EnvironmentError(`${where}${about}${refusal ?? ''}${more}`, { code: 'ELIMIT', data });
}
