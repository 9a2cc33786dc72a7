// The legs that compareAt adds: once the throughput of servers is known, those that served all connections have a leg
// each in open loop, at the same rate, as servers at one point of a run are otherwise measured: side by side, in as
// many rounds. Pure.

import { casesOf } from '../judge/cases.js';
import { nameOf, pointsOf, pointText } from '../judge/comparisons.js';
import { mapSettings } from '../measure/settings.js';
import { openWarmupNs } from '../scenario/keys/warmup.js';
import { count } from '../words/format.js';
import { servedOnlySome } from '../words/figures.js';
import { warning } from '../words/warnings.js';
import { machinesOf, plan } from './plan.js';
import { caseIdOf } from './rounds.js';
import { inSlices } from './slices.js';
import { decideVariants, possibleDecisions } from './variants.js';

/**
 * @import { Case, LegSummary, Warning } from '../../config/types.js'
 * @import { Host } from '../machine/host.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { CompareAt } from '../scenario/complete.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Leg } from './plan.js'
 * @import { KnownServer } from './processes.js'
 */

/**
 * @typedef {{ scenario: Scenario, plan: Plan, host: Host, known: KnownServer[] }} Planned  scenario: with compareAt;
 *   plan: of the legs before
 */

/** Of a rate that is a share of what was measured: more digits say nothing. */
const DIGITS = 3;

/** @param {Scenario} scenario @param {number} rate @returns {Scenario} of the legs at that rate */
const atRate = (scenario, rate) =>
  mapSettings(scenario, (settings) => ({
    ...{ ...settings, rate, compareAt: null },
    warmupNs:
      settings.warmupTransfers === null
        ? Math.max(settings.warmupNs, openWarmupNs(settings.durationNs))
        : settings.warmupNs,
  }));

/** @param {Scenario} scenario @returns {CompareAt} */
const compareAtOf = ({ compareAt }) => /** @type {CompareAt} */ (compareAt);

/** @param {Planned} planned @returns {Plan} with what is known of the legs to come */
export function withLegsToCome({ scenario, plan: first, host, known }) {
  const { legGapNs } = scenario;
  const compareAt = compareAtOf(scenario);
  const { expected } = plan(atRate(scenario, 'rate' in compareAt ? compareAt.rate : 1), host, known);
  return {
    ...first,
    compareAt: { ...compareAt, mostLegs: 2 * first.legs.length },
    expected: {
      ...first.expected,
      seconds: first.expected.seconds + legGapNs / 1e9 + expected.seconds,
      transferLogBytes: first.expected.transferLogBytes === 0 ? 0 : null,
    },
  };
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

/** @param {Leg} leg @param {number} rate of it @returns {Leg} */
function comparedLeg(leg, rate) {
  const label = `${leg.label} at ${count(rate)}/s`;
  return { ...leg, label, series: nameOf(leg), case: caseIdOf(label), comparedAt: rate };
}

/**
 * @param {Planned} planned @param {LegSummary[]} summaries of the legs of the plan, which have ended
 * @returns {{ legs: Leg[], warnings: Warning[] }} legs: to be run after them; none where they are in the plan
 */
export function legsAtRate({ scenario, plan: first, host, known }, summaries) {
  if (first.legs.some(({ comparedAt }) => comparedAt !== undefined)) return { legs: [], warnings: [] };
  const points = pointsOf(casesOf(summaries, first.cases)).map((cases) => {
    const sound = soundOf(cases, summaries);
    if (sound.length < 2) return { cases, legs: [] };
    const own = atRate(scenario, rateFor(sound, compareAtOf(scenario)));
    const { legs } = plan(
      mapSettings(own, (settings) => ({ ...settings, interleave: 'off' })),
      host,
      known,
    );
    const names = new Set(sound.map(({ label }) => label));
    const compared = legs.filter(({ label }) => names.has(label));
    const variants = decideVariants(own, host, known);
    const machines = machinesOf(variants, possibleDecisions(variants), host);
    const { interleave } = scenario;
    const wanted = compared.map((leg) => ({ ...leg, settings: { ...leg.settings, interleave } }));
    const { legs: sliced } = inSlices(wanted, own, machines);
    return { cases, legs: sliced.map((leg) => comparedLeg(leg, Number(own.rate))) };
  });
  let group = first.legs.reduce((most, { slices }) => Math.max(most, slices?.group ?? 0), 0);
  const legs = points.flatMap((point) => point.legs).sort((a, b) => a.round - b.round);
  return {
    legs: legs.map((leg, i) => {
      const { slices } = leg;
      if (slices?.index === 0) group += 1;
      const id = `${String(first.legs.length + i + 1).padStart(2, '0')}-${leg.case}`;
      return { ...leg, id, ...(slices && { slices: { ...slices, group } }) };
    }),
    warnings: points
      .filter((point) => point.legs.length === 0)
      .map(({ cases }) => warning('nothing-to-compare-at', { at: pointText(cases[0].axes) ?? null })),
  };
}
