/** What kind of replies came, beside their response times: a server that refuses quickly must not look fast. Pure. */
import { percent } from './units.js';

/** The others are whole replies too, but not what was asked for. */
const WANTED = ['2xx', '3xx', 'ok'];

/** @param {Record<string, number>} replies @returns {Array<[kind: string, share: number]>} the most frequent first */
function sharesOf(replies) {
  const total = Object.values(replies).reduce((sum, n) => sum + n, 0);
  const seen = Object.entries(replies).filter(([, n]) => n > 0);
  return seen.sort((a, b) => b[1] - a[1]).map(([kind, n]) => [kind, n / total]);
}

/** @param {Array<[string, number]>} shares @returns {string} 2xx 99.9 % · 5xx 0.1 %; a kind alone is all */
function text(shares) {
  return shares.map(([kind, share]) => (share === 1 ? kind : `${kind} ${percent(share)}`)).join(' · ');
}

/** @param {Record<string, number>} replies by kind @returns {string} a dash where the protocol has no kinds */
export const repliesText = (replies) => text(sharesOf(replies)) || '–';

/** @param {Record<string, number>} replies @returns {string} kinds that were not asked for; empty without any */
export const refusedText = (replies) => text(sharesOf(replies).filter(([kind]) => !WANTED.includes(kind)));
