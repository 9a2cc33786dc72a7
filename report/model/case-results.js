/**
 * The results of each case: in a run with rounds, a server's medians over them. Tables and cards show a case each; the charts
 * over time show single legs, at first the round of each case that is nearest to its median. Pure.
 */
import { caseLeg, roundsOf } from '../../client/judge/case-legs.js';
import { rankPoint } from '../../client/judge/answer/ranking.js';
import { comparedOf, pointsOf } from '../../client/judge/comparisons.js';
import { servedOnlySome } from '../../client/words/figures.js';
import { legResults } from './leg-results.js';
import { withColours } from './leg-order.js';

/** @typedef {import('../types.js').LegResults} LegResults */
/** @typedef {import('../types.js').Run} Run */

/**
 * @param {import('../../config/types.js').Case} one @param {Run} run
 * @returns {string} id of the leg whose figure is nearest to the median
 */
function typicalLeg(one, run) {
  const { workload, loop } = run.summary.config;
  const [found] = comparedOf({ workload, loop }).flatMap((name) => one.figures[name] ?? []);
  if (found === undefined) return one.legs[0];
  const { median, values } = found;
  /** @type {{ id: string, distance: number }} */
  let nearest = { id: one.legs[0], distance: Infinity };
  values.forEach((value, i) => {
    const id = run.summary.legs.find((leg) => one.legs.includes(leg.id) && leg.round === i + 1 && leg.complete)?.id;
    if (id === undefined || value === null || Math.abs(value - median) >= nearest.distance) return;
    nearest = { id, distance: Math.abs(value - median) };
  });
  return nearest.id;
}

/** @param {import('../../config/types.js').Case} one @param {number} index @param {Run} run @returns {LegResults | null} */
function resultsOf(one, index, run) {
  const id = typicalLeg(one, run);
  const leg = run.legs.find((found) => found.id === id);
  if (leg === undefined) return null;
  const summary = caseLeg(one, run.summary.legs);
  const results = legResults({ ...leg, label: one.label, index, summary }, run);
  return { ...results, id, round: 1, rounds: summary.rounds, intervals: summary.intervals };
}

/**
 * @param {Run} run
 * @returns {Map<string, NonNullable<LegResults['ofBest']>>} by case: its figure that ranks, as a share of the best one's
 */
export function sharesOf({ summary }) {
  const { workload, loop } = summary.config;
  const figures = comparedOf({ workload, loop }).filter((figure) => figure !== 'served');
  /** @type {Map<string, NonNullable<LegResults['ofBest']>>} */
  const shares = new Map();
  for (const point of pointsOf(summary.cases ?? [])) {
    const whole = point.filter((one) => !summary.legs.some((leg) => one.legs.includes(leg.id) && servedOnlySome(leg)));
    const ranking = rankPoint(whole, figures);
    if (ranking === null) continue;
    const { figure, best, equal, unsure, worse } = ranking;
    shares.set(best.id, { figure, share: null, isWorse: false });
    const setShare =
      (/** @type {boolean} */ isWorse) =>
      (/** @type {typeof equal[0]} */ { one, ratio }) => {
        const [share, high, low] = [ratio.median, ratio.low, ratio.high].map((value) => 1 / Number(value));
        shares.set(one.id, { figure, share: [share, low, high], isWorse });
      };
    [...equal, ...unsure].forEach(setShare(false));
    worse.forEach(setShare(true));
  }
  return shares;
}

/**
 * @param {Run} run
 * @returns {LegResults[]} of the cases that were begun, and of those that were not; with one round, of the legs
 */
function casesIn(run) {
  const cases = run.summary.cases ?? [];
  const shares = sharesOf(run);
  const began = cases.flatMap((one, i) => {
    const found = resultsOf(one, i, run);
    const ofBest = shares.get(one.id);
    return found === null ? [] : [{ ...found, ...(ofBest ? { ofBest } : {}) }];
  });
  const ids = new Set(cases.map((one) => one.id));
  const never = run.legs.filter(({ planned }) => planned?.round === 1 && !ids.has(planned.case));
  return [
    ...began,
    ...never.map((leg, i) => ({
      ...legResults({ ...leg, label: leg.caseLabel ?? leg.label }, run),
      index: began.length + i,
      colour: began.length + i,
    })),
  ];
}

/**
 * @param {Run} run
 * @returns {{ results: LegResults[], cases: LegResults[] }} of its legs and of its cases, coloured alike
 */
export function resultsOfRun(run) {
  const results = run.legs.map((leg) => legResults(leg, run));
  if (roundsOf(results) === 1) {
    const coloured = withColours(results);
    return { results: coloured, cases: coloured };
  }
  const cases = withColours(casesIn(run));
  const ofLeg = (/** @type {LegResults} */ f) => cases.find((one) => one.label === f.caseLabel);
  return {
    cases,
    results: results.map((f) => {
      const own = ofLeg(f);
      if (own === undefined) return f;
      const place = own.place * results.length + f.round;
      return { ...f, colour: own.colour, mark: own.mark, drawn: own.drawn && own.id === f.id, place };
    }),
  };
}
