/**
 * The page's view of a leg: its summary, its colour, and the limits that the plan announced. A figure that was not
 * measured stays absent; it is never shown as zero.
 */
import {
  coverageOf,
  failedShare,
  figuresOf,
  heldAtEnd,
  isMeasured,
  requestedAtEnd,
  secondsOf,
  sendsMore,
  timedSamples,
  unansweredAtEnd,
} from '../../client/measure/leg-figures.js';
import { isAtRate } from '../../client/judge/comparisons.js';
import { isAbove, valueText } from '../../client/judge/figure-values.js';
import { figureOf } from '../../client/judge/figures.js';
import { counted, NOT_MEASURED } from '../../client/words/format.js';
import { shownCase, valueOf } from '../../client/judge/value-of.js';
import { saturationOf } from './saturation.js';

/**
 * @import { Case, LegSummary } from '../../config/types.js'
 * @import { Figure } from '../../client/judge/figures.js'
 * @import { MeasuredLeg } from '../../client/measure/leg-figures.js'
 * @import { Leg, PageLeg, Remark, Run, Sample } from '../types.js'
 */

/**
 * @typedef {Pick<Run, 'scenario' | 'plan'> & { summary: { config: Pick<Run['summary']['config'], 'workload' | 'loop'> }
 *   }} LoadedRun
 */

/** A steady state that is shorter than planned by this many ns is incomplete. */
const MISSING_FROM_NS = 5e8;

/**
 * @param {NonNullable<Run['plan']>['limits'][number]} limit
 * @returns {boolean} whether the plan exceeds the limit and the run starts all the same
 */
const isAnnounced = ({ side, exceeded }) => exceeded && side !== 'client';

/**
 * @param {string} label of a leg
 * @param {Run['plan']} plan
 * @param {number} [requested] connections of this leg
 * @returns {PageLeg['ceilings']} the limits that, according to the plan, the leg's server meets
 */
function ceilingsOf(label, plan, requested = Infinity) {
  const limits = plan?.limits ?? [];
  const met = limits
    .filter(
      (limit) =>
        isAnnounced(limit) && limit.servers?.includes(label) && !(limit.holds !== null && limit.holds >= requested),
    )
    .sort((a, b) => (a.holds ?? Infinity) - (b.holds ?? Infinity));
  // Of several limits on the number of connections only the lowest is met.
  return met
    .filter(({ holds }, i) => i === 0 || holds === null || holds === undefined)
    .map(({ code, text }) => ({ code, text }));
}

/**
 * @param {Leg} leg
 * @returns {PageLeg['phases']} if the leg ended before its steady state, that is empty and begins where the ramp or the
 *   warm-up ended
 */
function phasesOf({ planned, summary, samples }) {
  const phases = summary?.phases;
  const endNs = phases?.endNs ?? 0;
  // Without a steady state, the ramp or warm-up lasts until the drain or the end of the leg.
  const rampEndNs = samples.findLast(({ phase }) => phase === 'ramp' || phase === 'warmup')?.toNs ?? endNs;
  const steadyFromNs = Math.min(planned?.steadyFromNs ?? rampEndNs, rampEndNs);
  return { steadyFromNs, steadyToNs: steadyFromNs, endNs, ...phases };
}

/**
 * @param {Leg} leg @param {Pick<PageLeg, 'summary' | 'ran' | 'phases'>} pageLeg
 * @returns {Remark[]}
 */
function missingOf({ samples, cutLines, planned }, { summary, ran, phases }) {
  /** @type {Remark[]} */
  const missing = [];
  if (!ran) missing.push({ code: 'leg', data: {}, text: 'the whole measurement (it left no samples)' });
  if (cutLines > 0) {
    const text = `${counted(cutLines, 'line')} of samples.ndjson (cut off or unreadable)`;
    missing.push({ code: 'sample-lines', data: { lines: cutLines }, text });
  }
  // A leg that ended as asked is complete.
  if (!ran || ['done', 'stop-on', 'confident', 'running'].includes(summary.endedBy ?? '')) return missing;
  const covers = coverageOf(summary);
  if (covers === 'warm-up' || covers === 'ramp') {
    const text = `the steady state (the figures cover the ${covers})`;
    missing.push({ code: 'steady-state', data: { covers }, text });
  }
  // After a warm-up by count, the steady state may begin early; its length is as planned.
  const plannedNs = planned ? planned.steadyToNs - planned.steadyFromNs : 0;
  const lastedNs = phases.steadyToNs - phases.steadyFromNs;
  if (covers === 'steady state' && samples.length && plannedNs && lastedNs < plannedNs - MISSING_FROM_NS) {
    const seconds = Math.round((plannedNs - lastedNs) / 1e9);
    const text = `the last ${seconds} s of the steady state`;
    missing.push({ code: 'end-of-steady-state', data: { seconds }, text });
  }
  return missing;
}

