// Results as tables in README.md. Pure. Everything between the two markers of a bench is replaced by its next
// `--write`.

import { judge, keeps } from './must.js';

/**
 * @typedef {import('./spread.js').Spread} Spread
 * @typedef {object} Conditions
 * @property {string} date
 * @property {string} kernel
 * @property {string} cpu
 * @property {number} cores
 * @property {string} node
 * @property {string} compiler
 * @property {string} commit
 * @property {number} load the load average of the minute before
 * @property {number} busy 0..1 of all cores, in the second before
 * @property {number} rounds
 * @property {string} how the rest of the method that options decide, such as the length of windows
 * @property {string[]} notes sentences about this measurement
 * @property {number} repeated measurements that failed and were made again
 */

/** @param {string} title @param {string[]} head @param {string[][]} rows @param {number} [words] columns of text */
export function table(title, head, rows, words = 0) {
  const lines = [head, head.map((_, i) => (i < words ? '---' : '--:')), ...rows];
  return [...(title ? [title, ''] : []), ...lines.map((cells) => `| ${cells.join(' | ')} |`)].join('\n');
}

/**
 * `1.08 (1.02..1.13) [0.99..1.20]`, of a single value that value.
 * @param {Spread} spread
 * @param {(value: number) => string} format
 */
export function spreadText({ median, low, high, min, max, level }, format) {
  if (level === 0) return format(median);
  const whole = low === min && high === max ? '' : ` [${format(min)}..${format(max)}]`;
  return `${format(median)} (${format(low)}..${format(high)})${whole}`;
}

/**
 * As spreadText; bold where the must is missed, with a question mark where its interval holds the limit.
 * @template Result
 * @param {import('./must.js').Must<Result>} must
 * @param {Result} result
 */
export function judgedText(must, result) {
  const text = spreadText(must.of(result), must.format);
  const doubt = judge(must, result) === 'open' ? ' ?' : '';
  return (keeps(must, result) ? text : `**${text}**`) + doubt;
}

/**
 * @template Result
 * @param {string} title
 * @param {import('./must.js').Must<Result>[]} musts
 * @param {Result[]} results
 */
export function mustsTable(title, musts, results) {
  const rows = musts.map((must) => {
    const bound = results.filter((result) => judge(must, result) !== null);
    const words = bound.map((result) => judge(must, result));
    const count = (/** @type {string} */ word) => String(words.filter((one) => one === word).length);
    const kept = bound.filter((result) => keeps(must, result)).length;
    const limit = must.format(must.limit);
    return [must.name, limit, `${kept} of ${bound.length}`, count('met'), count('missed'), count('open')];
  });
  return table(title, ['must', 'at most', 'kept by the median', 'within', 'beyond', 'holds it'], rows, 1);
}

/** @param {Conditions} conditions @param {number} level of the intervals @param {boolean} judged with musts */
export function conditionsText(conditions, level, judged) {
  const { date, kernel, cpu, cores, node, compiler, commit, load, busy, rounds, how, notes, repeated } = conditions;
  const where = `${date}, Linux ${kernel}, ${cores} x ${cpu}, Node ${node}, ${compiler}, commit ${commit}`;
  return [
    `Measured ${where}. Load average at the start ${load.toFixed(2)}, ${(busy * 100).toFixed(0)} % of the cores busy.`,
    `${rounds} round${rounds === 1 ? '' : 's'}${how ? `, ${how}` : ''}.`,
    ...(level > 0
      ? [
          `In brackets the interval of the median (${(level * 100).toFixed(1)} %), in square brackets min..max where it differs.`,
        ]
      : ['One round has no interval: its figures show that the bench works, and no more.']),
    ...(judged ? ['**Bold** misses its must; ? marks an interval that holds the limit.'] : []),
    ...notes,
    ...(repeated > 0 ? [`Made again after they had failed: ${repeated} measurement${repeated === 1 ? '' : 's'}.`] : []),
  ].join('\n');
}

/**
 * @param {string} readme
 * @param {string} bench its name
 * @param {string} section
 * @returns {string} the text with the section between the bench's markers, which are added at its end if it has none
 */
export function placeIn(readme, bench, section) {
  const [begin, end] = [`<!-- ${bench}: begin -->`, `<!-- ${bench}: end -->`];
  const marked = `${begin}\n${section}\n${end}`;
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) return `${readme.trimEnd()}\n\n${marked}\n`;
  return readme.slice(0, from) + marked + readme.slice(to + end.length);
}
