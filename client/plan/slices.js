// Plans which legs are measured side by side, in slices: those of the servers at one point of the sweep in one round.
// Their connections are all open; one start of one server is loaded at a time (measure/slices.js), and all starts of a
// server together for as long as a leg by itself. The length of a slice follows from the server's cycle: in a closed
// loop, connections / throughput, in which each connection gets one reply. A slice settles in for two cycles, is
// measured for eight, and settles out until the replies in flight have come, so that a server does in slices what it
// does in a leg by itself. Whole periods fill whole seconds, so that every second, or block of seconds, has as many
// slices of each leg.

import { startsOf } from '../judge/cases.js';
import { pointText } from '../judge/comparisons.js';
import { MIN_SLICES } from '../judge/statistics/index.js';
import { count, duration } from '../words/format.js';
import { MOST_WORKERS } from './host-shares.js';
import { haveFewConnections, periodNsOf, sliceNs, timesAsLong } from '../measure/slices.js';
import { plannedSteps } from '../measure/ramp-stages.js';
import { protocolOf } from '../protocols/index.js';
import { warning } from '../words/warnings.js';
import { findLack } from './limits/together.js';

/**
 * @import { SliceLengths, Slices, Warning } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { UnnumberedLeg as Leg } from './plan.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Decision } from './preflight.js'
 */

/**
 * @typedef {{ code: string, text: string }} Reason  why legs are measured one after the other
 */

/** Short compared with disturbances of a shared machine, which last from 0.2 s to some seconds. */
const USUAL_SLICE_NS = 100e6;
/** The shortest slice that results when periods are fitted to whole seconds. */
const SHORTEST_SLICE_NS = 50e6;
const LONGEST_SLICE_NS = 5e9;
/** More slices in a leg add no precision, and take memory. */
const MOST_SLICES = 50_000;
/** The time of a transfer, and its bytes per ns, assumed of a slow server before anything is measured. */
const TRANSFER_NS = 20e3;
const BYTES_PER_NS = 1;
/**
 * Cycles for which a slice settles in, is measured, and settles out: some replies take longer than others.
 */
const SETTLE_IN_CYCLES = 2;
const MEASURED_CYCLES = 8;
const SETTLE_OUT_CYCLES = 1.5;
/**
 * Cycles for which a slice in a step of a ramp is measured, and the fewest periods with which a step is measured.
 */
const MEASURED_CYCLES_IN_STEP = 4;
const PERIODS_IN_STEP = 2;
/** Shorter steps of a ramp have no slices of their own. */
const SHORTEST_STEP_NS = 1e9;
/** The smallest part of a slice in which it settles in, and in which it settles out. */
const SETTLE_SHARE = 1 / 8;
/** The largest such part if the length of a slice is given. */
const MOST_SETTLE_SHARE = 1 / 4;
/**
 * The pilot's slices, which are measured from the first request on: the measured part in cycles, and the shortest
 * length of either part.
 */
const PILOT_CYCLES = 3;
const PILOT_MEASURED_NS = 150e6;
const PILOT_SETTLE_NS = 50e6;
const SECOND_NS = 1e9;
/**
 * With two starts of each of two servers an interval is nearly twice as wide where starts do not differ, with four 1.2
 * times (config/COMPARING.md).
 */
const USUAL_STARTS = 4;
/** Each leg has workers of its own. */
const MOST_SIDE_BY_SIDE = 16;
/**
 * The extra wait at the end of a slice if workers are on several hosts, per ns of clock error: two hosts may be apart
 * by twice the error, and as much again is for the drift of their clocks in a leg.
 */
const AWAITED_PER_CLOCK_ERROR = 4;
/**
 * Reasons to measure legs one after the other anyway; the first that applies counts.
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

/**
 * @param {number} clockErrorNs of a host with workers
 * @returns {number} ns for which all hosts wait until the last one has stopped
 */
const clocksNs = (clockErrorNs) => AWAITED_PER_CLOCK_ERROR * clockErrorNs;

/**
 * @typedef {{ cycleNs: number, responseNs: number }} Cycle  of a server: how long its connections need for one reply
 *   each, and how long a reply needs; the same in a closed loop without pause
 */

/**
 * @param {Scenario} scenario of a leg
 * @param {number} connections
 * @returns {Cycle} before it is measured; of an open loop, whose connections are not all busy: 0
 */
