// The sum of the starts of a server in a round: counts, histograms and the time under load. Figures that are read from
// these are read from the sum. Open connections and memory do not add up: every start has its own.

import { Histogram, timesOf } from '../measure/histogram.js';
import { isObject } from '../measure/objects.js';
import { present } from '../measure/sums.js';
import { timestampsOf } from '../measure/timestamps.js';

/**
 * @import { Figures, LegSummary } from '../../config/types.js'
 * @import { Leg } from './figures.js'
 */

/** @typedef {LegSummary & Required<Pick<LegSummary, 'steady' | 'slices'>>} Sliced */

/**
 * @template T
 * @param {T[]} values of the same field
 * @returns {T} the sum of numbers; objects are added field by field; other values are those of the first
 */
function added(values) {
  const [first] = values;
  if (typeof first === 'number') return /** @type {T} */ (values.reduce((sum, value) => sum + Number(value), 0));
  if (!isObject(first)) return first;
  const keys = [...new Set(values.flatMap((value) => Object.keys(Object(value))))];
  const valuesOf = (/** @type {string} */ key) =>
    values.flatMap((value) => /** @type {Record<string, unknown>} */ (value)[key] ?? []);
  return /** @type {T} */ (Object.fromEntries(keys.map((key) => [key, added(valuesOf(key))])));
}

/**
 * @template {object} T
 * @param {string} name @param {(T | undefined)[]} parts
 * @returns {Record<string, T>} their sum under the name; empty if a part is missing
 */
const sumAs = (name, parts) => (parts.includes(undefined) ? {} : { [name]: added(/** @type {T[]} */ (parts)) });

/** Counts of a span, and objects of counts. */
const COUNTS = /** @type {const} */ ([
  ...['transfers', 'failed', 'unfinished', 'due', 'late', 'unsent', 'opened', 'attempts', 'statuses', 'codes'],
]);
const RATES = /** @type {const} */ (['perSecond', 'bytesPerSecond', 'bytesSentPerSecond', 'duePerSecond']);
/** Counts of a leg, and objects of counts. */
const LEG_COUNTS = /** @type {const} */ ([
  ...['account', 'connections', 'attempts', 'rejects', 'errors', 'transfers', 'statuses', 'codes'],
]);
const LEG_TIMES = /** @type {const} */ (['connectTime', 'handshakeTime', 'resumptionTime', 'recoveryTime']);

/** @param {Sliced[]} legs @returns {Figures} of all steady states together; rates are over all measured time */
function steadyOf(legs) {
  const spans = legs.map(({ steady }) => steady);
  const measuredNs = legs.map(({ slices }) => slices.measuredNs);
  const allNs = measuredNs.reduce((sum, ns) => sum + ns, 0);
  const [{ fromNs, toNs, mostInFlight }] = spans;
  const rateOf = (/** @type {(typeof RATES)[number]} */ name) =>
    allNs > 0 ? spans.reduce((sum, span, i) => sum + (span[name] ?? 0) * measuredNs[i], 0) / allNs : 0;
  const times = (/** @type {string} */ name) =>
    Histogram.ofLines(legs.map(({ slices: { histograms } }) => histograms?.[name]));
  const fairness = times('perConnection');
  const [p1, p50] = fairness.count > 0 ? fairness.percentiles([1, 50]) : [];
  const split = legs.map(({ slices: { histograms = {}, timestampsLeftOut } }) => ({ histograms, timestampsLeftOut }));
  const counts = spans.map((span) =>
    Object.fromEntries(COUNTS.flatMap((name) => (span[name] === undefined ? [] : [[name, span[name]]]))),
  );
  const sum = {
    ...{ fromNs, toNs, ...added(counts) },
    ...Object.fromEntries(RATES.flatMap((name) => (spans[0][name] === undefined ? [] : [[name, rateOf(name)]]))),
    ...present('mostInFlight', mostInFlight),
    ...present('responseTimeNs', timesOf(times('responseTime'))),
    ...present('serviceTimeNs', timesOf(times('serviceTime'))),
    ...present('timestamps', timestampsOf(split)),
    ...(fairness.count > 0 ? { perConnection: { min: fairness.min, p1, p50, max: fairness.max } } : {}),
    ...sumAs('client', spans.map(cpuOf('client'))),
    ...sumAs('server', spans.map(cpuOf('server'))),
  };
  return /** @type {Figures} */ (/** @type {unknown} */ (sum));
}

/** @param {'client' | 'server'} side @returns {(span: Figures) => { cpuSeconds: number } | undefined} */
const cpuOf = (side) => (span) => span[side] && { cpuSeconds: span[side].cpuSeconds };

/** @param {LegSummary} leg @returns {leg is LegSummary & Sliced} whether it was measured in slices */
const isSliced = (leg) => leg.steady !== undefined && leg.slices !== undefined;

/**
 * @param {LegSummary[]} starts several starts of a server in a round
 * @returns {Leg | undefined} the sum, without what does not add up; undefined if no start has a steady state
 */
export function sumOfStarts(starts) {
  const sliced = starts.filter(isSliced);
  const complete = sliced.filter((leg) => leg.complete);
  const timed = complete.length > 0 ? complete : sliced;
  if (timed.length === 0) return undefined;
  const measured = starts.filter(({ transfers }) => transfers !== undefined);
  const countsOf = (/** @type {(typeof LEG_COUNTS)[number]} */ name) =>
    sumAs(name, /** @type {(object | undefined)[]} */ (measured.map((leg) => leg[name])));
  const logs = measured.map(({ log }) => (log?.kind === 'none' ? undefined : log));
  const times = LEG_TIMES.flatMap((name) => {
    const total = timesOf(Histogram.ofLines(timed.map(({ slices }) => slices.histograms?.[name])));
    return total === undefined ? [] : [[`${name}Ns`, total]];
  });
  const sum = {
    steady: steadyOf(timed),
    slices: { turnNs: timed.reduce((ns, { slices }) => ns + slices.turnNs, 0) },
    ...present('heldOnly', timed[0].heldOnly),
    ...present('unserved', timed.find(({ unserved }) => unserved)?.unserved),
    ...Object.assign({}, ...LEG_COUNTS.map(countsOf)),
    ...sumAs('log', logs),
    ...Object.fromEntries(times),
  };
  return /** @type {Leg} */ (/** @type {unknown} */ (sum));
}
