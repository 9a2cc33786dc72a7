// Plans the legs that compareAt adds. Once the throughput of servers is known, each server that served all connections
// has a leg in open loop, at the same rate. These legs are measured like any servers at one point: side by side, in as
// many rounds.

import { isDeepStrictEqual } from 'node:util';
import { casesOf } from '../judge/cases.js';
import { nameOf, pointsOf as casesAtPoints, pointText } from '../judge/comparisons.js';
import { openWarmupNs } from '../scenario/keys/warmup.js';
import { count } from '../words/format.js';
import { servedOnlySome } from '../words/figures.js';
import { warning } from '../words/warnings.js';
import { list } from './plan.js';

/**
 * @import { Case, LegSummary } from '../../config/types.js'
 * @import { Point } from '../measure/settings.js'
 * @import { CompareAt } from '../scenario/complete.js'
 * @import { Planner, PointLeg, Strategy } from './plan.js'
 */

/** Significant digits of a rate that is a share of a measured throughput. */
const DIGITS = 3;

/** @param {Point} point @param {number} rate @returns {Point} with its legs at that rate */
function atRate({ settings, ...point }, rate) {
  const { warmupTransfers, warmupNs, durationNs } = settings;
  const longer = warmupTransfers === null ? Math.max(warmupNs, openWarmupNs(durationNs)) : warmupNs;
  return { ...point, settings: { ...settings, rate, warmupNs: longer } };
}

/** @param {number} value @returns {number} rounded down to few digits */
function roundedDown(value) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) + 1 - DIGITS);
  return Math.max(1, Math.floor(value / unit) * unit);
}

/**
 * @param {Case[]} cases at one point @param {LegSummary[]} legs of the run
 * @returns {Case[]} of the servers that served all connections in every round
 */
const fullyServed = (cases, legs) =>
  cases.filter(
    (server) =>
      server.figures.perSecond !== undefined &&
      legs
        .filter(({ id }) => server.legs.includes(id))
        .every((leg) => leg.complete && servedOnlySome(leg) === undefined),
  );

/**
 * @param {Case[]} cases that are compared @param {CompareAt} compareAt
 * @returns {number} requests a second
 */
const rateFor = (cases, compareAt) =>
  'rate' in compareAt
    ? compareAt.rate
    : roundedDown(compareAt.share * Math.min(...cases.map(({ figures }) => figures.perSecond.median)));

/**
 * @param {PointLeg} leg in open loop
 * @returns {PointLeg} with another case than the leg in closed loop
 */
function comparedLeg(leg) {
  const rate = Number(leg.settings.rate);
  const label = `${leg.label} at ${count(rate)}/s`;
  return { ...leg, label, series: nameOf(leg), comparedAt: rate };
}

/**
 * @param {Planner} planner of a scenario with `compareAt`
 * @returns {Strategy} the legs of a list, followed by those at a rate
 */
export function thenAtRate(planner) {
  const { scenario, at, inTurns } = planner;
  const before = list(planner);
  const { points } = before.planned;
  const compareAt = /** @type {CompareAt} */ (scenario.compareAt);
  const rate = 'rate' in compareAt ? compareAt.rate : 1;
  const later = at(points.map(({ point }) => atRate(point, rate)));
  return {
    ...before,
    about: { compareAt: { ...compareAt, mostLegs: 2 * before.first.legs.length } },
    possibleLegs: [...before.possibleLegs, inTurns(later.legs, later).legs],
    times: null,
    next(summaries, legs) {
      if (legs.some(({ comparedAt }) => comparedAt !== undefined)) return { legs: [], warnings: [] };
      const measured = casesAtPoints(casesOf(summaries, [...new Set(legs.map((leg) => leg.case))])).map((cases) => ({
        ...{ cases, axes: cases[0].axes, served: fullyServed(cases, summaries) },
      }));
      const compared = measured.filter(({ served }) => served.length > 1);
      const planned = at(
        compared.map(({ axes, served }) => {
          const { point } = points.find((entry) => isDeepStrictEqual(entry.axes, axes)) ?? points[0];
          return atRate(point, rateFor(served, compareAt));
        }),
      );
      const labels = new Set(compared.flatMap(({ served }) => served.map(({ label }) => label)));
      const added = planned.legs.filter(({ label }) => labels.has(label));
      return {
        legs: inTurns(added.map(comparedLeg), planned).legs,
        warnings: measured
          .filter((entry) => !compared.includes(entry))
          .map(({ axes }) => warning('nothing-to-compare-at', { at: pointText(axes) ?? null })),
      };
    },
  };
}