function expectedCycle({ rate, pipeline, payloadBytes, pauseNs, heartbeatNs, workload }, connections) {
  if (rate !== null) return { cycleNs: 0, responseNs: 0 };
  const responseNs = connections * pipeline * (TRANSFER_NS + (2 * payloadBytes) / BYTES_PER_NS);
  return { cycleNs: Math.max(responseNs + pauseNs, workload === 'hold' ? heartbeatNs : 0), responseNs };
}

/**
 * @param {Cycle} cycle
 * @param {{ leastNs?: number, clocksNs?: number, cycles?: number }} [wanted] leastNs: of the whole slice; clocksNs: its
 *   extra length at both ends, for the clocks of hosts; cycles: that are measured
 * @returns {SliceLengths} the shortest in which the closed loop settles
 */
function lengthsFor({ cycleNs, responseNs }, { leastNs = 0, clocksNs = 0, cycles = MEASURED_CYCLES } = {}) {
  const settleInNs = Math.max(SETTLE_IN_CYCLES * cycleNs + clocksNs, leastNs * SETTLE_SHARE);
  const settleOutNs = Math.max(SETTLE_OUT_CYCLES * responseNs + clocksNs, leastNs * SETTLE_SHARE);
  const measuredNs = Math.max(cycles * cycleNs, leastNs / 2, leastNs - settleInNs - settleOutNs);
  return { settleInNs, measuredNs, settleOutNs };
}

/**
 * @param {Cycle} cycle
 * @param {number} lengthNs of a slice, as the scenario says it
 * @param {number} clocksNs
 * @returns {SliceLengths}
 */
function lengthsWithin({ cycleNs, responseNs }, lengthNs, clocksNs) {
  const settle = (/** @type {number} */ ns) =>
    Math.min(Math.max(ns + clocksNs, lengthNs * SETTLE_SHARE), lengthNs * MOST_SETTLE_SHARE);
  const [settleInNs, settleOutNs] = [settle(SETTLE_IN_CYCLES * cycleNs), settle(SETTLE_OUT_CYCLES * responseNs)];
  return { settleInNs, measuredNs: lengthNs - settleInNs - settleOutNs, settleOutNs };
}

/** The share by which a period may be shorter than a closed loop needs, to fill whole seconds. */
const SHORTER = 0.05;

/**
 * @param {SliceLengths[]} lengths of each server
 * @param {number} legCount
 * @param {number} mostNs for which all legs together are loaded
 * @param {number} [neededNs] of a period, for the closed loops
 * @returns {SliceLengths[]} scaled so that whole periods fill whole seconds, and as many of these as there are
 */
function fitted(lengths, legCount, mostNs, neededNs = 0) {
  const periodNs = periodNsOf(lengths, legCount);
  const leastNs = neededNs * (1 - SHORTER);
  const perSecond = Math.round(SECOND_NS / periodNs);
  const seconds = Math.max(1, Math.round(periodNs / SECOND_NS));
  const candidates = [
    ...(periodNs < SECOND_NS ? [SECOND_NS / perSecond, SECOND_NS / Math.max(1, perSecond - 1)] : []),
    seconds * SECOND_NS,
    (seconds + 1) * SECOND_NS,
  ];
  const wholeNs = candidates.find((ns) => ns >= leastNs) ?? periodNs;
  const periods = Math.floor(mostNs / wholeNs);
  const longestNs = Math.floor(mostNs / Math.max(1, periods) / SECOND_NS) * SECOND_NS;
  const fillsNs = periods === 0 ? mostNs : wholeNs <= SECOND_NS ? wholeNs : longestNs;
  return lengths.map((length) => scaled(length, fillsNs / periodNs));
}

/** @param {SliceLengths} lengths @param {number} factor @returns {SliceLengths} */
const scaled = ({ settleInNs, measuredNs, settleOutNs }, factor) => ({
  settleInNs: settleInNs * factor,
  measuredNs: measuredNs * factor,
  settleOutNs: settleOutNs * factor,
});

/** @param {Scenario} scenario @returns {boolean} whether a pilot measures the length of its slices */
const hasPilot = ({ interleave, rate }) => interleave === 'auto' && rate === null;

/**
 * @param {Scenario} scenario of the legs
 * @param {Leg[]} legs of a group: all starts of its servers
 * @param {number} clockErrorNs
 * @param {number} [eachNs] for which each of the legs is loaded
 * @returns {SliceLengths[] | null} of each server, the same for all before anything is measured; null: they would be
 *   longer than a slice may last
 */
