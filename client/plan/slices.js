// Which legs are measured side by side, in slices: those of the servers at one point of the sweep in one round. Their
// connections are all open, and one start of one server is loaded at a time (measure/slices.js), all starts of a server for as long as a leg by itself. Pure.
// Slices are as long as the replies that are in flight at their end need to come several times over, and so long that whole
// periods fill whole seconds: then every second, or block of seconds, has as many slices of each leg.

import { startsOf } from '../judge/case-legs.js';
import { pointText } from '../judge/comparisons.js';
import { MIN_SLICES } from '../judge/statistics/index.js';
import { count, duration } from '../words/format.js';
import { MOST_WORKERS } from '../scenario/place-rules.js';
import { settingsOf } from '../measure/leg-settings.js';
import { haveFewConnections, timesAsLong } from '../measure/slices.js';
import { warning } from '../words/warnings.js';
import { lackTogether } from './limits/together.js';

/**
 * @typedef {import('../scenario/scenario.js').Scenario} Scenario
 * @typedef {import('../../config/types.js').PlannedLeg} Leg
 * @typedef {{ code: string, text: string }} Reason  why legs are measured one after the other
 */

/** Short beside what disturbs a shared machine, which lasts from 0.2 s to some seconds. */
const USUAL_SLICE_NS = 100e6;
const LONGEST_SLICE_NS = 5e9;
/** More of them in a leg tell no more, and take memory. */
const MOST_SLICES = 50_000;
/** The part of a slice in which replies are awaited, and what they need at most in a closed loop, as a slow server needs it. */
const SETTLE_SHARE = 1 / 8;
const TRANSFER_NS = 20e3;
const BYTES_PER_NS = 1;
/** What the replies in flight need where their median response time was measured: some take longer. */
const SETTLE_PER_P50 = 1.5;
/** Of a slice that is chosen here: the loaded part, for each ns in which replies are awaited. */
const LOADED_FOR_SETTLED = 3;
/** The same before the response times are known: a ramp has several periods in each of its steps if they are short. */
const LOADED_FOR_SETTLED_IN_PILOT = 1;
/** The least of it, where a steady state would not have enough slices to compare otherwise. */
const LEAST_LOADED_FOR_SETTLED = 1;
const SECOND_NS = 1e9;
/** With two starts of each of two servers an interval is nearly twice as wide where starts do not differ, with four 1.2 times (config/COMPARING.md). */
const USUAL_STARTS = 4;
/** Each leg has workers of its own. */
const MOST_SIDE_BY_SIDE = 16;
/**
 * What is awaited besides replies where workers are on several hosts, for each ns by which the clock of one may be off: two hosts may
 * be apart by twice that, and as much again is for what their clocks drift in a leg.
 */
const AWAITED_PER_CLOCK_ERROR = 4;
/**
 * Why legs are measured one after the other all the same: the first row that holds.
 * @type {{ code: string, when: (scenario: Scenario) => boolean, why: string }[]}
 */
const REASONS = [
  { code: 'once', when: ({ workload }) => workload === 'once', why: 'in workload once a connection has one transfer' },
  {
    code: 'no-load',
    when: ({ workload, heartbeatNs }) => workload === 'hold' && heartbeatNs === 0,
    why: 'connections are held without a transfer',
  },
  {
    code: 'ends-by-itself',
    when: ({ transfers, lifetime }) => transfers !== null || lifetime?.reopen === false,
    why: 'each leg ends by itself (transfers or lifetime.reopen)',
  },
  { code: 'together', when: ({ start }) => start === 'together', why: 'all first requests are sent at once (start)' },
  {
    code: 'warmup-by-count',
    when: ({ warmupTransfers }) => warmupTransfers !== null,
    why: 'the warm-up of each leg ends after a number of transfers',
  },
];

/** @param {number} clockErrorNs of a host with workers @returns {number} ns for which all of them await that the last one has stopped */
const clocksNs = (clockErrorNs) => AWAITED_PER_CLOCK_ERROR * clockErrorNs;

/**
 * How long the replies in flight at the end of a slice may need.
 * @param {Scenario} scenario of a leg @param {number} connections
 * @returns {number} ns; 0 in an open loop, whose connections are not all busy
 */
const inFlightNs = ({ rate, pipeline, payloadBytes }, connections) =>
  rate === null ? connections * pipeline * (TRANSFER_NS + (2 * payloadBytes) / BYTES_PER_NS) : 0;

