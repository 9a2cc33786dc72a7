/**
 * What is known of each leg: its summary, laid out for tables and charts. A figure that was not measured stays absent;
 * it is never shown as zero.
 */
import {
  areManyLate,
  coverageOf,
  failedShare,
  figuresOf,
  followsProfile,
  heldAtEnd,
  heldTooFew,
  isKnown,
  isMeasured,
  latenessDominates,
  leftUnserved,
  requestedAtEnd,
  sendsMore,
  unansweredAtEnd,
} from '../../client/measure/leg-figures.js';
import { fewPlacesText, servedOnlySome } from '../../client/words/figures.js';
import { counted, duration } from '../../client/words/format.js';
import { disturbedRounds } from '../../client/judge/disturbances.js';
import { settingsOf } from '../../client/measure/leg-settings.js';
import { saturationOf } from './saturation.js';

/** @typedef {import('../types.js').LegResults} LegResults */
/** @typedef {import('../types.js').Sample} Sample */
/** @typedef {import('../../client/measure/leg-figures.js').MeasuredLeg} MeasuredLeg */
/** @typedef {import('../types.js').Run} Run */
/** @typedef {Pick<Run, 'scenario' | 'plan'> & { summary: { config: Pick<Run['summary']['config'], 'workload' | 'loop'> } }} LoadedRun */

/** A steady state shorter than planned by this is incomplete, ns. */
const MISSING_FROM_NS = 5e8;

/** @param {NonNullable<Run['plan']>['limits'][number]} limit @returns {boolean} whether the run went on although it was exceeded */
const isAnnounced = ({ side, exceeded }) => exceeded && side !== 'client';

/**
 * @param {string} label of a leg @param {Run['plan']} plan @param {number} [requested] of this leg: of a sweep, few of them may fit
 * @returns {LegResults['ceilings']} what the plan said of the limits its server would meet
 */
function ceilingsOf(label, plan, requested = Infinity) {
  const limits = plan?.limits ?? [];
  const met = limits
    .filter(
      (limit) =>
        isAnnounced(limit) && limit.servers?.includes(label) && !(limit.holds !== null && limit.holds >= requested),
    )
    .sort((a, b) => (a.holds ?? Infinity) - (b.holds ?? Infinity));
  // Of several that bound how many it can have, the least is met.
  return met
    .filter(({ holds }, i) => i === 0 || holds === null || holds === undefined)
    .map(({ code, text }) => ({ code, text }));
}

/**
 * @param {Record<string, number> | undefined} causes with a total
 * @returns {Record<string, number>} without it
 */
function withoutTotal(causes) {
  return Object.fromEntries(Object.entries(causes ?? {}).filter(([name]) => name !== 'total'));
}

/**
 * @param {Sample[]} samples of a leg @param {string} workload
 * @returns {Sample[]} those that the figures cover: the steady state; the warm-up or the ramp of a leg that ended in it; in
 *   workload once all, for each connection's only transfer counts whenever it ran
 */
function coveredSamples(samples, workload) {
  if (workload === 'once') return samples;
  for (const phase of ['steady', 'warmup', 'ramp']) {
    const covered = samples.filter((sample) => sample.phase === phase);
    if (covered.length) return covered;
  }
  return samples;
}

/**
 * @param {Sample[]} samples of a leg @param {string} workload
 * @returns {Sample[]} those whose response times count: with the steady state the drain, in which what was in flight ends
 */
export function timedSamples(samples, workload) {
  const covered = coveredSamples(samples, workload);
  if (covered[0]?.phase !== 'steady') return covered;
  return [...covered, ...samples.filter((sample) => sample.phase === 'drain')];
}

/**
 * @param {import('../types.js').Leg['planned']} planned @param {MeasuredLeg['phases'] | undefined} phases @param {Sample[]} samples
 * @returns {{warmupFromNs?: number, steadyFromNs: number, steadyToNs: number, endNs: number}}
 */
function phasesOf(planned, phases, samples) {
  const endNs = phases?.endNs ?? 0;
  // Without a steady state ramp or warm-up end where the drain begins, if it was cut, or with the leg.
  const rampEndNs = samples.findLast(({ phase }) => phase === 'ramp' || phase === 'warmup')?.toNs ?? endNs;
  const steadyFromNs = Math.min(planned?.steadyFromNs ?? rampEndNs, rampEndNs);
  return { steadyFromNs, steadyToNs: steadyFromNs, endNs, ...phases };
}

