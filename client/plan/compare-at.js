// The legs that compareAt adds: once the throughput of servers is known, those that served all connections have a leg
// each in open loop, at the same rate, as servers at one point of a run are otherwise measured: side by side, in as
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

/** Of a rate that is a share of what was measured: more digits say nothing. */
const DIGITS = 3;

/** @param {Point} point @param {number} rate @returns {Point} with its legs at that rate */
function atRate({ settings, ...point }, rate) {
  const { warmupTransfers, warmupNs, durationNs } = settings;
  const longer = warmupTransfers === null ? Math.max(warmupNs, openWarmupNs(durationNs)) : warmupNs;
  return { ...point, settings: { ...settings, rate, warmupNs: longer } };
}

/** @param {number} value @returns {number} not greater, with few digits */
function roundedDown(value) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) + 1 - DIGITS);
  return Math.max(1, Math.floor(value / unit) * unit);
}

/**
 * @param {Case[]} cases at one point @param {LegSummary[]} legs of the run
 * @returns {Case[]} of the servers that served all connections in every round
 */
const soundOf = (cases, legs) =>
  cases.filter(
    (one) =>
      one.figures.perSecond !== undefined &&
      legs.filter(({ id }) => one.legs.includes(id)).every((leg) => leg.complete && servedOnlySome(leg) === undefined),
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
 * @returns {PointLeg} whose case is another than that of the leg in closed loop
 */
function comparedLeg(leg) {
  const rate = Number(leg.settings.rate);
  const label = `${leg.label} at ${count(rate)}/s`;
  return { ...leg, label, series: nameOf(leg), comparedAt: rate };
}

/**
 * @param {Planner} planner of a scenario with `compareAt`
 * @returns {Strategy} the legs of a list, and after them those at a rate
 */
export function thenAtRate(planner) {
  const { scenario, at, inTurns } = planner;
  const before = list(planner);
  const { points } = before.planned;
  const compareAt = /** @type {CompareAt} */ (scenario.compareAt);
  const rate = 'rate' in compareAt ? compareAt.rate : 1;
  const toCome = at(points.map(({ point }) => atRate(point, rate)));
  return {
    ...before,
    about: { compareAt: { ...compareAt, mostLegs: 2 * before.first.legs.length } },
    most: [...before.most, inTurns(toCome.legs, toCome).legs],
    times: null,
    next(summaries, legs) {
      if (legs.some(({ comparedAt }) => comparedAt !== undefined)) return { legs: [], warnings: [] };
      const measured = casesAtPoints(casesOf(summaries, [...new Set(legs.map((leg) => leg.case))])).map((cases) => ({
        ...{ cases, axes: cases[0].axes, sound: soundOf(cases, summaries) },
      }));
      const compared = measured.filter(({ sound }) => sound.length > 1);
      const planned = at(
        compared.map(({ axes, sound }) => {
          const { point } = points.find((one) => isDeepStrictEqual(one.axes, axes)) ?? points[0];
          return atRate(point, rateFor(sound, compareAt));
        }),
      );
      const labels = new Set(compared.flatMap(({ sound }) => sound.map(({ label }) => label)));
      const added = planned.legs.filter(({ label }) => labels.has(label));
      return {
        legs: inTurns(added.map(comparedLeg), planned).legs,
        warnings: measured
          .filter((one) => !compared.includes(one))
          .map(({ axes }) => warning('nothing-to-compare-at', { at: pointText(axes) ?? null })),
      };
    },
  };
}
