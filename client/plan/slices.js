// Which legs are measured side by side, in slices: those of the servers at one point of the sweep in one round. Their
// connections are all open, and one server is loaded at a time (measure/slices.js). Pure.
// Slices are as long as the replies that are in flight at their end need to come several times over, and so long that whole
// periods fill whole seconds: then every second, or block of seconds, has as many slices of each leg.

import { duration } from '../words/format.js';
import { MOST_WORKERS } from '../scenario/place-rules.js';
import { settingsOf } from '../measure/leg-settings.js';
import { warning } from '../words/warnings.js';

/**
 * @typedef {import('../scenario/scenario.js').Scenario} Scenario
 * @typedef {import('../../config/types.js').PlannedLeg} Leg
 * @typedef {import('./limits/limit.js').Limit} Limit
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
const SECOND_NS = 1e9;
/**
 * What is awaited besides replies where workers are on several hosts, for each ns by which the clock of one may be off: two hosts may
 * be apart by twice that, and as much again is for what their clocks drift in a leg.
 */
const AWAITED_PER_CLOCK_ERROR = 4;
/** Limits that the clients of all legs of a group meet together. */
const SHARED_LIMITS = ['open-files', 'client-memory', 'client-threads'];

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
 * @param {number} lengthNs of a slice @param {number} of legs
 * @returns {number} ns
 */
function fitted(lengthNs, of) {
  const periodNs = lengthNs * of;
  return periodNs > 1e9 ? (Math.round(periodNs / 1e9) * 1e9) / of : 1e9 / Math.round(1e9 / periodNs) / of;
}

/** Whether the length of slices is to be measured. @param {Scenario} scenario */
const hasPilot = ({ interleave, rate }) => interleave === 'auto' && rate === null;

/**
 * @typedef {{ lengthNs: number, settleNs: number }} Lengths
 *
 * @param {number} awaitedNs what the replies in flight at the end of a slice need, and the clocks of hosts @param {number} of legs
 * @param {{ givenNs?: number, atLeastNs?: number, loaded?: number }} [wanted] givenNs: the length; otherwise it is chosen; loaded: its
 *   loaded part, for each ns in which replies are awaited
 * @returns {Lengths | null} null: they need longer than a slice may last
 */
function lengthsFor(awaitedNs, of, { givenNs, atLeastNs = USUAL_SLICE_NS, loaded = LOADED_FOR_SETTLED } = {}) {
  const chosenNs = givenNs ?? Math.max(atLeastNs, (1 + loaded) * awaitedNs);
  if (chosenNs > LONGEST_SLICE_NS) return null;
  const lengthNs = fitted(chosenNs, of);
  const settleNs = Math.max(lengthNs * SETTLE_SHARE, Math.min(awaitedNs, lengthNs / 2));
  return { lengthNs, settleNs: Math.round(settleNs) };
}

/**
 * @param {Scenario} scenario of the legs @param {number} connections of each @param {number} of legs @param {number} clockErrorNs
 * @returns {Lengths | null} before anything is measured; null: replies need longer than a slice may last
 */
function plannedLengths(scenario, connections, of, clockErrorNs) {
  const { interleave, durationNs } = scenario;
  return lengthsFor(inFlightNs(scenario, connections) + clocksNs(clockErrorNs), of, {
    givenNs: typeof interleave === 'number' ? interleave : undefined,
    loaded: hasPilot(scenario) ? LOADED_FOR_SETTLED_IN_PILOT : LOADED_FOR_SETTLED,
    atLeastNs: Math.max(USUAL_SLICE_NS, durationNs / of / MOST_SLICES),
  });
}

/**
 * @param {number} p50Ns the median response time of the slowest leg, in a closed loop @param {number} of legs
 * @param {number} durationNs of the steady state @param {number} [clockErrorNs] of a host with workers
 * @returns {Lengths} as long as they may be where that is too long for any
 */
