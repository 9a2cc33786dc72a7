// How much of a response time the client caused, by sending late and reading the reply late, from kernel timestamps.

import { largeClientParts, timestampsOf } from '../../measure/timestamps.js';
import { counted, percent } from '../../words/format.js';
import { joinNames } from '../../words/lists.js';

/**
 * @import { ClientPart, Sample, Times } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/** Includes the drain, in which requests of the steady state are still answered. @param {Sample} sample */
const isTimed = ({ phase }) => phase === 'steady' || phase === 'drain';

/**
 * @type {Row<{ parts: (ClientPart & { percentile: string })[], sendDelayNs: number, receiveDelayNs: number,
 *   networkAndServerNs: number, sampled: number }>} the delays are medians
 */
export const clientDelay = {
  code: 'client-delay',
  severity: 'caution',
  isOfTrust: true,
  when: "with `timestamps`: more than a fifth of the p50 or p99 response time is the client's own",
  ofSamples: (_leg, { timed, load: { workload } }) => {
    const timestamps = timestampsOf(workload === 'once' ? timed : timed.filter(isTimed));
    const parts = largeClientParts(timestamps);
    if (timestamps === undefined || parts.length === 0) return undefined;
    const { sampled, sendDelayNs, receiveDelayNs, networkAndServerNs } = timestamps;
    const median = (/** @type {Times | undefined} */ times) => times?.p50 ?? 0;
    return {
      parts,
      sampled,
      sendDelayNs: median(sendDelayNs),
      receiveDelayNs: median(receiveDelayNs),
      networkAndServerNs: median(networkAndServerNs),
    };
  },
  text: ({ parts, sampled }) =>
    `the client caused ${joinNames(parts.map(({ percentile, share }) => `${percent(share, 2)} of the ${percentile}`))} response time, by kernel timestamps of ${counted(sampled, 'transfer')}`,
  remedy:
    'Compare by server CPU per transfer, or at a --rate below what each server can do; or give the client more workers, or CPUs of its own (pin).',
  charts: ['time-parts'],
};
