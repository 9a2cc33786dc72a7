// The kinds of replies, next to their response times: a server that rejects requests quickly must not look fast. Pure.

import { percent } from './format.js';

/** Kinds that were requested. The others are whole replies too, such as an error message. */
const WANTED_KINDS = ['2xx', '3xx', 'ok'];

/** Nothing was found, which is a valid reply to a key that is not there. */
const VALID_KINDS = ['miss'];

/** @param {string} kind of replies @returns {boolean} */
export const isWanted = (kind) => WANTED_KINDS.includes(kind);

/** @param {string} kind of replies @returns {boolean} whether the request has failed, such as by 5xx */
export const isFailure = (kind) => !isWanted(kind) && !VALID_KINDS.includes(kind);

/**
 * @param {Record<string, number> | undefined} statuses counts by kind, perhaps with their total
 * @returns {Array<{ kind: string, share: number }>} the most frequent first; empty where the protocol has no kinds
 */
function replyShares(statuses) {
  const seen = Object.entries(statuses ?? {}).filter(([kind, n]) => kind !== 'total' && n > 0);
  const total = seen.reduce((sum, [, n]) => sum + n, 0);
  return seen.sort((a, b) => b[1] - a[1]).map(([kind, n]) => ({ kind, share: n / total }));
}

/** Kinds that stand for several status codes, by the first digit of these. @type {Readonly<Record<string, string>>} */
const CLASSES = { '4xx': '4', '5xx': '5' };

/**
 * @param {Record<string, number>} statuses counts by kind @param {Record<string, number>} [codes] counts by status code
 * @returns {Record<string, number>} with the codes in place of a class, where all of its replies were of that kind: an
 *   expected 404 is not
 */
export const withCodes = (statuses, codes = {}) =>
  Object.fromEntries(
    Object.entries(statuses).flatMap(([kind, n]) => {
      const own = Object.entries(codes).filter(([code]) => code[0] === CLASSES[kind]);
      return own.reduce((sum, [, of]) => sum + of, 0) === n ? own : [[kind, n]];
    }),
  );

/**
 * @param {Record<string, number> | undefined} statuses @param {Record<string, number>} [codes] counts by status code
 * @returns {Array<{ kind: string, share: number }>} the kinds that were not requested, with codes where they are known
 */
export const failedReplies = (statuses, codes) =>
  replyShares(statuses && withCodes(statuses, codes)).filter(({ kind }) => !isWanted(kind));

/**
 * @param {Array<{ kind: string, share: number }>} shares
 * @returns {string} 2xx 99.9 % · 5xx 0.1 %; one kind alone: 2xx
 */
const sharesText = (shares) =>
  shares.map(({ kind, share }) => (share === 1 ? kind : `${kind} ${percent(share)}`)).join(' · ');

/**
 * @param {Record<string, number> | undefined} statuses
 * @param {Record<string, number>} [codes]
 * @returns {string} those not requested; empty without any
 */
export const failedText = (statuses, codes) => sharesText(failedReplies(statuses, codes));
