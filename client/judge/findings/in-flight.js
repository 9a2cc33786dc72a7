// Whether a closed loop looped: by Little's law, whether most of its connections had a request in flight. Pure.

import { inFlight, inFlightShare } from '../../measure/leg-figures.js';
import { finding } from './finding.js';

/** @import { Finding, LegSummary } from '../../../config/types.js' */

/**
 * @typedef {object} FewInFlight
 * @property {number} inFlight
 * @property {number} connections  times the requests that each may have in flight
 * @property {'unanswered' | 'lost' | 'slices' | 'client'} why
 * @property {number} [waiting]  connections without a reply
 * @property {number} [lost]  connections, each as often as it was
 * @property {number} [lengthNs]  of a slice
 * @property {number} [gapNs]  from a reply to the next request
 */

/** From this share on most of the time of a connection is between its reply and the next request. */
const LEAST_SHARE = 0.5;
/** A slice in which each connection has fewer replies on average is too short for the loop. */
const LEAST_CYCLES = 8;

/** @param {LegSummary} leg measured @returns {Finding[]} one at most */
export function inFlightFindings({ steady, slices, connections }) {
  const share = inFlightShare(steady);
  if (steady === undefined || share === undefined || share >= LEAST_SHARE) return [];
  const mean = Number(inFlight(steady));
  const most = Number(steady.mostInFlight);
  const waiting = connections?.unansweredAtEnd ?? 0;
  const answered = most * (1 - Math.min(1, waiting / Math.max(1, connections?.openAtEnd ?? 0)));
  const data = { inFlight: mean, connections: most };
  if (mean >= LEAST_SHARE * answered) return [finding('few-in-flight', { ...data, why: 'unanswered', waiting })];
  const lost = connections?.lost ?? 0;
  if (lost >= most) return [finding('few-in-flight', { ...data, why: 'lost', lost })];
  const cycleNs = (answered * 1e9) / steady.perSecond;
  const { lengthNs = Infinity, settleInNs = 0, settleOutNs = 0 } = slices ?? {};
  if (lengthNs - settleInNs - settleOutNs < LEAST_CYCLES * cycleNs)
    return [finding('few-in-flight', { ...data, why: 'slices', lengthNs })];
  const gapNs = cycleNs - Number(steady.responseTimeNs?.mean);
  return [finding('few-in-flight', { ...data, why: 'client', gapNs })];
}
