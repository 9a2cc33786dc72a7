// The steps of a ramp with the figures of each: from the planned schedule and the samples. Pure.
// The one thing to know: a sample belongs to the step in which it ends. Rejects and errors are of all of a step's
// samples; rates and response times leave the first one out when there are more: in it the step's connects happen.
import { requestedAt } from './schedule.js';
import { churnsConnections } from './churn.js';
import { findKnee } from './knee.js';
import { Histogram } from './histogram.js';

/**
 * @typedef {import('./sample.js').Sample} Sample
 * @typedef {import('./schedule.js').Point} Point
 * @typedef {{ step: number, fromNs: number, toNs: number, requested: number }} PlannedStep  step counts from 1
 * @typedef {PlannedStep & { open: number, unanswered: number, openedLastSecond?: number, maxInFlight?: number, rejects: number,
 *   errors: number, perSecond: number, p50Ns?: number, p99Ns?: number }} RampStep  open, unanswered: at its end; openedLastSecond:
 *   of the unanswered those opened in its last sample, where connections are opened all the time; maxInFlight: what shares
 *   the throughput where that is not open: requested, in workload reconnect, and open times pipeline; p50Ns, p99Ns: absent
 *   when nothing was answered
 * @typedef {{ workload?: string, pauseNs?: number, heartbeatNs?: number, connectTimeoutNs?: number,
 *   transferTimeoutNs?: number, pipeline?: number,
 *   connectionsProfile?: unknown[] | null, rate?: number | null, start?: 'open' | 'together',
 *   lifetime?: {reopen?: boolean} | null,
 *   protocol?: string, protocolOptions?: any }} Load  of the scenario
 */

const fewestSteps = 3;
/** A line rises all the time: it is cut into parts of whole seconds, and into no more than these. */
const mostParts = 100;

/**
 * The steps of a schedule: each point that jumps, and the parts of each line.
 * @param {{ schedule: Point[], rampToNs: number }} leg
 * @returns {PlannedStep[]} one after another, the last up to the end of the ramp
 */
export function plannedSteps({ schedule, rampToNs }) {
  /** @type {{ fromNs: number, requested: number }[]} */
  const starts = [];
  let before = { atNs: 0, slots: 0 };
  for (const point of schedule) {
    if (point.slots !== before.slots && !point.line) starts.push({ fromNs: point.atNs, requested: point.slots });
    else if (point.slots !== before.slots) {
      const partNs = Math.ceil((point.atNs - before.atNs) / (mostParts * 1e9)) * 1e9;
      for (let atNs = before.atNs; atNs < point.atNs; atNs += partNs) {
        starts.push({ fromNs: atNs, requested: requestedAt(schedule, Math.min(atNs + partNs, point.atNs)) });
      }
    }
    before = point;
  }
  return starts.map(({ fromNs, requested }, i) => ({
    step: i + 1,
    fromNs,
    toNs: starts[i + 1]?.fromNs ?? rampToNs,
    requested,
  }));
}

/** With pause or heartbeat what is sent comes in bursts that follow the opening. @param {Load} load */
function isPaced({ pauseNs = 0, heartbeatNs = 0 }) {
  return pauseNs > 0 || heartbeatNs > 0;
}

/**
 * On a line of the ramp, and where connections end as planned, some have always only just been opened.
 * @param {Point[]} schedule @param {number} toNs end of a step @param {Load} load
 */
function someAreFresh(schedule, toNs, load) {
  return churnsConnections(load) || schedule.find(({ atNs }) => atNs >= toNs)?.line === true;
}

/**
 * The steps that lasted to their end. Steps in which no sample ends fall together with the next one, and carry its
 * number and its requested connections. The last step's rejects and errors are counted on into the steady state for as long as a
 * connect or a transfer may take to time out: what fails in it shows only then.
 * @param {Sample[]} samples of a leg, in order
 * @param {{ schedule: Point[], rampToNs: number }} leg
 * @param {Load} [load]
 * @returns {RampStep[]}
 */
export function rampSteps(samples, leg, load = {}) {
  const settledNs = leg.rampToNs + Math.max(load.connectTimeoutNs ?? 0, load.transferTimeoutNs ?? 0);
  const before = samples.filter(({ phase }) => phase !== 'drain');
  const reachedNs = Math.max(0, ...before.map(({ toNs }) => toNs));
  /** @type {RampStep[]} */
  const steps = [];
  let fromNs = 0;
  for (const planned of plannedSteps(leg)) {
    if (planned.toNs > reachedNs) break;
    const own = before.filter(({ toNs }) => toNs > fromNs && toNs <= planned.toNs);
    const timed = own.filter((sample) => sample.toNs > sample.fromNs);
    if (timed.length === 0) continue;
    const late =
      planned.toNs < leg.rampToNs
        ? []
        : before.filter((sample) => sample.toNs > planned.toNs && sample.fromNs < settledNs);
    const counted = [...own, ...late];
    const { open, unanswered, openedLastSecond: opened } = timed[timed.length - 1].gauges;
    const openedLastSecond = someAreFresh(leg.schedule, planned.toNs, load) ? { openedLastSecond: opened ?? 0 } : {};
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
      ...openedLastSecond,
      ...maxInFlight,
      rejects: total(counted, 'rejects'),
      errors: total(counted, 'errors'),
      ...ratesOf(timed.length > 1 && !isPaced(load) ? timed.slice(1) : timed),
    });
    fromNs = planned.toNs;
  }
  return steps;
}

/**
 * @param {Sample[]} samples @param {{ schedule?: Point[], rampToNs?: number }} leg @param {Load} [load]
 * @returns {{ steps: RampStep[], knee: import('./knee.js').Knee | null } | undefined} undefined without a ramp of
 *   three steps; where connections close for good, since they never add up (workload once, lifetime without reopen); and
 *   where nothing is sent before the ramp is over (open loop, start together)
 */
export function rampOf(samples, { schedule, rampToNs }, load = {}) {
  const neverAddUp = load.workload === 'once' || load.lifetime?.reopen === false;
  const sendsAfter = (load.rate ?? null) !== null || load.start === 'together';
  if (!schedule || rampToNs === undefined || neverAddUp || sendsAfter) return undefined;
  const steps = rampSteps(samples, { schedule, rampToNs }, load);
  return steps.length < fewestSteps ? undefined : { steps, knee: findKnee(steps, isPaced(load)) };
}

/** @param {Sample[]} samples with a span */
function ratesOf(samples) {
  const times = new Histogram();
  let ns = 0;
  let transfers = 0;
  for (const { fromNs, toNs, counters, histograms } of samples) {
    ns += toNs - fromNs;
    transfers += counters.transfers;
    times.merge(Histogram.fromLine(histograms.responseTime));
  }
  const [p50Ns, p99Ns] = times.percentiles([50, 99]);
  return { perSecond: (transfers * 1e9) / ns, ...(times.count > 0 ? { p50Ns, p99Ns } : {}) };
}

/** @param {Sample[]} samples @param {'rejects' | 'errors'} part */
function total(samples, part) {
  return samples.reduce((sum, sample) => sum + Object.values(sample[part]).reduce((all, n) => all + n, 0), 0);
}
