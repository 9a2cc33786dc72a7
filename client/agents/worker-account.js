// Checks the messages of a worker's process on an agent. An agent may be wrong, of another build, or an impostor: its
// messages count only if they have the right shape and order, and if their numbers agree with each other and with the
// plan. The rules are those of a leg (../measure/books.js), applied to each engine at the end of each interval, so that
// one agent cannot falsify a leg.
import { errorCauses, rejectCauses, statusNames } from '../measure/fields.js';
import { bucketOf, layout } from '../measure/histogram.js';
import { isObject } from '../measure/objects.js';
import { slotsOf } from '../measure/schedule.js';
import { QUOTE_BYTES, QUOTE_KINDS, QUOTE_STATES } from '../measure/quotes.js';
import { sharesOf } from '../run/cluster/assignment.js';
import { isAmount, isCount, isText, must, NOTHING } from './shape.js';

/**
 * @import { Leg as PlanLeg } from '../plan/plan.js'
 * @import { FromWorker, Interval } from '../run/cluster/messages.js'
 */

/**
 * @typedef {Pick<PlanLeg, 'connections' | 'workers' | 'engines' | 'rampToNs' | 'warmupTransfers' |
 *   'steadyFromNs' | 'steadyToNs' | 'endNs' | 'rates' | 'slices'>} Leg
 * @typedef {{ slots: number, sums: Record<string, number>, steady: number, toNs: number, hasEnded: boolean }} Engine
 *   sums: of its counters; steady: transfers in the steady state; toNs: end of its last interval
 */

/** Largest count of a thread in a second, also of bytes. */
const MOST_PER_SECOND = 2e11;
/** An engine may end this long after the planned end of its leg. */
const OVERTIME_NS = 120e9;
/** Requests of a list. */
const MOST_REQUESTS = 256;
/** Names of counts, including 1,000 status codes. */
const MOST_NAMES = 1_200;
const TENTHS = 10;
/** Names of the counts of replies by status code. */
const CODES = /^codes\./;
const CODE = /^codes\.[0-9]{1,3}$/;
const MOST_ROWS = 1000;
const ROW_WIDTH = 5;
const MOST_USED = 1e15;
/** Sum of the values of a histogram. */
const MOST_SUM = 1e24;
const LAST_BUCKET = bucketOf(layout.highest);
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Text with one character for each byte. */
// eslint-disable-next-line no-control-regex
const LATIN1 = /^[\u0000-\u00ff]*$/;
const TLS_CAUSES = ['certificate', 'alert', 'not-tls', 'closed', 'broken', 'unread', 'openssl'];
const TLS_STEPS = ['handshake', 'open'];

/** @param {readonly unknown[]} words @param {unknown} value @returns {boolean} */
const isOneOf = (words, value) => words.includes(value);

/** @param {Record<string, number>} counters @param {string} prefix @param {readonly string[]} names */
const sumOf = (counters, prefix, names) => names.reduce((sum, name) => sum + (counters[prefix + name] ?? 0), 0);

export class WorkerAccount {
  /** @param {Leg} leg @param {number} worker */
  constructor(leg, worker) {
    this.leg = leg;
    /** Whether its protocol distinguishes kinds of replies; null until it has its leg. @type {boolean | null} */
    this.hasKinds = null;
    /** @type {'forked' | 'listening' | 'ready'} */
    this.state = 'forked';
    const shares = sharesOf(leg);
    /** @type {Engine[]} */
    this.engines = [];
    for (let share = worker; share < shares; share += leg.workers) {
      this.engines.push({
        slots: slotsOf(leg.connections, share, shares),
        sums: {},
        steady: 0,
        toNs: 0,
        hasEnded: false,
      });
    }
  }