function plannedLengths(scenario, legs, clockErrorNs, eachNs = scenario.durationNs / startsOf(legs)) {
  const { interleave } = scenario;
  const cycle = expectedCycle(scenario, legs[0].connections);
  const clocks = clocksNs(clockErrorNs);
  const isGiven = typeof interleave === 'number';
  const leastNs = Math.max(USUAL_SLICE_NS, eachNs / MOST_SLICES);
  const ofServer = isGiven
    ? lengthsWithin(cycle, interleave, clocks)
    : lengthsFor(cycle, { leastNs, clocksNs: clocks });
  if (sliceNs(ofServer) > LONGEST_SLICE_NS) return null;
  const lengths = /** @type {SliceLengths[]} */ (Array(legs.length / startsOf(legs)).fill(ofServer));
  const needed = isGiven
    ? 0
    : sliceNs(lengthsFor(cycle, { leastNs: SHORTEST_SLICE_NS, clocksNs: clocks })) * legs.length;
  return fitted(lengths, legs.length, eachNs * legs.length, needed);
}

/**
 * @param {Cycle[]} cycles of each server, as the pilot has measured them, in a closed loop @param {number} legCount
 * @param {number} eachNs for which each leg is loaded @param {number} [clockErrorNs] of a host with workers
 * @returns {SliceLengths[]} of each server, shortened to the time that there is
 */
export function measuredLengths(cycles, legCount, eachNs, clockErrorNs = 0) {
  const leastNs = Math.max(USUAL_SLICE_NS, eachNs / MOST_SLICES);
  const clocks = clocksNs(clockErrorNs);
  const lengths = cycles.map((cycle) => lengthsFor(cycle, { leastNs, clocksNs: clocks }));
  const needed = cycles.map((cycle) => lengthsFor(cycle, { leastNs: SHORTEST_SLICE_NS, clocksNs: clocks }));
  return fitted(lengths, legCount, eachNs * legCount, periodNsOf(needed, legCount));
}

/**
 * @param {Scenario} scenario
 * @param {Leg[]} legs of a group
 * @param {number} clockErrorNs
 * @returns {SliceLengths} of the pilot; a slow server shows by late replies
 */
function pilotLengths(scenario, legs, clockErrorNs) {
  const { cycleNs, responseNs } = expectedCycle(scenario, legs[0].connections);
  return {
    settleInNs: 0,
    measuredNs: Math.max(PILOT_MEASURED_NS, PILOT_CYCLES * cycleNs),
    settleOutNs: Math.max(PILOT_SETTLE_NS, SETTLE_OUT_CYCLES * responseNs) + clocksNs(clockErrorNs),
  };
}

/**
 * @param {Scenario} scenario @param {Leg[]} legs of a group @param {number} clockErrorNs
 * @returns {Slices['stages']} of the ramp: a stage for each step, or one for all if steps are short. A step without
 *   room for two periods is not measured
 */
function rampSlices(scenario, legs, clockErrorNs) {
  const [{ schedule, rampToNs }] = legs;
  const steps = plannedSteps({ schedule, rampToNs });
  const areLong = steps.length > 1 && steps.every(({ fromNs, toNs }) => toNs - fromNs >= SHORTEST_STEP_NS);
  const whole = { fromNs: 0, toNs: rampToNs, requested: legs[0].connections };
  return (areLong ? steps : [whole]).map(({ fromNs, toNs, requested }) => {
    const ofStep = lengthsFor(expectedCycle(scenario, requested), {
      ...{ leastNs: USUAL_SLICE_NS, clocksNs: clocksNs(clockErrorNs), cycles: MEASURED_CYCLES_IN_STEP },
    });
    const stepNs = (toNs - fromNs) / legs.length;
    const isMeasured = !areLong || stepNs >= PERIODS_IN_STEP * sliceNs(ofStep);
    // as short as the step asks for, so that each server is loaded in it
    const { settleInNs, measuredNs, settleOutNs } = scaled(
      ofStep,
      Math.min(1, Math.max(SHORTEST_SLICE_NS, stepNs) / sliceNs(ofStep)),
    );
    const lengths = isMeasured
      ? { settleInNs, measuredNs, settleOutNs }
      : { settleInNs: settleInNs + measuredNs, measuredNs: 0, settleOutNs };
    return { phase: /** @type {const} */ ('ramp'), fromNs, lengths: [lengths] };
  });
}

/**
 * The time of the pilot before the steady state, with all connections open: a slice of each leg, or two if each server
 * has one start, and a second to tell the workers.
 * @param {SliceLengths} lengths @param {number} legCount @param {number} starts of each server @returns {number} ns
 */
