// The list of figures. A row has the name of a figure, its unit, how it is read from a leg's summary and from a sample
// of one second, which direction is better, which value counts over rounds, and where it is shown. Live lines, the
// tables of console and page, thresholds, comparisons, exports and config/REFERENCE.md are made from this list. A
// figure that was not measured is undefined, never 0.

import { accountParts } from '../measure/account.js';
import { ERRORS, REJECTS } from '../measure/causes.js';
import { statusNames } from '../measure/fields.js';
import { Histogram } from '../measure/histogram.js';
import {
  followsProfile,
  heldAtEnd,
  inFlight,
  inFlightShare,
  isMeasured,
  percentileHolds,
  requestedAtEnd,
  sendsMore,
  sentOf,
  unansweredAtEnd,
} from '../measure/leg-figures.js';
import { rateWhileMeasured } from '../measure/slices.js';
import { causeName } from '../words/causes.js';
import { megabytes } from '../words/format.js';
import { kneeCell } from '../words/knee.js';
import { limitText, NO_SIDE_SHORT } from './findings/likely-limit.js';
import { isFailure, isWanted, withCodes } from '../words/replies.js';

/**
 * @import { Figures as Span, HistogramOrNull, LegSummary, Sample, Times } from '../../config/types.js'
 * @import { Cause } from '../measure/causes.js'
 * @import { Outcomes } from '../measure/leg-figures.js'
 * @import { Found } from './search/index.js'
 */

/**
 * @typedef {Partial<LegSummary> & { found?: Found }} Leg  found: the answer of a search, which is judged in place of
 *   its legs
 * @typedef {Exclude<keyof Times, 'intervals' | 'count'>} TimeName
 * @typedef {{ above: number, infinite: boolean, orEqual?: true }} Above  more than a number. infinite: above every
 *   limit, such as a percentile that reads "> max" because too many requests have no reply; orEqual: at least the
 *   number
 * @typedef {number | string | Above | undefined} Value  in ns, bytes, bytes a second, counts, shares
 * @typedef {'duration' | 'rate' | 'throughput' | 'size' | 'count' | 'share' | 'cpu' | 'side'} Unit
 * @typedef {'open loop' | 'kinds of replies' | 'steps' | 'transfers' | 'TLS' | 'server process' | 'search for a rate' |
 *   'search for connections'} Need
 * @typedef {'connections' | 'failures' | 'transfers' | 'response time' | 'open loop' | 'service time' | 'connect time'
 *   | 'handshake time' | 'client' | 'server' | 'search'} Group
 *
 * @typedef {object} Figure
 * @property {string} name  as conditions write it; unique
 * @property {string} [title]  in tables; absent: the name
 * @property {string} [column]  in a table that names the group above the column; absent: the title
 * @property {Group} group  figures that a table shows together
 * @property {string} [about]  what it is, if name, group and unit do not say it
 * @property {Unit} unit
 * @property {'lower' | 'higher'} [better]  absent: neither
 * @property {'median' | 'most' | 'least'} rounds  which value counts over the rounds of a case: the median, the largest
 *   or the smallest
 * @property {true} [ofEachStart]  every start of a server has its own value, such as open connections, so starts are
 *   treated like rounds; absent: the figure adds up over the starts of a round, or is read from sums over them
 * @property {(leg: Leg) => Value} [of]  absent if it is known only for a second
 * @property {(sample: Sample) => Value} [ofSample]  absent if it is known only at the end of a leg
 * @property {(leg: Leg) => [low: number, high: number] | undefined} [interval]  of 95 %, over the seconds of one leg
 * @property {Need} [needs]  what a run must have for the figure to be measured
 * @property {string} [unknown]  text of a missing value; absent: "not measured"
 * @property {Compared} [compared]  absent if servers and runs are not compared by it
 * @property {string} [partOf]  name of the figure that it is a part of; tables show it below that figure
 * @property {true} [isDetail]  shown only in the page's tables of all figures
 * @property {true} [renewed]  shown first where connections are closed and reopened
 * @property {true} [swept]  a sweep has a table of it
 * @property {true} [ofParts]  also known for the parts that a leg is divided into
 * @property {(leg: Leg) => string | undefined} [cell]  its text in a table, if that says more than the value
 * @property {Live} [live]  absent if the live lines do not have it
 * @property {'bad' | 'warning'} [mark]  how a value above 0 is marked
 * @property {true} [ofServed]  it covers only connections that were served, so how many were not is shown beside it
 *
 * @typedef {object} Compared
 * @property {string} key  its name in the cases of summary.json
 * @property {string} [called]  its short name in conditions between servers
 * @property {true} [ofBlocks]  it is known for each block of the steady state
 * @property {true} [isCount]  it is an exact count
 * @property {true} [atEqualRate]  it depends on throughput, so it is compared only if all servers get requests at the
 *   same rate, or none
 * @typedef {{ width: number, title?: string, group?: string, isBold?: true, text?: (sample: Sample) =>
 *   string | undefined }} Live  its column in the live lines; text: in place of the value with its unit
 */

/** @param {Leg} leg @returns {Span | undefined} figures of the steady state; with workload once, of the whole leg */
const spanOf = (leg) => leg.wholeLeg ?? leg.steady;

/**
 * @param {Leg} leg
 * @returns {Span | undefined} the figures without the requests on connections that were not served, if those are many:
 *   the response times cover the others
 */
function timedOf(leg) {
  const span = spanOf(leg);
  if (!span || !leg.unserved) return span;
  return { ...span, unfinished: Math.max(0, span.unfinished - (leg.connections?.neverAnswered ?? 0)) };
}

/** @param {Outcomes} counts @returns {boolean} whether there was no request */
const isIdle = ({ transfers, failed, unfinished, unsent = 0 }) => transfers + failed + unfinished + unsent === 0;