/**
 * The nearest length of which whole periods fill whole seconds.
 * @param {number} lengthNs of a slice @param {number} of legs @param {number} mostNs it is not to be longer for that
 * @returns {number} ns
 */
function fitted(lengthNs, of, mostNs) {
  const periodNs = lengthNs * of;
  const nearest = (/** @type {number} */ value) => (value / of > mostNs ? 0 : value / of);
  return periodNs > 1e9
    ? nearest(Math.round(periodNs / 1e9) * 1e9) || (Math.floor(periodNs / 1e9) * 1e9) / of
    : nearest(1e9 / Math.round(1e9 / periodNs)) || 1e9 / Math.ceil(1e9 / periodNs) / of;
}

/** Whether the length of slices is to be measured. @param {Scenario} scenario */
const hasPilot = ({ interleave, rate }) => interleave === 'auto' && rate === null;

/**
 * @typedef {{ lengthNs: number, settleNs: number }} Lengths
 *
 * @param {number} awaitedNs what the replies in flight at the end of a slice need, and the clocks of hosts @param {number} of legs
 * @param {{ eachNs: number, givenNs?: number, loaded?: number }} wanted eachNs: for which each leg is loaded; givenNs: the length; otherwise
 *   it is chosen; loaded: its loaded part, for each ns in which replies are awaited
 * @returns {Lengths | null} null: they need longer than a slice may last
 */
function lengthsFor(awaitedNs, of, { eachNs, givenNs, loaded = LOADED_FOR_SETTLED }) {
  const atLeastNs = Math.max(USUAL_SLICE_NS, eachNs / MOST_SLICES, (1 + LEAST_LOADED_FOR_SETTLED) * awaitedNs);
  const mostNs = Math.max(atLeastNs, eachNs / MIN_SLICES);
  const chosenNs = givenNs ?? Math.min(mostNs, Math.max(atLeastNs, (1 + loaded) * awaitedNs));
  if (chosenNs > LONGEST_SLICE_NS) return null;
  const lengthNs = fitted(chosenNs, of, givenNs === undefined ? eachNs / MIN_SLICES : Infinity);
  const settleNs = Math.max(lengthNs * SETTLE_SHARE, Math.min(awaitedNs, lengthNs / 2));
  return { lengthNs, settleNs: Math.round(settleNs) };
}

/**
 * @param {Scenario} scenario of the legs @param {Leg[]} legs of a group: all starts of its servers @param {number} clockErrorNs
 * @param {number} [eachNs] for which each of the legs is loaded
 * @returns {Lengths | null} before anything is measured; null: replies need longer than a slice may last
 */
function plannedLengths(scenario, legs, clockErrorNs, eachNs = scenario.durationNs / startsOf(legs)) {
  const { interleave } = scenario;
  return lengthsFor(inFlightNs(scenario, legs[0].connections) + clocksNs(clockErrorNs), legs.length, {
    givenNs: typeof interleave === 'number' ? interleave : undefined,
    loaded: hasPilot(scenario) ? LOADED_FOR_SETTLED_IN_PILOT : LOADED_FOR_SETTLED,
    eachNs,
  });
}

/**
 * @param {number} p50Ns the median response time of the slowest leg, in a closed loop @param {number} of legs
 * @param {number} eachNs for which each leg is loaded @param {number} [clockErrorNs] of a host with workers
 * @returns {Lengths} as long as they may be where that is too long for any
 */
export function measuredLengths(p50Ns, of, eachNs, clockErrorNs = 0) {
  const neededNs = SETTLE_PER_P50 * p50Ns + clocksNs(clockErrorNs);
  const awaitedNs = Math.min(neededNs, LONGEST_SLICE_NS / (1 + LOADED_FOR_SETTLED));
  return /** @type {Lengths} */ (lengthsFor(awaitedNs, of, { eachNs }));
}

/**
 * Before the steady state, with all connections open: time for a slice of each leg, and a second to tell the workers.
 * @param {Lengths} lengths @param {number} of legs @returns {number}
 */
const pilotNsOf = ({ lengthNs }, of) => (1 + Math.ceil((lengthNs * of) / SECOND_NS - 1e-9)) * SECOND_NS;

/**
 * A leg whose steady state begins at a whole second, and, where the length of slices is to be measured, after a pilot.
 * @param {Leg} leg @param {number} neededNs for the pilot; 0: none
 * @returns {Leg}
 */
