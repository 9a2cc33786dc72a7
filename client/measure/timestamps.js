// Splits response times by the kernel's timestamps, on a sample of transfers. The client's part of a percentile is the
// amount by which that percentile would be lower if requests left at once and replies were read at once. Both sides are
// percentiles of the same transfers, so the parts add up.

import { leftOutCauses } from './fields.js';
import { addHistograms, present, withTotal } from './sums.js';
import { timesOf } from './histogram.js';

/** @import { ClientPart, Figures, Sample, Times } from '../../config/types.js' */

/**
 * @typedef {NonNullable<Figures['timestamps']>} Timestamps
 * @typedef {{ histograms: Partial<Sample['histograms']>, timestampsLeftOut?: Sample['timestampsLeftOut'] }} TimedSample
 */
/** The fewest transfers for which a percentile is stated. */
const MIN_SAMPLED = Object.freeze({ p50: 30, p99: 1000 });
/** A larger share of a percentile is a finding. */
const MAX_CLIENT_SHARE = 0.2;

/** The response times of the transfers that were split, and their parts. */
export const SPLITS = /** @type {const} */ ([
  ...['splitResponse', 'sendDelay', 'networkAndServer', 'receiveDelay', 'connectionWait', 'withoutClient'],
]);
export const PERCENTILES = Object.freeze(/** @type {const} */ (['p50', 'p99']));

/**
 * @param {TimedSample[]} samples those whose response times count
 * @returns {Timestamps | undefined} undefined if no transfer was to be split
 */
export function timestampsOf(samples) {
  const [response, send, networkAndServer, receive, wait, without] = SPLITS.map((name) => addHistograms(samples, name));
  const counts = leftOutCauses.map(
    (cause) =>
      /** @type {[string, number]} */ ([
        cause,
        samples.reduce((sum, { timestampsLeftOut = {} }) => sum + (timestampsLeftOut[cause] ?? 0), 0),
      ]),
  );
  const leftOut = Object.fromEntries(counts.filter(([, n]) => n > 0));
  if (response.count === 0 && Object.keys(leftOut).length === 0) return undefined;
  const responseTimeNs = timesOf(response);
  const withoutClientNs = timesOf(without.count > 0 ? without : networkAndServer); // the same in closed loop
  return {
    sampled: response.count,
    ...(Object.keys(leftOut).length > 0 ? { leftOut: withTotal(leftOut) } : {}),
    ...present('responseTimeNs', responseTimeNs),
    ...present('sendDelayNs', timesOf(send)),
    ...present('networkAndServerNs', timesOf(networkAndServer)),
    ...present('receiveDelayNs', timesOf(receive)),
    ...present('connectionWaitNs', timesOf(wait)),
    ...present('clientPart', responseTimeNs && withoutClientNs && clientPartOf(responseTimeNs, withoutClientNs)),
  };
}

/**
 * @param {Times} response @param {Times} without the client's part
 * @returns {{ p50?: ClientPart, p99?: ClientPart } | undefined}
 */
function clientPartOf(response, without) {
  const parts = PERCENTILES.filter((name) => response.count >= MIN_SAMPLED[name]).map((name) => {
    const clientNs = Math.max(0, response[name] - without[name]); // buckets of histograms are 0.1 % wide
    return [name, { responseNs: response[name], clientNs, share: response[name] > 0 ? clientNs / response[name] : 0 }];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

/**
 * @param {Timestamps | undefined} timestamps
 * @returns {{ percentile: 'p50' | 'p99', responseNs: number, clientNs: number, share: number }[]} the percentiles with
 *   too large a client's part
 */
export const largeClientParts = (timestamps) =>
  PERCENTILES.flatMap((percentile) => {
    const part = timestamps?.clientPart?.[percentile];
    return part !== undefined && part.share > MAX_CLIENT_SHARE ? [{ percentile, ...part }] : [];
  });