/**
 * @param {{ slices?: { turnNs: number } }} source a leg or a sample @param {{ fromNs: number, toNs: number }} span
 * @returns {{ fromNs: number, toNs: number }} the span; if legs take turns, a span as long as the leg's turns in it
 */
const turnOf = ({ slices }, span) => (slices ? { fromNs: 0, toNs: slices.turnNs } : span);

/** Shortest turn within a second for which the CPU time of that second is used. */
const LEAST_TURN_NS = 100e6;

/** @param {Sample} sample @returns {boolean} whether the leg's turn is long enough for the CPU time of the sample */
const tellsCpu = ({ slices }) => slices === undefined || slices.turnNs >= LEAST_TURN_NS;

/**
 * @param {number | undefined} amount
 * @param {{ fromNs: number, toNs: number }} span
 * @returns {number | undefined} amount per second
 */
const perSecond = (amount, { fromNs, toNs }) =>
  amount !== undefined && toNs > fromNs ? (amount * 1e9) / (toNs - fromNs) : undefined;

/** @param {Record<string, number>} counts @returns {number} */
const total = (counts) => Object.values(counts).reduce((sum, n) => sum + n, 0);

/** @param {HistogramOrNull} line of a sample @param {number} percent @returns {number | undefined} */
function percentileOf(line, percent) {
  if (line === null || line.count === 0) return undefined;
  const known = { 50: line.p50, 90: line.p90, 99: line.p99, 99.9: line.p99_9, 100: line.max }[percent];
  return known ?? Histogram.fromLine(line).percentiles([percent])[0];
}

const PERCENTS = { p50: 50, p99: 99, max: 100 };

/**
 * A percentile of times: above the largest measured time if too many requests, or attempts, have no time.
 * @param {Partial<Record<TimeName, number>> | undefined} times
 * @param {Outcomes | undefined} outcomes of the requests or attempts; undefined if they are not known
 * @param {TimeName} key @param {number} percent
 * @returns {Value} undefined if there was no request or attempt
 */
function timeAt(times, outcomes, key, percent) {
  if (outcomes === undefined || isIdle(outcomes)) return undefined;
  if (percentileHolds(outcomes, percent)) return times?.[key];
  return { above: times?.max ?? 0, infinite: true };
}

/**
 * @param {string} name @param {TimeName} key @param {number} percent @param {Partial<Figure>} [more]
 * @returns {Figure} a percentile of response times
 */
const responseTime = (name, key, percent, more) => ({
  name,
  title: `response ${name}`,
  column: name,
  group: 'response time',
  unit: 'duration',
  better: 'lower',
  rounds: 'median',
  needs: 'transfers',
  ofServed: true,
  of: (leg) => timeAt(spanOf(leg)?.responseTimeNs, timedOf(leg), key, percent),
  ofSample: ({ counters, histograms: { responseTime: line } }) => {
    if (isIdle(counters)) return undefined;
    if (percentileHolds(counters, percent)) return percentileOf(line, percent);
    return { above: line?.max ?? 0, infinite: true };
  },
  interval: (leg) => {
    const span = timedOf(leg);
    return span && percentileHolds(span, percent) ? span.responseTimeNs?.intervals?.[key] : undefined;
  },
  ...more,
});

/** @param {number} withTime how many have a time @param {number} without how many have none @returns {Outcomes} */
const outcomesOf = (withTime, without) => ({ transfers: withTime, failed: Math.max(0, without), unfinished: 0 });

/**
 * Other times than the response time, and how many requests or attempts have a time.
 * @type {Record<'service' | 'connect' | 'handshake' | 'recovery', (leg: Leg) => [times: Times | undefined, outcomes:
 *   Outcomes | undefined]>}
 */
const TIMED = {
  service: (leg) => {
    const span = spanOf(leg);
    return [span?.serviceTimeNs, span?.due === undefined ? undefined : sentOf(span)];
  },
  // over TLS an attempt has connected before its handshake, even if the handshake fails
  connect: ({ connectTimeNs: times, attempts }) => {
    const connected = times?.count ?? 0;
    return [times, attempts && outcomesOf(connected, attempts.total - connected)];
  },
  // a connection that did not resume a session made a full handshake, or tried to
  handshake: ({ handshakeTimeNs: times, resumptionTimeNs: resumed, connectTimeNs: connected, rejects }) => {
    if (!times && !resumed && !rejects?.handshake) return [undefined, undefined];
    const done = (times?.count ?? 0) + (resumed?.count ?? 0) + (rejects?.greeting ?? 0);
    return [times, outcomesOf(times?.count ?? 0, (connected?.count ?? 0) - done)];
  },
  recovery: ({ recoveryTimeNs: times, account }) => [times, outcomesOf(times?.count ?? 0, account?.lost ?? 0)],
};

/**
 * @param {keyof typeof TIMED} name
 * @param {'p50' | 'p99' | 'max'} key
 * @param {Partial<Figure>} [more]
 * @returns {Figure} a percentile of these times
 */
const percentile = (name, key, more) => ({
  name: `${name} ${key}`,
  column: key,
  group: name === 'recovery' ? 'connect time' : `${name} time`,
  unit: 'duration',
  better: 'lower',
  rounds: 'median',
  of: (leg) => timeAt(...TIMED[name](leg), key, PERCENTS[key]),
  ...more,
});

/** @param {'p50' | 'p99' | 'max'} key @param {Partial<Figure>} [more] @returns {Figure} of the time to connect */
const connectTime = (key, more) =>
  percentile('connect', key, {
    ofSample: ({ histograms: { connectTime: line }, rejects, counters: { abandoned } }) => {
      const outcomes = outcomesOf(line?.count ?? 0, total(rejects) - rejects.handshake + abandoned);
      return timeAt(line ?? undefined, outcomes, key, PERCENTS[key]);
    },
    ...more,
  });

/**
 * @param {string} name
 * @param {Group} group
 * @param {TimeName} key
 * @param {(leg: Leg) => Times | undefined} timesOf
 * @param {Partial<Figure>} [more]
 * @returns {Figure} a statistic of the times that were measured, such as the mean
 */