function aligned(leg, neededNs) {
  const pilotNs = Math.max(0, neededNs - (leg.steadyFromNs - leg.rampToNs));
  const early = leg.steadyFromNs + pilotNs;
  const rampNs = Math.ceil(early / SECOND_NS) * SECOND_NS - early;
  const laterNs = pilotNs + rampNs;
  return {
    ...leg,
    ...(leg.profile && { profile: leg.profile.map((point) => ({ ...point, atNs: point.atNs + laterNs })) }),
    rampToNs: leg.rampToNs + rampNs,
    steadyFromNs: leg.steadyFromNs + laterNs,
    steadyToNs: leg.steadyToNs + laterNs,
    endNs: leg.endNs + laterNs,
  };
}

/**
 * @param {Leg} leg of a group
 * @returns {Leg} whose steady state lasts until each server of the group has been loaded, in all its starts together, for as long as a leg by
 *   itself; rates and connections of a profile change as much more slowly
 */
function lengthened(leg) {
  const { rampToNs, steadyFromNs, steadyToNs, endNs, profile, rates } = leg;
  const times = timesAsLong(leg);
  const later = (/** @type {number} */ atNs, /** @type {number} */ fromNs) =>
    fromNs + times * Math.max(0, atNs - fromNs);
  const warmupNs = steadyFromNs - rampToNs;
  return {
    ...leg,
    ...(profile && { profile: profile.map((point) => ({ ...point, atNs: later(point.atNs, steadyFromNs) })) }),
    ...(rates && {
      rates: rates.map((point) => (point.atNs <= warmupNs ? point : { ...point, atNs: later(point.atNs, warmupNs) })),
    }),
    steadyToNs: later(steadyToNs, steadyFromNs),
    endNs: endNs + later(steadyToNs, steadyFromNs) - steadyToNs,
  };
}

/** @param {Pick<Leg, 'round' | 'axes'>} leg @returns {string} the same for the legs that are compared with each other */
const pointOf = ({ round, axes }) => JSON.stringify([round, axes]);

/**
 * @typedef {object} Machines  that the legs of a run are on
 * @property {import('../machine/host.js').Host} host  with the agents, if there are any
 * @property {(leg: Leg) => import('./preflight.js').Decision} decisionOn  what was decided on the legs at its point
 */

/** @param {import('../machine/host.js').Host} host @returns {number} ns by which the clock of one of several agents may be off at most */
const clockErrorOf = ({ agents = [] }) =>
  agents.length > 1 ? Math.max(...agents.map(({ clockErrorNs = 0 }) => clockErrorNs)) : 0;

/**
 * How many times each server of a group is started: as the scenario says, or as often as each start has slices enough, without many
 * connections more; and no more often than the machine has enough for all of them at once.
 * @param {Scenario} own of the group @param {Leg[]} group @param {Machines} machines
 * @returns {number}
 */
function startsThatFit(own, group, machines) {
  const usual = group.some(({ server }) => server.kind === 'target') ? 1 : USUAL_STARTS;
  const most = own.starts ?? Math.min(usual, Math.floor(MOST_SIDE_BY_SIDE / group.length));
  const leastNs = own.budget?.minNs ?? own.durationNs;
  const fits = (/** @type {number} */ starts) => {
    const all = inStarts(group, starts);
    if (reasonOf(own, all, machines) !== null) return false;
    if (own.starts !== null) return true;
    // slices do not become shorter for the sake of several starts
    const lengths = plannedLengths(own, all, clockErrorOf(machines.host), own.durationNs);
    return lengths !== null && leastNs / starts / lengths.lengthNs >= MIN_SLICES && haveFewConnections(all);
  };
  let starts = Math.max(1, most);
  while (starts > 1 && !fits(starts)) starts -= 1;
  return starts;
}

/** @param {Leg[]} group a leg of each server @param {number} starts @returns {Leg[]} one for each start of each server */
const inStarts = (group, starts) =>
  starts === 1
    ? group
    : Array.from({ length: starts }, (_, i) => group.map((leg) => ({ ...leg, start: i + 1 }))).flat();

/**
 * @param {Leg[]} legs in the order of the run: those at one point in one round next to each other
 * @param {Scenario} scenario @param {Machines} machines
 * @returns {{ legs: Leg[], reasons: (Reason & { axes: Leg['axes'] })[], fewer: { given: number, used: number, why: string } | null }} legs:
 *   with one for each start of a server; reasons: why some of them that could be compared are measured one after the other, at each
 *   point; none where nobody asked for slices; fewer: starts than the scenario says
 */
