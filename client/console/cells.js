// What stands in the cells of the tables of legs, whichever way round these are. Pure.
// The one thing to know: what was not measured is a dot, never a zero.
import { percent, short, time } from './figures.js';
import { percentileHolds } from '../results/summary.js';
import { formatCount } from '../results/units.js';

/** @typedef {Record<string, any>} LegSummary */

export const nothing = '·';
/** Fewer of those asked for, unanswered, do not make the others' response times look too good. */
const MANY_UNANSWERED = 0.01;

/** A table of cli-table3 that is columns and nothing else. */
export const borderless = {
  style: { head: [], border: [], 'padding-left': 1, 'padding-right': 1 },
  chars: Object.fromEntries(
    [
      'top',
      'top-mid',
      'top-left',
      'top-right',
      'bottom',
      'bottom-mid',
      'bottom-left',
      'bottom-right',
      'left',
      'left-mid',
      'mid',
      'mid-mid',
      'right',
      'right-mid',
      'middle',
    ].map((part) => [part, '']),
  ),
};

/**
 * @param {LegSummary} leg
 * @returns {LegSummary} one that ended before its steady state has the figures of what it had, which must be said
 */
export const withFigures = (leg) => (leg.steady || !leg.beforeSteady ? leg : { ...leg, steady: leg.beforeSteady });

/** @param {LegSummary} leg @returns {string} what the figures are of, where that is not the steady state */
export const figuresOf = ({ beforeSteady }) =>
  beforeSteady ? `the ${beforeSteady.phase === 'warmup' ? 'warm-up' : 'ramp'}` : nothing;

/** @param {LegSummary[]} legs @returns {string} empty where all have reached their steady state */
export function earlyRemark(legs) {
  const early = legs.filter((leg) => leg.beforeSteady);
  if (early.length === 0) return '';
  const before = [...new Set(early.map(figuresOf))].join(' or ');
  return `Figures of ${before}, for the leg ended in it: ${early.map(({ label }) => label).join('; ')}.`;
}

/** @param {(leg: LegSummary) => string} cell @returns {(leg: LegSummary) => string} only for a leg that ran */
export const ran = (cell) => (leg) => (leg.connections ? cell(leg) : nothing);

/** @param {LegSummary} leg @param {'p50' | 'p90' | 'p99' | 'p99_9'} name @param {number} percentage */
export function responseTime(leg, name, percentage) {
  const times = leg.steady?.responseTimeNs;
  if (!times) return nothing;
  return percentileHolds(leg.steady, percentage) ? time(times[name]) : `> ${time(times.max)}`;
}

/** From when it was sent, in open loop. @param {LegSummary} leg @param {'p50' | 'p99'} name */
export function serviceTime({ steady }, name) {
  return steady?.serviceTimeNs ? time(steady.serviceTimeNs[name]) : nothing;
}

/** @param {LegSummary} leg @returns {string} of the requests that a rate asked for; a dot in closed loop */
export function lateness({ steady }) {
  if (steady?.due === undefined) return nothing;
  return `${formatCount(steady.late)} / ${formatCount(steady.unsent)} of ${formatCount(steady.due)}`;
}

/**
 * Of the same span as the response times, so without a warm-up.
 * @param {LegSummary} leg @returns {Record<string, number>} empty where the protocol has no kinds
 */
export const statusesOf = ({ steady, statuses }) => steady?.statuses ?? statuses ?? {};

/** @param {LegSummary} leg */
export const slowest = ({ steady }) => (steady?.responseTimeNs ? time(steady.responseTimeNs.max) : nothing);

/** @param {LegSummary} leg */
export const transferRate = ({ steady }) => (steady ? short(steady.perSecond) : nothing);

/** @param {LegSummary} leg */
export const connectTime = ({ connectTimeNs }) => (connectTimeNs ? time(connectTimeNs.p99) : nothing);