const time = (name, group, key, timesOf, more) => ({
  name: `${name} ${key}`,
  column: key,
  group,
  unit: 'duration',
  better: 'lower',
  rounds: 'median',
  of: (leg) => timesOf(leg)?.[key],
  ...more,
});

/** @type {(leg: Leg) => Times | undefined} */
const responseTimes = (leg) => spanOf(leg)?.responseTimeNs;
/** @type {(leg: Leg) => Times | undefined} */
const resumptionTimes = ({ resumptionTimeNs }) => resumptionTimeNs;

/**
 * @param {string} name
 * @param {Group} group
 * @param {Partial<Figure>} more
 * @returns {Figure} a count; over rounds, the largest
 */
const counted = (name, group, more) => ({ name, group, unit: 'count', rounds: 'most', ...more });

/** @param {Record<string, number> | undefined} causes @param {string} cause @returns {number | undefined} */
const ofCause = (causes, cause) => causes && (causes[cause] ?? 0);

/**
 * @template {'rejects' | 'errors'} K
 * @param {K} kind @param {readonly Cause[]} causes @param {Partial<Figure>} more
 * @returns {Figure[]} their total, and the number of each cause
 */
const failures = (kind, causes, more) => [
  counted(kind, 'failures', {
    better: 'lower',
    mark: 'bad',
    of: (leg) => leg[kind]?.total,
    ofSample: (sample) => total(sample[kind]),
    ...more,
  }),
  ...causes.map(({ name: cause, about }) =>
    counted(`${kind}.${cause}`, 'failures', {
      title: causeName(cause),
      about,
      partOf: kind,
      better: 'lower',
      mark: 'bad',
      of: (leg) => ofCause(leg[kind], cause),
      ofSample: (sample) => /** @type {Record<string, number>} */ (sample[kind])[cause],
    }),
  ),
];

/** Parts of the account that were not served, in the order in which a narrow table keeps them. */
const UNSERVED = ['connecting', 'rejected', 'lost'];
/** Titles of parts of the account, if they differ from the name. @type {Record<string, string>} */
const PART_TITLES = { idle: 'open, nothing requested', connecting: 'still connecting', queued: 'not tried yet' };

/** Connections beyond those requested, because a profile falls faster than connections close. */
const leaving = counted('no longer requested', 'connections', {
  ofEachStart: true,
  about: 'open or being opened at the end of the steady state, beyond those that the profile calls for',
  partOf: 'requested',
  of: (leg) => leg.account && (leg.account.leaving ?? 0),
});

/**
 * The states of the requested connections at the end of the steady state. Together with served and unanswered, they add
 * up to the connections requested.
 */
const account = accountParts
  .filter((part) => part !== 'served' && part !== 'unanswered')
  .map((part) =>
    counted(`account.${part}`, 'connections', {
      title: PART_TITLES[part] ?? part,
      partOf: 'requested',
      ofEachStart: true,
      of: (leg) => leg.account?.[part],
      ...(UNSERVED.includes(part) ? { mark: 'warning', swept: true } : {}),
    }),
  );

/**
 * Connections that were open and answered at the end.
 * @param {Leg} leg
 * @returns {number | undefined} undefined if the workload sends no requests
 */
export function served(leg) {
  if (leg.heldOnly) return undefined;
  return leg.account?.served ?? (isMeasured(leg) ? Math.max(0, heldAtEnd(leg) - unansweredAtEnd(leg)) : undefined);
}

/**
 * @param {Record<string, number> | undefined} statuses replies by kind, with or without `total`
 * @returns {number | undefined} the share of replies that are not as requested
 */
function failedReplyShare(statuses) {
  const kinds = Object.entries(statuses ?? {}).filter(([kind]) => kind !== 'total');
  const replies = kinds.reduce((sum, [, n]) => sum + n, 0);
  const wanted = kinds.reduce((sum, [kind, n]) => sum + (isWanted(kind) ? n : 0), 0);
  return replies === 0 ? undefined : 1 - wanted / replies;
}

/**
 * @typedef {{ statuses?: Record<string, number>, codes?: Record<string, number> }} Replies by kind, and by status code
 */

/**
 * Requests that failed, of all: those without a reply, and those whose reply is an error or not as expected.
 * @param {Outcomes & Replies} counts
 * @returns {{ failed: number, of: number, noReply: number, kinds: Record<string, number> }} of: all requests; noReply:
 *   failed, unfinished or not sent; kinds: failed replies by kind, or by status code if the codes are known
 */
export function failuresOf({ transfers, failed, unfinished, unsent = 0, statuses = {}, codes }) {
  const bad = Object.entries(withCodes(statuses, codes)).filter(
    ([kind, n]) => kind !== 'total' && n > 0 && isFailure(kind),
  );
  const noReply = failed + unfinished + unsent;
  return {
    failed: noReply + bad.reduce((sum, [, n]) => sum + n, 0),
    ...{ of: transfers + noReply, noReply, kinds: Object.fromEntries(bad) },
  };
}

/** @param {Outcomes & Replies} counts @returns {number} 0 if there was no request */
function failedShare(counts) {
  const { failed, of } = failuresOf(counts);
  return of === 0 ? 0 : failed / of;
}

/**
 * @param {Leg} leg
 * @returns {number | undefined} replies as requested, per second; undefined if the protocol has no kinds of replies
 */
function goodRate(leg) {
  const { perSecond: rate, statuses } = spanOf(leg) ?? {};
  if (leg.heldOnly || rate === undefined || statuses === undefined) return undefined;
  const { total: replies, ...kinds } = statuses;
  const good = Object.entries(kinds).reduce((sum, [kind, n]) => sum + (isFailure(kind) ? 0 : n), 0);
  return (rate * good) / replies;
}