  /** @param {unknown} message the next message @returns {FromWorker} the same @throws {TypeError} when it is invalid */
  take(message) {
    must(isObject(message), 'a message of a worker is not an object');
    switch (message.type) {
      case 'hello':
        must(this.state === 'forked' && isCount(message.pid), 'a worker says hello twice, or without its process');
        this.state = 'listening';
        break;
      case 'ready':
        must(this.state === 'listening', 'a worker is ready twice, or before it listens');
        this.state = 'ready';
        break;
      case 'interval':
        this.takeInterval(this.engineOf(message.engine), message.interval);
        checkUsage(message.usage);
        break;
      case 'done':
        this.takeEnd(this.engineOf(message.engine), message.log);
        break;
      case 'failed':
        must(isText(message.message), 'a worker fails without a reason');
        break;
      default:
        must(false, 'a message of a worker is of an unknown type');
    }
    return /** @type {FromWorker} */ (/** @type {unknown} */ (message));
  }

  /** @param {unknown} number @returns {Engine} a running one */
  engineOf(number) {
    const engine = isCount(number) ? this.engines[number] : undefined;
    must(this.state === 'ready' && engine?.hasEnded === false, 'an engine reports, but does not run');
    return /** @type {Engine} */ (engine);
  }

  /** @param {Engine} engine @param {unknown} log */
  takeEnd(engine, log) {
    const isLog = isObject(log) && isCount(log.rows) && isCount(log.bytes) && (log.error === null || isText(log.error));
    must(log === null || isLog, 'the transfer log of an engine is not described');
    engine.hasEnded = true;
  }

  /** @param {Engine} engine @param {unknown} reported */
  takeInterval(engine, reported) {
    must(isObject(reported), 'an interval is not an object');
    const interval = /** @type {Interval} */ (/** @type {unknown} */ (reported));
    this.checkTimes(engine, interval);
    const { counters, gauges, histograms, fromNs, toNs } = interval;
    const max = MOST_PER_SECOND * (1 + (toNs - fromNs) / 1e9);
    checkCounts(counters, max);
    checkCounts(gauges, max);
    checkHistograms(histograms);
    checkDetails(interval);
    const sums = { ...engine.sums };
    for (const [name, value] of Object.entries(counters)) {
      sums[name] = (sums[name] ?? 0) + value;
      must(Number.isSafeInteger(sums[name]), `${name} is too large`);
    }
    const steady = engine.steady + (interval.phase === 'steady' ? (counters.transfers ?? 0) : 0);
    checkBooks(engine.slots, sums, interval, this.leg.slices !== undefined);
    this.checkRequests(sums, interval);
    checkListed(interval);
    const { perConnection = null } = histograms;
    must(
      perConnection === null || perConnection.sum === steady,
      'the transfers of its connections differ from those of its seconds',
    );
    Object.assign(engine, { sums, steady, toNs });
  }

  /** @param {Record<string, number>} sums of the counters of an engine @param {Interval} interval its last interval */
  checkRequests(sums, { gauges }) {
    const { transfers = 0, failed = 0, unfinished = 0, due = 0, unsent = 0 } = sums;
    const { inFlight = 0, waiting = 0 } = gauges;
    const isOpenLoop = this.leg.rates !== undefined;
    const begun = transfers + failed + unfinished + inFlight;
    must(
      !isOpenLoop || due === begun + unsent + waiting,
      'its requests due differ from those sent, unsent and waiting',
    );
    const statuses = sumOf(sums, 'statuses.', statusNames);
    must(
      this.hasKinds === null || statuses === (this.hasKinds ? transfers : 0),
      'its reply statuses differ from its transfers',
    );
    const named = Object.keys(sums).filter((name) => CODES.test(name));
    const codes = sumOf(sums, '', named);
    const areCodes = named.every((name) => CODE.test(name)) && (codes === 0 || codes === transfers);
    must(areCodes, 'its status codes differ from its transfers');
  }