/** @param {Leg} leg @returns {PageLeg['summary']} for a leg that never began, made from the plan */
function summaryOf({ planned, summary }) {
  const { axes = {}, round = 1, start, series, serverModel, comparedAt } = planned ?? {};
  return {
    complete: false,
    warnings: [],
    axes,
    round,
    ...(start === undefined ? {} : { start }),
    series,
    serverModel,
    comparedAt,
    ...summary,
  };
}

/** @param {PageLeg[]} results @returns {string} the kinds of loop, for titles */
export function loopText(results) {
  const closed = results.filter((f) => f.closed).length;
  return closed === results.length ? 'closed loop' : closed === 0 ? 'open loop' : 'closed and open loop';
}

/**
 * @param {Leg} leg @param {LoadedRun} run
 * @param {Case['figures']} [compared] figures of the leg's case, if the leg is its only one
 * @returns {PageLeg}
 */
export function pageLeg(leg, run, compared = {}) {
  const { id, label, caseLabel = label, index, planned, samples } = leg;
  const { workload, loop } = run.summary.config;
  const summary = summaryOf(leg);
  const ran = isMeasured(summary);
  const known = {
    ...{ id, label, caseLabel, index, colour: index },
    ...{ summary, figures: ran ? figuresOf(summary) : undefined, ran },
    shown: shownCase([/** @type {LegSummary} */ (summary)], { id, label, figures: compared }),
    ...{ planned, settings: planned?.settings ?? run.scenario ?? {} },
    ...{ workload, closed: loop !== 'open' && !isAtRate(summary) },
    phases: phasesOf(leg),
    ceilings: ceilingsOf(planned?.series ?? caseLabel, run.plan, planned?.connections),
  };
  const covered = timedSamples(summary, samples).filter(({ phase }) => phase !== 'drain');
  return { ...known, missing: missingOf(leg, known), saturation: saturationOf(known, covered) };
}

/**
 * @template T
 * @param {(summary: MeasuredLeg) => T} read
 * @returns {(f: PageLeg) => T | undefined} undefined for a leg that did not run
 */
const ofRan =
  (read) =>
  ({ summary }) =>
    isMeasured(summary) ? read(summary) : undefined;

/** Connections open at the end. */
export const openOf = ofRan(heldAtEnd);
/** Connections requested at the end. */
export const requestedOf = ofRan(requestedAtEnd);
/** Connections without a reply at the end. */
export const unansweredOf = ofRan(unansweredAtEnd);

/**
 * @param {PageLeg} f
 * @returns {number} 0..1: share of transfers without a reply; over several legs, the largest
 */
export const failedShareOf = ({ shown }) =>
  Math.max(0, ...shown.legs.map((/** @type {LegSummary} */ leg) => failedShare(figuresOf(leg) ?? NONE)));

/** Counts of a leg that did not run. */
const NONE = { transfers: 0, failed: 0, unfinished: 0 };

/**
 * @param {PageLeg} f
 * @param {string} name of a percentile
 * @returns {number | undefined} the longest time measured, if the percentile is above it and reads "> max"
 */
export function maxBelow(f, name) {
  const { value } = valueOf(namedFigure(name), f.shown);
  return isAbove(value) ? value.above : undefined;
}

/** @param {string} name @returns {Figure} */
const namedFigure = (name) => /** @type {Figure} */ (figureOf(name));

/** @param {PageLeg} f @param {string} name of a figure @returns {number | undefined} undefined if not measured */
export function numberOf(f, name) {
  const { value } = valueOf(namedFigure(name), f.shown);
  return typeof value === 'number' ? value : undefined;
}

/** @param {PageLeg} f @param {string} name of a figure @returns {string} such as "6.2 ms", "> 30 s" */
export function figureText(f, name) {
  const { value } = valueOf(namedFigure(name), f.shown);
  return value === undefined ? NOT_MEASURED : valueText(namedFigure(name), value);
}

/** @param {PageLeg} f @returns {number | undefined} connections opened a second, if the workload reopens them */
export const opensPerSecond = ({ figures, summary }) =>
  figures && summary.churns ? figures.opened / secondsOf(figures) : undefined;

/** @param {PageLeg} f @returns {boolean} whether the rate of sent bytes says more than that of received bytes */
export const sendsMoreOf = ({ figures }) =>
  figures !== undefined && sendsMore(figures.bytesSentPerSecond, figures.bytesPerSecond);

/**
 * @param {PageLeg} f
 * @returns {boolean} whether no connect needed a second SYN; false if an attempt timed out, since it may have
 */
export const noSecondSyn = ({ summary: { connectSteps, kernel, rejects } }) =>
  !connectSteps && kernel?.TcpExtTCPSynRetrans === 0 && !rejects?.timeout;
