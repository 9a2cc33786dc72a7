// The figures that a condition may name: the unit of each, where it is in a leg's summary and in a sample of one second,
// and what a run must have for it to be measured. Pure.
// The one thing to know: a figure that was not measured is undefined, which is never as good as zero.

import { errorCauses, rejectCauses, statusNames } from '../../measure/counters.js';
import { kneeOfRounds } from '../../measure/knee-rounds.js';
import { failedShare, heldAtEnd, isMeasured, percentileHolds, unansweredAtEnd } from '../../measure/leg-figures.js';
import { Histogram } from '../../measure/histogram.js';

/**
 * @typedef {Partial<import('../../../config/types.js').LegSummary> & { found?: import('../search/index.js').Found }} Leg  found: the answer of a search, which
 *   is judged in place of legs
 * @typedef {import('../../measure/sample.js').Sample} Sample
 * @typedef {{ above: number, infinite: boolean, orEqual?: true }} Above  more than a number. infinite: beyond every limit, as a
 *   percentile that reads "> max" because too many have no reply; otherwise how much more is not known; orEqual: it may also
 *   be that number
 * @typedef {number | string | Above | undefined} Value  in ns, bytes, bytes a second, counts, shares
 * @typedef {'duration' | 'rate' | 'throughput' | 'size' | 'count' | 'share' | 'cpu' | 'side'} Unit
 * @typedef {'open loop' | 'kinds of replies' | 'steps' | 'transfers' | 'TLS' | 'server process' | 'search for a rate' | 'search for connections'} Need
 * @typedef {Exclude<keyof import('../../../config/types.js').Times, 'intervals'>} Percentile  a key of the summary's times
 * @typedef {object} Figure
 * @property {string} name
 * @property {Unit} unit
 * @property {'median' | 'most' | 'least'} rounds  of the rounds of a case: the median, or the worst of them
 * @property {(leg: Leg) => Value} of
 * @property {(legs: Leg[]) => Value} [ofRounds]  where the values of single rounds are not enough
 * @property {(sample: Sample) => Value} [ofSample]  absent: it is known only at the end of a leg
 * @property {Need} [needs]
 * @property {string} [unknown]  what it is where it is not known; absent: not measured
 */

/** @param {Leg} leg @returns {import('../../measure/leg-figures.js').Figures | undefined} the figures of its steady state; of workload once, of the whole leg */
const spanOf = (leg) => leg.wholeLeg ?? leg.steady;

/** @param {import('../../measure/leg-figures.js').Outcomes} counts @returns {boolean} whether no request was begun */
const isIdle = ({ transfers, failed, unfinished, unsent = 0 }) => transfers + failed + unfinished + unsent === 0;

/**
 * A percentile of response times: more than any that was measured, where too many requests have no reply.
 * @param {string} name @param {Percentile} key @param {number} percent
 * @returns {Figure}
 */
function responseTime(name, key, percent) {
  return {
    name,
    unit: 'duration',
    rounds: 'median',
    needs: 'transfers',
    of: (leg) => {
      const span = spanOf(leg);
      if (span === undefined || isIdle(span)) return undefined;
      const times = span.responseTimeNs;
      if (percentileHolds(span, percent)) return times?.[key];
      return { above: times?.max ?? 0, infinite: true };
    },
    ofSample: ({ counters, histograms }) => {
      if (isIdle(counters)) return undefined;
      const times = Histogram.fromLine(histograms.responseTime);
      if (!percentileHolds(counters, percent)) {
        return { above: times.count === 0 ? 0 : times.max, infinite: true };
      }
      return times.count === 0 ? undefined : times.percentiles([percent])[0];
    },
  };
}

/** @param {string} name @param {Percentile} key @param {number} percent @returns {Figure} of the time to connect */
function connectTime(name, key, percent) {
  return {
    name,
    unit: 'duration',
    rounds: 'median',
    of: ({ connectTimeNs, attempts }) => {
      if (attempts === undefined || attempts.total === 0) return undefined;
      const share = (attempts.rejected + attempts.abandoned) / attempts.total;
      if (share > 1 - percent / 100 + 1e-12) return { above: connectTimeNs?.max ?? 0, infinite: true };
      return connectTimeNs?.[key];
    },
    ofSample: ({ histograms }) => {
      const times = Histogram.fromLine(histograms.connectTime);
      return times.count === 0 ? undefined : times.percentiles([percent])[0];
    },
  };
}