  /** @param {Engine} engine @param {Interval} interval */
  checkTimes(engine, { second, phase, fromNs, toNs, last }) {
    const { rampToNs, warmupTransfers, steadyFromNs, steadyToNs, endNs } = this.leg;
    const isTime = isAmount(fromNs, Infinity) && isAmount(toNs, endNs + OVERTIME_NS) && typeof last === 'boolean';
    must(
      isTime && fromNs >= engine.toNs && toNs >= fromNs,
      'an interval overlaps the one before, or is outside its leg',
    );
    must(second === Math.ceil(toNs / 1e9), 'an interval has the wrong second');
    // after a number of transfers, the steady state begins and ends earlier
    const mayBeEarly = warmupTransfers !== null;
    /** @type {Record<string, boolean>} */
    const isIn = {
      ramp: toNs <= rampToNs,
      warmup: fromNs >= rampToNs && toNs <= steadyFromNs,
      steady: fromNs >= (mayBeEarly ? rampToNs : steadyFromNs) && toNs <= steadyToNs,
      drain: true,
    };
    must(Object.hasOwn(isIn, phase) && isIn[phase], 'an interval is not in its phase');
  }
}

/** @param {Interval} interval whose transfers must be those of its list of requests */
function checkListed({ requests, counters }) {
  if (requests === undefined) return;
  must(Array.isArray(requests) && requests.length <= MOST_REQUESTS, 'its list of requests is invalid');
  for (const { failed, unfinished, statuses, responseTime } of requests.map(Object)) {
    must(isCount(failed) && isCount(unfinished), 'a request of the list is not counted');
    checkCounts(statuses, MOST_SUM);
    must(responseTime === null || isHistogram(responseTime), 'the times of a request of the list are not a histogram');
  }
  const replies = requests.flatMap(({ statuses }) => Object.values(statuses)).reduce((sum, n) => sum + n, 0);
  must(replies === (counters.transfers ?? 0), 'the transfers of its list of requests differ from its transfers');
}

/** @param {unknown} counts by name @param {number} max of each */
function checkCounts(counts, max) {
  must(isObject(counts), 'counts are missing');
  const entries = Object.entries(counts);
  must(entries.length <= MOST_NAMES, 'there are too many counts');
  for (const [name, value] of entries) {
    must(NAME.test(name) && isCount(value) && value <= max, `${name.slice(0, 64)} is not a possible count`);
  }
}

/** @param {unknown} histograms by name */
function checkHistograms(histograms) {
  must(isObject(histograms), 'histograms are missing');
  const entries = Object.entries(histograms);
  must(entries.length <= MOST_NAMES, 'there are too many histograms');
  for (const [name, histogram] of entries) {
    must(NAME.test(name), 'a histogram has no name');
    if (histogram !== null && histogram !== undefined) must(isHistogram(histogram), `${name} is not a histogram`);
  }
}

/**
 * @param {unknown} histogram
 * @returns {boolean} whether it has at most one value per bucket, and its extremes are in its buckets
 */
function isHistogram(histogram) {
  if (!isObject(histogram)) return false;
  const { values, counts, min, max, sum } = histogram;
  if (!(values instanceof Float64Array && counts instanceof Float64Array) || values.length !== counts.length)
    return false;
  if (values.length > LAST_BUCKET + 1) return false;
  let [lowest, highest] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i += 1) {
    if (!(isCount(values[i]) && isCount(counts[i]))) return false;
    const index = bucketOf(values[i]);
    lowest = Math.min(lowest, index);
    highest = Math.max(highest, index);
  }
  if (values.length === 0) return true;
  const isBetween = isCount(min) && isCount(max) && min <= max && isAmount(sum, MOST_SUM);
  return isBetween && bucketOf(min) === lowest && bucketOf(max) === highest;
}

