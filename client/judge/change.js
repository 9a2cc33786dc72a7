// What a change does: the ratios of the changed version's figures to those of its base, on one logarithmic axis, with
// the limits that the run's conditions set. The page draws them.

import { comparedOf, figureIn, isAtRate, isOfEqualRate, markOf, nameOf, rulesOf, startsOf } from './comparisons.js';
import { comparedWithFirst } from './conditions/against-first.js';
import { conditionOf, isComparative } from './conditions/parse.js';
import { changedWhat, markWithBounds, whyText } from './mark-texts.js';
import { medianOf } from '../measure/statistics.js';

/**
 * @import { Case, Mark, RunSummary } from '../../config/types.js'
 * @import { ComparedFigure, Values } from './comparisons.js'
 * @import { Comparative } from './conditions/parse.js'
 * @import { Interval } from './statistics/index.js'
 */

/** Ends of the axis: at least half and double, at most a tenth and ten times. */
const LEAST_REACH = Math.log(2);
const MOST_REACH = Math.log(10);
/** Connections served: the figure has no row if both versions served the same. */
const SERVED = 'served';

/**
 * @typedef {object} ChangedFigure
 * @property {string} key
 * @property {string} title  such as "CPU per request"
 * @property {string} text  such as "+43 % (+27 to +62)", "not known: −3.1 to +12 %", or why it is not compared
 * @property {Mark['code']} code
 * @property {{ at: number, interval: [number, number], starts: number[] }} [drawn]  positions as shares of the axis; a
 *   position outside 0..1 is outside the axis; starts: the ratio of each pair of starts; absent if there is no ratio
 * @property {{ at: number, text: string }[]} limits  what conditions about the figure allow
 *
 * @typedef {object} Change
 * @property {string} base
 * @property {string} head
 * @property {ChangedFigure[]} figures
 * @property {{ at: number, text: string }[]} ticks
 * @property {[number, number]} band  the margin within which nothing changed
 */

/** Ticks; the axis shows those that lie within it. */
const TICKS = [
  [0.1, '÷10'],
  [0.2, '÷5'],
  [0.5, '−50 %'],
  [0.8, '−20 %'],
  [1, 'no change'],
  [1.25, '+25 %'],
  [2, '2×'],
  [5, '5×'],
  [10, '10×'],
];

/** @param {Values} figure @returns {number[]} the median of each start of each round; NaN if it has no value */
const startMedians = (figure) =>
  startsOf(figure)
    .flat()
    .map((values) => values.filter((value) => value !== null))
    .map((values) => (values.length === 0 ? NaN : medianOf(values)));

/** @param {Case} head @param {Case} base @param {ComparedFigure} figure @returns {number[]} the ratio of each start */
function startRatios(head, base, figure) {
  const [headMedians, baseMedians] = [head, base].map((version) =>
    startMedians(figureIn(version, figure) ?? { values: [] }),
  );
  return headMedians.map((value, i) => value / baseMedians[i]).filter((ratio) => Number.isFinite(ratio) && ratio > 0);
}

/** @param {Comparative} clause @returns {number} the ratio that it allows */
const limitOf = ({ figure, operator, value }) =>
  (figure.better === 'higher') === (operator === 'better') ? 1 + value : 1 - value;

/**
 * @param {RunSummary} summary
 * @returns {Change | null} null if the run does not compare two versions of a program under one load, or if no ratio is
 *   known
 */
export function changeOf({ config, cases = [], legs, verdict, endedBy }) {
  const { versions = [] } = config;
  const given = cases.filter((version) => !isAtRate(version));
  if (versions.length !== 2 || given.length !== 2 || endedBy === 'running') return null;
  const [base, head] = versions.map((label) => given.find((version) => nameOf(version) === label));
  if (base === undefined || head === undefined) return null;
  const atRate = cases.filter(isAtRate);
  const sideOf = (/** @type {Case} */ version, /** @type {ComparedFigure} */ figure) =>
    atRate.length > 0 && isOfEqualRate(figure)
      ? (atRate.find((atEqualRate) => nameOf(atEqualRate) === nameOf(version)) ?? version)
      : version;
  const compared = comparedWithFirst(cases, legs, config);
  const clauses = (verdict?.thresholds ?? []).flatMap(({ condition, kind }) =>
    kind === 'stopOn' ? [] : conditionOf(condition).clauses.filter(isComparative),
  );
  const { margin } = rulesOf(config);
  const figures = comparedOf(config, { legs, hasRate: atRate.length > 0 }).flatMap((figure) => {
    const [headCase, baseCase] = [head, base].map((version) => sideOf(version, figure));
    if (figureIn(headCase, figure) === undefined || figureIn(baseCase, figure) === undefined) return [];
    const { ratio, why } = compared(headCase.legs[0])?.(figure) ?? { why: /** @type {const} */ ('absent') };
    if (figure.compared.key === SERVED && ratio?.median === 1) return [];
    const isKnown = ratio !== undefined && ratio.median && ratio.low && ratio.high;
    /** @type {Mark} */
    const mark = isKnown
      ? markOf(figure, /** @type {Interval} */ (ratio), margin)
      : { code: 'not-compared', ...(why ? { why } : {}) };
    return [
      {
        ...{ key: figure.compared.key, title: changedWhat(figure), code: mark.code },
        text: isKnown
          ? `${mark.code === 'not-known' ? 'not known: ' : ''}${markWithBounds(mark)}`
          : whyText({ why, ratio }),
        ratio: isKnown ? { at: Number(ratio.median), interval: [Number(ratio.low), Number(ratio.high)] } : undefined,
        starts: isKnown ? startRatios(headCase, baseCase, figure) : [],
        limits: clauses
          .filter((clause) => clause.figure === figure)
          .map((clause) => ({ at: limitOf(clause), text: `${clause.operator} by ${clause.text.split(' by ')[1]}` })),
      },
    ];
  });
  if (figures.every(({ ratio }) => ratio === undefined)) return null;
  const reaches = figures.flatMap(({ ratio, limits }) =>
    [...(ratio ? [ratio.at, ...ratio.interval] : []), ...limits.map(({ at }) => at)].map((at) =>
      Math.abs(Math.log(at)),
    ),
  );
  const reach = Math.min(MOST_REACH, Math.max(LEAST_REACH, ...reaches) * 1.08);
  const shareOf = (/** @type {number} */ ratio) => 0.5 + Math.log(ratio) / (2 * reach);
  return {
    ...{ base: nameOf(base), head: nameOf(head) },
    figures: figures.map(({ ratio, starts, limits, ...figure }) => ({
      ...figure,
      ...(ratio
        ? {
            drawn: {
              at: shareOf(ratio.at),
              interval: /** @type {[number, number]} */ (ratio.interval.map(shareOf)),
              starts: starts.map(shareOf),
            },
          }
        : {}),
      limits: limits.map(({ at, text }) => ({ at: shareOf(at), text })),
    })),
    ticks: TICKS.map(([ratio, text]) => ({ at: shareOf(Number(ratio)), text: String(text) })).filter(
      ({ at }) => at >= 0 && at <= 1,
    ),
    band: [shareOf(1 - margin), shareOf(1 + margin)],
  };
}