const pilotNsOf = (lengths, legCount, starts) =>
  (1 + Math.ceil((sliceNs(lengths) * legCount * (starts === 1 ? 2 : 1)) / SECOND_NS - 1e-9)) * SECOND_NS;

/**
 * A leg whose steady state begins at a whole second, and after a pilot if the length of slices is to be measured.
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
 * @returns {Leg} whose steady state lasts until each server of the group has been loaded, in all its starts together,
 *   for as long as a leg by itself; rates and connections of a profile change as much more slowly
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

/**
 * @param {Pick<Leg, 'round' | 'axes'>} leg
 * @returns {string} the same for the legs that are compared with each other
 */
const pointOf = ({ round, axes }) => JSON.stringify([round, axes]);

/**
 * @typedef {object} Machines  that the legs of a run are on
 * @property {Host} host  that the legs are planned for
 * @property {(leg: Leg) => Decision} decisionOn  the decision on the legs at its point
 */

/** @param {Host} host @returns {number} ns by which the clock of one of several hosts may be off at most */
const clockErrorOf = ({ hosts = [] }) =>
  hosts.length > 1 ? Math.max(...hosts.map(({ clockErrorNs = 0 }) => clockErrorNs)) : 0;

/**
 * How many times each server of a group is started: as the scenario says, or as often as each start has enough slices
 * without many more connections; and no more often than the machine has room for all starts at once.
 * @param {Scenario} settings of the group @param {Leg[]} group @param {Machines} machines
 * @returns {number}
 */
function startsThatFit(settings, group, machines) {
  const usual = group.some(({ server }) => server.kind === 'target') ? 1 : USUAL_STARTS;
  const largest = settings.starts ?? Math.min(usual, Math.floor(MOST_SIDE_BY_SIDE / group.length));
  const leastNs = settings.budget?.minNs ?? settings.durationNs;
  const fits = (/** @type {number} */ starts) => {
    const started = inStarts(group, starts);
    if (reasonOf(settings, started, machines) !== null) return false;
    if (settings.starts !== null) return true;
    // slices do not become shorter for the sake of several starts
    const lengths = plannedLengths(settings, started, clockErrorOf(machines.host), settings.durationNs);
    return (
      lengths !== null &&
      leastNs / starts >= MIN_SLICES * Math.max(...lengths.map(sliceNs)) &&
      haveFewConnections(started) &&
      idleNs(lengths, started.length) <= toleratedIdleNs(settings)
    );
  };
  let starts = Math.max(1, largest);
  while (starts > 1 && !fits(starts)) starts -= 1;
  return starts;
}

/**
 * @param {SliceLengths[]} lengths of each server
 * @param {number} legCount
 * @returns {number} ns for which connections usually idle while other legs have their turn
 */
const idleNs = (lengths, legCount) => periodNsOf(lengths, legCount) - Math.min(...lengths.map(sliceNs));

/**
 * @param {Scenario} scenario
 * @returns {number} ns for which servers of its protocol keep at least an idle connection; Infinity: until it is closed
 */
const toleratedIdleNs = ({ protocol }) => protocolOf(protocol).toleratedIdleNs ?? Infinity;

/**
 * @param {Leg[]} group a leg of each server
 * @param {number} starts
 * @returns {Leg[]} one for each start of each server
 */
const inStarts = (group, starts) =>
  starts === 1
    ? group
    : Array.from({ length: starts }, (_, i) => group.map((leg) => ({ ...leg, start: i + 1 }))).flat();

/**
 * @param {Leg[]} legs in the order of the run: those at one point in one round next to each other
 * @param {Scenario} scenario @param {Machines} machines
 * @returns {{ legs: Leg[], reasons: (Reason & { axes: Leg['axes'] })[], fewer: { given: number, used: number, why:
 *   string } | null }} legs: one for each start of a server; reasons: why comparable legs are measured one after the
 *   other, at each point; empty unless slices were asked for; fewer: starts than the scenario says
 */
