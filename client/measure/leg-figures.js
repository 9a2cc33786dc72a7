// Reads the figures of a leg's summary, for console and page alike: which span they cover, when a percentile is known,
// how many connections were held and left unserved.

/** @import { Figures, LegSummary } from '../../config/types.js' */

/**
 * @typedef {LegSummary & Required<Pick<LegSummary, 'phases' | 'connections' | 'attempts' | 'rejects' | 'errors' |
 *   'transfers' | 'client' | 'limitedBy' | 'kernel'>>} MeasuredLeg  a leg with samples
 * @typedef {{ transfers: number, failed: number, unfinished: number, unsent?: number }} Outcomes  of requests
 */

/** Bytes sent are stated if they are more than this multiple of the bytes received. */
const MIN_SENT_MULTIPLE = 2;

/** @param {Partial<LegSummary>} leg @returns {leg is MeasuredLeg} whether it has samples, and so counts */
export const isMeasured = (leg) => leg.connections !== undefined;

/**
 * @param {Partial<LegSummary>} leg
 * @returns {Figures | undefined} the figures of its steady state, or of the span that it reached instead: the whole leg
 *   in workload once, otherwise its warm-up or ramp
 */
export const figuresOf = (leg) => leg.wholeLeg ?? leg.steady ?? leg.beforeSteady;

/**
 * @template {Partial<LegSummary>} L
 * @param {L} leg
 * @returns {L} steady: the figures of the span that it reached; whoever shows them must name the span
 */
export const withFigures = (leg) => ({ ...leg, steady: figuresOf(leg) });

/**
 * @param {Partial<LegSummary>} leg
 * @returns {'steady state' | 'warm-up' | 'ramp' | 'whole leg'} the span that these figures cover
 */
export function coverageOf(leg) {
  if (leg.wholeLeg) return 'whole leg';
  if (!leg.beforeSteady) return 'steady state';
  return leg.beforeSteady.phase === 'warmup' ? 'warm-up' : 'ramp';
}

/** @param {Pick<Figures, 'fromNs' | 'toNs'> | undefined} span @returns {number} seconds; 0 without one */
export const secondsOf = (span) => (span ? (span.toNs - span.fromNs) / 1e9 : 0);

/**
 * @template {{ phase: string }} S
 * @param {Partial<LegSummary>} leg @param {S[]} samples of it
 * @returns {S[]} those whose response times are in its figures. The steady state includes the drain, in which transfers
 *   in flight at its end are answered, unless the leg left connections unserved: their first replies do not count
 */
export function timedSamples(leg, samples) {
  if (leg.wholeLeg) return samples;
  if (leg.unserved) return samples.filter(({ phase }) => phase === 'steady');
  if (leg.steady) return samples.filter(({ phase }) => phase === 'steady' || phase === 'drain');
  return samples.filter(({ phase }) => phase === leg.beforeSteady?.phase);
}

/**
 * The share of requests of a span without a reply: failed, unfinished and never sent.
 * @param {Outcomes} figures
 * @returns {number} 0..1
 */
export function failedShare({ transfers, failed, unfinished, unsent = 0 }) {
  const missing = failed + unfinished + unsent;
  return missing === 0 ? 0 : missing / (transfers + missing);
}

/**
 * @template {Outcomes} T
 * @param {T} figures
 * @returns {T} of the requests that were sent; unsent ones have no service time
 */
export const sentOf = (figures) => ({ ...figures, unsent: 0 });

/**
 * Whether a percentile may be shown as a number; otherwise it reads "> max": failures must not make a server look fast.
 * @param {Outcomes} figures
 * @param {number} percent 0..100
 * @returns {boolean} false when more than the share above that percentile has no reply
 */
export function percentileHolds(figures, percent) {
  return failedShare(figures) <= 1 - percent / 100 + 1e-12;
}

/**
 * Little's law: throughput × mean response time.
 * @param {Pick<Figures, 'perSecond' | 'responseTimeNs'> | undefined} figures of a span
 * @returns {number | undefined} requests in flight on average; undefined without a reply
 */
export const inFlight = (figures) => figures?.responseTimeNs && (figures.perSecond * figures.responseTimeNs.mean) / 1e9;

/**
 * @param {Pick<Figures, 'perSecond' | 'responseTimeNs' | 'mostInFlight'> | undefined} figures of a span
 * @returns {number | undefined} requests in flight, as a share of those that a closed loop without pause always has in
 *   flight; undefined for other loads
 */
