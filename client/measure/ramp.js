// The steps of a ramp with the figures of each, from the planned schedule and the samples. A sample belongs to the step
// in which it ends. Rejects and errors count all samples of a step; rates and response times leave out the first if
// there are more, because the step's connects happen in it.
import { accountOf } from './account.js';
import { churnsConnections } from './churn.js';
import { failuresOf, findKnee } from './knee.js';
import { isLongEnough, isPaced, mayHaveKnee, MIN_STEPS, stagesOfSteps, plannedSteps } from './ramp-stages.js';
import { Histogram } from './histogram.js';
import { LEAST_MEASURED_NS, whileMeasured } from './slices.js';

/**
 * @import { Sample, Step } from '../../config/types.js'
 * @import { Knee, Second, Stage, Undetermined } from './knee.js'
 * @import { PlannedStep } from './ramp-stages.js'
 * @import { Point } from './schedule.js'
 */

/**
 * @typedef {Step} RampStep
 * @typedef {{ workload?: string, pauseNs?: number, heartbeatNs?: number, connectTimeoutNs?: number,
 *   transferTimeoutNs?: number, pipeline?: number,
 *   connectionsProfile?: unknown[] | null, rate?: number | null, rateProfile?: unknown[] | null,
 *   start?: 'open' | 'together',
 *   lifetime?: {reopen?: boolean} | null,
 *   protocol?: string, protocolOptions?: { keepAlive?: boolean, requests?: { name: string }[] } }} Load  of the
 *   scenario
 */

/**
 * On a line of the ramp, or if connections end as planned, some connections have always just been opened.
 * @param {Point[]} schedule @param {number} toNs end of a step @param {Load} load
 */
function hasFreshSlots(schedule, toNs, load) {
  return churnsConnections(load) || schedule.find(({ atNs }) => atNs >= toNs)?.line === true;
}

/**
 * The steps that lasted to their end. A step in which no sample ends joins the next one, with the number and the
 * requested connections of that step. The last step's rejects and errors are counted into the steady state for as long
 * as a connect or a transfer may take to time out, because its failures show only then.
 * @param {Sample[]} samples of a leg, in order
 * @param {{ schedule: Point[], rampToNs: number }} leg
 * @param {Load} [load] @param {number[]} [synRetryNs] of the client's kernel
 * @returns {RampStep[]}
 */
export function rampSteps(samples, leg, load = {}, synRetryNs = []) {
  const settledNs = leg.rampToNs + Math.max(load.connectTimeoutNs ?? 0, load.transferTimeoutNs ?? 0);
  const before = samples.filter(({ phase }) => phase !== 'drain');
  const reachedNs = Math.max(0, ...before.map(({ toNs }) => toNs));
  /** @type {RampStep[]} */
  const steps = [];
  let fromNs = 0;
  for (const planned of plannedSteps(leg)) {
    if (planned.toNs > reachedNs) break;
    const ofStep = before.filter(({ toNs }) => toNs > fromNs && toNs <= planned.toNs);
    const timed = ofStep.filter((sample) => sample.toNs > sample.fromNs);
    if (timed.length === 0) continue;
    const late =
      planned.toNs < leg.rampToNs
        ? []
        : before.filter((sample) => sample.toNs > planned.toNs && sample.fromNs < settledNs);
    const counted = [...ofStep, ...late];
    const { open, unanswered, openedLastSecond: opened } = timed[timed.length - 1].gauges;
    const openedLastSecond = hasFreshSlots(leg.schedule, planned.toNs, load) ? { openedLastSecond: opened ?? 0 } : {};
    const maxInFlight =
      load.workload === 'reconnect'
        ? { maxInFlight: planned.requested }
        : (load.pipeline ?? 1) > 1
          ? { maxInFlight: open * (load.pipeline ?? 1) }
          : {};
    steps.push({
      ...planned,
      fromNs,
      open,
      unanswered,
      ...servedIn(timed, planned.requested, load),
      ...openedLastSecond,
      ...maxInFlight,
      rejects: total(counted, 'rejects'),
      errors: total(counted, 'errors'),
      ...undecidedConnects(timed[timed.length - 1], counted, planned.requested, load, synRetryNs),
      ...ratesOf(timed.length > 1 && !isPaced(load) ? timed.slice(1) : timed),
    });
    fromNs = planned.toNs;
  }
  return steps;
}

/**
 * @param {Sample[]} timed of a step @param {number} requested @param {Load} load
 * @returns {{ served?: number, idle?: number }} at its end; empty if samples do not say which connections were
 *   answered, or if the leg had no turn in the step
 */
function servedIn(timed, requested, load) {
  if (timed.every(({ slices }) => slices?.turnNs === 0)) return {};
  const { gauges } = timed[timed.length - 1];
  const account = accountOf(/** @type {Record<string, number>} */ (gauges), {
    ...{ requested, churns: churnsConnections(load), once: false },
  });
  if (account === undefined) return {};
  return { served: account.served, ...(account.idle > 0 ? { idle: account.idle } : {}) };
}

/**
 * Connects that were delayed, and those in flight at the end of a step since before its last sample. If connections end
 * as planned, delayed connects are counted by their share: each slot has many.
 * @param {Sample} last
 * @param {Sample[]} counted
 * @param {number} requested
 * @param {Load} load
 * @param {number[]} synRetryNs
 * @returns {{ delayed?: number, connecting?: number }} only those above 0
 */
