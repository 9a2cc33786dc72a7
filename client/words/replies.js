// Texts for the kinds of replies, shown beside response times: quick rejections must not make a server look fast.

import { percent } from './format.js';

/** Kinds of replies that answer the request as wanted. The others are whole replies too, such as error messages. */
const WANTED_KINDS = ['2xx', '3xx', 'ok'];

/** "miss" is a valid reply to an absent key. */
const VALID_KINDS = ['miss'];

/** @param {string} kind of replies @returns {boolean} */
export const isWanted = (kind) => WANTED_KINDS.includes(kind);

/** @param {string} kind of replies @returns {boolean} whether the request failed, such as with 5xx */
export const isFailure = (kind) => !isWanted(kind) && !VALID_KINDS.includes(kind);

/**
 * @param {Record<string, number> | undefined} statuses counts by kind, possibly with their total
 * @returns {Array<{ kind: string, share: number }>} most frequent first; empty if the protocol has no kinds
 */
function replyShares(statuses) {
  const seen = Object.entries(statuses ?? {}).filter(([kind, n]) => kind !== 'total' && n > 0);
  const total = seen.reduce((sum, [, n]) => sum + n, 0);
  return seen.sort((a, b) => b[1] - a[1]).map(([kind, n]) => ({ kind, share: n / total }));
}

/**
 * Kinds of HTTP replies that cover a class of status codes, with the first digit of the class.
 * @type {Readonly<Record<string, string>>}
 */
const CLASSES = { '4xx': '4', '5xx': '5' };

/**
 * @param {Record<string, number>} statuses counts by kind @param {Record<string, number>} [codes] counts by status code
 * @returns {Record<string, number>} the counts, with codes instead of a class if they add up to it; an expected 404 is
 *   not counted in the class
 */
export const withCodes = (statuses, codes = {}) =>
  Object.fromEntries(
    Object.entries(statuses).flatMap(([kind, n]) => {
      const codesOfKind = Object.entries(codes).filter(([code]) => code[0] === CLASSES[kind]);
      return codesOfKind.reduce((sum, [, replies]) => sum + replies, 0) === n ? codesOfKind : [[kind, n]];
    }),
  );

/**
 * @param {Record<string, number> | undefined} statuses @param {Record<string, number>} [codes] counts by status code
 * @returns {Array<{ kind: string, share: number }>} the unwanted kinds, as codes if those are known
 */
export const failedReplies = (statuses, codes) =>
  replyShares(statuses && withCodes(statuses, codes)).filter(({ kind }) => !isWanted(kind));

/**
 * @param {Array<{ kind: string, share: number }>} shares
 * @returns {string} such as "2xx 99.9 % · 5xx 0.1 %"; a single kind: "2xx"
 */
const sharesText = (shares) =>
  shares.map(({ kind, share }) => (share === 1 ? kind : `${kind} ${percent(share)}`)).join(' · ');

/**
 * @param {Record<string, number> | undefined} statuses
 * @param {Record<string, number>} [codes]
 * @returns {string} the unwanted kinds; '' if there are none
 */
export const failedText = (statuses, codes) => sharesText(failedReplies(statuses, codes));
