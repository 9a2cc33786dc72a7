// The plan of a run: its legs, their schedules, what they will take, and which limits they will meet. Pure: the
// machine's facts come in as `host` (host.js). What the client cannot do is an error before anything starts; what a
// server or the kernel will not do is a warning, and is then run into: that is what is measured.

import { EnvironmentError } from '../errors.js';
import { placeOnAgents } from './agents.js';
import { descriptorsNeeded } from './engines.js';
import { ROW_BYTES } from '../measure/transfer-log.js';
import { firstConnections, lengthOf, ratePoints, slotPoints } from '../measure/profile.js';
import { carrierOf, transportLabel } from '../transports/index.js';
import { rampSchedule } from '../measure/schedule.js';
import { secondsOf } from '../measure/slices.js';
import { sharedOptions } from '../scenario/keys/server-labels.js';
import { overlapWarnings, place } from './placement.js';
import { caseIdOf, inRounds, withCaseIds } from './rounds.js';
import { shared } from './sizing.js';
import { inSlices, notInterleaved } from './slices.js';
import { decideVariants, possibleDecisions, tightest, variantServers } from './variants.js';
import { warning } from '../words/warnings.js';
import { comparesServers } from '../judge/conditions/parse.js';
import { MIN_ROUNDS } from '../judge/statistics/index.js';

/**
 * @import { Warning } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { Plan, PlannedLeg } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Decision } from './preflight.js'
 * @import { KnownServer } from './processes.js'
 * @import { Machines } from './slices.js'
 * @import { Variant } from './variants.js'
 */

/** Version of plan.json. @type {4} */
const PLAN_SCHEMA = 4;

/**
 * @typedef {PlannedLeg} Leg
 */

/**
 * @param {number} index of the leg
 * @param {string} label
 * @returns {string} name of its folder
 */
function legId(index, label) {
  return `${String(index + 1).padStart(2, '0')}-${caseIdOf(label)}`;
}

/** @template {{ label: string }} T @param {T[]} legs in their order @returns {(T & { id: string })[]} with their ids */
const numbered = (legs) => legs.map((leg, index) => ({ ...leg, id: legId(index, leg.label) }));

/**
 * Warns of a ramp that asks for more connects than connectRate allows.
 * @param {Scenario} scenario
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
 * @param {Scenario} scenario
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
 * @param {Scenario} requested
 * @param {Host} host
 * @param {KnownServer[]} [known]  its servers, as the launcher lists them
 * @param {Warning[]} [remarks]  warnings from before
 * @returns {Plan}
 * @throws {EnvironmentError} when this machine's client cannot do it
 */
export function plan(requested, host, known = [], remarks = []) {
  const variants = decideVariants(requested, host, known);
  const decisions = possibleDecisions(variants);
  const planned = variants.map((variant, i) => variantLegs(variant, decisions[i], host));
  const cases = withCaseIds(planned.flat());
  const limits = tightest(decisions.map((decision) => decision.limits));
  const ordered = numbered(inRounds(cases, requested));
  const {
    legs: sliced,
    reasons,
    fewer: fewerStarts,
  } = inSlices(ordered, requested, machinesOf(variants, decisions, host));
  const legs = numbered(sliced);
  if (reasons.length > 0 && requested.budget !== null) throw withoutSlices(reasons[0]);
  const scenarios = decisions.map(({ scenario }) => scenario);
  const most = scenarios.reduce((a, b) => (b.connections > a.connections ? b : a));
  const sizes = new Set(scenarios.map(({ payloadBytes, payloadMinBytes }) => `${payloadMinBytes} ${payloadBytes}`));
  const warnings = decisions.flatMap(({ scenario, sizing, warnings: own }, i) => [
    ...own,
    ...fewer(requested, sizing.workers),
    ...overlapWarnings(planned[i]),
    ...tooSlow(scenario, Math.max(...planned[i].map(({ rampToNs }) => rampToNs))),
    ...cutShort(scenario),
  ]);
  const rows = decisions.map(({ sizing }, i) => ({ rows: sizing.rows, legs: planned[i].length * requested.rounds }));
  return {
    schema: PLAN_SCHEMA,
    scenario: most.name,
    workload: most.workload,
    protocol: most.protocol,
    ...(sizes.size === 1
      ? {
          payloadBytes: most.payloadBytes,
          ...(most.payloadMinBytes === null ? {} : { payloadMinBytes: most.payloadMinBytes }),
        }
      : {}),
    connections: most.connections,
    connectRate: most.connectRate,
    transferLog: most.transferLog,
    seed: most.seed,
    rounds: requested.rounds,
    cases: cases.map((one) => one.case),
    legs,
    sharedOptions: sharedOptions(legs),
    expected: {
      seconds: secondsOf(legs, requested.legGapNs),
      transferLogBytes: logBytes(most, rows),
      descriptorsPerWorker: Math.max(
        ...decisions.map(({ scenario, sizing }) =>
          descriptorsNeeded(scenario.connections, sizing.workers, sizing.engines),
        ),
      ),
    },
    limits,
    warnings: [
      ...remarks,
      ...distinct(warnings),
      ...notInterleaved(reasons, legs),
      ...(reasons.length === 0 ? [] : undecidedConditions(requested)),
      ...(fewerStarts === null ? [] : [warning('fewer-starts', fewerStarts)]),
    ],
  };
}