/** @param {number} fromNs @param {number} toNs @returns {number} */
const seconds = (fromNs, toNs) => (toNs - fromNs) / 1e9;

/** @param {string} name @param {'client' | 'server'} side @returns {Figure} in cores */
const cpu = (name, side) => ({
  name,
  unit: 'cpu',
  rounds: 'median',
  ...(side === 'server' ? { needs: /** @type {const} */ ('server process') } : {}),
  of: (leg) => {
    const span = spanOf(leg);
    const use = span?.[side];
    if (span === undefined || use === undefined || span.toNs <= span.fromNs) return undefined;
    return use.cpuSeconds / seconds(span.fromNs, span.toNs);
  },
  ofSample: (sample) => {
    const use = sample[side];
    const length = seconds(sample.fromNs, sample.toNs);
    return use && length > 0 ? use.cpuSeconds / length : undefined;
  },
});

/** @param {Record<string, number>} counts @returns {number} */
const total = (counts) => Object.values(counts).reduce((sum, n) => sum + n, 0);

/**
 * @template {'rejects' | 'errors'} K
 * @param {K} kind @param {readonly (keyof Sample[K] & string)[]} causes
 * @returns {Figure[]} all of them, and those of each cause
 */
const failures = (kind, causes) => [
  {
    name: kind,
    unit: 'count',
    rounds: 'most',
    of: (leg) => leg[kind]?.total,
    ofSample: (sample) => total(sample[kind]),
  },
  ...causes.map(
    (cause) =>
      /** @type {Figure} */ ({
        name: `${kind}.${cause}`,
        unit: 'count',
        rounds: 'most',
        of: (leg) =>
          leg[kind] === undefined ? undefined : (/** @type {Record<string, number>} */ (leg[kind])[cause] ?? 0),
        ofSample: (sample) => /** @type {Record<string, number>} */ (sample[kind])[cause],
      }),
  ),
];

/** @param {'late' | 'unsent'} name of a counter of the requests of a rate @returns {Figure} */
const ofRate = (name) => ({
  name,
  unit: 'count',
  rounds: 'most',
  needs: 'open loop',
  of: (leg) => spanOf(leg)?.[name],
});

/**
 * The answer of a search, judged once for each server: the greatest value that held; 0 where none did.
 * @param {'rate' | 'connections'} axis @param {Unit} unit @param {Need} needs
 * @returns {Figure}
 */
const found = (axis, unit, needs) => ({
  name: `found ${axis}`,
  unit,
  unknown: 'no answer',
  rounds: 'least',
  needs,
  of: ({ found: answer }) => {
    if (!answer?.decided) return undefined;
    if (answer.held === undefined) return 0;
    return answer.failed === undefined
      ? { above: answer.held.value, infinite: false, orEqual: true }
      : answer.held.value;
  },
});

/** Those that are of a search, not of a leg. @param {Figure} figure @returns {boolean} */
export const isOfSearch = ({ needs }) => needs === 'search for a rate' || needs === 'search for connections';

