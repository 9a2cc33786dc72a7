// Figures as text: medians with their intervals, tables, and their place in README.md. Pure.

/** @import { Conditions } from './conduct.js' */

const LEVEL = 0.95;

/**
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} low the lower end of an interval for the median: that of the sign test, between two of the values
 *   themselves; it assumes nothing about their distribution
 * @property {number} high
 * @property {number} level how sure that interval is: the least that is at least 95 %, or all there is with few values
 */

/** @param {number[]} values @returns {Spread} */
function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const last = sorted.length - 1;
  let cut = 0;
  while (2 * (cut + 1) <= last && levelOf(sorted.length, cut + 1) >= LEVEL) cut += 1;
  return {
    median: (sorted[Math.floor(last / 2)] + sorted[Math.ceil(last / 2)]) / 2,
    low: sorted[cut],
    high: sorted[last - cut],
    level: levelOf(sorted.length, cut),
  };
}

/**
 * How likely the median of what the values were drawn from lies between those `cut` from both ends: it lies outside
 * when at most `cut` of n fair coins show one side.
 * @param {number} n @param {number} cut
 */
function levelOf(n, cut) {
  let outside = 0;
  let ways = 1;
  for (let k = 0; k <= cut; k += 1) {
    outside += ways / 2 ** n;
    ways = (ways * (n - k)) / (k + 1);
  }
  return 1 - 2 * outside;
}

/**
 * @template Figures
 * @param {Figures[]} rounds @param {(figures: Figures) => number} of
 */
export const spreadIn = (rounds, of) => spreadOf(rounds.map(of));

/**
 * @template Figures
 * @param {Figures[]} rounds @param {(figures: Figures) => number} of
 */
export const medianIn = (rounds, of) => spreadIn(rounds, of).median;

/** @param {number} value */
export const ratio = (value) => value.toFixed(2);

/**
 * `1.08 (1.02..1.13)`, of a single value that value; bold where the median is beyond the limit, with a question mark
 * where the interval holds it.
 * @param {Spread} spread @param {(value: number) => string} format @param {number} [limit]
 */
export function spreadText({ median, low, high, level }, format, limit = Infinity) {
  const text = level === 0 ? format(median) : `${format(median)} (${format(low)}..${format(high)})`;
  return (median > limit ? `**${text}**` : text) + (low <= limit && high > limit ? ' ?' : '');
}

/** @param {string[]} head @param {string[][]} rows @param {number} [words] columns of text */
export function table(head, rows, words = 0) {
  const lines = [head, head.map((_, i) => (i < words ? '---' : '--:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** @param {Conditions} conditions */
export function conditionsText({ rounds, how, notes, repeated, load, busy, ...machine }) {
  const { date, kernel, cpu, cores, node, compiler, commit } = machine;
  const { level } = spreadOf(Array.from({ length: rounds }, (_, i) => i));
  return [
    `Measured ${date}, Linux ${kernel}, ${cores} x ${cpu}, Node ${node}, ${compiler}, commit ${commit}. Load average ` +
      `${load.toFixed(2)}, ${(busy * 100).toFixed(0)} % of the cores busy; ${rounds > 1 ? `${rounds} rounds, ` : ''}${how}` +
      `${rounds > 1 ? `; intervals (${(level * 100).toFixed(1)} %)` : ''}.`,
    ...notes,
    ...(repeated > 0 ? [`Measured again after a failure: ${repeated}.`] : []),
  ].join('\n');
}

/** @param {string} readme @param {string} bench its name @param {string} section goes between the bench's markers */
export function placeIn(readme, bench, section) {
  const [begin, end] = [`<!-- ${bench}: begin -->`, `<!-- ${bench}: end -->`];
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${begin} before ${end}`);
  return `${readme.slice(0, from)}${begin}\n${section}\n${readme.slice(to)}`;
}
