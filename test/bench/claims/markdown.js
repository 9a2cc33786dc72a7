// The section of ../README.md that the bench writes. Pure.

import { table } from '../tables.js';
import { FIGURES, isMet } from './result.js';

/** @param {import('./result.js').Result['ratios'][string] | undefined} ratio @returns {string} */
const ratioText = (ratio) => (ratio ? `${ratio.median.toFixed(3)} ± ${ratio.halfPercent.toFixed(1)} %` : 'not known');

/**
 * @param {import('./result.js').Result[]} results
 * @param {{ seconds: number, connections: number, facts: ReturnType<typeof import('../machine.js').facts> }} conditions
 * @returns {string}
 */
export function markdownOf(results, { seconds, connections, facts }) {
  const { kernel, cpu, cores, node, commit } = facts;
  const head = ['more work', 'runs', 'say worse', 'say better', ...Object.values(FIGURES), 'must'];
  const rows = results.map((result) => [
    result.percent === 0 ? 'none' : `${result.percent} %`,
    ...[result.runs, result.found, result.wrong].map(String),
    ...Object.keys(FIGURES).map((figure) => ratioText(result.ratios[figure])),
    isMet(result) ? 'met' : '**missed**',
  ]);
  return [
    '### Results',
    '',
    `Measured ${new Date().toISOString().slice(0, 10)}, Linux ${kernel}, ${cores} x ${cpu}, Node ${node}, commit ${commit}.`,
    `Each run ${seconds} s in slices, ${connections} connections to each server.`,
    '',
    table('A Node server against itself with more work; ratios are the medians of the runs:', head, rows, 1),
  ].join('\n');
}
