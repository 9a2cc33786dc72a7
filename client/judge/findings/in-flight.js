// Whether most connections of a closed loop had a request in flight, by Little's law.

import { inFlight, inFlightShare } from '../../measure/leg-figures.js';
import { count, counted, duration } from '../../words/format.js';
import { timesText } from '../../words/lists.js';
import { RESPONSE_TIMES } from './finding.js';

/**
 * @import { LegSummary } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/**
 * @typedef {object} FewInFlight
 * @property {number} inFlight
 * @property {number} connections  multiplied by the requests that each may have in flight
 * @property {'unanswered' | 'lost' | 'slices' | 'client'} why
 * @property {number} [waiting]  connections without a reply
 * @property {number} [lost]  number of lost connections; a connection may be lost several times
 * @property {number} [lengthNs]  of a slice
 * @property {number} [gapNs]  from a reply to the next request
 */

/** Below this share, a connection spends most of its time between a reply and the next request. */
const LEAST_SHARE = 0.5;
/** A slice with fewer replies per connection, on average, is too short for the loop. */
const LEAST_CYCLES = 8;

/** @param {Pick<LegSummary, 'steady' | 'slices' | 'connections'>} leg @returns {FewInFlight | undefined} */
export function fewInFlightOf({ steady, slices, connections }) {
  const share = inFlightShare(steady);
  if (steady === undefined || share === undefined || share >= LEAST_SHARE) return undefined;
  const mean = Number(inFlight(steady));
  const mostInFlight = Number(steady.mostInFlight);
  const waiting = connections?.unansweredAtEnd ?? 0;
  const answered = mostInFlight * (1 - Math.min(1, waiting / Math.max(1, connections?.openAtEnd ?? 0)));
  const data = { inFlight: mean, connections: mostInFlight };
  if (mean >= LEAST_SHARE * answered) return { ...data, why: 'unanswered', waiting };
  const lost = connections?.lost ?? 0;
  if (lost >= mostInFlight) return { ...data, why: 'lost', lost };
  const cycleNs = (answered * 1e9) / steady.perSecond;
  const { lengthNs = Infinity, settleInNs = 0, settleOutNs = 0 } = slices ?? {};
  if (lengthNs - settleInNs - settleOutNs < LEAST_CYCLES * cycleNs) return { ...data, why: 'slices', lengthNs };
  const gapNs = cycleNs - Number(steady.responseTimeNs?.mean);
  return { ...data, why: 'client', gapNs };
}

/** @type {Readonly<Record<FewInFlight['why'], (data: FewInFlight) => string>>} */
const REASONS = {
  unanswered: ({ waiting = 0 }) => `${counted(waiting, 'connection')} had no reply`,
  lost: ({ lost = 0 }) => `they were lost ${timesText(lost)} and reopened after a pause`,
  slices: ({ lengthNs }) => `a slice of ${duration(lengthNs)} is too short for the loop`,
  client: ({ gapNs }) => `the client took ${duration(gapNs)} between reply and next request`,
};

/** @type {Readonly<Record<FewInFlight['why'], string | undefined>>} */
const REMEDIES = {
  unanswered: undefined,
  lost: undefined,
  slices: 'Leave --interleave out, or measure one server after the other (--interleave off).',
  client: 'Give the client CPUs of its own (pin), or measure on a machine with more of them.',
};

/** @type {Row<FewInFlight>} */
export const fewInFlight = {
  code: 'few-in-flight',
  severity: 'caution',
  isOfTrust: true,
  when:
    'in a closed loop without pause, fewer than half of the connections had a request in flight on average ' +
    '(throughput × mean response time): connections had no reply, slices were too short, or the client took long from a ' +
    'reply to the next request',
  ofSamples: fewInFlightOf,
  text: (data) =>
    `on average ${count(Math.round(data.inFlight))} of ${count(data.connections)} connections awaited a reply that came: ${REASONS[data.why](data)}`,
  remedy: ({ why }) => REMEDIES[why],
  charts: RESPONSE_TIMES,
};
