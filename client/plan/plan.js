// The plan of a run: its legs, their schedules, what they will take, and which limits they will meet. Pure: the
// machine's facts come in as `host` (host.js). What the client cannot do is an error before anything starts; what a
// server or the kernel will not do is a warning, and is then run into: that is what is measured.

import { chooseBackend } from './backend.js';
import { SPARE_DESCRIPTORS } from './limits/client.js';
import { ROW_BYTES } from '../results/transfer-log.js';
import { firstConnections, lengthOf, ratePoints, slotPoints } from '../results/profile.js';
import { rampSchedule } from '../results/schedule.js';
import { sharedOptions } from '../scenario/keys/server-labels.js';
import { sweepLegs } from './sweep.js';
import { decide, refusalOf } from './preflight.js';
import { warning } from '../results/warnings.js';

/**
 * @typedef {import('../results/warnings.js').Warning} Warning
 * @typedef {import('./sizing.js').PlannedServer} PlannedServer
 *
 * @typedef {object} Leg   all times in ns relative to the leg's start
 * @property {string} id
 * @property {string} label
 * @property {PlannedServer} server
 * @property {import('./processes.js').ServerModel} [serverModel]  of a server whose manifest is known
 * @property {Record<string, unknown>} axes   of a sweep: connections
 * @property {string} [series]      of a sweep: the label without what it sweeps over
 * @property {number} connections
 * @property {number} round
 * @property {number} workers
 * @property {string} io            the backend its workers run over
 * @property {{client: string | null, server: string | null}} pin  lists of CPUs; null: the kernel's choice
 * @property {string[]} sources    addresses to connect from, in turn; empty: the kernel's choice
 * @property {import('../results/schedule.js').Point[]} schedule   the ramp
 * @property {import('../results/schedule.js').Point[]} [profile]  of the connections from the steady state on
 * @property {import('../results/profile.js').RatePoint[]} [rates]  of an open loop, relative to rampToNs
 * @property {number} rampToNs      the warm-up begins, or without one the steady state
 * @property {number | null} warmupTransfers  that end the warm-up before steadyFromNs; null: it lasts until then
 * @property {number} steadyFromNs
 * @property {number} steadyToNs
 * @property {number} drainTimeoutNs
 * @property {number} endNs
 *
 * @typedef {object} Plan
 * @property {1} schema
 * @property {string} scenario
 * @property {string} workload
 * @property {string} protocol
 * @property {number} payloadBytes
 * @property {number} connections          of a sweep, the most; with `force`, those the client can do
 * @property {number | null} connectRate   likewise
 * @property {string} transferLog
 * @property {number} seed
 * @property {Leg[]} legs
 * @property {Record<string, unknown>} sharedOptions  of all its servers, where they are not the usual ones
 * @property {{seconds: number, transferLogBytes: number | null, descriptorsPerWorker: number}} expected
 * @property {import('./limits/limit.js').Limit[]} limits  every limit in the way, those that are not met too
 * @property {import('../results/warnings.js').Warning[]} warnings
 */

/**
 * @param {number} index of the leg
 * @param {string} label
 * @returns {string} name of its folder
 */
function legId(index, label) {
  const slug = label.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '');
  return `${String(index + 1).padStart(2, '0')}-${slug === '' ? 'leg' : slug}`;
}

/**
 * Warns of a ramp that asks for more connects than connectRate allows.
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @param {number} rampNs
 * @returns {Warning[]}
 */
function tooSlow(scenario, rampNs) {
  const { connectRate } = scenario;
  const connections = firstConnections(scenario);
  if (connectRate === null || connectRate * (rampNs / 1e9) >= connections) return [];
  const byRampEnd = Math.max(1, Math.floor(connectRate * (rampNs / 1e9)));
  const neededNs = (connections / connectRate) * 1e9;
  return [warning('connect-rate-below-ramp', { connectRate, byRampEnd, connections, rampNs, neededNs })];
}

/**
 * Warns of a profile that is longer than the steady state.
 * @param {import('../scenario/scenario.js').Scenario} scenario
 * @returns {Warning[]}
 */
function cutShort({ rateProfile, connectionsProfile, durationNs }) {
  const profiles = /** @type {const} */ ([
    ['rate', rateProfile],
    ['connections', connectionsProfile],
  ]);
  return profiles.flatMap(([key, profile]) =>
    profile === null || lengthOf(profile) <= durationNs
      ? []
      : [warning('profile-cut-short', { key, profileNs: lengthOf(profile), durationNs })],
  );
}

/**
 * @param {import('../scenario/scenario.js').Scenario} requested
 * @param {import('../machine/host.js').Host} host
 * @param {import('./processes.js').KnownServer[]} [known]  its servers, as the launcher lists them
 * @param {Warning[]} [remarks]  warnings from before
 * @returns {Plan}
 * @throws {import('../errors.js').EnvironmentError} when this machine's client cannot do it
 */
export function plan(requested, host, known = [], remarks = []) {
  const decision = decide(requested, host, known);
  const {
    scenario,
    sizing: { workers, sources, servers, rows },
    limits,
    warnings,
  } = decision;
  if (scenario === null) throw refusalOf(decision);
  const io = chooseBackend(scenario);
  const { pin } = scenario;
  const { warmupNs, warmupTransfers } = scenario;
  const rates = scenario.rate === null ? {} : { rates: ratePoints(scenario.rate, scenario.rateProfile, warmupNs) };
  const legs = sweepLegs(scenario, servers).map(({ connections, ...leg }, index) => {
    const first = firstConnections({ ...scenario, connections });
    const { points: schedule, endNs: rampToNs } = rampSchedule(first, scenario.ramp);
    const steadyFromNs = rampToNs + warmupNs;
    const steadyToNs = steadyFromNs + scenario.durationNs;
    const points = slotPoints(scenario.connectionsProfile, steadyFromNs, connections);
    return {
      id: legId(index, leg.label),
      ...leg,
      round: 1,
      connections,
      workers: Math.min(workers, connections),
      io,
      pin,
      sources,
      schedule,
      ...(points.length > 0 ? { profile: points } : {}),
      ...rates,
      rampToNs,
      warmupTransfers,
      steadyFromNs,
      steadyToNs,
      drainTimeoutNs: scenario.drainTimeoutNs,
      endNs: steadyToNs + scenario.drainTimeoutNs,
    };
  });
  const longestRampNs = Math.max(...legs.map(({ rampToNs }) => rampToNs));
  const fewer =
    requested.workers !== 'auto' && requested.workers > workers
      ? [warning('fewer-workers', { given: requested.workers, used: workers })]
      : [];
  return {
    schema: 1,
    scenario: scenario.name,
    workload: scenario.workload,
    protocol: scenario.protocol,
    payloadBytes: scenario.payloadBytes,
    connections: scenario.connections,
    connectRate: scenario.connectRate,
    transferLog: scenario.transferLog,
    seed: scenario.seed,
    legs,
    sharedOptions: sharedOptions(legs),
    expected: {
      seconds: legs.reduce((sum, { endNs }) => sum + endNs, 0) / 1e9,
      transferLogBytes:
        scenario.transferLog === 'none'
          ? 0
          : rows === null
            ? null
            : Math.ceil(rows * legs.length * ROW_BYTES[scenario.transferLog]),
      descriptorsPerWorker: Math.ceil(scenario.connections / workers) + SPARE_DESCRIPTORS,
    },
    limits,
    warnings: [...remarks, ...warnings, ...fewer, ...tooSlow(scenario, longestRampNs), ...cutShort(scenario)],
  };
}