/** Over TLS, after the connect. @param {LegSummary} leg */
export const handshakeTime = ({ handshakeTimeNs }) => (handshakeTimeNs ? time(handshakeTimeNs.p99) : nothing);

/** Of connections that took up an earlier session: how many, and how long. @param {LegSummary} leg */
export const resumption = ({ resumptionTimeNs }) =>
  resumptionTimeNs ? `${short(resumptionTimeNs.count)}, ${time(resumptionTimeNs.p99)}` : nothing;

/** @param {LegSummary} leg @param {'client' | 'server'} side @returns {string} of one core, in the steady state */
export function cpu({ steady }, side) {
  if (!steady?.[side] || steady.toNs <= steady.fromNs) return nothing;
  return percent((steady[side].cpuSeconds * 1e9) / (steady.toNs - steady.fromNs));
}

/** @param {LegSummary} leg @returns {string} of one core: what of the client's CPU went into looks in vain */
export function spun({ steady }) {
  if (steady?.client.idlePollSeconds === undefined || steady.toNs <= steady.fromNs) return nothing;
  return percent((steady.client.idlePollSeconds * 1e9) / (steady.toNs - steady.fromNs));
}

/**
 * A connection that has nothing left to begin closes before a leg of so many transfers ends: then those that were
 * opened count, each once.
 * @param {LegSummary} leg
 * @returns {number}
 */
export const heldBy = ({ endedBy, connections: { openAtEnd, opened, reopened } }) =>
  endedBy === 'done' ? opened - reopened : openAtEnd;

/** @param {LegSummary} leg @returns {string} how many connections its server serves at once */
export function atOnce({ serverModel }) {
  if (!serverModel) return nothing;
  const { concurrent, by } = serverModel;
  return concurrent === 'unbounded' ? concurrent : `${formatCount(concurrent)}${by ? ` ${by}` : ''}`;
}

/** @param {LegSummary} leg @returns {number} where the number follows a profile, at its end */
export const requestedOfLeg = ({ connections: { requested, requestedAtEnd } }) => requestedAtEnd ?? requested;

/** @param {LegSummary} leg @returns {boolean} whether the number of connections followed a profile */
export const alongProfile = ({ connections }) => connections?.requestedAtEnd !== undefined;

/** @param {LegSummary} leg @returns {string} along a profile, the most at a time; a dot for other legs */
export function mostOpen(leg) {
  return alongProfile(leg)
    ? `${formatCount(leg.connections.peakOpen)} / ${formatCount(leg.connections.requested)}`
    : nothing;
}

/** @param {LegSummary} leg @returns {number} places of a server that has fewer than were asked for, else Infinity */
export function placesOf({ serverModel, connections }) {
  const { concurrent = 'unbounded' } = serverModel ?? {};
  return typeof concurrent === 'number' && concurrent < (connections?.requested ?? Infinity) ? concurrent : Infinity;
}

/**
 * What keeps a server from looking fast that has served only some.
 * @param {LegSummary} leg @param {string} workload
 * @returns {string | null} such as "serves 1 at once: 999 of 1,000 unanswered"; null where nearly all were answered
 */
export function servedOnlySome(leg, workload) {
  if (!leg.connections) return null;
  const { requested, unansweredAtEnd, neverAnswered } = leg.connections;
  // where fewer are asked for than before, those that nobody answers do not leave
  const of = alongProfile(leg) ? Math.max(requestedOfLeg(leg), leg.connections.openAtEnd) : requested;
  // in these two whatever is open has only just been opened, or is closed already
  const left = workload === 'reconnect' || workload === 'once' ? neverAnswered : unansweredAtEnd;
  if (!(left > of * MANY_UNANSWERED)) return null;
  const { by } = leg.serverModel ?? {};
  const places =
    placesOf(leg) < Infinity ? `serves ${formatCount(placesOf(leg))} at once${by ? ` (${by})` : ''}: ` : '';
  return `${places}${formatCount(left)} of ${formatCount(of)} unanswered`;
}
