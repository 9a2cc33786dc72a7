// Whether the client itself caused a large part of the response times, by kernel timestamps. Pure.

import { largeClientParts, timestampsOf } from '../../measure/timestamps.js';
import { finding } from './finding.js';

/** @typedef {import('../../measure/sample.js').Sample} Sample */

/** What was in flight at the end of the steady state is answered in the drain. @param {Sample} sample */
const isTimed = ({ phase }) => phase === 'steady' || phase === 'drain';

/**
 * @param {Sample[]} samples of a leg @param {{ workload?: string }} load in workload once the figures are of the whole leg
 * @returns {import('./finding.js').Finding[]} one at most
 */
export function clientDelayFindings(samples, { workload }) {
  const timestamps = timestampsOf(workload === 'once' ? samples : samples.filter(isTimed));
  const parts = largeClientParts(timestamps);
  if (timestamps === undefined || parts.length === 0) return [];
  const { sampled, sendDelayNs, receiveDelayNs, networkAndServerNs } = timestamps;
  const median = (/** @type {import('../../measure/times.js').Times | undefined} */ times) => times?.p50 ?? 0;
  return [
    finding('client-delay', {
      parts,
      sampled,
      sendDelayNs: median(sendDelayNs),
      receiveDelayNs: median(receiveDelayNs),
      networkAndServerNs: median(networkAndServerNs),
    }),
  ];
}
