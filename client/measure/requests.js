// The figures of each request of a list. Requests that a dead worker had in flight belong to none, because it is
// unknown which ones they were.

import { Histogram, timesOf } from './histogram.js';
import { coveredSamples } from './part-figures.js';
import { whileMeasured } from './slices.js';
import { present, sumEach, withTotal } from './sums.js';

/**
 * @import { Causes, LegSummary, Sample } from '../../config/types.js'
 * @import { Recorded } from './histogram.js'
 */

/**
 * @typedef {NonNullable<Sample['requests']>[number]} RequestSample
 * @typedef {NonNullable<LegSummary['requests']>[number]} RequestSummary
 * @typedef {{ failed: number, unfinished: number, statuses: Record<string, number>, responseTime: Recorded | null }}
 *   RequestInterval as an engine reports it
 * @typedef {{ failed: number, unfinished: number, statuses: Record<string, number>, responseTime: Histogram }}
 *   MergedRequest
 * @typedef {{ protocolOptions?: { requests?: { name: string }[] } }} Load  of the scenario
 */

/** @param {MergedRequest[]} merged changed in place @param {RequestInterval[]} [reported] by one engine */
export function addRequests(merged, reported = []) {
  reported.forEach(({ failed, unfinished, statuses, responseTime }, i) => {
    const sum = (merged[i] ??= { failed: 0, unfinished: 0, statuses: {}, responseTime: new Histogram() });
    sum.failed += failed;
    sum.unfinished += unfinished;
    sum.statuses = sumEach(sum.statuses, statuses);
    sum.responseTime.add(responseTime);
  });
}

/** @param {MergedRequest[]} merged @returns {{ requests?: RequestSample[] }} empty without a list */
export const requestSamples = (merged) =>
  merged.length === 0
    ? {}
    : {
        requests: merged.map(({ failed, unfinished, statuses, responseTime }) => ({
          // in slices not every reply has a time
          transfers: Object.values(statuses).reduce((sum, n) => sum + n, 0),
          ...{ failed, unfinished, statuses, responseTime: responseTime.toLine() },
        })),
      };

/**
 * @param {RequestSample[] | undefined} a
 * @param {RequestSample[] | undefined} b
 * @returns {RequestSample[] | undefined} the sum of both, without histograms
 */
export function joinedRequests(a, b) {
  if (a === undefined || b === undefined) return a ?? b;
  return a.map((request, i) => ({
    ...{ transfers: request.transfers + b[i].transfers, failed: request.failed + b[i].failed },
    ...{ unfinished: request.unfinished + b[i].unfinished, statuses: sumEach(request.statuses, b[i].statuses) },
    responseTime: null,
  }));
}

/** @param {RequestSample[]} parts @returns {Causes | undefined} */
function statusesOf(parts) {
  const sums = parts.reduce((sum, { statuses }) => sumEach(sum, statuses), /** @type {Record<string, number>} */ ({}));
  return Object.keys(sums).length === 0 ? undefined : withTotal(sums);
}

/**
 * @param {{ slices?: unknown }} leg as planned @param {Sample[]} samples @param {Load & { workload?: string }} load
 * @returns {RequestSummary[] | undefined} undefined without a list
 */
export function requestSummaries({ slices }, samples, load) {
  const listed = load.protocolOptions?.requests;
  const reported = samples.filter(({ requests }) => requests !== undefined);
  if (listed === undefined || listed.length < 2 || reported.length === 0) return undefined;
  const { span, drain } = coveredSamples(samples, load);
  const { transfers: loaded, ns } = whileMeasured(span);
  const inRate =
    loaded /
    Math.max(
      1,
      span.reduce((sum, { counters }) => sum + counters.transfers, 0),
    );
  return listed.map(({ name }, i) => {
    const of = (/** @type {Sample[]} */ list) => list.flatMap(({ requests }) => requests?.[i] ?? []);
    const sum = (/** @type {Sample[]} */ list, /** @type {'transfers' | 'failed' | 'unfinished'} */ key) =>
      of(list).reduce((total, part) => total + part[key], 0);
    const transfers = sum(span, 'transfers');
    const times = Histogram.ofLines(of([...span, ...drain]).map(({ responseTime }) => responseTime));
    return {
      name,
      transfers: {
        count: sum(samples, 'transfers'),
        failed: sum(samples, 'failed'),
        unfinished: sum(samples, 'unfinished'),
      },
      ...present('statuses', statusesOf(of(samples))),
      figures: {
        transfers,
        failed: sum(span, 'failed') + sum(drain, 'failed'),
        unfinished: sum(span, 'unfinished') + sum(drain, 'unfinished'),
        perSecond: ns > 0 ? (transfers * inRate * 1e9) / ns : 0,
        ...present('statuses', statusesOf(of(span))),
        ...present('responseTimeNs', timesOf(times)),
      },
      ...present('responseTime', slices === undefined ? undefined : (times.toLine() ?? undefined)),
    };
  });
}