/**
 * @param {'due' | 'late' | 'unsent'} name of a counter of an open loop
 * @param {Partial<Figure>} more
 * @returns {Figure}
 */
const ofRate = (name, more) =>
  counted(name, 'open loop', { needs: 'open loop', of: (leg) => spanOf(leg)?.[name], ...more });

/**
 * @param {string} name
 * @param {keyof NonNullable<Leg['transfers']>} key
 * @param {Partial<Figure>} more
 * @returns {Figure} of the transfers of the whole leg, including its ramp
 */
const ofWholeLeg = (name, key, more) =>
  counted(name, 'transfers', { needs: 'transfers', of: ({ transfers }) => transfers?.[key], ...more });

/**
 * The parts of a response time, from kernel timestamps, if enough transfers have them for the percentile.
 * @param {'p50' | 'p99'} key
 * @returns {Figure[]}
 */
const timestamps = (key) => [
  {
    name: `client part ${key}`,
    column: 'client part',
    about: 'by how much it would be lower without the delays of the client, by kernel timestamps',
    group: 'response time',
    partOf: key,
    unit: 'share',
    better: 'lower',
    rounds: 'median',
    of: (leg) => {
      const span = spanOf(leg);
      return span && percentileHolds(span, PERCENTS[key]) ? span.timestamps?.clientPart?.[key]?.share : undefined;
    },
  },
  {
    name: `network + server ${key}`,
    about: 'from when a request left the client until its reply arrived there, by kernel timestamps',
    group: 'response time',
    partOf: key,
    unit: 'duration',
    better: 'lower',
    rounds: 'median',
    compared: { key: key === 'p50' ? 'networkP50Ns' : 'networkP99Ns', ofBlocks: true },
    of: (leg) => {
      const span = spanOf(leg);
      const isKnown = span?.timestamps?.clientPart?.[key] && percentileHolds(span, PERCENTS[key]);
      return isKnown ? span.timestamps?.networkAndServerNs?.[key] : undefined;
    },
  },
];

/** @param {'client' | 'server'} side @param {Partial<Figure>} more @returns {Figure} in cores */
const cpu = (side, more) => ({
  name: `${side} CPU`,
  about: side === 'client' ? 'of workers and primary together' : 'of its processes together',
  column: 'CPU',
  group: side,
  unit: 'cpu',
  rounds: 'median',
  of: (leg) => {
    const span = spanOf(leg);
    return span && perSecond(span[side]?.cpuSeconds, turnOf(leg, span));
  },
  ofSample: (sample) => (tellsCpu(sample) ? perSecond(sample[side]?.cpuSeconds, turnOf(sample, sample)) : undefined),
  ...more,
});

/**
 * @param {number | undefined} cpuSeconds 0 if it was too little to measure: the kernel counts in steps of 10 ms
 * @param {number} transfers
 * @returns {number | undefined} CPU time per transfer, in ns; undefined if it was not measured
 */
const costOf = (cpuSeconds, transfers) => (cpuSeconds && transfers > 0 ? (cpuSeconds * 1e9) / transfers : undefined);

/** @param {Span | undefined} span @param {'client' | 'server'} side @returns {number | undefined} ns of CPU time */
const perTransfer = (span, side) => span && costOf(span[side]?.cpuSeconds, span.transfers);

/** @type {(keyof NonNullable<Leg['limitShares']>)[]} */
const LIMITING_SIDES = ['machine', 'client', 'server'];

/**
 * @param {(typeof LIMITING_SIDES)[number]} side @returns {Figure} share of the steady state in which it was the limit
 */
const limitShare = (side) => ({
  name: `limited by ${side}`,
  title: side,
  group: 'server',
  partOf: 'limited by',
  about: 'for how much of the steady state',
  unit: 'share',
  rounds: 'median',
  ofEachStart: true,
  of: ({ limitShares }) => (side === 'server' && limitShares?.unknown ? undefined : limitShares?.[side]),
});

/** @param {string} name @param {Partial<Figure>} more @returns {Figure} about the server's processes */
const ofServer = (name, more) => counted(name, 'server', { needs: 'server process', ...more });

/** @param {Leg} leg @returns {number | undefined} bytes; undefined if it is not known, or too little to measure */
function memoryPerConnection({ serverUse, connections }) {
  const { peakRssBytes = 0, startRssBytes } = serverUse ?? {};
  if (startRssBytes === undefined || !connections?.peakOpen) return undefined;
  return peakRssBytes > startRssBytes ? (peakRssBytes - startRssBytes) / connections.peakOpen : undefined;
}

/**
 * The answer of a search for a server: the greatest value that held, or 0 if none did.
 * @param {'rate' | 'connections'} axis @param {Unit} unit @param {Need} needs
 * @returns {Figure}
 */
const searchAnswer = (axis, unit, needs) => ({
  name: `found ${axis}`,
  about: 'the greatest that held',
  group: 'search',
  unit,
  better: 'higher',
  unknown: 'no answer',
  rounds: 'least',
  needs,
  of: ({ found: answer }) => {
    if (!answer?.decided) return undefined;
    if (answer.held === undefined) return 0;
    // the interval is wider than asked for, so values within it may hold
    return answer.failed === undefined || answer.reason !== undefined
      ? { above: answer.held.value, infinite: false, orEqual: true }
      : answer.held.value;
  },
});

/** Figures of a table with little room. @type {readonly string[]} */
export const SHORT_TABLE = Object.freeze([
  ...['most open', 'most requested', 'requested', 'served', 'unanswered', 'open', 'opened'],
  ...UNSERVED.map((part) => `account.${part}`),
  ...['rejects', 'errors', 'failed share', 'failed replies', 'late', 'unsent'],
  ...['rate', 'p50', 'client part p50', 'p99', 'max', 'service p99', 'connect p99', 'handshake p99', 'resumed p99'],
  ...['server CPU', 'server CPU per transfer', 'server memory', 'server memory per connection', 'limited by'],
]);

