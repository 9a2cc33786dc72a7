// Whether replies are as requested, and what the server said instead: a server that answers every request with an error
// is fast. A miss of a cache is a valid reply, and no finding.

import { figuresOf } from '../../measure/leg-figures.js';
import { count, counted, percent } from '../../words/format.js';
import { shortened } from '../../words/lists.js';
import { quoteOccasion, quoteText } from '../../words/quotes.js';
import { isFailure, failedReplies } from '../../words/replies.js';

/**
 * @import { Quote } from '../../../config/types.js'
 * @import { Row } from './finding.js'
 */

/** Above this share of replies, redirects are hardly what should be measured. */
const MAX_REDIRECTS = 0.5;
/** Longest text of the target of a redirect. */
const MAX_TARGET = 48;

/** @typedef {{ count: number, share: number, kinds: Record<string, number> }} Unwanted */

/**
 * @param {Record<string, number> | undefined} statuses counts by kind
 * @param {Record<string, number>} [codes] by status code
 * @returns {Unwanted | undefined} replies that were not as requested; undefined without any
 */
export function failedRepliesOf(statuses, codes) {
  const failed = failedReplies(statuses, codes).filter(({ kind }) => isFailure(kind));
  if (failed.length === 0) return undefined;
  const kinds = Object.fromEntries(failed.map(({ kind }) => [kind, codes?.[kind] ?? statuses?.[kind] ?? 0]));
  const share = failed.reduce((sum, reply) => sum + reply.share, 0);
  return { count: Object.values(kinds).reduce((sum, n) => sum + n, 0), share: Math.min(1, share), kinds };
}

/** @param {Record<string, number>} kinds @returns {string} such as "404 545, 503 2" */
const kindsText = (kinds) =>
  Object.entries(kinds)
    .map(([kind, n]) => `${kind} ${count(n)}`)
    .join(', ');

/** @param {number} n @returns {string} */
const repliesText = (n) => counted(n, 'failed reply', 'failed replies');

/** @type {Row<Unwanted & { ofLeg?: number }>} ofLeg: count of the whole leg, if it is larger */
export const wrongReplies = {
  code: 'failed-replies',
  severity: 'problem',
  when:
    'replies were not those requested: HTTP other than 2xx and 3xx or than expected, or errors of redis, memcached or ' +
    'NATS. A miss of a cache is a valid reply. Counted in the steady state; `ofLeg`: in the whole leg, if more',
  ofSamples: (leg) => {
    const ofLeg = failedRepliesOf(leg.statuses, leg.codes);
    if (ofLeg === undefined) return undefined;
    const { statuses, codes } = figuresOf(leg) ?? leg;
    const steadyReplies = failedRepliesOf(statuses, codes) ?? { count: 0, share: 0, kinds: ofLeg.kinds };
    return { ...steadyReplies, ...(ofLeg.count > steadyReplies.count ? { ofLeg: ofLeg.count } : {}) };
  },
  text: ({ count: n, share, kinds, ofLeg }) => {
    if (share === 1) {
      const names = Object.keys(kinds);
      return `every reply was ${names.length === 1 ? names[0] : kindsText(kinds)}`;
    }
    if (n === 0) return `${repliesText(ofLeg ?? 0)} in ramp and warm-up: ${kindsText(kinds)}`;
    const inLeg = ofLeg === undefined ? '' : ` (${count(ofLeg)} with ramp and warm-up)`;
    return `${repliesText(n)} (${percent(share, 2)}): ${kindsText(kinds)}${inLeg}`;
  },
  remedy:
    'Check what is requested (path, method, headers, key), and the log of the server. A status that is right is given as http.expect.',
  weight: ({ share }) => share,
  isOutcome: true,
  isOfFailed: true,
};

/** @type {Row<{ share: number, target?: string }>} target: of the first redirect; absent if it was not read */
export const redirects = {
  code: 'redirects',
  severity: 'caution',
  when:
    'more than half of the replies of HTTP were redirects (3xx, without 304), which are not followed; with the target of ' +
    'the first one',
  ofSamples: ({ statuses, quotes = [] }) => {
    const share = (statuses?.['3xx'] ?? 0) / Math.max(1, statuses?.total ?? 0);
    if (share <= MAX_REDIRECTS) return undefined;
    const target = quotes.find(({ kind }) => kind === 'redirect')?.text;
    return { share, ...(target !== undefined && { target }) };
  },
  text: ({ share, target }) => {
    const what =
      share === 1 ? 'every reply was a redirect (3xx)' : `${percent(share, 2)} of the replies were redirects (3xx)`;
    return `${what}, not followed${target === undefined ? '' : `, the first to ${shortened(target, MAX_TARGET)}`}`;
  },
  remedy: 'Give the URL that they lead to; --debug shows it in the header Location.',
  weight: ({ share }) => share,
};

/** @type {Row<{ quotes: Quote[] }>} quotes: without targets of redirects */
export const serverSaid = {
  code: 'server-said',
  severity: 'note',
  when:
    'a message of the server ended a connection or was an error reply: its first bytes, of HTTP the status line and the ' +
    'body, once for each kind (`quotes` has 128 bytes of each)',
  ofSamples: ({ quotes = [] }) => {
    const said = quotes.filter(({ kind }) => kind !== 'redirect');
    return said.length === 0 ? undefined : { quotes: said };
  },
  text: ({ quotes }) =>
    `what the server said first: ${quotes.map((quote) => `${quoteOccasion(quote)}, ${quoteText(quote)}`).join('; ')}`,
};
