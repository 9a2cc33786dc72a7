// The section of ../README.md that the bench writes. Pure.

import { count } from '../../../client/words/format.js';
import { table } from '../tables.js';
import { isConsistent, isQuiet } from './result.js';

/** @typedef {import('./result.js').Ramp} Ramp */
/** @typedef {import('./result.js').Result} Result */

/** @param {boolean} met */
const verdict = (met) => (met ? 'met' : '**missed**');

/** @param {Ramp[]} ramps @returns {string[][]} how often each answer came, with what other programs used meanwhile */
function answersOf(ramps) {
  /** @type {Map<string, Ramp[]>} */
  const answers = new Map();
  for (const ramp of ramps) {
    const answer = ramp.code === null ? ramp.text : `${ramp.text} (${ramp.code})`;
    answers.set(answer, [...(answers.get(answer) ?? []), ramp]);
  }
  return [...answers]
    .sort((a, b) => b[1].length - a[1].length)
    .map(([answer, own]) => {
      const cores = own.map(({ otherCores }) => otherCores);
      return [answer, String(own.length), `${Math.min(...cores).toFixed(1)}..${Math.max(...cores).toFixed(1)}`];
    });
}

/**
 * @param {{ ramps: Record<'degrading' | 'steady', Ramp[]>, results: Record<'degrading' | 'steady', Result>, truth: number,
 *   size: { steps: number, add: number, every: number }, facts: ReturnType<typeof import('../machine.js').facts> }} measured
 * @returns {string}
 */
export function markdownOf({ ramps, results: { degrading, steady }, truth, size, facts }) {
  const { kernel, cpu, cores, node, commit } = facts;
  const head = ['answer', 'ramps', 'cores used by other programs'];
  return [
    '### Results',
    '',
    `Measured ${new Date().toISOString().slice(0, 10)}, Linux ${kernel}, ${cores} x ${cpu}, Node ${node}, commit ${commit}.`,
    `Ramps of ${size.steps} steps of ${count(size.add)} connections and ${size.every} s.`,
    ...(degrading.ramps === 0
      ? []
      : [
          '',
          table(`A server that degrades at ${count(truth)} connections:`, head, answersOf(ramps.degrading), 1),
          '',
          `${degrading.agree} of ${degrading.ramps} agree within one step, ${degrading.undetermined} are not determined, ` +
            `${degrading.none} show no knee, ${degrading.misplaced} are more than one step from the truth; must: all agree ` +
            `or are not determined: ${verdict(isConsistent(degrading))}.`,
        ]),
    ...(steady.ramps === 0
      ? []
      : [
          '',
          table('A server that does not degrade (epoll):', head, answersOf(ramps.steady), 1),
          '',
          `${steady.knees} of ${steady.ramps} show a false knee; must: at most 1 in 20: ${verdict(isQuiet(steady))}.`,
        ]),
  ].join('\n');
}
