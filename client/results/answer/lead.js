// The answer of a run to the question that it asks: which of its servers does best, and by how much. Pure.
// The one thing to know: nothing is claimed without an interval. What was measured once or twice is stated, not ranked.

import { comparedOf, isTime, pointsOf, pointText } from '../comparisons.js';
import { counted, percent } from '../format.js';
import { servedOnlySome } from '../leg-figures.js';
import { caseText, figuresText, shortFigure } from './figure-texts.js';
import { answerPart } from './part.js';
import { rankPoint } from './ranking.js';
import { rankingsText, rankingText } from './ranking-texts.js';

/**
 * @typedef {import('../cases.js').Case} Case
 * @typedef {import('../comparisons.js').FigureName} FigureName
 * @typedef {import('./part.js').Part} Part
 * @typedef {Record<string, any>} Leg  of summary.json
 */

/** Up to this number of cases, each one's figure is given where they are not ranked. */
const MOST_LISTED = 4;

const TIMES = ['', 'Measured once', 'Measured twice'];

/** @param {Leg} leg */
const didRun = (leg) => Boolean(leg.connections);

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
  const { best, equal, worse } = byServed;
  const most = [best, ...equal.map(({ one }) => one)];
  const among = equal.length > 0 ? rankPoint(most, others) : null;
  if (among === null) return byServed;
  return worse.length > 0 ? { ...among, of: point.length } : among;
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
  const numbers = new Set(legs.filter(didRun).map(({ connections }) => connections.requested));
  const [first] = numbers;
  return numbers.size === 1 && cases.every(({ axes }) => Object.keys(axes).length === 0)
    ? counted(first, 'connection')
    : undefined;
}

/**
 * Cases that were measured too few times to be ranked: their figures, and how much measurements differ.
 * @param {Case[]} cases @param {Leg[]} legs @param {FigureName} figure @param {string | undefined} at
 * @param {{ spread: number, runs: number } | undefined} earlier
 * @returns {Part}
 */
function unrankedPart(cases, legs, figure, at, earlier) {
  const rounds = measuredRounds(cases);
  const shown = cases.flatMap((one) => {
    const own = legs.filter(({ id, connections }) => connections && one.legs.includes(id));
    const text = shortFigure(one, figure, own);
    return text === undefined ? [] : [{ label: one.label, text, value: one.figures[figure]?.median ?? Infinity }];
  });
  const sorted = [...shown].sort((a, b) => a.value - b.value);
  const [least, most] = [sorted[0], sorted.at(-1)];
  const what = cases.some(({ axes }) => Object.keys(axes).length > 0) ? 'case' : 'server';
  const range =
    shown.length <= MOST_LISTED || !least || !most
      ? shown.map(({ label, text }) => `${label} ${text}`).join('; ')
      : `${counted(shown.length, what)} from ${least.text} (${least.label}) to ${most.text} (${most.label})`;
  // of a run that was interrupted, or in which legs failed, more rounds are not what is missing
  const wasAsked = legs.reduce((most, { round }) => Math.max(most, round), 1);
  const advice = rounds < wasAsked ? '' : ' Rank them with --rounds 5';
  const known = earlier
    ? ` In ${counted(earlier.runs, 'earlier run')} on this machine, measurements of the same server differed by ${percent(earlier.spread, 2)}.`
    : '';
  return answerPart(
    rounds === 1 ? 'measured-once' : 'too-few-rounds',
    { rounds, cases: cases.length, ...earlier },
    `${TIMES[rounds] ?? 'Too few complete rounds'}${at === undefined ? '' : ` at ${at}`}, so not ranked${range === '' ? '' : `: ${range}`}.${known}${advice}`,
  );
}

/**
 * @param {Case} one @param {Leg[]} legs @param {boolean} isShort whether it is said elsewhere how many connections were served
 * @returns {Part | null} null where no leg of it has a result
 */
function singlePart(one, legs, isShort) {
  const own = legs.filter((leg) => one.legs.includes(leg.id) && didRun(leg) && leg.endedBy !== 'no-transfers');
  const leg = own.find(({ complete }) => complete) ?? own[0];
  if (leg === undefined) return null;
  const figures = figuresText(one, leg, own);
  if (isShort && figures === '') return null;
  const text = isShort ? `Those that were served: ${figures}` : caseText(one, leg, own);
  return answerPart('one-case', { case: one.id }, text);
}

/**
 * @param {Case[]} cases in the order of the scenario @param {Leg[]} legs @param {import('../comparisons.js').Load} load
 * @param {{ earlier?: { spread: number, runs: number }, isShort: boolean }} known  earlier: how much measurements on this
 *   machine differ; isShort: it is said elsewhere how many connections were served
 * @returns {Part | null} null where nothing was measured
 */
export function leadPart(cases, legs, load, { earlier, isShort }) {
  const figures = comparedOf(load);
  const measured = cases.filter((one) => legs.some((leg) => didRun(leg) && one.legs.includes(leg.id)));
  if (measured.length === 0) return null;
  if (cases.length === 1) return singlePart(measured[0], legs, isShort);
  const rankings = pointsOf(measured).flatMap((point) => rankAt(point, legs, figures) ?? []);
  const at = connectionsOf(legs, cases);
  if (rankings.length === 0) {
    return measured.length === 1
      ? singlePart(measured[0], legs, isShort)
      : unrankedPart(measured, legs, figures[0], at, earlier);
  }
  const [first] = rankings;
  const isOne = rankings.length === 1;
  const text = isOne ? rankingText(first, pointText(first.best.axes) ?? at) : rankingsText(rankings);
  const data = {
    points: rankings.map(({ figure, best, equal, worse, unknown }) => ({
      figure,
      best: best.id,
      equal: equal.map(({ one }) => one.id),
      worse: worse.map(({ one }) => one.id),
      unknown: unknown.map(({ id }) => id),
    })),
  };
  const differs = rankings.some(({ worse }) => worse.length > 0);
  return answerPart(differs ? 'difference' : 'no-difference', data, text);
}
