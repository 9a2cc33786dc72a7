// Finds the knee of a ramp: the number of connections from which on a server does worse, and stays worse. The seconds
// of a stage scatter, and so do its figures. A knee is stated only if scatter cannot explain it and its place is known
// to within one stage (of 40 stages, two); otherwise it is undetermined, with a reason.

import { medianOf, quantile975, meanOf } from './statistics.js';

/** @import { RampStep } from './ramp.js' */

/** @typedef {'throughput' | 'responseTime' | 'failures' | 'slower'} Rule */
/**
 * @typedef {'unanswered' | 'rejects' | 'errors' | 'delayed' | 'connecting'} Failure  delayed: needed another SYN;
 *   connecting: undecided at the end of the step
 */
/**
 * A second of a stage. inFlight: the transfers that share the throughput; otherCores: cores used by other programs,
 * absent if unknown.
 * @typedef {{ perSecond: number, p99Ns?: number, inFlight: number, otherCores?: number, cores?: number }} Second
 *
 * @typedef {object} Stage  neighbouring steps that last long enough together
 * @property {RampStep} first  its first step that was measured
 * @property {RampStep} last  its last step
 * @property {number} [before]  connections of the step before the first; absent for the first step of the ramp
 * @property {Record<Failure, number>} failures  its connections that were not opened and answered as requested
 * @property {Second[]} seconds
 *
 * @typedef {object} Knee
 * @property {number} step
 * @property {number} requested
 * @property {number} [from]  the number of connections after which it may have begun; absent if only one stage is
 *   possible
 * @property {Rule[]} why
 * @property {{ step: number, perSecond: number }} best
 * @property {number} [perSecond]  of the stage that begins with that step
 * @property {Record<string, number>} [failures]  of the stage that begins with that step
 * @typedef {{ code: 'short-steps' | 'scatter' | 'background-load', data: Record<string, number> }}
 *   Undetermined
 * @typedef {{ knee: Knee | null, tolerance: number } | { undetermined: Undetermined, tolerance?: number }} FoundKnee
 *   knee: null if there is none; tolerance: the share by which a stage's throughput may be off
 * @typedef {'fine' | 'unsure' | 'worse'} Judgement
 */

/**
 * Factors of the best throughput so far; of open / throughput; of the requested connections; of the first stage's p99;
 * and of the least p99 so far in multiples of open / throughput.
 */
export const bounds = Object.freeze({ throughput: 0.9, responseTime: 3, failures: 0.001, slower: 5, growth: 2 });

/** A stage lasts at least this many seconds, without those in which its connections open. */
export const MIN_SECONDS = 3;
/** From this many seconds on, this share of the fastest and of the slowest is left out. */
const MANY_SECONDS = 8;
const TRIMMED = 0.2;
/** If there are many seconds, one that deviates more than this counts as if it deviated by this. */
const OUTLIER = 0.2;
/** With fewer stages there is nothing to compare. */
export const MIN_STAGES = 3;
/** One in this many stages, and at least one, may be unsure before the knee. */
const STAGES_PER_UNSURE = 20;
/** One connection that fails is no ceiling. */
const MIN_FAILURES = 2;
/** The smallest deviation assumed of throughput, because consecutive seconds are alike. */
const MIN_DEVIATION = 0.02;
/** The factor by which an interval is wider, because consecutive seconds are alike (lag-one autocorrelation 0.5). */
const CORRELATED = Math.sqrt(3);
/** The last stage, which no other confirms, is worse if it is certainly below this share of the best throughput. */
const UNCONFIRMED = 0.8;
/** A stage is fine only if it is certainly above this share of the best throughput so far. */
const CERTAINLY_ABOVE = 0.7;
/** If other programs use this share of the machine more than before, that may explain a loss of throughput. */
const OTHER_SHARE = 0.1;

/**
 * Connections that had time for a reply, and had none.
 * @param {{ unanswered: number, openedLastSecond?: number }} counts of a step, or of a second
 * @returns {number}
 */
export function leftUnanswered({ unanswered, openedLastSecond = 0 }) {
  return Math.max(0, unanswered - openedLastSecond);
}

/**
 * Counts the connections of consecutive steps that were not opened and answered as requested.
 * @param {RampStep[]} steps in order @returns {Record<Failure, number>}
 */
export function failuresOf(steps) {
  const last = steps[steps.length - 1];
  const sum = (/** @type {(step: RampStep) => number} */ of) => steps.reduce((total, step) => total + of(step), 0);
  return {
    unanswered: leftUnanswered(last),
    rejects: sum(({ rejects }) => rejects),
    errors: sum(({ errors }) => errors),
    delayed: sum(({ delayed = 0 }) => delayed),
    connecting: last.connecting ?? 0,
  };
}

