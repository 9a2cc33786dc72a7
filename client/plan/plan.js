// Plans a run: its legs, their schedules, what they will take, and which limits they will meet. The machine's facts
// come in as `host` (host.js). A limit of the client is an error before anything starts; a limit of a server or the
// kernel is a warning, because its effect is a result.

import { EnvironmentError } from '../errors.js';
import { descriptorsNeeded } from './engines.js';
import { placeOnHosts } from './host-shares.js';
import { ROW_BYTES } from '../measure/transfer-log.js';
import { firstConnections, lengthOf, ratePoints, slotPoints } from '../measure/profile.js';
import { rampSchedule } from '../measure/schedule.js';
import { RUN_SCHEMA } from '../measure/schema.js';
import { pointsOf } from '../measure/settings.js';
import { secondsOf } from '../measure/slices.js';
import { sharedOptions } from '../scenario/keys/server-labels.js';
import { overlapWarnings, place } from './placement.js';
import { caseIdOf, inRounds, withCaseIds } from './rounds.js';
import { evenWorkers } from './sizing.js';
import { inSlices, notInterleaved } from './slices.js';
import { decidePoints, possibleDecisions, serversAt, tightest } from './points.js';
import { warning } from '../words/warnings.js';
import { comparesServers } from '../judge/conditions/parse.js';
import { MIN_ROUNDS } from '../judge/statistics/index.js';

/**
 * @import { Axes, LegSummary, Warning } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { Plan, PlannedLeg, Point } from '../measure/settings.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Decision } from './preflight.js'
 * @import { KnownServer } from './processes.js'
 * @import { DecidedPoint } from './points.js'
 */

/**
 * @typedef {PlannedLeg} Leg
 * @typedef {Omit<Leg, 'id'>} UnnumberedLeg
 * @typedef {Omit<Leg, 'id' | 'case' | 'round'>} PointLeg  of a server at a point, the same in every round and start
 */

/**
 * @typedef {object} Planner  plans the legs of a scenario on a host
 * @property {Scenario} scenario
 * @property {(points: Point[]) => PlannedPoints} at
 * @property {(legs: PointLeg[], planned: PlannedPoints) => Turns} inTurns  in rounds and starts, side by side where
 *   that is asked for and possible
 *
 * @typedef {object} PlannedPoints
 * @property {(DecidedPoint & { decision: Decision & { scenario: Scenario }, legs: PointLeg[] })[]} points  legs: of
 *   each server
 * @property {PointLeg[]} legs  of all points
 *
 * @typedef {ReturnType<typeof inSlices> & { cases: string[] }} Turns  cases: their ids, in the order of the scenario
 *
 * @typedef {object} Strategy  the legs that are measured first, and those that follow from their results
 * @property {PlannedPoints} planned  points whose legs meet every limit that any leg of the run meets
 * @property {Turns} first
 * @property {(summaries: LegSummary[], legs: Leg[]) => { legs: UnnumberedLeg[], warnings: Warning[] }} next  the legs
 *   that follow from the summaries of all legs so far; none: the run has ended
 * @property {Pick<Plan, 'search' | 'compareAt'>} about
 * @property {UnnumberedLeg[][]} possibleLegs  all legs that there may be, as they are added
 * @property {number | null} times  the most transfers of the run, as a multiple of those of the planned legs; null: not
 *   known beforehand
 */

/** @typedef {{ plan: Plan, next: (summaries: LegSummary[]) => { legs: Leg[], warnings: Warning[] } }} Planning */

/**
 * @param {UnnumberedLeg[]} legs in their order @param {Leg[]} [before] of the run
 * @returns {Leg[]} with their ids, which name their folders; the numbers of groups in slices continue those before
 */
function withIds(legs, before = []) {
  const groups = Math.max(0, ...before.map(({ slices }) => slices?.group ?? 0));
  return legs.map(({ slices, ...leg }, index) => ({
    id: `${String(before.length + index + 1).padStart(2, '0')}-${caseIdOf(leg.label)}`,
    ...leg,
    ...(slices && { slices: { ...slices, group: groups + slices.group } }),
  }));
}

/**
 * Warns of a ramp that asks for more connects than connectRate allows.
 * @param {Scenario} scenario
 * @param {number} rampNs
 * @returns {Warning[]}
 */
