// The cells of the tables of legs, for both orientations. Pure.
// The one thing to know: what was not measured is a dash, never a zero.
import { bareRate, coreShare, count, duration, NOT_MEASURED } from '../words/format.js';
import { coverageOf, failedShare, followsProfile, isMeasured, percentileHolds } from '../measure/leg-figures.js';
import { meanText, servedOnlySome, timeIntervalText } from '../words/figures.js';
import { boundsText } from '../words/intervals.js';
import { clientPartOfText } from '../words/timestamps.js';

/** @typedef {import('../judge/case-legs.js').ShownLeg} LegSummary */
/** @typedef {LegSummary & import('../measure/leg-figures.js').MeasuredLeg} MeasuredLeg */

export const nothing = NOT_MEASURED;

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

/** @param {LegSummary} leg @returns {string} what the figures cover, where that is not the steady state */
export const coverage = (leg) => (leg.beforeSteady || leg.wholeLeg ? `the ${coverageOf(leg)}` : nothing);

/** @param {LegSummary[]} legs @returns {string} empty where all have reached their steady state */
export function earlyRemark(legs) {
  const early = legs.filter((leg) => leg.beforeSteady);
  if (early.length === 0) return '';
  const before = [...new Set(early.map(coverage))].join(' or ');
  return `Figures of ${before}, in which the leg ended: ${early.map(({ label }) => label).join('; ')}.`;
}

/** @param {(leg: MeasuredLeg) => string} cell @returns {(leg: LegSummary) => string} only for a leg that ran */
export const ran = (cell) => (leg) => (isMeasured(leg) ? cell(leg) : nothing);

/** @param {LegSummary} leg @param {'p50' | 'p90' | 'p95' | 'p99' | 'p99_9'} name @param {number} percentage */
export function responseTime({ steady }, name, percentage) {
  const times = steady?.responseTimeNs;
  if (!times) return nothing;
  return percentileHolds(steady, percentage) ? duration(times[name]) : `> ${duration(times.max)}`;
}

/** Of that percentile of the transfers that kernel timestamps split. @param {LegSummary} leg @param {'p50' | 'p99'} name */
export const clientPart = ({ steady }, name) => clientPartOfText(steady?.timestamps, name) ?? nothing;

/** From when the request left until the reply arrived, of the same. @param {LegSummary} leg @param {'p50' | 'p99'} name */
export function networkAndServer({ steady }, name) {
  const times = steady?.timestamps?.clientPart?.[name] && steady.timestamps.networkAndServerNs;
  return times ? duration(times[name]) : nothing;
}

/** Over the seconds of the steady state. @param {LegSummary} leg @param {'p50' | 'p99'} name @param {number} percentage */
export const responseInterval = ({ steady }, name, percentage) => timeIntervalText(steady, name, percentage) ?? nothing;

/**
 * Where some were not answered, the mean is of the others only, which is said: it has no upper bound as a percentile has.
 * @param {LegSummary} leg @returns {string} such as "1.2 ms ± 0.3 ms": the mean and the standard deviation
 */
export function meanTime({ steady }) {
  const times = steady?.responseTimeNs;
  return times ? meanText(times, failedShare(steady)) : nothing;
}

/** From when it was sent, in open loop. @param {LegSummary} leg @param {'p50' | 'p99'} name */
export function serviceTime({ steady }, name) {
  return steady?.serviceTimeNs ? duration(steady.serviceTimeNs[name]) : nothing;
}

/** @param {LegSummary} leg @returns {string} of the requests of a rate; a dash in closed loop */
export function lateness({ steady }) {
  if (steady?.due === undefined) return nothing;
  return `${count(steady.late)} / ${count(steady.unsent)} of ${count(steady.due)}`;
}

/**
 * Of the same span as the response times, so without a warm-up.
 * @param {LegSummary} leg @returns {Record<string, number>} empty where the protocol has no kinds
 */
export const statusesOf = ({ steady, statuses }) => steady?.statuses ?? statuses ?? {};

/** @param {LegSummary} leg */
export const slowest = ({ steady }) => (steady?.responseTimeNs ? duration(steady.responseTimeNs.max) : nothing);

/**
 * @param {LegSummary} leg of a case @param {string} figure @param {(value: number) => string} text
 * @returns {string} such as "20.1k to 22.4k"; a dash where there is none, as with fewer than three rounds
 */
export function intervalText({ intervals }, figure, text) {
  const found = intervals?.[figure];
  return found === undefined ? nothing : boundsText(found, text);
}

/** @param {LegSummary[]} legs @returns {boolean} whether they are cases of several rounds, whose figures are medians */
export const areOfRounds = (legs) => legs.some(({ rounds = 1 }) => rounds > 1);

/** Marks figures that are of some connections only; a remark below the table says so. */
export const MARK = '*';

/**
 * A percentile that is only known to be more than all times counts requests without a reply, so it is of all connections.
 * @param {string} text of a figure @param {LegSummary} leg @param {boolean} marked whether any leg is
 * @returns {string} with the mark, or with room for it
 */
export function withMark(text, leg, marked) {
  if (!marked || text === nothing) return text;
  const isOfAll = servedOnlySome(leg) === undefined || text.startsWith('>');
  return `${text}${isOfAll ? ' '.repeat(MARK.length) : MARK}`;
}

/** @param {LegSummary[]} legs @param {string} [mark] @returns {string} who served only some; empty without any */
export function someServedRemark(legs, mark = MARK) {
  const some = legs.flatMap((leg) => {
    const said = servedOnlySome(leg);
    return said === undefined ? [] : [`${leg.label}${leg.label.includes(', ') ? ':' : ''} ${said}`];
  });
  return some.length > 0 ? `${mark} Only of the connections that were served: ${[...new Set(some)].join('; ')}.` : '';
}

/** @param {LegSummary} leg */
export const transferRate = ({ steady }) => bareRate(steady?.perSecond);

/** @param {LegSummary} leg */
export const connectTime = ({ connectTimeNs }) => (connectTimeNs ? duration(connectTimeNs.p99) : nothing);

/** Over TLS, after the connect. @param {LegSummary} leg */
export const handshakeTime = ({ handshakeTimeNs }) => (handshakeTimeNs ? duration(handshakeTimeNs.p99) : nothing);

/** Of connections that took up an earlier session: how many, and how long. @param {LegSummary} leg */
export const resumption = ({ resumptionTimeNs }) =>
  resumptionTimeNs ? `${count(resumptionTimeNs.count)}, ${duration(resumptionTimeNs.p99)}` : nothing;

/** @param {{ fromNs: number, toNs: number } | undefined} span */
const secondsOf = (span) => (span ? (span.toNs - span.fromNs) / 1e9 : 0);

/** @param {LegSummary} leg @param {'client' | 'server'} side @returns {string} of one core, in the steady state */
export function cpu({ steady }, side) {
  return coreShare(steady?.[side]?.cpuSeconds, secondsOf(steady));
}

/** @param {LegSummary} leg @returns {string} of one core: the part of the client's CPU that went into polls that found nothing */
export function idlePoll({ steady }) {
  return coreShare(steady?.client.idlePollSeconds, secondsOf(steady));
}

/** @param {LegSummary} leg @returns {string} along a profile, the most at a time; a dash for other legs */
export function mostOpen(leg) {
  return isMeasured(leg) && followsProfile(leg)
    ? `${count(leg.connections.peakOpen)} / ${count(leg.connections.requested)}`
    : nothing;
}
