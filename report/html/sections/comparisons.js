/** How the servers compare: sentences, each with its interval, and the method. */
import { chosenComparisons, groupComparisons } from '../../../client/judge/comparison-groups.js';
import { roundsOf } from '../../../client/judge/case-legs.js';
import { count, counted } from '../../../client/words/format.js';
import { MIN_ROUNDS, MIN_ROUNDS_BY_ORDER } from '../../../client/judge/statistics/index.js';
import { html } from '../html.js';

/** More sentences than these are no summary. */
const MOST = 12;

/** @typedef {import('../../../client/judge/comparison-groups.js').ComparisonGroup} ComparisonGroup */

/** @param {ComparisonGroup} group @returns {import('../html.js').Fragment} */
const item = ({ code, figure, cases, better, text }) =>
  html`<li data-code="${code}" data-figure="${figure}" data-case="${cases.join(' ')}"${better === undefined ? null : html` class="${better ? 'better' : 'worse'}"`}>${text}</li>`;

/** @param {number} rounds @returns {string} how the intervals were made */
const methodText = (rounds) =>
  rounds < MIN_ROUNDS
    ? 'Two rounds are too few for an interval. With three rounds or more, a difference is stated where the interval of the ratio excludes 1.'
    : `Each server ran once in each of ${count(rounds)} rounds; within a round the order was random. Servers are compared by the ` +
      'ratio of their figures in the same round, so that what slows the whole machine in a round affects both. The range is a ' +
      `95 % interval of the median ratio (${rounds >= MIN_ROUNDS_BY_ORDER ? 'by order statistics' : "Student's t on logarithms"}). A difference is stated only where that interval excludes 1. ` +
      'Each of these comparisons finds a difference between equal servers in 5 % of cases, so of twenty one may. The sentence at ' +
      'the top of the page therefore ranks more than two servers only where one test of all of them (the F test on logarithms, ' +
      'with the rounds as blocks) finds that they differ.';

/**
 * @param {import('../../types.js').Run} run
 * @returns {import('../html.js').Fragment | null} null where there is nothing to compare
 */
export function comparisons({ summary }) {
  const all = groupComparisons(summary.comparisons ?? [], summary.cases ?? []);
  const rounds = roundsOf(summary.legs ?? []);
  if (all.length === 0 || rounds === 1) return null;
  const { shown, left } = chosenComparisons(all, MOST);
  const rest = all.filter((one) => !shown.includes(one));
  return html`<section id="comparison" aria-labelledby="comparison-title"><h2 id="comparison-title">Comparison</h2>
<ul class="comparisons">${shown.map(item)}</ul>${
    left === 0
      ? null
      : html`<details><summary>${counted(left, 'more comparison')}</summary><ul class="comparisons">${rest.map(item)}</ul></details>`
  }<details class="method"><summary>How they were compared</summary><p>${methodText(rounds)}</p></details></section>`;
}