export function inSlices(legs, scenario, machines) {
  const groups = [...new Set(legs.map(pointOf))].map((point) => legs.filter((leg) => pointOf(leg) === point));
  const wanted = groups.some((group) => group.length > 1 && group[0].settings.interleave !== 'off');
  if (!wanted) return { legs, reasons: [], fewer: null };
  /** @type {Map<string, Reason & { axes: Leg['axes'] }>} */
  const reasons = new Map();
  /** @type {ReturnType<typeof inSlices>['fewer']} */
  let fewer = null;
  let number = 0;
  const sliced = groups.flatMap((group) => {
    if (group.length < 2) return group;
    const [{ axes }] = group;
    const settings = group[0].settings;
    const why = reasonOf(settings, group, machines);
    if (why !== null) reasons.set(JSON.stringify(axes), { ...why, axes });
    const starts = why === null ? startsThatFit(settings, group, machines) : 1;
    const started = inStarts(group, starts);
    if (settings.starts !== null && starts < settings.starts) {
      const { text } = why ?? /** @type {Reason} */ (reasonOf(settings, inStarts(group, settings.starts), machines));
      fewer ??= { given: settings.starts, used: starts, why: text };
    }
    if (why !== null) return group;
    number += 1;
    const common = { group: number, of: started.length, starts, seed: (scenario.seed + number) >>> 0 };
    const clockErrorNs = clockErrorOf(machines.host);
    const lengths = /** @type {SliceLengths[]} */ (plannedLengths(settings, started, clockErrorNs));
    const pilot = hasPilot(settings) ? pilotLengths(settings, started, clockErrorNs) : undefined;
    const ramp = pilot === undefined ? [{ phase: /** @type {const} */ ('ramp'), fromNs: 0, lengths }] : undefined;
    return started.map((leg, index) => {
      const later = aligned(leg, pilot === undefined ? 0 : pilotNsOf(pilot, started.length, starts));
      const before = ramp ?? [
        ...rampSlices(settings, started, clockErrorNs),
        {
          phase: /** @type {const} */ ('pilot'),
          fromNs: later.rampToNs,
          lengths: [/** @type {SliceLengths} */ (pilot)],
        },
      ];
      const stages = [...before, { phase: /** @type {const} */ ('steady'), fromNs: later.steadyFromNs, lengths }];
      return lengthened({ ...later, slices: { ...common, index, stages } });
    });
  });
  return { legs: sliced, reasons: [...reasons.values()], fewer };
}

/** @param {Scenario} scenario of the group @param {Leg[]} group @param {Machines} machines @returns {Reason | null} */
function reasonOf(scenario, group, { host, decisionOn }) {
  const row = REASONS.find(({ when }) => when(scenario));
  if (row !== undefined) return { code: row.code, text: row.why };
  const clockErrorNs = clockErrorOf(host);
  const lack = findLack(group, decisionOn(group[0]), host);
  if (lack !== undefined) return lack;
  const [{ connections, workers }] = group;
  const { hosts = [] } = host;
  const processes = hosts.length === 0 ? 0 : group.length * Math.ceil(workers / hosts.length);
  if (processes > MOST_WORKERS) {
    const text = `all at once have ${processes} workers on ${hosts[0].title}, which runs up to ${MOST_WORKERS}`;
    return { code: 'host-workers', text };
  }
  const lengths = plannedLengths(scenario, group, clockErrorNs);
  const clocks = `the clocks of the hosts are known to ±${duration(clockErrorNs)}`;
  if (lengths === null) {
    const asked = `the replies of ${count(connections)} connections ask for slices longer than ${duration(LONGEST_SLICE_NS)}`;
    return { code: 'slices-too-short', text: clockErrorNs > 0 ? `${asked}, and ${clocks}` : asked };
  }
  const idle = idleNs(lengths, group.length);
  if (scenario.interleave === 'auto' && idle > toleratedIdleNs(scenario)) {
    return {
      code: 'idle-too-long',
      text: `connections would idle for ${duration(idle)} between two slices, and servers of ${scenario.protocol} may close them by then`,
    };
  }
  const [{ settleOutNs }] = lengths;
  if (scenario.interleave !== 'auto' && settleOutNs < clocksNs(clockErrorNs)) {
    const text = `${clocks}, and for a slice to be of one server its last part must be at least ${duration(clocksNs(clockErrorNs))}, not ${duration(settleOutNs)}`;
    return { code: 'host-clocks', text };
  }
  return null;
}

/**
 * @param {(Reason & { axes: Leg['axes'] })[]} reasons at each point @param {Leg[]} legs of the run
 * @returns {Warning[]} one for each kind of reason, with its points unless it holds at all of them
 */
export function notInterleaved(reasons, legs) {
  const points = new Set(legs.map(({ axes }) => JSON.stringify(axes))).size;
  return [...new Set(reasons.map(({ code }) => code))].map((code) => {
    const sameCode = reasons.filter((reason) => reason.code === code);
    const at = sameCode.length === points ? [] : sameCode.flatMap(({ axes }) => pointText(axes) ?? []);
    return warning('not-interleaved', { reason: code, why: sameCode[0].text, at });
  });
}