function rampWarnings(scenario, rampNs) {
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
function profileWarnings({ rateProfile, connectionsProfile, durationNs }) {
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
 * @param {Scenario} scenario @param {Host} host @param {KnownServer[]} known
 * @returns {Planner}
 */
const plannerOf = (scenario, host, known) => ({
  scenario,
  at(points) {
    const decided = decidePoints(points, host, known);
    const decisions = possibleDecisions(decided);
    const planned = decided.map((point, i) => {
      const decision = decisions[i];
      return { ...point, decision, legs: pointLegs(point.axes, decision, host) };
    });
    return { points: planned, legs: planned.flatMap(({ legs }) => legs) };
  },
  inTurns(legs, { points }) {
    const byPoint = new Map(points.map(({ axes, decision }) => [JSON.stringify(axes), decision]));
    const decisionOn = (/** @type {{ axes: Axes }} */ { axes }) =>
      /** @type {Decision} */ (byPoint.get(JSON.stringify(axes)));
    const cases = withCaseIds(legs);
    return {
      ...inSlices(inRounds(cases, scenario), scenario, { host, decisionOn }),
      cases: cases.map((leg) => leg.case),
    };
  },
});

/**
 * Plans every server at every point; no leg follows from the result of another.
 * @param {Planner} planner
 * @returns {Strategy}
 */
export function list(planner) {
  const { scenario } = planner;
  const planned = planner.at(pointsOf(scenario));
  const first = planner.inTurns(planned.legs, planned);
  const { reasons, legs } = first;
  if (reasons.length > 0 && scenario.budget !== null) throw withoutSlices(reasons[0]);
  const next = () => ({ legs: [], warnings: [] });
  return { planned, first, next, about: {}, possibleLegs: [legs], times: 1 };
}

/** @param {Scenario} scenario @returns {Promise<(planner: Planner) => Strategy>} loaded only when used */
async function strategyOf({ find, compareAt }) {
  if (find !== null) return (await import('./search.js')).bisection;
  return compareAt === null ? list : (await import('./compare-at.js')).thenAtRate;
}

/**
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {KnownServer[]} [known]  its servers, as the launcher lists them
 * @param {Warning[]} [remarks]  warnings from before the plan
 * @returns {Promise<Planning>}
 * @throws {EnvironmentError} when this machine's client cannot do it
 */
export const planRun = async (scenario, host, known = [], remarks = []) =>
  planWith(await strategyOf(scenario), scenario, host, known, remarks);

/**
 * @param {(planner: Planner) => Strategy} strategy
 * @param {Scenario} scenario
 * @param {Host} host
 * @param {KnownServer[]} [known]
 * @param {Warning[]} [remarks]
 * @returns {Planning}
 * @throws {EnvironmentError}
 */
export function planWith(strategy, scenario, host, known = [], remarks = []) {
  const { planned, first, next, about, possibleLegs, times } = strategy(plannerOf(scenario, host, known));
  const legs = withIds(first.legs);
  const { reasons, fewer } = first;
  const { points } = planned;
  const settings = points.map(({ decision }) => decision.scenario);
  const largest = settings.reduce((a, b) => (b.connections > a.connections ? b : a));
  const sizes = new Set(settings.map(({ payloadBytes, payloadMinBytes }) => `${payloadMinBytes} ${payloadBytes}`));
  const warnings = points.flatMap(({ decision, legs: atPoint }) => [
    ...decision.warnings,
    ...fewerWorkers(scenario, decision.sizing.workers),
    ...overlapWarnings(atPoint),
    ...rampWarnings(decision.scenario, Math.max(...atPoint.map(({ rampToNs }) => rampToNs))),
    ...profileWarnings(decision.scenario),
  ]);
  const rows = points.map(({ decision, legs: atPoint }) => ({
    rows: times === null ? null : decision.sizing.rows,
    legs: atPoint.length * scenario.rounds * (times ?? 1),
  }));
  const plan = {
    schema: RUN_SCHEMA,
    scenario: largest.name,
    workload: largest.workload,
    protocol: largest.protocol,
    ...(sizes.size === 1
      ? {
          payloadBytes: largest.payloadBytes,
          ...(largest.payloadMinBytes === null ? {} : { payloadMinBytes: largest.payloadMinBytes }),
        }
      : {}),
    connections: largest.connections,
    connectRate: largest.connectRate,
    transferLog: largest.transferLog,
    seed: largest.seed,
    rounds: scenario.rounds,
    cases: first.cases,
    legs,
    sharedOptions: sharedOptions(legs),
    ...about,
    expected: {
      seconds: secondsOf(possibleLegs.flat(), scenario.legGapNs),
      transferLogBytes: logBytes(largest, rows),
      descriptorsPerWorker: Math.max(
        ...points.map(
          ({
            decision: {
              scenario: { connections },
              sizing,
            },
          }) => descriptorsNeeded(connections, sizing.workers, sizing.engines),
        ),
      ),
    },
    limits: tightest(points.map(({ decision }) => decision.limits)),
    warnings: [
      ...remarks,
      ...distinct(warnings),
      ...notInterleaved(reasons, legs),
      ...(reasons.length === 0 ? [] : undecidedConditions(scenario)),
      ...(fewer === null ? [] : [warning('fewer-starts', fewer)]),
    ],
  };
  return {
    plan,
    next: (summaries) => {
      const { legs: added, warnings: laterWarnings } = next(summaries, plan.legs);
      return { legs: withIds(added, plan.legs), warnings: laterWarnings };
    },
  };
}

/** @type {(...given: [Scenario, Host, KnownServer[]?, Warning[]?]) => Plan} only legs that are known beforehand */
export const plan = (...given) => planWith(list, ...given).plan;

/** @param {{ code: string, text: string }} reason @returns {EnvironmentError} for a scenario with a budget */
const withoutSlices = (reason) =>
  new EnvironmentError(
    `budget needs servers side by side in slices, but they are measured one after the other: ${reason.text}; leave budget out`,
    { code: 'EBUDGET', data: { reason: reason.code } },
  );

/**
 * @param {Scenario} scenario without slices
 * @returns {Warning[]} about conditions between servers that its rounds cannot decide
 */
function undecidedConditions({ rounds, thresholds, failIf }) {
  const conditions = [...thresholds, ...failIf].filter(comparesServers);
  return rounds >= MIN_ROUNDS || conditions.length === 0
    ? []
    : [warning('conditions-undecided', { conditions, rounds })];
}

/**
 * @param {Axes} axes of the point
 * @param {Decision & { scenario: Scenario }} decision on it
 * @param {Host} host
 * @returns {PointLeg[]}
 */
function pointLegs(axes, { scenario, sizing: { pin, sources, servers }, shares }, host) {
  const { warmupNs, warmupTransfers } = scenario;
  const rates = scenario.rate === null ? {} : { rates: ratePoints(scenario.rate, scenario.rateProfile, warmupNs) };
  const { connections } = scenario;
  return serversAt(servers, axes).map((leg) => {
    const first = firstConnections(scenario);
    const { points: schedule, endNs: rampToNs } = rampSchedule(first, scenario.ramp);
    const steadyFromNs = rampToNs + warmupNs;
    const steadyToNs = steadyFromNs + scenario.durationNs;
    const points = slotPoints(scenario.connectionsProfile, steadyFromNs, connections);
    const { instances = 1 } = leg;
    const workers = evenWorkers(Math.min(leg.workers, connections), instances);
    const started = leg.server.kind !== 'target';
    return {
      ...leg,
      settings: scenario,
      connections,
      workers,
      ...(scenario.transport === 'tcp' ? {} : { transport: scenario.transport }),
      ...place(pin, host.topology, { instances, workers, started }),
      ...placeOnHosts(host, shares),
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

/** @param {Scenario} requested @param {number} used @returns {Warning[]} */
function fewerWorkers({ workers }, used) {
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
 * @param {Warning[]} warnings of all points
 * @returns {Warning[]} without duplicates; of a limit met at several points, the warning with the greatest need
 */
function distinct(warnings) {
  /** @type {Map<string, Warning>} */
  const byKey = new Map();
  for (const entry of warnings) {
    const { servers, side, needed } = entry.data;
    const key = JSON.stringify(typeof needed === 'number' ? [entry.code, servers, side] : entry);
    const before = byKey.get(key);
    if (before === undefined || needed > before.data.needed) byKey.set(key, entry);
  }
  return [...byKey.values()];
}
