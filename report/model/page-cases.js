/**
 * The cases of a page: a server with all its rounds and starts. Tables show a case each; the charts over time show of
 * each case the leg that is nearest to its median. Pure.
 */
import { comparedOf, figureIn, isAtRate, startsOf } from '../../client/judge/comparisons.js';
import { areRepeated, isComparable } from '../../client/judge/cases.js';
import { shownCase } from '../../client/judge/value-of.js';
import { figuresOf, isMeasured } from '../../client/measure/leg-figures.js';
import { medianOf } from '../../client/measure/statistics.js';
import { pageLeg } from './page-leg.js';
import { withColours } from './leg-order.js';

/**
 * @import { Case } from '../../config/types.js'
 * @import { Leg, PageLeg, Run } from '../types.js'
 */

/**
 * @param {Case} one @param {Run} run
 * @returns {string} id of the leg whose figure is nearest to the median
 */
function typicalLeg(one, run) {
  const { workload, loop } = run.summary.config;
  const legs = run.summary.legs.filter(({ id }) => one.legs.includes(id));
  const [found] = comparedOf({ workload, loop: isAtRate(one) ? 'open' : loop }, { legs }).flatMap(
    (figure) => figureIn(one, figure) ?? [],
  );
  if (found === undefined) return one.legs[0];
  const { median, values, parts } = found;
  /** @type {{ id: string, distance: number }} */
  let nearest = { id: one.legs[0], distance: Infinity };
  const places = parts ?? values.map((_, i) => ({ round: i + 1, start: 1 }));
  const ofPlaces = parts ? startsOf(found).flat() : values.map((value) => [value]);
  ofPlaces.forEach((own, i) => {
    const known = own.filter((value) => value !== null);
    const { round, start } = places[i];
    const id = run.summary.legs.find(
      (leg) => one.legs.includes(leg.id) && leg.round === round && (leg.start ?? 1) === start && isComparable(leg),
    )?.id;
    if (id === undefined || known.length === 0) return;
    const distance = Math.abs(medianOf(known) - median);
    if (distance < nearest.distance) nearest = { id, distance };
  });
  return nearest.id;
}

/** @param {Case} one @param {number} index @param {Run} run @returns {PageLeg | null} */
function caseOnPage(one, index, run) {
  const id = typicalLeg(one, run);
  const leg = run.legs.find((found) => found.id === id);
  const legs = run.summary.legs.filter((own) => one.legs.includes(own.id));
  if (leg === undefined || legs.length === 0) return null;
  const shown = shownCase(legs, one);
  const { worst: summary } = shown;
  const ran = isMeasured(summary);
  return {
    ...pageLeg({ ...leg, label: one.label, index }, run),
    ...{ shown, summary, ran, figures: ran ? figuresOf(summary) : undefined },
  };
}

/**
 * @param {Run} run
 * @returns {PageLeg[]} of the cases that were begun, and of those that were not
 */
function casesIn(run) {
  const cases = run.summary.cases ?? [];
  const began = cases.flatMap((one, i) => caseOnPage(one, i, run) ?? []);
  const ids = new Set(cases.map((one) => one.id));
  const never = run.legs.filter(
    ({ planned }) => planned?.round === 1 && (planned.start ?? 1) === 1 && !ids.has(planned.case),
  );
  return [
    ...began,
    ...never.map((leg, i) => ({
      ...pageLeg({ ...leg, label: leg.caseLabel ?? leg.label }, run),
      index: began.length + i,
    })),
  ];
}

/**
 * @param {Run} run
 * @returns {{ results: PageLeg[], cases: PageLeg[] }} of its legs and of its cases, coloured alike
 */
export function pageLegsOf(run) {
  const legs = run.legs.map(({ summary, planned }) => summary ?? planned ?? {});
  if (!areRepeated(legs)) {
    const comparedOfLeg = (/** @type {Leg} */ { id }) =>
      run.summary.cases?.find((one) => one.legs.includes(id))?.figures;
    const coloured = withColours(run.legs.map((leg) => pageLeg(leg, run, comparedOfLeg(leg))));
    return { results: coloured, cases: coloured };
  }
  const results = run.legs.map((leg) => pageLeg(leg, run));
  const cases = withColours(casesIn(run));
  const ofLeg = (/** @type {PageLeg} */ f) => cases.find((one) => one.label === f.caseLabel);
  return {
    cases,
    results: results.map((f) => ({ ...f, colour: ofLeg(f)?.colour ?? f.colour })),
  };
}