/** @param {Interval} interval whose transfers and optional parts are checked */
function checkDetails({ random, slowest, merged, quietFromNs, quietToNs, tlsFailure, quotes, tenths }) {
  for (const rows of [random, slowest]) {
    const isRows =
      rows instanceof Float64Array && rows.length % ROW_WIDTH === 0 && rows.length <= MOST_ROWS * ROW_WIDTH;
    must(isRows && rows.every(Number.isFinite), 'the transfers of an interval are not rows of numbers');
  }
  const isTenths = tenths === undefined || (tenths instanceof Float64Array && tenths.length === TENTHS);
  must(isTenths && (tenths ?? []).every(isCount), 'the transfers of the tenths of its connections are not counts');
  const isQuiet = [quietFromNs, quietToNs].every((time) => time === undefined || Number.isFinite(time));
  must(isQuiet && (merged === undefined || typeof merged === 'boolean'), 'the silence of an interval is not a time');
  if (quotes !== undefined)
    must(Array.isArray(quotes) && quotes.every(isQuote), "a quote of the server's words is invalid");
  if (tlsFailure === undefined) return;
  const { cause, step, reason } = isObject(tlsFailure) ? tlsFailure : NOTHING;
  must(isOneOf(TLS_CAUSES, cause) && isOneOf(TLS_STEPS, step) && isText(reason), 'a failure of TLS has no cause');
}

/** @param {unknown} quote @returns {boolean} */
function isQuote(quote) {
  const { kind, state, atNs, bytes } = isObject(quote) ? quote : NOTHING;
  const isKnown = isOneOf(QUOTE_KINDS, kind) && isOneOf(QUOTE_STATES, state) && isCount(atNs);
  return isKnown && typeof bytes === 'string' && bytes.length <= QUOTE_BYTES && LATIN1.test(bytes);
}

/** @param {unknown} usage */
function checkUsage(usage) {
  must(isObject(usage), 'the usage of a worker is missing');
  const { cpuSeconds, engineCpuSeconds, waitSeconds, rssBytes, wallSeconds } = usage;
  const used = [cpuSeconds, engineCpuSeconds, waitSeconds, rssBytes, wallSeconds];
  must(
    used.every((value) => isAmount(value, MOST_USED)),
    'the usage of a worker is invalid',
  );
}

/**
 * @param {number} slots of the engine
 * @param {Record<string, number>} sums of its counters
 * @param {Interval} interval its last interval
 * @param {boolean} isSliced whether the leg takes turns; then some of its transfers are not timed
 */
function checkBooks(slots, sums, { counters, gauges, histograms }, isSliced) {
  const { attempts = 0, opened = 0, reopened = 0, abandoned = 0, lost = 0, transfers = 0, due = 0, late = 0 } = sums;
  const { failed = 0, unfinished = 0, logRows = 0, gaugesBelowZero = 0 } = sums;
  const { connecting = 0, open = 0, unanswered = 0, requested = 0, peakOpen = open } = gauges;
  const times = Array.from(histograms.responseTime?.counts ?? []).reduce((sum, count) => sum + count, 0);
  must(
    attempts === opened + sumOf(sums, 'rejects.', rejectCauses) + abandoned + connecting,
    'its attempts differ from those opened, rejected, abandoned and under way',
  );
  must(sumOf(sums, 'errors.', errorCauses) === lost, 'its errors differ from its lost connections');
  const { transfers: ended = 0, measured = 0 } = counters;
  must(isSliced ? times <= ended : times === ended, 'its response times differ from its transfers');
  must(measured <= ended, 'more transfers were measured than ended');
  must(opened - reopened <= slots && open <= slots && requested <= slots, 'it has more connections than planned');
  must(
    open <= peakOpen && peakOpen <= slots,
    'its largest number of connections is above the plan, or below the current number',
  );
  const { backingOff = 0, lostBackingOff = 0, queued = 0 } = gauges;
  must(
    open + connecting + backingOff + queued <= slots && lostBackingOff <= backingOff,
    'its connections are in more states than there are connections',
  );
  must(gaugesBelowZero === 0, 'more of its connections or transfers left a state than were in it');
  must(unanswered <= open, 'more connections are unanswered than open');
  must(late <= due, 'more requests were late than due');
  must(logRows <= transfers + failed + unfinished, 'its log has more rows than transfers');
}