/** @param {Record<string, number>} failures @returns {number} */
const totalOf = (failures) => Object.values(failures).reduce((sum, n) => sum + n, 0);

/**
 * The mean response time in closed loop; in workload reconnect, whose connections are open for a moment only, that of a
 * whole turn; with a pipeline all the transfers of a connection in flight count.
 * @param {{ open: number, maxInFlight?: number, perSecond?: number }} step
 * @returns {number} Infinity: nothing was answered
 */
export function openByThroughputNs({ open, maxInFlight = open, perSecond = 0 }) {
  return perSecond > 0 ? (maxInFlight * 1e9) / perSecond : Infinity;
}

/**
 * The mean of its seconds; of many seconds, a trimmed mean: a few seconds without a reply are no trend.
 * @param {Stage} stage @returns {number}
 */
function throughputOf({ seconds }) {
  const sorted = seconds.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
  const left = sorted.length < MANY_SECONDS ? 0 : Math.floor(sorted.length * TRIMMED);
  return meanOf(sorted.slice(left, sorted.length - left));
}

/** p99 in multiples of the mean that queueing explains. @param {Second} second @returns {number} */
const p99Multiple = ({ p99Ns, inFlight, perSecond }) =>
  p99Ns === undefined ? 0 : p99Ns / openByThroughputNs({ open: inFlight, perSecond });

/**
 * A rule holds in a stage if it does in each of its seconds; it does not if it fails in at least half of them.
 * @param {boolean[]} seconds @returns {Judgement}
 */
function judgementOf(seconds) {
  const share = seconds.filter(Boolean).length / seconds.length;
  return share === 1 ? 'worse' : share > 0.5 ? 'unsure' : 'fine';
}

/**
 * The share by which the throughput of each stage may be off, from the spread of the seconds within all stages.
 * @param {Stage[]} stages @returns {number[]}
 */
function tolerancesOf(stages) {
  let squares = 0;
  let degrees = 0;
  for (const stage of stages) {
    const mean = throughputOf(stage);
    if (!(mean > 0)) continue;
    const limit = stage.seconds.length < MANY_SECONDS ? Infinity : OUTLIER;
    for (const { perSecond } of stage.seconds) squares += Math.min(limit, Math.abs(perSecond / mean - 1)) ** 2;
    degrees += stage.seconds.length - 1;
  }
  if (degrees === 0) return stages.map(() => Infinity);
  const deviation = Math.max(MIN_DEVIATION, Math.sqrt(squares / degrees));
  return stages.map(({ seconds }) => (quantile975(degrees) * CORRELATED * deviation) / Math.sqrt(seconds.length));
}

/**
 * @param {Stage} stage
 * @returns {number | undefined} cores that other programs used; undefined if unknown
 */
function otherCoresOf({ seconds }) {
  const known = seconds.flatMap(({ otherCores }) => otherCores ?? []);
  return known.length < seconds.length ? undefined : meanOf(known);
}

/**
 * Whether a stage may be slower than the best one because other programs used more of the machine.
 * @param {Stage} stage @param {Stage} best
 */
function isDisturbed(stage, best) {
  const [now, before] = [otherCoresOf(stage), otherCoresOf(best)];
  const { cores = 0 } = stage.seconds[0];
  return now !== undefined && before !== undefined && cores > 0 && now - before > OTHER_SHARE * cores;
}

/**
 * @param {Stage[]} stages up to the one that is judged, the last
 * @param {number[]} tolerances of all stages of the ramp
 * @returns {{ judgement: Judgement, best: number, disturbed: boolean }} best: the stage with the best throughput so far
 */
function judgeThroughput(stages, tolerances) {
  const rates = stages.map(throughputOf);
  const best = rates.indexOf(Math.max(...rates));
  const at = stages.length - 1;
  const isLast = stages.length === tolerances.length;
  if (best === at || rates[best] === 0) return { judgement: 'fine', best, disturbed: false };
  const ratio = rates[at] / rates[best];
  const tolerance = Math.hypot(tolerances[at], tolerances[best]);
  const isWorse = ratio * (1 + tolerance) < (isLast ? UNCONFIRMED : bounds.throughput);
  const isFine = ratio >= bounds.throughput && ratio * (1 - tolerance) >= CERTAINLY_ABOVE;
  const disturbed = !isFine && isDisturbed(stages[at], stages[best]);
  return { judgement: isFine ? 'fine' : isWorse && !disturbed ? 'worse' : 'unsure', best, disturbed };
}

