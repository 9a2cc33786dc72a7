// The legs of a server that was started several times in a round as one leg: counts and histograms are added, rates are
// of all the time in which it was loaded, and what has neither, such as its memory, is the median of the starts. Pure.
// The connections and their account are those of one start, the one that served the fewest: each had as many as the
// scenario says.

import { Histogram, timesOf } from '../measure/histogram.js';
import { figuresOf, isMeasured } from '../measure/leg-figures.js';
import { isObject } from '../measure/objects.js';
import { medianOf } from '../measure/statistics.js';
import { present } from '../measure/sums.js';
import { timestampsOf } from '../measure/timestamps.js';
import { served } from './figures.js';

/**
 * @import { Figures, LegSummary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 */

/**
 * @typedef {LegSummary & { starts?: number }} PooledLeg  starts: that it is the sum of; absent of one
 */

/** Of a span: how many there were in the worst round. */
const WORST = ['failed', 'unfinished', 'unsent', 'late', 'lost'];

/** @param {number} value @param {number} like another value of the same figure @returns {number} whole where that is */
const rounded = (value, like) => (Number.isInteger(like) ? Math.round(value) : value);

/**
 * @template T
 * @param {T[]} values of the same field in each leg, the first as an example of the others
 * @param {string} [name]
 * @returns {T} numbers: their median; objects: field by field; all else as in the first
 */
export function merged(values, name = '') {
  return /** @type {T} */ (mergedValue(values, name));
}

/** @param {unknown[]} values @param {string} name @returns {unknown} */
function mergedValue(values, name) {
  const [first] = values;
  if (typeof first === 'number') {
    const numbers = values.filter((value) => typeof value === 'number');
    return WORST.includes(name) ? Math.max(...numbers) : rounded(medianOf(numbers), first);
  }
  if (!isObject(first)) return first;
  const all = new Set(values.flatMap((value) => Object.keys(Object(value))));
  // those over the seconds of one leg say nothing of several
  const keys = [...all].filter((key) => key !== 'intervals');
  return Object.fromEntries(
    keys.map((key) => [
      key,
      mergedValue(
        values
          .map((value) => /** @type {Record<string, unknown> | undefined} */ (value)?.[key])
          .filter((value) => value !== undefined),
        key,
      ),
    ]),
  );
}

/**
 * @template T
 * @param {T[]} values of the same field
 * @returns {T} numbers: their sum; objects: field by field; all else as in the first
 */
function added(values) {
  const [first] = values;
  if (typeof first === 'number') return /** @type {T} */ (values.reduce((sum, value) => sum + Number(value), 0));
  if (!isObject(first)) return first;
  const keys = [...new Set(values.flatMap((value) => Object.keys(Object(value))))];
  const of = (/** @type {string} */ key) =>
    values.flatMap((value) => /** @type {Record<string, any>} */ (value)[key] ?? []);
  return /** @type {T} */ (Object.fromEntries(keys.map((key) => [key, added(of(key))])));
}

/** @param {(object | undefined)[]} parts @returns {any} their sum; undefined where one is missing */
const addedOrNone = (parts) => (parts.every((part) => part !== undefined) ? added(parts) : undefined);

/** Of a span: counts, which are added. */
const COUNTS = /** @type {const} */ ([
  ...['transfers', 'failed', 'unfinished', 'due', 'late', 'unsent', 'opened', 'attempts', 'statuses', 'codes'],
]);
const RATES = /** @type {const} */ (['perSecond', 'bytesPerSecond', 'bytesSentPerSecond']);
/** Of a leg. */
const LEG_TIMES = /** @type {const} */ ([...['connectTime', 'handshakeTime', 'resumptionTime', 'recoveryTime', 'rtt']]);

/** @param {MeasuredLeg} leg @returns {number} connections that it served, or held where nothing was sent */
export const servedBy = (leg) => served(leg) ?? leg.connections.openAtEnd - leg.connections.neverAnswered;

/** @param {MeasuredLeg[]} legs @returns {MeasuredLeg['limitedBy']} what limited most of them, of several the first */
export function limitOfMost(legs) {
  const numberOf = (/** @type {MeasuredLeg} */ { limitedBy }) =>
    legs.filter((one) => one.limitedBy === limitedBy).length;
  return legs.reduce((most, leg) => (numberOf(leg) > numberOf(most) ? leg : most)).limitedBy;
}

/**
 * @param {(MeasuredLeg & { steady: Figures, slices: NonNullable<LegSummary['slices']> })[]} legs
 * @returns {Figures} of their steady states
 */
function pooledSteady(legs) {
  const spans = legs.map(({ steady }) => steady);
  const measuredNs = legs.map(({ slices }) => slices.measuredNs);
  const allNs = measuredNs.reduce((sum, ns) => sum + ns, 0);
  const [{ fromNs, toNs, client }] = spans;
  const sum = added(
    spans.map((span) =>
      Object.fromEntries(COUNTS.flatMap((name) => (span[name] === undefined ? [] : [[name, span[name]]]))),
    ),
  );
  const rateOf = (/** @type {(typeof RATES)[number]} */ name) =>
    spans.reduce((all, span, i) => all + span[name] * measuredNs[i], 0) / allNs;
  const histograms = legs.map(({ slices }) => slices.histograms ?? {});
  const times = (/** @type {string} */ name) => Histogram.ofLines(histograms.map((one) => one[name]));
  const fairness = times('perConnection');
  const [p1, p50] = fairness.count > 0 ? fairness.percentiles([1, 50]) : [];
  const server = addedOrNone(spans.map(({ server: own }) => own && { cpuSeconds: own.cpuSeconds }));
  const split = legs.map(({ slices: { histograms: own = {}, timestampsLeftOut } }) => ({
    histograms: own,
    timestampsLeftOut,
  }));
  return {
    ...{ fromNs, toNs },
    .../** @type {Pick<Figures, 'transfers' | 'failed' | 'unfinished' | 'opened' | 'attempts'>} */ (sum),
    .../** @type {Pick<Figures, (typeof RATES)[number]>} */ (
      Object.fromEntries(RATES.map((name) => [name, allNs > 0 ? rateOf(name) : 0]))
    ),
    ...present('mostInFlight', spans[0].mostInFlight),
    ...present('responseTimeNs', timesOf(times('responseTime'))),
    ...present('serviceTimeNs', timesOf(times('serviceTime'))),
    ...present('timestamps', timestampsOf(/** @type {any} */ (split))),
    ...(fairness.count > 0 ? { perConnection: { min: fairness.min, p1, p50, max: fairness.max } } : {}),
    client: { ...added(spans.map(({ client: { engines: _engines, ...sums } }) => sums)), engines: client.engines },
    ...present('server', server),
  };
}

