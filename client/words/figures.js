// The figures of a leg's summary in words: models, places, the client as the limit. Pure; for console and page.

import { followsProfile, isMeasured, leftUnserved, requestedAtEnd } from '../measure/leg-figures.js';
import { count } from './format.js';

/** @import { LegSummary } from '../../config/types.js' */

/** Up to this many legs are shown side by side; more are listed below each other. */
export const MAX_SIDE_BY_SIDE = 6;

/**
 * Below this share of those requested, unanswered connections do not make the response times of the others look better.
 */
const MAX_UNANSWERED_SHARE = 0.01;

/** Of a leg in which the client could not do more. */
export const CLIENT_WAS_LIMIT = 'the client was the limit';
/** What follows from that. */
export const SERVER_MAY_DO_MORE = `${CLIENT_WAS_LIMIT}, so the server may do more`;

/**
 * @param {{serverModel?: LegSummary['serverModel']}} leg
 * @returns {string | undefined} such as "epoll, one thread", or "4 processes, each: epoll, one thread"; undefined
 *   without a manifest
 */
export function modelText({ serverModel }) {
  if (!serverModel) return undefined;
  const { model, processes, descriptors } = serverModel;
  if (processes === undefined) return model;
  const why = descriptors === undefined ? '' : ` (one may have ${count(descriptors)} descriptors)`;
  return `${count(processes)} processes${why}, each: ${model}`;
}

/**
 * @param {Pick<LegSummary, 'serverModel'>} leg
 * @returns {string | undefined} such as "16 threads", "unbounded"; undefined without a manifest
 */
export function placesText({ serverModel }) {
  if (!serverModel) return undefined;
  const { concurrent, by } = serverModel;
  if (concurrent === 'unbounded') return concurrent;
  return by ? `${count(concurrent)} ${by}` : count(concurrent);
}

/**
 * @param {Partial<LegSummary>} leg
 * @returns {string | undefined} of a server that serves fewer at once than were requested
 */
export function fewPlacesText({ serverModel, connections }) {
  const { concurrent = 'unbounded', by } = serverModel ?? {};
  if (concurrent === 'unbounded' || concurrent >= (connections?.requested ?? Infinity)) return undefined;
  return `serves ${count(concurrent)} at once${by ? ` (${by})` : ''}`;
}

/**
 * What keeps a server from looking fast that served only some.
 * @param {Partial<LegSummary>} leg
 * @returns {string | undefined} such as "serves 1 at once: 999 of 1,000 not served"; undefined where nearly all were
 *   answered
 */
export function servedOnlySome(leg) {
  const left = leftUnserved(leg);
  if (left === undefined || !isMeasured(leg)) return undefined;
  // Where a profile falls, unanswered connections stay open longest.
  const of = followsProfile(leg) ? Math.max(requestedAtEnd(leg), leg.connections.openAtEnd) : leg.connections.requested;
  if (!(left > of * MAX_UNANSWERED_SHARE)) return undefined;
  const places = fewPlacesText(leg);
  return `${places ? `${places}: ` : ''}${count(left)} of ${count(of)} not served`;
}