/** Columns of the live lines; a narrow terminal shows only the first ones. @type {readonly string[]} */
export const LIVE_LINES = Object.freeze([
  ...['rate', 'failed replies', 'rejects', 'errors', 'open', 'p99', 'unanswered', 'p50', 'waiting', 'late'],
  ...['requested', 'due', 'connecting', 'throughput', 'back-off', 'server CPU', 'client CPU', 'limited by'],
]);

/**
 * Figures by which servers and runs are compared in a closed and in an open loop, the most important first. Other
 * figures with `compared` have a median and an interval, but do not rank.
 * @type {Readonly<Record<'closed' | 'open', readonly string[]>>}
 */
export const COMPARED = Object.freeze({
  closed: ['good rate', 'rate', 'server CPU per transfer', 'p50', 'p99', 'served', 'server memory per connection'],
  open: ['p99', 'server CPU per transfer', 'p50', 'p99.9', 'server memory per connection', 'served'],
});

/** @param {Figure} figure @returns {boolean} whether it is the answer of a search */
export const isOfSearch = ({ group }) => group === 'search';

/**
 * All figures, in the order of tables: connections that were not served come before speed.
 * @type {readonly Figure[]}
 */
export const figures = Object.freeze([
  counted('connecting', 'connections', {
    about: 'attempts in flight, and those that wait for connectRate',
    ofSample: ({ gauges }) => gauges.connecting + gauges.queued,
    live: { width: 10 },
  }),
  counted('open', 'connections', {
    ofEachStart: true,
    title: 'open at the end',
    column: 'open',
    about: 'established at the end of the steady state',
    better: 'higher',
    rounds: 'least',
    of: (leg) => (isMeasured(leg) ? heldAtEnd(leg) : undefined),
    ofSample: ({ gauges }) => gauges.open,
    live: { width: 7, title: 'open', isBold: true },
    ofParts: true,
  }),
  counted('most open', 'connections', {
    ofEachStart: true,
    about: 'along a profile of connections, the most at a time',
    rounds: 'least',
    of: (leg) => (isMeasured(leg) && followsProfile(leg) ? leg.connections.peakOpen : undefined),
  }),
  counted('most requested', 'connections', {
    ofEachStart: true,
    rounds: 'median',
    about: 'along a profile of connections, the most at a time',
    of: (leg) => (followsProfile(leg) ? leg.connections?.requested : undefined),
  }),
  counted('requested', 'connections', {
    ofEachStart: true,
    rounds: 'median',
    about: 'how many the ramp or profile calls for at the end of the steady state',
    of: (leg) => leg.account?.requested ?? (isMeasured(leg) ? requestedAtEnd(leg) : undefined),
    ofSample: ({ gauges }) => gauges.requested,
    live: { width: 9 },
  }),
  counted('served', 'connections', {
    ofEachStart: true,
    about: 'open and answered at the end of the steady state; of workload once, answered',
    better: 'higher',
    rounds: 'least',
    needs: 'transfers',
    of: served,
    ofSample: ({ gauges }) => gauges.open - gauges.unanswered,
    compared: { key: 'served', isCount: true },
    partOf: 'requested',
    swept: true,
  }),
  counted('unanswered', 'connections', {
    ofEachStart: true,
    about: 'open at the end of the steady state, without a reply to the first request',
    partOf: 'requested',
    better: 'lower',
    mark: 'warning',
    of: (leg) => leg.account?.unanswered ?? (isMeasured(leg) ? unansweredAtEnd(leg) : undefined),
    ofSample: ({ gauges }) => gauges.unanswered,
    swept: true,
    live: { width: 10 },
  }),
  {
    name: 'longest wait',
    ofEachStart: true,
    title: 'longest wait of the unanswered',
    about:
      'where many connections were unanswered at the end of the steady state, how long a request on them had waited when it was answered in the drain, or the leg ended',
    group: 'connections',
    unit: 'duration',
    better: 'lower',
    rounds: 'most',
    of: ({ unserved }) => unserved?.waitedNs,
  },
  ...account,
  leaving,
  counted('unanswered after drain', 'connections', {
    ofEachStart: true,
    about: 'opened, and not answered by the end of the drain',
    better: 'lower',
    mark: 'warning',
    of: ({ connections }) => connections?.neverAnswered,
    swept: true,
  }),
  counted('opened', 'connections', {
    about: 'in the whole leg, with those reopened',
    of: ({ connections }) => connections?.opened,
    ofSample: ({ counters }) => counters.opened,
    renewed: true,
  }),
  {
    name: 'opening rate',
    ofEachStart: true,
    title: 'opened/s',
    column: 'opened/s',
    about: 'connections opened, where they are closed and reopened as planned',
    group: 'connections',
    unit: 'rate',
    better: 'higher',
    rounds: 'median',
    of: (leg) => {
      const span = spanOf(leg);
      return span && leg.churns ? perSecond(span.opened, span) : undefined;
    },
    ofSample: (sample) => perSecond(sample.counters.opened, sample),
  },
  counted('lost', 'connections', {
    title: 'lost in all',
    about: 'open connections that ended by an error, in the whole leg',
    better: 'lower',
    mark: 'bad',
    of: ({ connections }) => connections?.lost,
    ofSample: ({ counters }) => counters.lost,
  }),
  counted('reopened', 'connections', {
    about: 'after they had ended, by an error or as planned',
    of: ({ connections }) => connections?.reopened,
    ofSample: ({ counters }) => counters.reopened,
  }),
  counted('lost with a worker', 'connections', {
    about: 'open connections that a worker of the client took with it when it died',
    better: 'lower',
    mark: 'bad',
    of: ({ connections }) => connections?.lostWithWorker,
  }),
  counted('back-off', 'connections', {
    about: 'rejected or lost, and waiting for the next attempt',
    mark: 'warning',
    ofSample: ({ gauges }) => gauges.backingOff,
    live: { width: 8, group: 'failures' },
  }),
  ...failures('rejects', REJECTS, {
    about: 'attempts to connect that did not open',
    ofParts: true,
    swept: true,
    live: { width: 7 },
  }),
  ...failures('errors', ERRORS, {
    about: 'what ended or invalidated open connections',
    ofParts: true,
    swept: true,
    live: { width: 6 },
  }),
  counted('attempts', 'connections', {
    about: 'tries to connect, in the whole leg',
    isDetail: true,
    of: ({ attempts }) => attempts?.total,
  }),
  counted('abandoned', 'connections', {
    about: 'attempts in flight when the leg ended',
    isDetail: true,
    partOf: 'attempts',
    of: ({ attempts }) => attempts?.abandoned,
  }),
  counted('failed', 'transfers', {
    title: 'failed requests',
    about: 'without a reply (failed, unfinished, not sent), or with one that is an error or not as expected',
    better: 'lower',
    mark: 'bad',
    of: (leg) => {
      const span = spanOf(leg);
      return span && failuresOf(span).failed;
    },
    ofSample: ({ counters, statuses }) => failuresOf({ ...counters, statuses }).failed,
    swept: true,
  }),
  {
    name: 'failed share',
    title: 'failed',
    about: 'of all requests, those that failed',
    group: 'transfers',
    partOf: 'failed',
    unit: 'share',
    better: 'lower',
    rounds: 'most',
    mark: 'bad',
    of: (leg) => {
      const span = spanOf(leg);
      return span && failedShare(span);
    },
    ofSample: ({ counters, statuses }) => failedShare({ ...counters, statuses }),
  },
  {
    name: 'good rate',
    title: 'good replies/s',
    about: 'replies that are as requested, where some are not',
    group: 'transfers',
    partOf: 'rate',
    unit: 'rate',
    better: 'higher',
    rounds: 'median',
    needs: 'kinds of replies',
    of: goodRate,
    compared: { key: 'goodPerSecond', ofBlocks: true },
    ofServed: true,
    isDetail: true,
  },
  {
    name: 'rate',
    about: 'whole, verified replies',
    title: 'transfers/s',
    column: '/s',
    group: 'transfers',
    unit: 'rate',
    better: 'higher',
    rounds: 'median',
    needs: 'transfers',
    of: (leg) => (leg.heldOnly ? undefined : spanOf(leg)?.perSecond),
    ofSample: (sample) => rateWhileMeasured([sample], sample.counters.transfers),
    compared: { key: 'perSecond', called: 'throughput', ofBlocks: true },
    ofServed: true,
    swept: true,
    live: { width: 7, isBold: true },
    ofParts: true,
  },
  {
    name: 'throughput',
    about: 'payload received',
    title: 'MB/s',
    group: 'transfers',
    unit: 'throughput',
    better: 'higher',
    rounds: 'median',
    needs: 'transfers',
    of: (leg) => (leg.heldOnly ? undefined : spanOf(leg)?.bytesPerSecond),
    compared: { key: 'bytesPerSecond', ofBlocks: true },
    ofSample: (sample) => rateWhileMeasured([sample], sample.counters.bytesReceived),
    live: {
      width: 6,
      text: (sample) =>
        sendsMore(sample.counters.bytesSent, sample.counters.bytesReceived)
          ? `↑${megabytes(rateWhileMeasured([sample], sample.counters.bytesSent))}`
          : undefined,
    },
  },
  {
    name: 'throughput sent',
    about: 'payload sent, where that is more than twice what was received',
    title: 'MB/s sent',
    group: 'transfers',
    unit: 'throughput',
    better: 'higher',
    rounds: 'median',
    needs: 'transfers',
    compared: { key: 'bytesSentPerSecond', ofBlocks: true },
    of: (leg) => {
      const span = spanOf(leg);
      return span && sendsMore(span.bytesSentPerSecond, span.bytesPerSecond) ? span.bytesSentPerSecond : undefined;
    },
  },
  counted('transfers', 'transfers', {
    about: 'of the steady state',
    better: 'higher',
    rounds: 'least',
    needs: 'transfers',
    of: (leg) => (leg.heldOnly ? undefined : spanOf(leg)?.transfers),
  }),
  {
    name: 'failed replies',
    about: 'of all replies, those whose kind is not 2xx, 3xx or ok',
    title: 'failed replies',
    column: 'failed replies',
    group: 'transfers',
    unit: 'share',
    better: 'lower',
    rounds: 'median',
    needs: 'kinds of replies',
    mark: 'bad',
    of: (leg) => failedReplyShare(spanOf(leg)?.statuses ?? leg.statuses),
    ofSample: ({ statuses }) => failedReplyShare(statuses),
    swept: true,
    live: { width: 7, title: 'failed' },
  },
  ...statusNames.map((kind) =>
    counted(`replies.${kind}`, 'transfers', {
      title: `replies ${kind}`,
      partOf: 'failed replies',
      rounds: isWanted(kind) ? 'least' : 'most',
      needs: 'kinds of replies',
      of: ({ statuses }) => statuses && (statuses[kind] ?? 0),
      ofSample: ({ statuses }) => statuses?.[kind] ?? 0,
    }),
  ),
  ofWholeLeg('transfers of leg', 'count', {
    ofParts: true,
    isDetail: true,
    about: 'of the whole leg, with its ramp',
    rounds: 'least',
  }),
  ofWholeLeg('failed of leg', 'failed', {
    ofParts: true,
    about: 'transfers that ended by an error, in the whole leg',
    better: 'lower',
    mark: 'bad',
  }),
  ofWholeLeg('unfinished of leg', 'unfinished', {
    ofParts: true,
    about: 'transfers cut off by the end of the leg',
    better: 'lower',
    mark: 'warning',
  }),
  ofWholeLeg('stray datagrams', 'strays', {
    about: 'over UDP: datagrams that were not the next one of the reply awaited',
    better: 'lower',
  }),
  ofWholeLeg('sent', 'bytesSent', { about: 'bytes, in the whole leg', isDetail: true, unit: 'size', rounds: 'median' }),
  ofWholeLeg('received', 'bytesReceived', {
    about: 'bytes, in the whole leg',
    isDetail: true,
    unit: 'size',
    rounds: 'median',
  }),
  counted('in flight', 'transfers', {
    about: 'requests at a time, on average: throughput × mean response time',
    rounds: 'median',
    needs: 'transfers',
    isDetail: true,
    of: (leg) => (leg.heldOnly ? undefined : inFlight(spanOf(leg))),
  }),
  {
    name: 'in flight share',
    about: 'of the connections of a closed loop without pause, those with a request in flight, on average',
    partOf: 'in flight',
    group: 'transfers',
    unit: 'share',
    rounds: 'median',
    needs: 'transfers',
    isDetail: true,
    of: (leg) => (leg.heldOnly ? undefined : inFlightShare(spanOf(leg))),
  },
  counted('least per connection', 'transfers', {
    about: 'transfers of the connection with the fewest',
    better: 'higher',
    rounds: 'least',
    of: ({ heldOnly, steady }) => (heldOnly ? undefined : steady?.perConnection?.min),
  }),
  counted('most per connection', 'transfers', {
    about: 'transfers of the connection with the most',
    of: ({ heldOnly, steady }) => (heldOnly ? undefined : steady?.perConnection?.max),
  }),
  responseTime('p50', 'p50', 50, {
    ofParts: true,
    compared: { key: 'p50Ns', ofBlocks: true },
    swept: true,
    live: { width: 7, group: 'transfers' },
  }),
  ...timestamps('p50'),
  responseTime('p90', 'p90', 90, { compared: { key: 'p90Ns', ofBlocks: true } }),
  responseTime('p95', 'p95', 95, { compared: { key: 'p95Ns', ofBlocks: true } }),
  responseTime('p99', 'p99', 99, {
    ofParts: true,
    compared: { key: 'p99Ns', ofBlocks: true },
    swept: true,
    live: { width: 7, group: 'transfers' },
  }),
  ...timestamps('p99'),
  responseTime('p99.9', 'p99_9', 99.9, { compared: { key: 'p99_9Ns', ofBlocks: true } }),
  responseTime('p99.99', 'p99_99', 99.99, {
    compared: { key: 'p99_99Ns', ofBlocks: true },
    isDetail: true,
  }),
  responseTime('max', 'max', 100),
  time('response', 'response time', 'min', responseTimes, { column: undefined, isDetail: true, needs: 'transfers' }),
  time('response', 'response time', 'mean', responseTimes, {
    about: 'of the transfers that were answered',
    name: 'mean',
    title: 'mean of answered',
    column: undefined,
    needs: 'transfers',
  }),
  time('response', 'response time', 'stddev', responseTimes, {
    about: 'of the transfers that were answered',
    name: 'deviation',
    title: 'standard deviation of answered',
    column: undefined,
    needs: 'transfers',
  }),
  ofRate('due', {
    about: 'requests that the rate called for',
    ofSample: ({ counters }) => counters.due,
    live: { width: 7 },
  }),
  {
    name: 'due rate',
    about: 'requests a second that the rate called for',
    title: 'due/s',
    group: 'open loop',
    partOf: 'due',
    unit: 'rate',
    rounds: 'median',
    needs: 'open loop',
    of: (leg) => spanOf(leg)?.duePerSecond,
  },
  ofRate('late', {
    about: 'requests sent after waiting for a connection',
    better: 'lower',
    mark: 'warning',
    ofSample: ({ counters }) => counters.late,
    live: { width: 6 },
  }),
  counted('waiting', 'open loop', {
    about: 'requests that are due and wait for a connection',
    needs: 'open loop',
    mark: 'warning',
    ofSample: ({ gauges }) => gauges.waiting,
    live: { width: 7 },
  }),
  ofRate('unsent', { about: 'requests that found no connection', better: 'lower', mark: 'bad' }),
  percentile('service', 'p50', { needs: 'open loop' }),
  percentile('service', 'p99', { needs: 'open loop' }),
  percentile('service', 'max', { needs: 'open loop' }),
  counted('knee', 'connections', {
    ofEachStart: true,
    about: 'connections at the knee of a ramp; at least the last step where it has none',
    better: 'higher',
    unknown: 'not determined',
    rounds: 'least',
    needs: 'steps',
    cell: ({ ramp }) => kneeCell(ramp),
    of: ({ ramp }) => {
      if (ramp === undefined || ramp.knee === undefined) return undefined;
      if (ramp.knee !== null) return ramp.knee.requested;
      const last = ramp.steps?.at(-1);
      return last && { above: last.requested, infinite: false };
    },
  }),
  connectTime('p50', { isDetail: true }),
  connectTime('p99', { renewed: true }),
  connectTime('max', { isDetail: true }),
  percentile('handshake', 'p50', { needs: 'TLS', isDetail: true }),
  percentile('handshake', 'p99', { needs: 'TLS', renewed: true, swept: true }),
  percentile('handshake', 'max', { needs: 'TLS', isDetail: true }),
  counted('resumed handshakes', 'handshake time', {
    about: 'connections that resumed an earlier TLS session',
    needs: 'TLS',
    of: (leg) => resumptionTimes(leg)?.count,
  }),
  time('resumed', 'handshake time', 'p50', resumptionTimes, { needs: 'TLS' }),
  time('resumed', 'handshake time', 'p99', resumptionTimes, { needs: 'TLS', renewed: true }),
  percentile('recovery', 'p50', { isDetail: true }),
  percentile('recovery', 'p99'),
  percentile('recovery', 'max', { isDetail: true }),
  cpu('client', { ofParts: true, live: { width: 6, title: 'client', group: 'CPU' } }),
  {
    name: 'client CPU per transfer',
    column: 'CPU per transfer',
    about: 'CPU time of workers and primary in the steady state, including kernel work, divided by the transfers',
    group: 'client',
    unit: 'duration',
    better: 'lower',
    rounds: 'median',
    needs: 'transfers',
    of: (leg) => perTransfer(spanOf(leg), 'client'),
    ofSample: ({ counters, client }) => costOf(client.cpuSeconds, counters.transfers),
  },
  counted('client memory', 'client', {
    ofEachStart: true,
    about: 'the most resident memory of workers and primary together',
    unit: 'size',
    better: 'lower',
    of: ({ client }) => client?.peakRssBytes,
    ofSample: ({ client }) => client.rssBytes,
  }),
  cpu('server', {
    ofParts: true,
    needs: 'server process',
    live: { width: 6, title: 'server', group: 'CPU' },
  }),
  {
    name: 'server CPU per transfer',
    column: 'CPU per transfer',
    about: 'CPU time of the server in the steady state, including kernel work, divided by the transfers',
    group: 'server',
    unit: 'duration',
    better: 'lower',
    rounds: 'median',
    needs: 'server process',
    of: (leg) => perTransfer(spanOf(leg), 'server'),
    ofSample: ({ counters, server }) => costOf(server?.cpuSeconds, counters.transfers),
    compared: { key: 'serverCpuPerTransferNs', called: 'cost', ofBlocks: true },
    swept: true,
  },
  ofServer('server memory', {
    ofEachStart: true,
    about: 'the most resident memory of its processes together',
    column: 'memory',
    unit: 'size',
    better: 'lower',
    of: ({ serverUse }) => serverUse?.peakRssBytes,
    ofSample: ({ server }) => server?.rssBytes,
  }),
  ofServer('server memory per connection', {
    ofEachStart: true,
    title: 'server memory per open connection',
    column: 'per connection',
    about:
      'the most memory of a server that the run started, less that before the load, divided by the most connections open',
    unit: 'size',
    better: 'lower',
    rounds: 'median',
    of: memoryPerConnection,
    compared: { key: 'serverMemoryPerConnectionBytes', called: 'memory', atEqualRate: true },
  }),
  ofServer('server threads', {
    ofEachStart: true,
    about: 'the most at a time',
    isDetail: true,
    of: ({ serverUse }) => serverUse?.threads,
  }),
  ofServer('server processes', {
    ofEachStart: true,
    about: 'the most at a time',
    isDetail: true,
    of: ({ serverUse }) => serverUse?.processes,
  }),
  ofServer('voluntary switches', {
    ofEachStart: true,
    title: 'voluntary context switches/s',
    unit: 'rate',
    rounds: 'median',
    of: ({ serverUse }) => serverUse?.contextSwitchesPerSecond?.voluntary,
  }),
  ofServer('involuntary switches', {
    ofEachStart: true,
    title: 'involuntary context switches/s',
    unit: 'rate',
    rounds: 'median',
    of: ({ serverUse }) => serverUse?.contextSwitchesPerSecond?.involuntary,
  }),
  {
    name: 'limited by',
    ofEachStart: true,
    about:
      'the side that was the limit for at least half of the steady state: client, server, machine, none or unknown',
    group: 'server',
    unit: 'side',
    rounds: 'most',
    of: ({ limitedBy }) => limitedBy,
    cell: (leg) => limitText(leg, NO_SIDE_SHORT),
    ofSample: ({ limitedBy }) => (limitedBy === 'unknown' ? undefined : limitedBy),
    live: { width: 7, title: 'limit', group: 'CPU' },
  },
  ...LIMITING_SIDES.map((side) => limitShare(side)),
  counted('log rows missing', 'client', {
    about: 'transfers that have no row in the transfer log',
    better: 'lower',
    mark: 'bad',
    of: ({ log }) => (log?.kind === 'none' ? undefined : log?.missing),
  }),
  searchAnswer('rate', 'rate', 'search for a rate'),
  searchAnswer('connections', 'count', 'search for connections'),
]);