function undecidedConnects(last, counted, requested, load, synRetryNs) {
  const { connecting = 0, renewing = 0 } = last.gauges;
  const old = Math.max(0, connecting - renewing - last.counters.attempts);
  const times = Histogram.ofLines(counted.map(({ histograms }) => histograms.connectTime));
  const late = synRetryNs.length > 0 && times.count > 0 ? times.countBetween(synRetryNs[0], Infinity) : 0;
  const delayed = churnsConnections(load) ? Math.round((late / Math.max(1, times.count)) * requested) : late;
  return { ...(delayed > 0 ? { delayed } : {}), ...(old > 0 ? { connecting: old } : {}) };
}

/**
 * @param {Sample} sample
 * @returns {{ otherCores?: number, cores?: number }} otherCores: used by other programs; empty if unknown
 */
function otherUseOf({ fromNs, toNs, machine, client, server, serverMachine, slices }) {
  const cores = machine.busy.length;
  // if legs take turns, other legs are among the other programs
  if (cores === 0 || server?.cpuSeconds === undefined || slices) return {};
  const ownSeconds = client.cpuSeconds + (serverMachine === undefined ? server.cpuSeconds : 0);
  const used = ownSeconds / ((toNs - fromNs) / 1e9);
  return { otherCores: Math.max(0, machine.busy.reduce((sum, share) => sum + share, 0) - used), cores };
}

/**
 * @param {Sample} sample with a span @param {RampStep} step that it belongs to @param {Load} load
 * @returns {Second}
 */
function secondOf(sample, step, load) {
  const { gauges, histograms } = sample;
  const { transfers, ns } = whileMeasured([sample]);
  return {
    perSecond: (transfers * 1e9) / ns,
    ...(histograms.responseTime ? { p99Ns: histograms.responseTime.p99 } : {}),
    inFlight: load.workload === 'reconnect' ? step.requested : gauges.open * (load.pipeline ?? 1),
    ...otherUseOf(sample),
  };
}

/**
 * The samples by which steps are judged. The steady state belongs to the last step: it has as many connections.
 * @param {Sample[]} samples @param {Pick<RampStep, 'fromNs' | 'toNs'>[]} steps @param {Load} load
 * @returns {Sample[][]} the samples of each step, without those in which its connections open
 */
export function samplesOfSteps(samples, steps, load) {
  const timed = samples.filter((sample) => isLongEnough(sample) && isMeasured(sample));
  return steps.map((step, i) => {
    const ofStep = timed.filter(({ phase, toNs }) => phase === 'ramp' && toNs > step.fromNs && toNs <= step.toNs);
    const settled = ofStep.length > 1 && !isPaced(load) ? ofStep.slice(1) : ofStep;
    const isLast = i === steps.length - 1 && !load.connectionsProfile;
    const after = isLast ? timed.filter(({ phase }) => phase === 'steady') : [];
    return [...settled, ...after];
  });
}

/**
 * Joins neighbouring steps until they last long enough; the last steps join the stage before.
 * @param {Sample[]} samples @param {RampStep[]} steps @param {Load} load
 * @returns {Stage[]}
 */
function stagesOf(samples, steps, load) {
  const seconds = samplesOfSteps(samples, steps, load).map((ofStep, i) =>
    ofStep.map((sample) => secondOf(sample, steps[i], load)),
  );
  return stagesOfSteps(seconds.map(({ length }) => length)).map((places) => {
    const ofStage = places.map((i) => steps[i]);
    const first = places.find((i) => seconds[i].length > 0) ?? places[0];
    return {
      first: steps[first],
      last: ofStage[ofStage.length - 1],
      ...(first > 0 ? { before: steps[first - 1].requested } : {}),
      failures: failuresOf(ofStage),
      seconds: places.flatMap((i) => seconds[i]),
    };
  });
}

/**
 * @param {Sample[]} samples @param {{ schedule?: Point[], rampToNs?: number }} leg @param {Load} [load]
 * @param {number[]} [synRetryNs] of the client's kernel
 * @returns {({ steps: RampStep[] } & Partial<{ knee: Knee | null, tolerance: number, undetermined: Undetermined }>) |
 *   undefined} undefined without a ramp of three steps; if connections close for good, because they never add up
 *   (workload once, lifetime without reopen); and if nothing is sent in the ramp (open loop, start together)
 */
export function rampOf(samples, { schedule, rampToNs }, load = {}, synRetryNs = []) {
  if (!schedule || rampToNs === undefined || !mayHaveKnee(load)) return undefined;
  const steps = rampSteps(samples, { schedule, rampToNs }, load, synRetryNs);
  if (steps.length < MIN_STEPS) return undefined;
  const knee = findKnee(stagesOf(samples, steps, load), isPaced(load));
  return { steps, ...knee };
}

/** @param {Sample} sample @returns {boolean} whether the leg was measured in it; it may take turns with other legs */
const isMeasured = ({ slices }) => slices === undefined || slices.measuredNs >= LEAST_MEASURED_NS;

/** @param {Sample[]} samples with a span */
function ratesOf(samples) {
  const times = new Histogram();
  for (const { histograms } of samples) times.merge(Histogram.fromLine(histograms.responseTime));
  const { transfers, ns } = whileMeasured(samples);
  const [p50Ns, p99Ns] = times.percentiles([50, 99]);
  return { ...(ns > 0 ? { perSecond: (transfers * 1e9) / ns } : {}), ...(times.count > 0 ? { p50Ns, p99Ns } : {}) };
}

/** @param {Sample[]} samples @param {'rejects' | 'errors'} part */
function total(samples, part) {
  return samples.reduce((sum, sample) => sum + Object.values(sample[part]).reduce((partSum, n) => partSum + n, 0), 0);
}