/** @type {readonly Figure[]} */
export const figures = Object.freeze([
  responseTime('p50', 'p50', 50),
  responseTime('p90', 'p90', 90),
  responseTime('p95', 'p95', 95),
  responseTime('p99', 'p99', 99),
  responseTime('p99.9', 'p99_9', 99.9),
  responseTime('p99.99', 'p99_99', 99.99),
  responseTime('max', 'max', 100),
  {
    name: 'mean',
    unit: 'duration',
    rounds: 'median',
    needs: 'transfers',
    of: (leg) => spanOf(leg)?.responseTimeNs?.mean,
  },
  {
    name: 'service p50',
    unit: 'duration',
    rounds: 'median',
    needs: 'open loop',
    of: (leg) => spanOf(leg)?.serviceTimeNs?.p50,
  },
  {
    name: 'service p99',
    unit: 'duration',
    rounds: 'median',
    needs: 'open loop',
    of: (leg) => spanOf(leg)?.serviceTimeNs?.p99,
  },
  connectTime('connect p50', 'p50', 50),
  connectTime('connect p99', 'p99', 99),
  connectTime('connect max', 'max', 100),
  {
    name: 'handshake p99',
    unit: 'duration',
    rounds: 'median',
    needs: 'TLS',
    of: ({ handshakeTimeNs }) => handshakeTimeNs?.p99,
  },
  {
    name: 'rate',
    unit: 'rate',
    rounds: 'median',
    needs: 'transfers',
    of: (leg) => spanOf(leg)?.perSecond,
    ofSample: ({ counters, fromNs, toNs }) => (toNs > fromNs ? counters.transfers / seconds(fromNs, toNs) : undefined),
  },
  {
    name: 'throughput',
    unit: 'throughput',
    rounds: 'median',
    needs: 'transfers',
    of: (leg) => spanOf(leg)?.bytesPerSecond,
    ofSample: ({ counters, fromNs, toNs }) =>
      toNs > fromNs ? counters.bytesReceived / seconds(fromNs, toNs) : undefined,
  },
  { name: 'transfers', unit: 'count', rounds: 'least', needs: 'transfers', of: (leg) => spanOf(leg)?.transfers },
  ...failures('rejects', rejectCauses),
  ...failures('errors', errorCauses),
  {
    name: 'failed',
    unit: 'count',
    rounds: 'most',
    of: (leg) => {
      const span = spanOf(leg);
      return span && span.failed + span.unfinished + (span.unsent ?? 0);
    },
    ofSample: ({ counters }) => counters.failed,
  },
  {
    name: 'failed share',
    unit: 'share',
    rounds: 'most',
    of: (leg) => {
      const span = spanOf(leg);
      return span && failedShare(span);
    },
    ofSample: ({ counters }) => failedShare(counters),
  },
  {
    name: 'served',
    unit: 'count',
    rounds: 'least',
    needs: 'transfers',
    of: (leg) =>
      leg.account?.served ?? (isMeasured(leg) ? Math.max(0, heldAtEnd(leg) - unansweredAtEnd(leg)) : undefined),
    ofSample: ({ gauges }) => gauges.open - gauges.unanswered,
  },
  {
    name: 'unanswered',
    unit: 'count',
    rounds: 'most',
    of: (leg) => (isMeasured(leg) ? unansweredAtEnd(leg) : undefined),
    ofSample: ({ gauges }) => gauges.unanswered,
  },
  {
    name: 'open',
    unit: 'count',
    rounds: 'least',
    of: (leg) => (isMeasured(leg) ? heldAtEnd(leg) : undefined),
    ofSample: ({ gauges }) => gauges.open,
  },
  {
    name: 'lost',
    unit: 'count',
    rounds: 'most',
    of: ({ connections }) => connections?.lost,
    ofSample: ({ counters }) => counters.lost,
  },
  {
    name: 'knee',
    unit: 'count',
    unknown: 'not determined',
    rounds: 'median',
    needs: 'steps',
    of: ({ ramp }) => {
      if (ramp === undefined || ramp.knee === undefined) return undefined;
      if (ramp.knee !== null) return ramp.knee.requested;
      const last = ramp.steps?.at(-1);
      return last && { above: last.requested, infinite: false };
    },
    ofRounds: (legs) => {
      const found = kneeOfRounds(legs.map(({ ramp }) => ramp ?? null));
      if (found === undefined || found.values.includes(null)) return undefined;
      return found.above === undefined ? found.requested : { above: found.above, infinite: false };
    },
  },
  ofRate('late'),
  ofRate('unsent'),
  ...statusNames.map(
    (kind) =>
      /** @type {Figure} */ ({
        name: `replies.${kind}`,
        unit: 'count',
        rounds: ['2xx', '3xx', 'ok'].includes(kind) ? 'least' : 'most',
        needs: 'kinds of replies',
        of: ({ statuses }) => statuses && (statuses[kind] ?? 0),
        ofSample: ({ statuses }) => statuses?.[kind] ?? 0,
      }),
  ),
  cpu('server CPU', 'server'),
  cpu('client CPU', 'client'),
  {
    name: 'server memory',
    unit: 'size',
    rounds: 'most',
    needs: 'server process',
    of: ({ serverUse }) => serverUse?.peakRssBytes,
    ofSample: ({ server }) => server?.rssBytes,
  },
  {
    name: 'limited by',
    unit: 'side',
    rounds: 'most',
    of: ({ limitedBy }) => limitedBy,
    ofSample: ({ limitedBy }) => limitedBy,
  },
  found('rate', 'rate', 'search for a rate'),
  found('connections', 'count', 'search for connections'),
]);

/** @param {string} name @returns {string} in lower case, without spaces, dashes and underscores */
const plain = (name) => name.toLowerCase().replace(/[\s_-]/g, '');

const byName = new Map(figures.map((figure) => [plain(figure.name), figure]));

/** @param {string} name as written, such as `connect p99`, `limitedBy` @returns {Figure | undefined} */
export const figureOf = (name) => byName.get(plain(name));