export function measuredLengths(p50Ns, of, durationNs, clockErrorNs = 0) {
  const neededNs = SETTLE_PER_P50 * p50Ns + clocksNs(clockErrorNs);
  const awaitedNs = Math.min(neededNs, LONGEST_SLICE_NS / (1 + LOADED_FOR_SETTLED));
  const atLeastNs = Math.max(USUAL_SLICE_NS, durationNs / of / MOST_SLICES);
  return /** @type {Lengths} */ (lengthsFor(awaitedNs, of, { atLeastNs }));
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

/** @param {Pick<Leg, 'round' | 'axes'>} leg @returns {string} the same for the legs that are compared with each other */
const pointOf = ({ round, axes }) => JSON.stringify([round, axes]);

/**
 * @typedef {object} Clients  where the workers of the legs are
 * @property {{ name: string | null, limits: Limit[] }[]} hosts  name: of an agent; null: this machine; limits: that the workers of one
 *   leg meet there
 * @property {number} clockErrorNs  by which the clock of one of them may be off at most; 0 where there is one
 */

/**
 * @param {Clients['hosts'][number]} host @param {number} of legs
 * @returns {Limit | undefined} one that the clients of all of them exceed together
 */
const exceededTogether = ({ limits }, of) =>
  limits.find(
    ({ code, needed, available }) =>
      SHARED_LIMITS.includes(code) && available !== null && (needed ?? 0) * of > available,
  );

/**
 * @param {Leg[]} legs in the order of the run: those at one point in one round next to each other
 * @param {Scenario} scenario @param {Clients} clients
 * @returns {{ legs: Leg[], reason: { code: string, text: string } | null }} reason: why some of them that could be compared are measured
 *   one after the other; null: none is, or nobody asked for slices
 */
export function inSlices(legs, scenario, clients) {
  const groups = [...new Set(legs.map(pointOf))].map((point) => legs.filter((leg) => pointOf(leg) === point));
  const wanted = scenario.interleave !== 'off' && groups.some((group) => group.length > 1);
  if (!wanted) return { legs, reason: null };
  /** @type {{ code: string, text: string } | null} */
  let reason = null;
  let number = 0;
  const sliced = groups.flatMap((group) => {
    const own = settingsOf(scenario, group[0]);
    const why = group.length < 2 ? null : reasonOf(own, group, clients);
    reason ??= why;
    if (group.length < 2 || why !== null) return group;
    number += 1;
    const common = { group: number, of: group.length, seed: (scenario.seed + number) >>> 0 };
    const lengths = /** @type {Lengths} */ (
      plannedLengths(own, group[0].connections, group.length, clients.clockErrorNs)
    );
    return group.map((leg, index) => {
      const later = aligned(leg, hasPilot(own) ? pilotNsOf(lengths, group.length) : 0);
      const slices = { ...common, index, ...lengths, fromNs: later.steadyFromNs };
      return { ...later, slices: hasPilot(own) ? { ...slices, pilot: lengths } : slices };
    });
  });
  return { legs: sliced, reason };
}

/** @param {Scenario} scenario of the group @param {Leg[]} group @param {Clients} clients @returns {{ code: string, text: string } | null} */
function reasonOf(scenario, group, { hosts, clockErrorNs }) {
  const row = REASONS.find(({ when }) => when(scenario));
  if (row !== undefined) return { code: row.code, text: row.why };
  const of = group.length;
  for (const host of hosts) {
    const limit = exceededTogether(host, of);
    const where = host.name === null ? 'this machine' : `agent ${host.name}`;
    if (limit !== undefined)
      return { code: limit.code, text: `${where} has too little for all at once (${limit.name})` };
  }
  const [{ connections, workers, agents = [] }] = group;
  const processes = agents.length === 0 ? 0 : of * Math.ceil(workers / agents.length);
  if (processes > MOST_WORKERS) {
    const text = `all at once have ${processes} workers on an agent, which runs up to ${MOST_WORKERS}`;
    return { code: 'agent-workers', text };
  }
  const lengths = plannedLengths(scenario, connections, of, clockErrorNs);
  const clocks = `the clocks of the agents are known to ±${duration(clockErrorNs)}`;
  if (lengths === null) {
    const awaited = `the replies of ${connections} connections need longer than a slice of ${duration(LONGEST_SLICE_NS)} leaves`;
    return { code: 'slices-too-short', text: clockErrorNs > 0 ? `${awaited}, and ${clocks}` : awaited };
  }
  const { lengthNs, settleNs } = lengths;
  if (settleNs < clocksNs(clockErrorNs)) {
    const text = `${clocks}, and for a slice of ${duration(lengthNs)} to be of one server its last part must be at least ${duration(clocksNs(clockErrorNs))}, not ${duration(settleNs)}`;
    return { code: 'agent-clocks', text };
  }
  return null;
}

/** @param {{ code: string, text: string }} reason @returns {import('../words/warnings.js').Warning} */
export const notInterleaved = (reason) => warning('not-interleaved', { reason: reason.code, why: reason.text });
