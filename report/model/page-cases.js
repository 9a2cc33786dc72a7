/**
 * The cases of a page: in a run with rounds, a server's medians over them. Tables and cards show a case each; the charts
 * over time show single legs, at first the round of each case that is nearest to its median. Pure.
 */
import { caseLeg, roundsOf } from '../../client/judge/case-legs.js';
import { comparedOf, figureIn, isAtRate } from '../../client/judge/comparisons.js';
import { pageLeg } from './page-leg.js';
import { withColours } from './leg-order.js';

/** @typedef {import('../types.js').PageLeg} PageLeg */
/** @typedef {import('../types.js').Run} Run */

/**
 * @param {import('../../config/types.js').Case} one @param {Run} run
 * @returns {string} id of the leg whose figure is nearest to the median
 */
function typicalLeg(one, run) {
  const { workload, loop } = run.summary.config;
  const [found] = comparedOf({ workload, loop: isAtRate(one) ? 'open' : loop }).flatMap(
    (figure) => figureIn(one, figure) ?? [],
  );
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

/** @param {import('../../config/types.js').Case} one @param {number} index @param {Run} run @returns {PageLeg | null} */
function caseOnPage(one, index, run) {
  const id = typicalLeg(one, run);
  const leg = run.legs.find((found) => found.id === id);
  if (leg === undefined) return null;
  return pageLeg({ ...leg, label: one.label, index, summary: caseLeg(one, run.summary.legs) }, run);
}

/**
 * @param {Run} run
 * @returns {PageLeg[]} of the cases that were begun, and of those that were not; with one round, of the legs
 */
function casesIn(run) {
  const cases = run.summary.cases ?? [];
  const began = cases.flatMap((one, i) => caseOnPage(one, i, run) ?? []);
  const ids = new Set(cases.map((one) => one.id));
  const never = run.legs.filter(({ planned }) => planned?.round === 1 && !ids.has(planned.case));
  return [
    ...began,
    ...never.map((leg, i) => ({
      ...pageLeg({ ...leg, label: leg.caseLabel ?? leg.label }, run),
      index: began.length + i,
      colour: began.length + i,
    })),
  ];
}

/**
 * @param {Run} run
 * @returns {{ results: PageLeg[], cases: PageLeg[] }} of its legs and of its cases, coloured alike
 */
export function pageLegsOf(run) {
  const results = run.legs.map((leg) => pageLeg(leg, run));
  if (roundsOf(results.map(({ summary }) => summary)) === 1) {
    const coloured = withColours(results);
    return { results: coloured, cases: coloured };
  }
  const cases = withColours(casesIn(run));
  const ofLeg = (/** @type {PageLeg} */ f) => cases.find((one) => one.label === f.caseLabel);
  return {
    cases,
    results: results.map((f) => {
      const own = ofLeg(f);
      if (own === undefined) return f;
      const place = own.place * results.length + f.summary.round;
      return { ...f, colour: own.colour, mark: own.mark, drawn: own.drawn && own.id === f.id, place };
    }),
  };
}