/** @typedef {Parameters<typeof pooledSteady>[0][number]} Sliced */

/** @param {LegSummary} leg @returns {leg is Sliced} whether it was measured in slices, to its end */
const isSliced = (leg) => leg.complete && isMeasured(leg) && leg.steady !== undefined && leg.slices !== undefined;

/** @param {LegSummary[]} starts of a server in a round, several @returns {PooledLeg} */
function pooledLeg(starts) {
  const used = starts.filter(isSliced);
  const broken = starts.find(({ complete }) => !complete);
  const [first] = used;
  if (first === undefined) return broken ?? starts[0];
  const worst = used.reduce((few, leg) => (servedBy(leg) < servedBy(few) ? leg : few));
  const measured = starts.filter(isMeasured).filter((leg) => figuresOf(leg) !== undefined);
  const sum = (/** @type {(leg: MeasuredLeg) => any} */ of) => added(measured.map(of));
  const times = LEG_TIMES.flatMap((name) => {
    const found = timesOf(Histogram.ofLines(used.map(({ slices }) => slices.histograms?.[name])));
    return found === undefined ? [] : [[`${name}Ns`, found]];
  });
  const slices = sum(
    ({ slices: { turnNs, measuredNs, transfers, late, closed, unloaded } = /** @type {any} */ ({}) }) => ({
      ...{ turnNs, measuredNs, transfers, late, closed },
      ...present('unloaded', unloaded),
    }),
  );
  const findings = measured.flatMap((leg) => leg.findings ?? []);
  return {
    ...merged(used),
    starts: used.length,
    complete: broken === undefined,
    endedBy: broken?.endedBy ?? first.endedBy,
    ...present('failure', broken?.failure),
    limitedBy: limitOfMost(used),
    steady: pooledSteady(used),
    slices: { ...first.slices, ...slices },
    ...Object.fromEntries(times),
    connections: worst.connections,
    ...present('account', worst.account),
    attempts: sum(({ attempts }) => attempts),
    rejects: sum(({ rejects }) => rejects),
    errors: sum(({ errors }) => errors),
    transfers: sum(({ transfers }) => transfers),
    ...present('statuses', addedOrNone(used.map(({ statuses }) => statuses))),
    ...present('codes', addedOrNone(used.map(({ codes }) => codes))),
    ...present('requests', pooledRequests(used)),
    tcp: sum(({ tcp }) => tcp),
    ...present('log', logOf(used)),
    ...present('ramp', first.ramp),
    findings: findings.filter(({ code }, i) => findings.findIndex((one) => one.code === code) === i),
  };
}

/** @param {Sliced[]} legs @returns {LegSummary['requests']} undefined without a list */
function pooledRequests(legs) {
  const lists = legs.flatMap(({ requests }) => (requests ? [requests] : []));
  if (lists.length < legs.length) return undefined;
  const measuredNs = legs.map(({ slices }) => slices.measuredNs);
  const allNs = measuredNs.reduce((sum, ns) => sum + ns, 0);
  return lists[0].map(({ name }, i) => {
    const own = lists.map((list) => list[i]);
    const rates = own.map(({ figures: { perSecond } }, k) => perSecond * measuredNs[k]);
    const times = timesOf(Histogram.ofLines(own.map(({ responseTime }) => responseTime)));
    const { responseTimeNs: _times, ...counts } = added(own.map(({ figures }) => figures));
    return {
      name,
      transfers: added(own.map(({ transfers }) => transfers)),
      ...present('statuses', addedOrNone(own.map(({ statuses }) => statuses))),
      figures: {
        ...counts,
        perSecond: allNs > 0 ? rates.reduce((sum, rate) => sum + rate, 0) / allNs : 0,
        ...present('responseTimeNs', times),
      },
    };
  });
}

/** @param {Sliced[]} legs @returns {LegSummary['log']} undefined where one has none */
function logOf(legs) {
  const logs = legs.flatMap(({ log }) => log ?? []);
  if (logs.length < legs.length) return undefined;
  const [{ kind }] = logs;
  return { ...added(logs.map(({ rows, missing }) => ({ rows, missing }))), kind };
}

/**
 * @param {LegSummary[]} legs of a run
 * @returns {PooledLeg[]} one for each server, point and round, in the order of their first
 */
export function pooledStarts(legs) {
  /** @type {Map<string, LegSummary[]>} */
  const found = new Map();
  for (const [i, leg] of legs.entries()) {
    const key = leg.start === undefined ? `${i}` : JSON.stringify([leg.case, leg.round]);
    found.set(key, [...(found.get(key) ?? []), leg]);
  }
  return [...found.values()].map((own) => (own.length === 1 ? own[0] : pooledLeg(own)));
}
