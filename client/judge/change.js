// What a change does: the figures of the changed version as ratios to those of its base, on one logarithmic axis, with
// the limits that the run's conditions set. Pure data; the page draws it.

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
/** A figure that every version has alike is not worth a row. */
const SERVED = 'served';

/**
 * @typedef {object} ChangedFigure
 * @property {string} key
 * @property {string} title  such as "CPU per request"
 * @property {string} text  such as "+43 % (+27 to +62)", "not known: −3.1 to +12 %", or why it is not compared
 * @property {Mark['code']} code
 * @property {{ at: number, interval: [number, number], starts: number[] }} [drawn]  shares of the axis, beyond 0..1:
 *   outside; starts: the ratio of each pair of starts; absent where there is no ratio
 * @property {{ at: number, text: string }[]} limits  of conditions about it: what they allow
 *
 * @typedef {object} Change
 * @property {string} base
 * @property {string} head
 * @property {ChangedFigure[]} figures
 * @property {{ at: number, text: string }[]} ticks
 * @property {[number, number]} band  within the margin of no change
 */

/** Ticks of the axis, of those that lie within it. */
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

/** @param {Values} figure @returns {number[]} of each start of each round, the median of its values */
const startMedians = (figure) =>
  startsOf(figure)
    .flat()
    .map((values) => values.filter((value) => value !== null))
    .map((values) => (values.length === 0 ? NaN : medianOf(values)));

/** @param {Case} head @param {Case} base @param {ComparedFigure} figure @returns {number[]} ratios, of each start */
function startRatios(head, base, figure) {
  const [own, other] = [head, base].map((one) => startMedians(figureIn(one, figure) ?? { values: [] }));
  return own.map((value, i) => value / other[i]).filter((ratio) => Number.isFinite(ratio) && ratio > 0);
}

/** @param {Comparative} clause @returns {number} the ratio that it allows */
const limitOf = ({ figure, operator, value }) =>
  (figure.better === 'higher') === (operator === 'better') ? 1 + value : 1 - value;

/**
 * @param {RunSummary} summary
 * @returns {Change | null} null of a run that does not compare two versions of a program under one load, or knows no
 *   ratio
 */
export function changeOf({ config, cases = [], legs, verdict, endedBy }) {
  const { versions = [] } = config;
  const given = cases.filter((one) => !isAtRate(one));
  if (versions.length !== 2 || given.length !== 2 || endedBy === 'running') return null;
  const [base, head] = versions.map((label) => given.find((one) => nameOf(one) === label));
  if (base === undefined || head === undefined) return null;
  const atRate = cases.filter(isAtRate);
  const sideOf = (/** @type {Case} */ one, /** @type {ComparedFigure} */ figure) =>
    atRate.length > 0 && isOfEqualRate(figure) ? (atRate.find((other) => nameOf(other) === nameOf(one)) ?? one) : one;
  const compared = comparedWithFirst(cases, legs, config);
  const clauses = (verdict?.thresholds ?? []).flatMap(({ condition, kind }) =>
    kind === 'stopOn' ? [] : conditionOf(condition).clauses.filter(isComparative),
  );
  const { margin } = rulesOf(config);
  const found = comparedOf(config, { legs, hasRate: atRate.length > 0 }).flatMap((figure) => {
    const [own, other] = [head, base].map((one) => sideOf(one, figure));
    if (figureIn(own, figure) === undefined || figureIn(other, figure) === undefined) return [];
    const { ratio, why } = compared(own.legs[0])?.(figure) ?? { why: /** @type {const} */ ('absent') };
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
        starts: isKnown ? startRatios(own, other, figure) : [],
        limits: clauses
          .filter((clause) => clause.figure === figure)
          .map((clause) => ({ at: limitOf(clause), text: `${clause.operator} by ${clause.text.split(' by ')[1]}` })),
      },
    ];
  });
  if (found.every(({ ratio }) => ratio === undefined)) return null;
  const reaches = found.flatMap(({ ratio, limits }) =>
    [...(ratio ? [ratio.at, ...ratio.interval] : []), ...limits.map(({ at }) => at)].map((at) =>
      Math.abs(Math.log(at)),
    ),
  );
  const reach = Math.min(MOST_REACH, Math.max(LEAST_REACH, ...reaches) * 1.08);
  const shareOf = (/** @type {number} */ ratio) => 0.5 + Math.log(ratio) / (2 * reach);
  return {
    ...{ base: nameOf(base), head: nameOf(head) },
    figures: found.map(({ ratio, starts, limits, ...figure }) => ({
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
