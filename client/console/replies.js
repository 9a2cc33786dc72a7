// What kind of replies came, in a few characters beside their response times. Pure.
// The one thing to know: a server that refuses quickly must not look fast; what it refused stands there as a share.
import { percent } from './figures.js';

/** The others are whole replies too, but not what was asked for. */
const WANTED = ['2xx', '3xx', 'ok'];

/** @param {number} share @returns {string} never 0% nor 100% of what was some, but not all */
function shareText(share) {
  if (share > 0 && share < 0.005) return '<1%';
  return share < 1 && share >= 0.995 ? '>99%' : percent(share);
}

/**
 * @param {Record<string, number> | undefined} statuses counts by kind
 * @returns {{ text: string, refused: boolean } | null} such as 2xx, or 5xx 34% where some are not what was asked for,
 *   with the most frequent kind of these; null where the protocol has no kinds, or nothing came
 */
export function repliesOf(statuses) {
  const seen = Object.entries(statuses ?? {})
    .filter(([kind, n]) => kind !== 'total' && n > 0)
    .sort((a, b) => b[1] - a[1]);
  if (seen.length === 0) return null;
  const others = seen.filter(([kind]) => !WANTED.includes(kind));
  if (others.length === 0) return { text: seen.map(([kind]) => kind).join(' '), refused: false };
  const sum = (/** @type {[string, number][]} */ kinds) => kinds.reduce((all, [, n]) => all + n, 0);
  return {
    text: `${others[0][0]}${others.length > 1 ? '…' : ''} ${shareText(sum(others) / sum(seen))}`,
    refused: true,
  };
}