/**
 * @param {Stage[]} stages up to the one that is judged, the last
 * @returns {Judgement} whether p99 is far above the time that queueing explains, and further than before
 */
function judgeResponseTime(stages) {
  const [stage, ...before] = [...stages].reverse();
  if (before.length === 0) return 'fine';
  const usual = Math.min(...before.map(({ seconds }) => medianOf(seconds.map(p99Multiple))));
  const bound = Math.max(bounds.responseTime, bounds.growth * usual);
  return judgementOf(stage.seconds.map((second) => p99Multiple(second) > bound));
}

/**
 * @param {Stage} stage
 * @param {Stage} first
 * @returns {Judgement} for a load that does not fall when response times rise
 */
function judgeSlower(stage, first) {
  const usual = first.seconds.flatMap(({ p99Ns }) => p99Ns ?? []);
  if (usual.length === 0) return 'fine';
  const bound = bounds.slower * medianOf(usual);
  return judgementOf(stage.seconds.map(({ p99Ns }) => p99Ns !== undefined && p99Ns > bound));
}

/**
 * @param {Stage[]} stages up to the one that is judged, the last
 * @param {number[]} tolerances @param {boolean} paced
 */
function judge(stages, tolerances, paced) {
  const stage = stages[stages.length - 1];
  const { judgement: throughput, best, disturbed } = judgeThroughput(stages, tolerances);
  const failures = totalOf(stage.failures);
  const failed = failures >= MIN_FAILURES && failures / stage.last.requested > bounds.failures;
  /** @type {Record<Rule, Judgement>} */
  const rules = {
    throughput,
    responseTime: judgeResponseTime(stages),
    failures: failed ? 'worse' : 'fine',
    slower: paced ? judgeSlower(stage, stages[0]) : 'fine',
  };
  const why = /** @type {Rule[]} */ (Object.keys(rules)).filter((rule) => rules[rule] === 'worse');
  const unsure = Object.values(rules).includes('unsure');
  const judgement = /** @type {Judgement} */ (why.length > 0 ? 'worse' : unsure ? 'unsure' : 'fine');
  return { judgement, why, best, disturbed };
}

/** @param {Record<string, number>} parts @returns {Record<string, number>} those above 0 */
export const presentOf = (parts) => Object.fromEntries(Object.entries(parts).filter(([, n]) => n > 0));

/**
 * @param {Stage[]} stages of the ramp; the last includes the steady state that follows it
 * @param {boolean} paced whether the workload has a pause or a heartbeat: then the offered load does not fall when
 *   response times rise, and response times are compared with the first stage's, too
 * @returns {FoundKnee}
 */
export function findKnee(stages, paced) {
  const count = stages.length;
  const seconds = Math.min(...stages.map((stage) => stage.seconds.length));
  if (count < MIN_STAGES)
    return { undetermined: { code: 'short-steps', data: { stages: count, seconds: MIN_SECONDS } } };
  if (seconds < MIN_SECONDS)
    return { undetermined: { code: 'short-steps', data: { stages: 0, seconds: MIN_SECONDS } } };
  const tolerances = tolerancesOf(stages);
  const judged = stages.map((_, i) => judge(stages.slice(0, i + 1), tolerances, paced));
  const tolerance = Math.max(...tolerances);
  const lastFine = judged.findLastIndex(({ judgement }) => judgement === 'fine');
  const lastUnsure = judged.findLastIndex(({ judgement }) => judgement !== 'worse');
  if (lastFine === count - 1) return { knee: null, tolerance };
  const from = lastUnsure + 1;
  const widest = Math.max(1, Math.floor(count / STAGES_PER_UNSURE));
  if (lastUnsure === count - 1 || from - (lastFine + 1) > widest) {
    const disturbed = judged.slice(lastFine + 1).some((stage) => stage.disturbed);
    const code = disturbed ? 'background-load' : 'scatter';
    const data = { tolerance, from: stages[lastFine + 1].first.requested, to: stages[count - 1].last.requested };
    return { undetermined: { code, data }, tolerance };
  }
  const { first } = stages[from];
  const best = stages[judged[from].best];
  const { before = 0 } = stages[from];
  const after = stages[lastFine]?.last.requested ?? 0;
  return {
    knee: {
      ...{ step: first.step, requested: first.requested },
      ...(after < before ? { from: after } : {}),
      why: judged[from].why,
      best: { step: best.first.step, perSecond: throughputOf(best) },
      perSecond: throughputOf(stages[from]),
      ...(judged[from].why.includes('failures') ? { failures: presentOf(stages[from].failures) } : {}),
    },
    tolerance,
  };
}
