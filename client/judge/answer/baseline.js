// What a run says in answer to whether it differs from an earlier one, its baseline. Pure.

import { percent, plain } from '../../words/format.js';
import { joinNames, listParts } from '../../words/lists.js';
import { comparedFigures } from '../statistics/comparison.js';
import { answerPart } from './part.js';

/**
 * @typedef {import('../compare-runs/index.js').RunsComparison} RunsComparison
 * @typedef {import('../compare-runs/index.js').Compared} Compared
 */

/** @param {Compared} one with a difference @returns {string} such as "35 % (33 to 37)" */
function changeText({ ratio }) {
  const [median, low, high] = [ratio?.median, ratio?.low, ratio?.high].map((value) => Math.abs(Number(value) - 1));
  const [least, most] = [low, high].sort((a, b) => a - b).map((value) => plain(100 * value, 2));
  return `${percent(median, 2)} (${least} to ${most})`;
}

/** @param {Compared[]} comparisons of one figure @param {boolean} several cases @returns {string} */
function figureText(comparisons, several) {
  const [{ figure }] = comparisons;
  const { name, kind } = comparedFigures[figure];
  const sides = /** @type {const} */ ([
    [true, kind === 'time' ? 'shorter' : 'higher'],
    [false, kind === 'time' ? 'longer' : 'lower'],
  ]);
  const texts = sides.flatMap(([better, word]) => {
    const own = comparisons.filter((one) => one.better === better);
    if (own.length === 0) return [];
    const changes = own.map((one) => (several ? `${one.run.label} ${changeText(one)}` : changeText(one)));
    return several ? [`${word} for ${listParts(changes)}`] : [`${changes[0]} ${word}`];
  });
  return `${name} is ${texts.join(', ')}`;
}

/** @param {RunsComparison} baseline @returns {import('./part.js').Part} */
export function baselinePart({ baseline, outcome, text, comparisons, tolerance }) {
  const several = new Set(comparisons.map(({ case: one }) => one)).size > 1;
  const figuresOf = (/** @type {Compared[]} */ some) => [...new Set(some.map(({ figure }) => figure))];
  const figures = figuresOf(comparisons);
  const changed = figures
    .map((figure) => comparisons.filter((one) => one.figure === figure && one.better !== undefined))
    .filter((own) => own.length > 0);
  const data = { outcome, baseline: baseline.id, tolerance, changed: changed.map(([{ figure }]) => figure) };
  const head = `Compared with ${baseline.name}`;
  if (outcome === 'not-known')
    return answerPart(`baseline-${outcome}`, data, `${head}: ${text[0].toLowerCase()}${text.slice(1)}`);
  const equal = figuresOf(comparisons.filter(({ code }) => code === 'no-difference'));
  const open = figuresOf(comparisons.filter(({ code, better }) => code === 'undecided' && better === undefined));
  const unknown =
    open.length === 0
      ? ''
      : ` Whether ${joinNames(open.map((figure) => comparedFigures[figure].name))} changed is not certain; more rounds would tell.`;
  const found =
    changed.length > 0
      ? `, ${changed.map((own) => figureText(own, several)).join('; ')}.`
      : equal.length > 0
        ? `, no difference was found in ${equal.map((figure) => comparedFigures[figure].name).join(', ')}.`
        : unknown !== ''
          ? ', no difference is certain.'
          : ':';
  const judged = outcome === 'compared' ? '' : ` ${found === ':' ? `${text[0].toLowerCase()}${text.slice(1)}` : text}`;
  return answerPart(`baseline-${outcome}`, data, `${head}${found}${unknown}${judged}`);
}
