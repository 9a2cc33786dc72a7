/**
 * The cases of a page. A case is a server with all its rounds and starts: a row of a table. Charts over time show the
 * leg that is nearest to the case's median.
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
 * @param {Case} caseSummary @param {Run} run
 * @returns {string} id of the leg whose figure is nearest to the median
 */
function typicalLeg(caseSummary, run) {
  const { workload, loop } = run.summary.config;
  const legs = run.summary.legs.filter(({ id }) => caseSummary.legs.includes(id));
  const [compared] = comparedOf({ workload, loop: isAtRate(caseSummary) ? 'open' : loop }, { legs }).flatMap(
    (figure) => figureIn(caseSummary, figure) ?? [],
  );
  if (compared === undefined) return caseSummary.legs[0];
  const { median, values, parts } = compared;
  /** @type {{ id: string, distance: number }} */
  let nearest = { id: caseSummary.legs[0], distance: Infinity };
  const places = parts ?? values.map((_, i) => ({ round: i + 1, start: 1 }));
  const valuesByPlace = parts ? startsOf(compared).flat() : values.map((value) => [value]);
  valuesByPlace.forEach((placeValues, i) => {
    const known = placeValues.filter((value) => value !== null);
    const { round, start } = places[i];
    const id = run.summary.legs.find(
      (leg) =>
        caseSummary.legs.includes(leg.id) && leg.round === round && (leg.start ?? 1) === start && isComparable(leg),
    )?.id;
    if (id === undefined || known.length === 0) return;
    const distance = Math.abs(medianOf(known) - median);
    if (distance < nearest.distance) nearest = { id, distance };
  });
  return nearest.id;
}

/** @param {Case} caseSummary @param {number} index @param {Run} run @returns {PageLeg | null} */
function caseOnPage(caseSummary, index, run) {
  const id = typicalLeg(caseSummary, run);
  const leg = run.legs.find((candidate) => candidate.id === id);
  const legs = run.summary.legs.filter((summary) => caseSummary.legs.includes(summary.id));
  if (leg === undefined || legs.length === 0) return null;
  const shown = shownCase(legs, caseSummary);
  const { worst: summary } = shown;
  const ran = isMeasured(summary);
  return {
    ...pageLeg({ ...leg, label: caseSummary.label, index }, run),
    ...{ shown, summary, ran, figures: ran ? figuresOf(summary) : undefined },
  };
}

/**
 * @param {Run} run
 * @returns {PageLeg[]} the cases that began, then those that never began
 */
function casesIn(run) {
  const cases = run.summary.cases ?? [];
  const began = cases.flatMap((caseSummary, i) => caseOnPage(caseSummary, i, run) ?? []);
  const ids = new Set(cases.map((caseSummary) => caseSummary.id));
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
 * @returns {{ results: PageLeg[], cases: PageLeg[] }} results: the legs; a leg and its case have the same colour
 */
export function pageLegsOf(run) {
  const legs = run.legs.map(({ summary, planned }) => summary ?? planned ?? {});
  if (!areRepeated(legs)) {
    const comparedFigures = (/** @type {Leg} */ { id }) =>
      run.summary.cases?.find((caseSummary) => caseSummary.legs.includes(id))?.figures;
    const coloured = withColours(run.legs.map((leg) => pageLeg(leg, run, comparedFigures(leg))));
    return { results: coloured, cases: coloured };
  }
  const results = run.legs.map((leg) => pageLeg(leg, run));
  const cases = withColours(casesIn(run));
  const caseOf = (/** @type {PageLeg} */ f) => cases.find((pageCase) => pageCase.label === f.caseLabel);
  return {
    cases,
    results: results.map((f) => ({ ...f, colour: caseOf(f)?.colour ?? f.colour })),
  };
}
