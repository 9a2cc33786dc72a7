// The answer of a run to the question that it asks: which of its servers does best, and by how much. Pure.
// The one thing to know: nothing is claimed without an interval. What was measured once or twice is stated, not ranked.

import { comparedOf, isTime, pointsOf, pointText } from '../comparisons.js';
import { counted } from '../../words/format.js';
import { isMeasured } from '../../measure/leg-figures.js';
import { servedOnlySome } from '../../words/figures.js';
import { beyondText, caseText, figuresText } from './figure-texts.js';
import { answerPart, cautionPart } from './part.js';
import { rankPoint } from './ranking.js';
import { isUndecided, rankingsText, rankingText } from './ranking-texts.js';
import { figuresOfAll } from './unranked-texts.js';

/**
 * @typedef {import('../cases.js').Case} Case
 * @typedef {import('../comparisons.js').FigureName} FigureName
 * @typedef {import('./part.js').Part} Part
 * @typedef {import('../../../config/types.js').LegSummary} Leg
 */

const TIMES = ['', 'Measured once', 'Measured twice'];

/** @param {Part | null} part @returns {Part[]} */
const present = (part) => (part === null ? [] : [part]);

/**
 * Where some left connections without a reply, those that serve the most are found first, and ranked among themselves.
 * @param {Case[]} point @param {Leg[]} legs @param {FigureName[]} figures
 * @returns {import('./ranking.js').Ranking | null} null where they cannot be ranked
 */
function rankAt(point, legs, figures) {
  const others = figures.filter((figure) => figure !== 'served');
  const ids = point.flatMap((one) => one.legs);
  const short = legs.some((leg) => leg.complete && ids.includes(leg.id) && servedOnlySome(leg) !== undefined);
  if (!short) return rankPoint(point, others);
  const byServed = rankPoint(point, ['served']);
  if (byServed === null)
    return rankPoint(
      point,
      others.filter((figure) => !isTime(figure)),
    );
  const { best, equal, unsure, worse } = byServed;
  const most = [best, ...equal.map(({ one }) => one)];
  const among = equal.length > 0 ? rankPoint(most, others) : null;
  if (among === null) return byServed;
  return unsure.length + worse.length > 0 ? { ...among, of: point.length } : among;
}

/** @param {Case[]} cases @returns {number} rounds in which all of a case's figures were measured, of the case with the most */
const measuredRounds = (cases) =>
  Math.max(
    0,
    ...cases.flatMap(({ figures }) =>
      Object.values(figures).map(({ values }) => values.filter((v) => v !== null).length),
    ),
  );

/** @param {Leg[]} legs @param {Case[]} cases @returns {string | undefined} the number of connections, where it is the same for all */
function connectionsOf(legs, cases) {
  const numbers = new Set(legs.filter(isMeasured).map(({ connections }) => connections.requested));
  const [first] = numbers;
  return numbers.size === 1 && cases.every(({ axes }) => Object.keys(axes).length === 0)
    ? counted(first, 'connection')
    : undefined;
}

/**
 * Cases that were measured too few times to be ranked: their figures.
 * @param {Case[]} cases @param {Leg[]} legs @param {FigureName} figure @param {string | undefined} at
 * @returns {Part}
 */
function unrankedPart(cases, legs, figure, at) {
  const rounds = measuredRounds(cases);
  const text = figuresOfAll(cases, legs, figure);
  return answerPart(
    rounds === 1 ? 'measured-once' : 'too-few-rounds',
    { rounds, cases: cases.length },
    `${TIMES[rounds] ?? 'Too few complete rounds'}${at === undefined ? '' : ` at ${at}`}, so not ranked${text === '' ? '' : `: ${text}`}`,
  );
}

/**
 * What to do about it.
 * @param {Case[]} cases @param {Leg[]} legs
 * @returns {Part | null} null where there is nothing to say
 */
function rankPart(cases, legs) {
  // of a run that was interrupted, or in which legs failed, more rounds are not what is missing
  const wasAsked = legs.reduce((most, { round }) => Math.max(most, round), 1);
  return measuredRounds(cases) < wasAsked ? null : cautionPart('not-ranked', {}, 'Rank them with --rounds 5.');
}

/**
 * @param {Case} one @param {Leg[]} legs @param {boolean} isShort whether it is said elsewhere how many connections were served
 * @returns {Part | null} null where no leg of it has a result
 */
function singlePart(one, legs, isShort) {
  const own = legs.filter(isMeasured).filter((leg) => one.legs.includes(leg.id) && leg.endedBy !== 'no-transfers');
  const leg = own.find(({ complete }) => complete) ?? own[0];
  if (leg === undefined) return null;
  const figures = figuresText(one, leg, own);
  if (isShort && figures === '') return null;
  // requests without a reply count in a percentile that is only known to be more than the longest time
  const subject = beyondText(own, 99) === undefined ? 'Those that were served' : 'All requests, with those unanswered';
  const text = isShort ? `${subject}: ${figures}` : caseText(one, leg, own);
  return answerPart('one-case', { case: one.id }, text);
}

/**
 * @param {Case[]} cases in the order of the scenario @param {Leg[]} legs @param {import('../comparisons.js').Load} load
 * @param {boolean} isShort whether it is said elsewhere how many connections were served
 * @returns {Part[]} empty where nothing was measured
 */
export function leadParts(cases, legs, load, isShort) {
  const figures = comparedOf(load);
  const measured = cases.filter((one) => legs.some((leg) => isMeasured(leg) && one.legs.includes(leg.id)));
  if (measured.length === 0) return [];
  if (cases.length === 1) return present(singlePart(measured[0], legs, isShort));
  const rankings = pointsOf(measured).flatMap((point) => rankAt(point, legs, figures) ?? []);
  const at = connectionsOf(legs, cases);
  if (rankings.length === 0) {
    return measured.length === 1
      ? present(singlePart(measured[0], legs, isShort))
      : [unrankedPart(measured, legs, figures[0], at), ...present(rankPart(measured, legs))];
  }
  const [first] = rankings;
  const isOne = rankings.length === 1;
  const text = isOne ? rankingText(first, pointText(first.best.axes) ?? at) : rankingsText(rankings);
  const data = {
    points: rankings.map(({ figure, best, equal, unsure, worse, unknown }) => ({
      figure,
      best: best.id,
      equal: equal.map(({ one }) => one.id),
      ...(unsure.length > 0 ? { unsure: unsure.map(({ one }) => one.id) } : {}),
      worse: worse.map(({ one }) => one.id),
      unknown: unknown.map(({ id }) => id),
    })),
  };
  const code = rankings.some(({ worse }) => worse.length > 0)
    ? 'difference'
    : rankings.some(isUndecided)
      ? 'undecided'
      : 'no-difference';
  return [answerPart(code, data, text)];
}
