// Whether the replies are those that were requested: a server that answers every request with an error is quick; and
// what it said instead. Pure. A miss of a cache is a valid reply to a key that is not in it, and no finding.

import { isFailure, unwantedReplies } from '../../words/replies.js';
import { finding } from './finding.js';

/** @import { Finding, Quote } from '../../../config/types.js' */

/** From this share of redirects on, they are hardly what was to be measured. */
const MOST_REDIRECTS = 0.5;

/** @param {Quote[]} [quotes] of a leg @returns {Finding[]} `server-said`, with all quotes but targets of redirects */
export function quoteFindings(quotes = []) {
  const said = quotes.filter(({ kind }) => kind !== 'redirect');
  return said.length === 0 ? [] : [finding('server-said', { quotes: said })];
}

/**
 * @param {Record<string, number> | undefined} statuses counts by kind
 * @param {Record<string, number>} [codes] by status code
 * @returns {Finding[]} one at most
 */
export function replyFindings(statuses, codes) {
  const unwanted = unwantedReplies(statuses, codes).filter(({ kind }) => isFailure(kind));
  if (unwanted.length === 0) return [];
  const kinds = Object.fromEntries(unwanted.map(({ kind }) => [kind, codes?.[kind] ?? statuses?.[kind] ?? 0]));
  const count = Object.values(kinds).reduce((sum, n) => sum + n, 0);
  const share = unwanted.reduce((sum, one) => sum + one.share, 0);
  return [finding('unwanted-replies', { count, share: Math.min(1, share), kinds })];
}

/**
 * @param {Record<string, number> | undefined} statuses counts by kind
 * @param {Quote[]} [quotes] of a leg
 * @returns {Finding[]} one at most
 */
export function redirectFindings({ total = 0, '3xx': redirects = 0 } = {}, quotes = []) {
  const share = redirects / Math.max(1, total);
  if (share <= MOST_REDIRECTS) return [];
  const target = quotes.find(({ kind }) => kind === 'redirect')?.text;
  return [finding('redirects', { share, ...(target !== undefined && { target }) })];
}