export function inSlices(legs, scenario, machines) {
  const groups = [...new Set(legs.map(pointOf))].map((point) => legs.filter((leg) => pointOf(leg) === point));
  const wanted = scenario.interleave !== 'off' && groups.some((group) => group.length > 1);
  if (!wanted) return { legs, reasons: [], fewer: null };
  /** @type {Map<string, Reason & { axes: Leg['axes'] }>} */
  const reasons = new Map();
  /** @type {ReturnType<typeof inSlices>['fewer']} */
  let fewer = null;
  let number = 0;
  const sliced = groups.flatMap((group) => {
    if (group.length < 2) return group;
    const [{ axes }] = group;
    const own = settingsOf(scenario, group[0]);
    const why = reasonOf(own, group, machines);
    if (why !== null) reasons.set(JSON.stringify(axes), { ...why, axes });
    const starts = why === null ? startsThatFit(own, group, machines) : 1;
    const all = inStarts(group, starts);
    if (own.starts !== null && starts < own.starts) {
      const { text } = why ?? /** @type {Reason} */ (reasonOf(own, inStarts(group, own.starts), machines));
      fewer ??= { given: own.starts, used: starts, why: text };
    }
    if (why !== null) return group;
    number += 1;
    const common = { group: number, of: all.length, starts, seed: (scenario.seed + number) >>> 0 };
    const lengths = /** @type {Lengths} */ (plannedLengths(own, all, clockErrorOf(machines.host)));
    return all.map((leg, index) => {
      const later = aligned(leg, hasPilot(own) ? pilotNsOf(lengths, all.length) : 0);
      const slices = { ...common, index, ...lengths, fromNs: later.steadyFromNs };
      return lengthened({ ...later, slices: hasPilot(own) ? { ...slices, pilot: lengths } : slices });
    });
  });
  return { legs: sliced, reasons: [...reasons.values()], fewer };
}

/** @param {Scenario} scenario of the group @param {Leg[]} group @param {Machines} machines @returns {Reason | null} */
function reasonOf(scenario, group, { host, decisionOn }) {
  const row = REASONS.find(({ when }) => when(scenario));
  if (row !== undefined) return { code: row.code, text: row.why };
  const clockErrorNs = clockErrorOf(host);
  const lack = lackTogether(group, decisionOn(group[0]), host);
  if (lack !== undefined) return lack;
  const [{ connections, workers, agents = [] }] = group;
  const processes = agents.length === 0 ? 0 : group.length * Math.ceil(workers / agents.length);
  if (processes > MOST_WORKERS) {
    const text = `all at once have ${processes} workers on an agent, which runs up to ${MOST_WORKERS}`;
    return { code: 'agent-workers', text };
  }
  const lengths = plannedLengths(scenario, group, clockErrorNs);
  const clocks = `the clocks of the agents are known to ±${duration(clockErrorNs)}`;
  if (lengths === null) {
    const awaited = `the replies of ${count(connections)} connections need longer than a slice of ${duration(LONGEST_SLICE_NS)} leaves`;
    return { code: 'slices-too-short', text: clockErrorNs > 0 ? `${awaited}, and ${clocks}` : awaited };
  }
  const { lengthNs, settleNs } = lengths;
  if (settleNs < clocksNs(clockErrorNs)) {
    const text = `${clocks}, and for a slice of ${duration(lengthNs)} to be of one server its last part must be at least ${duration(clocksNs(clockErrorNs))}, not ${duration(settleNs)}`;
    return { code: 'agent-clocks', text };
  }
  return null;
}

/**
 * @param {(Reason & { axes: Leg['axes'] })[]} reasons at each point @param {Leg[]} legs of the run
 * @returns {import('../words/warnings.js').Warning[]} one for each kind of reason, with the points that it is of unless these are all
 */
export function notInterleaved(reasons, legs) {
  const points = new Set(legs.map(({ axes }) => JSON.stringify(axes))).size;
  return [...new Set(reasons.map(({ code }) => code))].map((code) => {
    const own = reasons.filter((one) => one.code === code);
    const at = own.length === points ? [] : own.flatMap(({ axes }) => pointText(axes) ?? []);
    return warning('not-interleaved', { reason: code, why: own[0].text, at });
  });
}
