// Texts for parts of a leg's summary, for console and page: the server's model, and the connections that it serves.

import { followsProfile, isMeasured, leftUnserved, requestedAtEnd } from '../measure/leg-figures.js';
import { count } from './format.js';

/** @import { LegSummary } from '../../config/types.js' */

/** Up to this many legs are columns; more are rows. */
export const MAX_SIDE_BY_SIDE = 6;

/**
 * Unanswered connections up to this share of those requested do not make the response times look better.
 */
const MAX_UNANSWERED_SHARE = 0.01;

/** Text for a leg whose client was at its limit. */
export const CLIENT_WAS_LIMIT = 'the client was the limit';
/** The same, with the consequence. */
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
 * @returns {string | undefined} such as "serves 16 at once (threads)"; undefined if the server has room for all
 */
export function fewPlacesText({ serverModel, connections }) {
  const { concurrent = 'unbounded', by } = serverModel ?? {};
  if (concurrent === 'unbounded' || concurrent >= (connections?.requested ?? Infinity)) return undefined;
  return `serves ${count(concurrent)} at once${by ? ` (${by})` : ''}`;
}

/**
 * The text beside the figures of a server that left connections unserved and so may look fast.
 * @param {Partial<LegSummary>} leg
 * @returns {string | undefined} such as "serves 1 at once: 999 of 1,000 not served"; undefined if nearly all were
 *   answered
 */
export function servedOnlySome(leg) {
  const left = leftUnserved(leg);
  if (left === undefined || !isMeasured(leg)) return undefined;
  // When a profile falls, unanswered connections stay open longest.
  const of = followsProfile(leg) ? Math.max(requestedAtEnd(leg), leg.connections.openAtEnd) : leg.connections.requested;
  if (!(left > of * MAX_UNANSWERED_SHARE)) return undefined;
  const places = fewPlacesText(leg);
  return `${places ? `${places}: ` : ''}${count(left)} of ${count(of)} not served`;
}