/** @param {import('../types.js').Leg} leg @param {LegResults} results @returns {import('../types.js').Remark[]} */
function missingOf({ samples, cutLines, planned }, results) {
  /** @type {import('../types.js').Remark[]} */
  const missing = [];
  if (!results.ran) missing.push({ code: 'leg', data: {}, text: 'the whole leg (it left no samples)' });
  if (cutLines > 0) {
    const text = `${counted(cutLines, 'line')} of samples.ndjson (cut off or unreadable)`;
    missing.push({ code: 'sample-lines', data: { lines: cutLines }, text });
  }
  // One whose transfers have all ended is complete; its figures say what they cover.
  if (!results.ran || ['done', 'stop-on', 'confident'].includes(results.endedBy ?? '')) return missing;
  if (results.covers === 'warm-up' || results.covers === 'ramp') {
    const text = `the steady state (the figures cover the ${results.covers})`;
    missing.push({ code: 'steady-state', data: { covers: results.covers }, text });
  }
  // One that began before it was planned, after a warm-up by count, lasts as long.
  const plannedNs = planned ? planned.steadyToNs - planned.steadyFromNs : 0;
  const lastedNs = results.steadyToNs - results.steadyFromNs;
  if (results.covers === 'steady state' && samples.length && plannedNs && lastedNs < plannedNs - MISSING_FROM_NS) {
    const seconds = Math.round((plannedNs - lastedNs) / 1e9);
    const text = `the last ${seconds} s of the steady state`;
    missing.push({ code: 'end-of-steady-state', data: { seconds }, text });
  }
  return missing;
}

/**
 * @param {MeasuredLeg} summary
 * @returns {Partial<LegResults>} its connections, attempts and causes
 */
function connectionResults(summary) {
  const { connections, attempts, rejects, errors } = summary;
  return {
    requested: requestedAtEnd(summary),
    peakRequested: connections.requested,
    open: heldAtEnd(summary),
    peakOpen: connections.peakOpen,
    opened: connections.opened,
    reopened: connections.reopened,
    lost: connections.lost,
    lostWithWorker: connections.lostWithWorker ?? 0,
    unanswered: unansweredAtEnd(summary),
    neverAnswered: connections.neverAnswered,
    attempts: attempts.total,
    rejected: attempts.rejected,
    abandoned: attempts.abandoned,
    rejectsTotal: rejects.total,
    errorsTotal: errors.total,
  };
}

/**
 * @param {MeasuredLeg} summary @param {string} workload
 * @returns {Partial<LegResults>} the figures of the span they cover
 */
function spanResults(summary, workload) {
  const figures = figuresOf(summary);
  if (!figures) return {};
  const seconds = (figures.toNs - figures.fromNs) / 1e9;
  const rates = seconds > 0;
  const isReconnect = workload === 'reconnect';
  const perSecond = (/** @type {number} */ n) => (seconds > 0 ? n / seconds : undefined);
  return {
    seconds,
    ...(rates
      ? {
          perSecond: figures.perSecond,
          bytesPerSecond: figures.bytesPerSecond,
          bytesSentPerSecond: figures.bytesSentPerSecond,
        }
      : {}),
    sendsMore: sendsMore(figures.bytesSentPerSecond, figures.bytesPerSecond),
    response: figures.responseTimeNs,
    service: figures.serviceTimeNs,
    timestamps: figures.timestamps,
    due: figures.due,
    late: figures.late,
    manyLate: areManyLate(figures),
    lateness: latenessDominates(figures),
    unsent: figures.unsent,
    replies: withoutTotal(figures.statuses),
    perConnection: summary.steady?.perConnection,
    failedShare: failedShare(figures),
    clientCpuSeconds: figures.client.cpuSeconds,
    serverCpuSeconds: figures.server?.cpuSeconds,
    idlePollSeconds: figures.client.idlePollSeconds,
    engines: figures.client.engines,
    processCpu: figures.server?.processCpu,
    opensPerSecond: summary.churns ? perSecond(figures.opened) : undefined,
    attemptsPerSecond: isReconnect ? perSecond(figures.attempts) : undefined,
  };
}

/**
 * @param {import('../types.js').Leg} leg
 * @param {LoadedRun} run
 * @returns {LegResults}
 */