export function inFlightShare(figures) {
  const mean = inFlight(figures);
  return mean === undefined || !figures?.mostInFlight ? undefined : mean / figures.mostInFlight;
}

/** A smaller share of late requests does not matter. */
const MIN_LATE = 0.01;
/** From this ratio on, at least half of the response time is waiting. */
const MOSTLY_WAITING = 2;

/**
 * @param {Pick<Figures, 'due' | 'late' | 'unsent'>} [figures] of a span
 * @returns {boolean} whether a relevant share of the requests of a rate had to wait for a connection
 */
const areManyLate = ({ due = 0, late = 0, unsent = 0 } = {}) => due > 0 && (late + unsent) / due >= MIN_LATE;

/**
 * Whether an open loop's p99 is mostly the time that requests waited for a free connection before they were sent.
 * @param {Pick<Figures, 'due' | 'late' | 'unsent' | 'responseTimeNs' | 'serviceTimeNs'> | undefined} figures of a span
 * @returns {boolean}
 */
export function latenessDominates(figures) {
  const { responseTimeNs, serviceTimeNs } = figures ?? {};
  if (!areManyLate(figures) || !responseTimeNs || !serviceTimeNs) return false;
  return responseTimeNs.p99 >= MOSTLY_WAITING * serviceTimeNs.p99;
}

/**
 * @param {number} sent bytes
 * @param {number} received bytes
 * @returns {boolean} whether bytes sent are stated
 */
export const sendsMore = (sent, received) => sent > MIN_SENT_MULTIPLE * received;

/** @param {Partial<LegSummary>} leg @returns {boolean} whether the number of connections follows a profile */
export const followsProfile = ({ connections }) => connections?.requestedAtEnd !== undefined;

/**
 * @param {Pick<MeasuredLeg, 'connections'>} leg
 * @returns {number} connections; if the number follows a profile, those at the end of the steady state
 */
export const requestedAtEnd = ({ connections }) => connections.requestedAtEnd ?? connections.requested;

/**
 * A leg with a number of transfers ends when all were answered. A connection without a transfer left to begin closes
 * before that, and so does a connection that is not reopened after its lifetime: in such legs, each slot that was
 * opened counts. In workload once each connection closes at its reply: none is held.
 * @param {Pick<MeasuredLeg, 'endedBy' | 'wholeLeg' | 'reopens' | 'connections'>} leg
 * @returns {number} connections open at the end
 */
export const heldAtEnd = ({ endedBy, wholeLeg, reopens, connections: { openAtEnd, opened, reopened } }) =>
  !wholeLeg && (endedBy === 'done' || reopens === false) ? opened - reopened : openAtEnd;

/**
 * @param {Partial<LegSummary>} leg
 * @returns {boolean} whether connections end as planned, so that the number open at one moment says little
 */
const comesAndGoes = ({ churns, wholeLeg }) => Boolean(churns) || wholeLeg !== undefined;

/**
 * Whether fewer connections were open than requested: at the end, or at most along a profile.
 * @param {Partial<LegSummary>} leg
 * @returns {boolean}
 */
export function heldTooFew(leg) {
  if (!isMeasured(leg) || comesAndGoes(leg)) return false;
  // on a line of a profile, the peak at the ends of seconds is a little below the true peak
  if (followsProfile(leg)) return leg.connections.peakOpen < leg.connections.requested * 0.995;
  return heldAtEnd(leg) < requestedAtEnd(leg);
}

/**
 * Connections without a reply at the end; if connections churn, without those opened in the last second, whose reply
 * was not due yet.
 * @param {Pick<MeasuredLeg, 'connections'>} leg
 * @returns {number}
 */
export const unansweredAtEnd = ({ connections }) =>
  Math.max(0, connections.unansweredAtEnd - (connections.openedLastSecond ?? 0));

/**
 * @param {Partial<LegSummary>} leg
 * @returns {number | undefined} connections left without a reply, including those that the server closed each time;
 *   undefined if nothing was to be sent
 */
export function leftUnserved(leg) {
  if (!isMeasured(leg) || leg.heldOnly) return undefined;
  const { neverAnswered = 0 } = leg.connections;
  if (comesAndGoes(leg)) return neverAnswered;
  return followsProfile(leg) ? unansweredAtEnd(leg) : Math.max(unansweredAtEnd(leg), neverAnswered);
}