/**
 * @param {Variant[]} variants of a scenario @param {Decision[]} decisions on each of them
 * @param {Host} host
 * @returns {Machines}
 */
export function machinesOf(variants, decisions, host) {
  const byPoint = new Map(variants.map(({ axes }, i) => [JSON.stringify(axes), decisions[i]]));
  return {
    host,
    decisionOn: ({ axes }) => /** @type {Decision} */ (byPoint.get(JSON.stringify(axes))),
  };
}

/** @param {{ code: string, text: string }} reason @returns {EnvironmentError} for a scenario with a budget */
const withoutSlices = (reason) =>
  new EnvironmentError(
    `budget needs servers side by side in slices, but they are measured one after the other: ${reason.text}; leave budget out`,
    { code: 'EBUDGET', data: { reason: reason.code } },
  );

/**
 * @param {Scenario} scenario without slices
 * @returns {Warning[]} of the conditions between servers that its rounds cannot decide
 */
function undecidedConditions({ rounds, thresholds, failIf }) {
  const conditions = [...thresholds, ...failIf].filter(comparesServers);
  return rounds >= MIN_ROUNDS || conditions.length === 0
    ? []
    : [warning('conditions-undecided', { conditions, rounds })];
}

/**
 * @param {Variant} variant
 * @param {ReturnType<typeof possibleDecisions>[number]} decision its
 * @param {Host} host
 * @returns {Omit<Leg, 'id' | 'case' | 'round'>[]}
 */
function variantLegs(variant, { scenario, sizing: { pin, sources, servers }, shares }, host) {
  const { inUserSpace = false, ...carrier } = carrierOf(scenario, host);
  const { warmupNs, warmupTransfers } = scenario;
  const rates = scenario.rate === null ? {} : { rates: ratePoints(scenario.rate, scenario.rateProfile, warmupNs) };
  const { connections } = scenario;
  return variantServers(servers, variant.axes).map((leg) => {
    const first = firstConnections(scenario);
    const { points: schedule, endNs: rampToNs } = rampSchedule(first, scenario.ramp);
    const steadyFromNs = rampToNs + warmupNs;
    const steadyToNs = steadyFromNs + scenario.durationNs;
    const points = slotPoints(scenario.connectionsProfile, steadyFromNs, connections);
    const { instances = 1 } = leg;
    const own = shared(Math.min(leg.workers, connections), instances);
    const started = leg.server.kind !== 'target';
    return {
      ...leg,
      ...(inUserSpace ? labelled(leg, carrier) : {}),
      ...(host.server === undefined ? {} : { serverAgent: host.server.name }),
      settings: scenario,
      connections,
      workers: own,
      ...carrier,
      ...place(pin, host.topology, { instances, workers: own, started }),
      ...placeOnAgents(shares),
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
}

/**
 * A stack in user space is named wherever a figure of the leg is shown.
 * @param {{label: string, series?: string}} leg @param {{transport?: string, stack?: string}} carrier
 * @returns {{label?: string, series?: string}}
 */
function labelled({ label, series }, carrier) {
  const added = transportLabel(carrier);
  return { label: `${label}, ${added}`, ...(series === undefined ? {} : { series: `${series}, ${added}` }) };
}

/** @param {Scenario} requested @param {number} used @returns {Warning[]} */
function fewer({ workers }, used) {
  return workers !== 'auto' && workers > used ? [warning('fewer-workers', { given: workers, used })] : [];
}

/**
 * @param {Pick<Scenario, 'transferLog'>} scenario
 * @param {{rows: number | null, legs: number}[]} parts rows: of each leg; null: not known beforehand
 * @returns {number | null} bytes of all legs
 */
function logBytes({ transferLog }, parts) {
  if (transferLog === 'none') return 0;
  let rows = 0;
  for (const part of parts) {
    if (part.rows === null) return null;
    rows += part.rows * part.legs;
  }
  return Math.ceil(rows * ROW_BYTES[transferLog]);
}

/**
 * @param {Warning[]} warnings of all variants
 * @returns {Warning[]} each once; of one limit that several variants meet, the one that needs most
 */
function distinct(warnings) {
  /** @type {Map<string, Warning>} */
  const found = new Map();
  for (const one of warnings) {
    const { servers, side, needed } = one.data;
    const key = JSON.stringify(typeof needed === 'number' ? [one.code, servers, side] : one);
    const before = found.get(key);
    if (before === undefined || needed > before.data.needed) found.set(key, one);
  }
  return [...found.values()];
}