export function legResults(leg, run) {
  const { samples, planned } = leg;
  /** @type {Partial<import('../../config/types.js').LegSummary>} */
  const summary = leg.summary ?? {};
  const workload = run.summary.config.workload;
  const ran = isMeasured(summary);
  const { transfers } = summary;
  /** @type {Partial<import('../../client/scenario/scenario.js').Scenario>} */
  const settings = settingsOf(run.scenario ?? {}, planned ?? summary);
  const axes = summary.axes ?? planned?.axes;
  const options = planned?.server.kind === 'named' ? planned.server.options : undefined;
  /** @type {LegResults} */
  const results = {
    id: leg.id,
    label: leg.label,
    caseLabel: leg.caseLabel ?? leg.label,
    index: leg.index,
    colour: leg.index,
    mark: leg.index,
    drawn: true,
    place: leg.index,
    series: summary.series ?? planned?.series,
    axes,
    test: axes?.test,
    payloadBytes: settings.payloadBytes,
    payloadMinBytes: settings.payloadMinBytes,
    serverModel: summary.serverModel ?? planned?.serverModel,
    ran,
    instances: summary.instances,
    agents: summary.agents,
    complete: summary.complete ?? false,
    endedBy: summary.endedBy ?? 'never',
    message: summary.failure?.text,
    missing: [],
    round: summary.round ?? planned?.round ?? 1,
    startNs: summary.startNs ?? 0,
    ...phasesOf(planned, summary.phases, samples),
    followsProfile: followsProfile(summary),
    lostWithWorker: 0,
    ...(isMeasured(summary) ? connectionResults(summary) : {}),
    account: summary.account,
    heldTooFew: heldTooFew(summary),
    leftUnserved: leftUnserved(summary),
    servedOnlySome: servedOnlySome(summary),
    fewPlaces: fewPlacesText(summary),
    rejects: withoutTotal(summary.rejects),
    errors: withoutTotal(summary.errors),
    statuses: withoutTotal(summary.statuses),
    transfers: transfers?.count,
    failed: transfers?.failed,
    unfinished: transfers?.unfinished,
    bytesSent: transfers?.bytesSent,
    bytesReceived: transfers?.bytesReceived,
    covers: coverageOf(summary),
    seconds: 0,
    sendsMore: false,
    failedShare: 0,
    replies: {},
    ...(isMeasured(summary) ? spanResults(summary, workload) : {}),
    oneWay: run.scenario?.protocol === 'stream',
    connect: summary.connectTimeNs,
    handshake: summary.handshakeTimeNs,
    resumption: summary.resumptionTimeNs,
    recovery: summary.recoveryTimeNs,
    clientRss: summary.client?.peakRssBytes,
    serverRss: summary.serverUse?.peakRssBytes,
    switches: summary.serverUse?.contextSwitchesPerSecond,
    serverThreads: summary.serverUse?.threads,
    serverProcesses: summary.serverUse?.processes,
    limitedBy: summary.limitedBy,
    logRows: summary.log?.rows,
    logMissing: summary.log?.missing,
    kernel: summary.kernel ?? {},
    serverKernel: summary.serverKernel,
    ramp: summary.ramp,
    limits: summary.limitShares,
    work: options?.work,
    plannedProcesses: options?.processes,
    connectSteps: summary.connectSteps,
    rtt: summary.rttNs,
    tcp: summary.tcp,
    ceilings: ceilingsOf(planned?.series ?? leg.caseLabel ?? leg.label, run.plan, planned?.connections),
    warnings: summary.warnings ?? [],
    disturbed: disturbedRounds(summary),
    saturation: null,
    closed: run.summary.config.loop !== 'open',
    pauseNs: settings.pauseNs ?? 0,
    churns: Boolean(summary.churns),
    reopens: summary.reopens !== false,
    pipeline: settings.pipeline ?? 1,
    connectTimeoutNs: settings.connectTimeoutNs,
    workload,
    heldOnly: Boolean(summary.heldOnly),
  };
  results.saturation = saturationOf(results, coveredSamples(samples, workload));
  results.missing = missingOf(leg, results);
  return results;
}

/**
 * Whether it is known that no connect of a leg had to wait for a second SYN: one that was given up may have.
 * @param {LegResults} results @returns {boolean}
 */
export function noSecondSyn({ connectSteps, kernel, rejects }) {
  return !connectSteps && kernel.TcpExtTCPSynRetrans === 0 && !rejects.timeout;
}

/** @param {LegResults} results @param {number} p 0..1 @returns {boolean} whether that percentile reads "> max" */
export function beyondMax({ failedShare: share }, p) {
  return !isKnown(share, 100 * p);
}

/**
 * @param {LegResults} results @param {'p50' | 'p90' | 'p95' | 'p99' | 'p99_9' | 'p99_99'} key @param {number} p
 * @returns {string} the response time's percentile, or "> max" where too much failed for it to be known
 */
export function percentileText(results, key, p) {
  const { response } = results;
  if (!response) return '–';
  return beyondMax(results, p) ? `> ${duration(response.max)}` : duration(response[key]);
}
