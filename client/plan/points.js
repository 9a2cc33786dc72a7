// Decides the points of a scenario. Each is a complete scenario, so that limits, workers and times are those of its
// legs.

import { axesText } from '../words/axes.js';
import { decideOnHosts } from './host-shares.js';
import { decide, refusalOf } from './preflight.js';

/**
 * @import { Axes, Limit } from '../../config/types.js'
 * @import { EnvironmentError } from '../errors.js'
 * @import { Host } from '../machine/host.js'
 * @import { Point } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Decision } from './preflight.js'
 * @import { KnownServer } from './processes.js'
 * @import { PlannedLeg } from './sizing.js'
 */

/**
 * @typedef {object} DecidedPoint
 * @property {Axes} axes  of its legs, with as many connections as the client can open
 * @property {Point} point
 * @property {Decision} decision
 */

/**
 * @param {Point[]} points
 * @param {Host} host
 * @param {KnownServer[]} known
 * @returns {DecidedPoint[]} in the order of the run
 */
export function decidePoints(points, host, known) {
  const decided = points.map((point) => {
    const { axes, settings } = point;
    const decision = decideOn(settings, host, known, points.length);
    const { connections } = decision.scenario ?? settings;
    return { axes: { ...axes, ...('connections' in axes ? { connections } : {}) }, point, decision };
  });
  // with --force, several numbers of connections may have been reduced to the same
  return [...new Map(decided.map((entry) => [JSON.stringify(entry.axes), entry])).values()];
}

/**
 * @param {Scenario} settings of a point @param {Host} host
 * @param {KnownServer[]} known @param {number} points of the run
 * @returns {Decision}
 */
const decideOn = (settings, { hosts, ...host }, known, points) =>
  hosts === undefined
    ? decide(settings, host, known, points)
    : decideOnHosts(settings, { ...host, hosts }, known, points);

/**
 * @param {DecidedPoint[]} points
 * @returns {(Decision & {scenario: Scenario})[]}
 * @throws {EnvironmentError} of the first that this machine's client cannot do
 */
export function possibleDecisions(points) {
  return points.map(({ axes, decision }) => {
    const { scenario } = decision;
    if (scenario === null) throw refusalOf(decision, axes);
    return { ...decision, scenario };
  });
}

/**
 * Chooses, for each limit, the row that is nearest to it or exceeds it most.
 * @param {Limit[][]} lists of each point
 * @returns {Limit[]} in the order of the first list
 */
export function tightest(lists) {
  /** @type {Map<string, Limit>} */
  const byLimit = new Map();
  for (const limit of lists.flat()) {
    const key = JSON.stringify([limit.code, limit.name, limit.servers]);
    const before = byLimit.get(key);
    if (before === undefined || usageOf(limit) > usageOf(before)) byLimit.set(key, limit);
  }
  return [...byLimit.values()];
}

/** @param {Limit} limit @returns {number} the share of the limit that is needed; greater if it is exceeded */
const usageOf = ({ exceeded, needed, available }) =>
  (exceeded ? 1e6 : 0) + (needed ?? 0) / Math.max(1, available ?? Infinity);

/**
 * All servers are measured at one point before the next point begins, so that compared legs are close in time.
 * @param {PlannedLeg[]} servers
 * @param {Axes} axes of the point
 * @returns {(PlannedLeg & {axes: Axes, series?: string})[]} a leg for each server
 */
export function serversAt(servers, axes) {
  if (Object.keys(axes).length === 0) return servers.map((leg) => ({ ...leg, axes }));
  return servers.map((leg) => ({
    ...leg,
    label: `${leg.label}, ${axesText(axes)}`,
    series: leg.label,
    axes,
  }));
}