/** @param {Figure} figure @returns {string} its meaning in a few words */
export function meaningOf({ name, title = name, group, about }) {
  const [word] = group.split(' ');
  return about ?? (title.includes(word) ? title : `${group}: ${title}`);
}

/** @param {string} name @returns {string} in lower case, without spaces, dashes and underscores */
const plain = (name) => name.toLowerCase().replace(/[\s_-]/g, '');

const byName = new Map(figures.map((figure) => [plain(figure.name), figure]));

/** @param {string} name as written, such as `connect p99`, `limitedBy` @returns {Figure | undefined} */
export const figureOf = (name) => byName.get(plain(name));

/** @param {readonly string[]} names @returns {Figure[]} in that order */
const named = (names) => names.map((name) => figureOf(name) ?? fail(name));

/** @param {string} name @returns {never} */
function fail(name) {
  throw new Error(`there is no figure "${name}"`);
}

/** The figures that rank, by their names in conditions between servers. */
const byComparedName = new Map(
  named([...new Set([...COMPARED.closed, ...COMPARED.open])])
    .sort((a, b) => figures.indexOf(a) - figures.indexOf(b))
    .map((figure) => [figure.compared?.called ?? figure.name, figure]),
);

/** Names of figures in conditions between servers. @type {readonly string[]} */
export const comparedNames = Object.freeze([...byComparedName.keys()]);

/**
 * @param {string} name as written between servers, such as `cost`, `p99`
 * @returns {Figure | undefined} undefined if servers are not compared by it
 */
export const comparedBy = (name) =>
  byComparedName.get(comparedNames.find((comparedName) => plain(comparedName) === plain(name)) ?? '') ??
  [...byComparedName.values()].find((figure) => plain(figure.name) === plain(name));

/**
 * The figures by which servers and runs are compared.
 * @param {'open' | 'closed'} loop @returns {Figure[]} the most important first
 */
export const comparedFigures = (loop) => named(COMPARED[loop]);
