// What adds up over the starts of a server in a round: counts, histograms, the time in which it was loaded. Pure. A
// figure that is read from these is read from their sum; connections that are open, and memory, each start has anew.

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
 * @returns {T} numbers: their sum; objects: field by field; all else as in the first
 */
function added(values) {
  const [first] = values;
  if (typeof first === 'number') return /** @type {T} */ (values.reduce((sum, value) => sum + Number(value), 0));
  if (!isObject(first)) return first;
  const keys = [...new Set(values.flatMap((value) => Object.keys(Object(value))))];
  const of = (/** @type {string} */ key) =>
    values.flatMap((value) => /** @type {Record<string, unknown>} */ (value)[key] ?? []);
  return /** @type {T} */ (Object.fromEntries(keys.map((key) => [key, added(of(key))])));
}

/**
 * @template {object} T
 * @param {string} name @param {(T | undefined)[]} parts
 * @returns {Record<string, T>} their sum by that name; empty where one is missing
 */
const sumAs = (name, parts) => (parts.includes(undefined) ? {} : { [name]: added(/** @type {T[]} */ (parts)) });

/** Of a span: counts, and what has counts. */
const COUNTS = /** @type {const} */ ([
  ...['transfers', 'failed', 'unfinished', 'due', 'late', 'unsent', 'opened', 'attempts', 'statuses', 'codes'],
]);
const RATES = /** @type {const} */ (['perSecond', 'bytesPerSecond', 'bytesSentPerSecond', 'duePerSecond']);
/** Of a leg, likewise. */
const LEG_COUNTS = /** @type {const} */ ([
  ...['account', 'connections', 'attempts', 'rejects', 'errors', 'transfers', 'statuses', 'codes'],
]);
const LEG_TIMES = /** @type {const} */ (['connectTime', 'handshakeTime', 'resumptionTime', 'recoveryTime']);

/** @param {Sliced[]} legs @returns {Figures} of their steady states; rates are of all their measured time */
function steadyOf(legs) {
  const spans = legs.map(({ steady }) => steady);
  const measuredNs = legs.map(({ slices }) => slices.measuredNs);
  const allNs = measuredNs.reduce((sum, ns) => sum + ns, 0);
  const [{ fromNs, toNs, mostInFlight }] = spans;
  const rateOf = (/** @type {(typeof RATES)[number]} */ name) =>
    allNs > 0 ? spans.reduce((all, span, i) => all + (span[name] ?? 0) * measuredNs[i], 0) / allNs : 0;
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
 * @param {LegSummary[]} starts of a server in a round, several
 * @returns {Leg | undefined} their sum, with nothing that does not add up; undefined where none has a steady state
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
    const own = timesOf(Histogram.ofLines(timed.map(({ slices }) => slices.histograms?.[name])));
    return own === undefined ? [] : [[`${name}Ns`, own]];
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
