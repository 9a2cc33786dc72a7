// The fates of the requested connections as a bar of characters. Each fate has its own character, so that the bar can
// be read without colours.

/**
 * @import { Account } from '../measure/account.js'
 * @import { Style, Tone } from './terminal-text.js'
 */

/**
 * The colours are those of the page (report/model/palette.js), as far as a terminal has them.
 * @type {readonly { parts: readonly (keyof Account)[], mark: string, tone: Tone, name: string }[]}
 */
const FATES = [
  { parts: ['served'], mark: '█', tone: 'blue', name: 'served' },
  { parts: ['idle'], mark: '▓', tone: 'blue', name: 'open, nothing requested' },
  { parts: ['unanswered'], mark: '▒', tone: 'yellow', name: 'without reply' },
  { parts: ['connecting', 'queued'], mark: '░', tone: 'dim', name: 'connecting' },
  { parts: ['rejected', 'lost'], mark: '×', tone: 'red', name: 'rejected or lost' },
  { parts: ['closed'], mark: '·', tone: 'dim', name: 'closed' },
];

/** @param {Account} account @returns {number[]} connections of each fate */
const countsOf = (account) => FATES.map(({ parts }) => parts.reduce((sum, part) => sum + (account[part] ?? 0), 0));

/**
 * @param {Account} account @param {number} width characters @param {Style} style
 * @returns {string} of that width; a fate that occurs has at least one character
 */
export function fateBar(account, width, style) {
  const counts = countsOf(account);
  const total = counts.reduce((sum, n) => sum + n, 0);
  if (total === 0) return ' '.repeat(width);
  const lengths = counts.map((n) => (n === 0 ? 0 : Math.max(1, Math.round((n / total) * width))));
  const surplus = lengths.reduce((sum, n) => sum + n, 0) - width;
  lengths[lengths.indexOf(Math.max(...lengths))] -= surplus;
  return FATES.map(({ mark, tone }, i) => (lengths[i] > 0 ? style(tone, mark.repeat(lengths[i])) : '')).join('');
}

/**
 * @param {Account[]} accounts @param {Style} style @returns {string} key of the fates that occur; '' if all are served
 */
export function fateKey(accounts, style) {
  const shown = FATES.filter((_, i) => accounts.some((account) => countsOf(account)[i] > 0));
  if (shown.every(({ parts: [part] }) => part === 'served')) return '';
  return shown.map(({ mark, tone, name }) => `${style(tone, mark)} ${name}`).join('  ');
}
