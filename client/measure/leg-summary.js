// Makes the summary of a leg from its plan, its samples and how it ended. Counts are sums over samples, percentiles
// come from added histograms, nothing is averaged.

import { accountOf } from './account.js';
import { churnsConnections, losesAndReopens, serverRecycles } from './churn.js';
import { quotesOf } from './quotes.js';
import { requestSummaries } from './requests.js';
import { requestedAt } from './schedule.js';
import { serverPlace } from './hosts.js';
import { kernelSum } from './kernel-totals.js';
import { limitOver, limitShares } from './limit-attribution.js';
import { machineUseOf } from './machine-use.js';
import { partSummaries } from './parts.js';
import { rampOf } from './ramp.js';
import { limitTimesOf } from './sample-sum.js';
import { COUNTERS, counterNames, errorCauses, rejectCauses } from './fields.js';
import { serverLimitsOf, serverUseOf } from './server-use.js';
import { spanFigures, statusesOf } from './span-figures.js';
import { addHistograms, addUp, codesOf, present, withTotal } from './sums.js';
import { connectSteps } from './syn-retries.js';
import { timesOf } from './histogram.js';
import { logSummary } from './transfer-log.js';

/**
 * @import { Axes, EndedBy, LegSummary, Sample, ServerModel, Slices, Warning } from '../../config/types.js'
 * @import { HostState, OnHosts } from './hosts.js'
 * @import { MeasuredLeg } from './leg-figures.js'
 * @import { Load } from './ramp.js'
 * @import { Point } from './schedule.js'
 */

/**
 * @typedef {PlacedLeg & OnHosts} PlannedLeg
 *
 * @typedef {object} PlacedLeg
 * @property {string} id
 * @property {string} label
 * @property {string} [series]
 * @property {Axes} [axes]
 * @property {number} [tried]
 * @property {number} [comparedAt]
 * @property {string} [case]
 * @property {number} [round]
 * @property {number} [start]
 * @property {Point[]} [schedule]
 * @property {Point[]} [profile]
 * @property {number} [rampToNs]
 * @property {ServerModel} [serverModel]
 * @property {{ client: string | null, server: string | null }} [pin]
 * @property {number} [instances]
 * @property {number} [workers]
 * @property {LegSummary['transport']} [transport]
 * @property {Slices} [slices]
 * @property {number} [connections]
 * @property {string[]} [serverCpus]
 * @property {string[]} [workerCpus]
 * @property {{ server?: string, client?: string }} [wrap]
 * @typedef {NonNullable<LegSummary['stopped']>} Stopped
 * @typedef {object} LegEnd
 * @property {EndedBy} endedBy
 * @property {Warning} [failure]
 * @property {Stopped} [stopped]
 * @property {number} [startNs]  the leg's start relative to t0
 * @property {string[]} targets
 * @property {string} server
 * @property {number} [logRows]  rows in the leg's transfer log; absent if they were not counted
 * @property {'parquet' | 'arrow' | 'none'} [logKind]
 * @property {Warning[]} warnings
 * @property {number[]} [synRetryNs]  of this kernel
 * @property {HostState[]} [hosts]  with its workers, besides their counts
 */

/**
 * @param {PlannedLeg} leg @param {Sample[]} samples in order @param {LegEnd} end
 * @param {Load} load of the scenario
 * @returns {LegSummary}
 */
export function measureLeg(leg, samples, end, load) {
  const head = {
    id: leg.id,
    label: leg.label,
    server: end.server,
    ...present('series', leg.series),
    ...present('serverModel', leg.serverModel),
    axes: leg.axes ?? {},
    ...present('comparedAt', leg.comparedAt),
    ...present('tried', leg.tried),
    ...present('case', leg.case),
    round: leg.round ?? 1,
    ...present('start', leg.start),
    ...present('transport', leg.transport),
    ...present('pin', leg.pin),
    ...present('wrap', leg.wrap),
    targets: end.targets,
    ...serverPlace(leg),
    complete: ['plan', 'done', 'stop-on', 'confident', 'running'].includes(end.endedBy),
    endedBy: end.endedBy,
    ...present('stopped', end.stopped),
    ...present('failure', end.failure),
    ...(end.startNs === undefined ? {} : { startNs: end.startNs }),
    warnings: end.warnings,
  };
  const last = samples.at(-1);
  if (!last) return head;
  const counters = addUp(samples, 'counters', counterNames);
  const rejects = withTotal(addUp(samples, 'rejects', rejectCauses));
  const errors = withTotal(addUp(samples, 'errors', errorCauses));
  const steady = samples.filter(({ phase }) => phase === 'steady');
  const warmup = samples.filter(({ phase }) => phase === 'warmup');
  // a run that ends in its ramp has held what was open then; a sample without a span only books work of dead workers
  const loaded = samples.filter(({ phase, fromNs, toNs }) => phase !== 'drain' && toNs > fromNs);
  // while other legs have their turn, a server may close connections that are opened again in the leg's next slice
  const settled = loaded.findLast(({ slices }) => slices === undefined || slices.turnNs > 0) ?? loaded.at(-1) ?? last;
  const connects = addHistograms(samples, 'connectTime');
  const covered = load.workload === 'once' ? samples : steady;
  const limits = limitShares(covered.map(limitTimesOf));
  const connections = {
    ...requestedOf(leg, samples, settled, load),
    // the sum over workers of the peak of each
    peakOpen: Math.max(...samples.map(({ gauges }) => Math.max(gauges.open, gauges.peakOpen ?? 0))),
    openAtEnd: settled.gauges.open,
    opened: counters.opened,
    reopened: counters.reopened,
    lost: counters.lost,
    ...(counters.lostWithWorker > 0 ? { lostWithWorker: counters.lostWithWorker } : {}),
    unansweredAtEnd: settled.gauges.unanswered,
    neverAnswered: last.gauges.neverAnswered,
  };
  const closedInPause = samples.reduce((sum, { slices }) => sum + (slices?.closed ?? 0), 0);
  const churns = churnsOf({ ...connections, closedInPause }, load);
  const reopensLost = losesAndReopens(connections, errors, settled.gauges.answered ?? 0);
  const isRenewed = churns || reopensLost;
  const unserved = load.workload === 'once' || isRenewed ? undefined : unservedOf(connections, samples, steady);
  const account = accountOf(settled.gauges, {
    requested: connections.requestedAtEnd ?? connections.requested,
    churns,
    once: load.workload === 'once',
    reopensLost,
    takesTurns: samples.some(({ slices }) => slices),
    ...(end.endedBy === 'done' ? { allTransfers: counters.transfers } : {}),
  });
  return {
    ...head,
    ...(churns ? { churns } : {}),
    ...(load.lifetime?.reopen === false ? { reopens: false } : {}),
    ...(isHeldOnly(counters, load) ? { heldOnly: true } : {}),
    phases: {
      ...(warmup.length > 0 ? { warmupFromNs: warmup[0].fromNs } : {}),
      ...(steady.length > 0 ? { steadyFromNs: steady[0].fromNs, steadyToNs: (loaded.at(-1) ?? last).toNs } : {}),
      endNs: Math.max(...samples.map(({ toNs }) => toNs)),
    },
    ...present('account', account),
    connections: isRenewed ? { ...connections, openedLastSecond: settled.gauges.openedLastSecond ?? 0 } : connections,
    attempts: {
      total: counters.attempts,
      opened: counters.opened,
      rejected: rejects.total,
      abandoned: counters.abandoned,
    },
    rejects,
    errors,
    transfers: { count: counters.transfers, ...totalsOf(counters, leg, load) },
    ...present('statuses', statusesOf(samples)),
    ...present('codes', codesOf(samples)),
    ...present('quotes', quotesOf(samples)),
    ...present('warmup', warmupOf(warmup)),
    ...present(
      'steady',
      load.workload === 'once' ? undefined : spanFigures(samples, steady, load, unserved ? steady : undefined),
    ),
    ...present('unserved', unserved),
    ...present('wholeLeg', wholeLegOf(samples, load)),
    ...present('beforeSteady', beforeSteadyOf(samples, load)),
    ...present('requests', requestSummaries(leg, samples, load)),
    ...partSummaries(leg, samples, settled, end, load),
    ...present('ramp', rampOf(samples, leg, load, end.synRetryNs)),
    ...present('connectTimeNs', timesOf(connects)),
    ...present('connectSteps', connectSteps(connects, end.synRetryNs)),
    ...present('handshakeTimeNs', timesOf(addHistograms(samples, 'handshakeTime'))),
    ...present('resumptionTimeNs', timesOf(addHistograms(samples, 'resumptionTime'))),
    ...present('recoveryTimeNs', timesOf(addHistograms(samples, 'recoveryTime'))),
    ...present('idleTimeNs', timesOf(addHistograms(samples, 'idleTime'))),
    ...present('rttNs', timesOf(addHistograms(samples, 'rtt'))),
    tcp: tcpOf(samples),
    client: { peakRssBytes: Math.max(...samples.map(({ client }) => client.rssBytes)) },
    ...present('serverUse', serverUseOf(samples)),
    ...present('serverLimits', serverLimitsOf(samples)),
    ...present('machine', machineUseOf(steady)),
    limitedBy: limitOver(limits),
    ...present('limitShares', limits),
    ...present('log', logOf(counters, end)),
    kernel: kernelSum(samples.map(({ kernel }) => kernel)),
    ...present('serverKernel', serverKernelOf(samples)),
  };
}

/**
 * @param {Record<typeof counterNames[number], number>} counters
 * @param {Pick<LegSummary, 'transport'>} leg @param {Load} load
 * @returns {Omit<MeasuredLeg['transfers'], 'count'>} of the whole leg
 */
function totalsOf(counters, { transport }, { rate = null }) {
  const isOf = { always: true, 'open loop': rate !== null, udp: transport === 'udp' };
  const rows = COUNTERS.flatMap((row) => ('ofLeg' in row && isOf[row.ofLeg] ? [[row.name, counters[row.name]]] : []));
  return Object.fromEntries(rows);
}

/**
 * Whether the number open at one moment says little, because connections are closed and reopened as planned.
 * @param {Parameters<typeof serverRecycles>[0]} connections @param {Load} load
 */
function churnsOf(connections, load) {
  if (load.workload === 'once') return false;
  return churnsConnections(load) || (!load.connectionsProfile && serverRecycles(connections));
}

/**
 * Whether connections were to be held without a request on them.
 * @param {Record<string, number>} counters @param {Load} load
 */
function isHeldOnly({ transfers, failed, unfinished }, { workload, heartbeatNs = 0 }) {
  return workload === 'hold' && heartbeatNs === 0 && transfers + failed + unfinished === 0;
}

/**
 * Above this share of unserved connections, first replies in the drain say nothing about the served connections.
 */
const MIN_UNSERVED = 0.01;

/**
 * The connections that were open without a reply at the end of the steady state, if these are many and other
 * connections were served. The response times of the steady state are then those of the served connections: which of
 * the others have their first reply in the drain is chance.
 * @param {MeasuredLeg['connections']} connections @param {Sample[]} samples
 * @param {Sample[]} steady
 * @returns {LegSummary['unserved']} waitedNs: the longest wait of a request that was answered in the drain or cut off
 *   by its end
 */
function unservedOf({ requested, openAtEnd, unansweredAtEnd }, samples, steady) {
  const isServed = steady.some(({ counters }) => counters.transfers > 0) && openAtEnd > unansweredAtEnd;
  if (!isServed || !(unansweredAtEnd > MIN_UNSERVED * requested)) return undefined;
  const rows = samples.filter(({ phase }) => phase === 'drain').flatMap(({ transfers }) => transfers.slowest);
  const waitedNs = Math.max(0, ...rows.map(([, responseNs]) => responseNs));
  return { connections: unansweredAtEnd, ...(waitedNs > 0 ? { waitedNs } : {}) };
}

/**
 * @param {Record<string, number>} counters
 * @param {LegEnd} end
 * @returns {LegSummary['log']} the rows of the transfer log
 */
function logOf({ transfers, failed, unfinished }, { logRows, logKind }) {
  return logRows === undefined || logKind === undefined
    ? undefined
    : logSummary({ count: transfers, failed, unfinished }, logRows, logKind);
}

/**
 * In workload once each connection has one transfer, whenever it was opened: the figures cover all phases, and say
 * nothing about fairness. The rates cover the time from the leg's start to the end of the interval with the last reply:
 * after that, the leg only waits for connections that stay unanswered.
 * @param {Sample[]} samples @param {Load} load
 */
function wholeLegOf(samples, load) {
  if (load.workload !== 'once') return undefined;
  const figures = spanFigures(samples, samples, { ...load, connectionsProfile: [] }, samples);
  const answeredToNs = samples.findLast(({ counters }) => counters.transfers > 0)?.toNs;
  if (figures === undefined || answeredToNs === undefined) return figures;
  const factor = (figures.toNs - figures.fromNs) / (answeredToNs - figures.fromNs);
  const { perSecond, bytesPerSecond, bytesSentPerSecond } = figures;
  return {
    ...figures,
    answeredToNs,
    perSecond: perSecond * factor,
    bytesPerSecond: bytesPerSecond * factor,
    bytesSentPerSecond: bytesSentPerSecond * factor,
  };
}

/**
 * The most connections that were requested until the steady state ended, as planned: a peak may lie between two
 * samples, and a worker that died or had no CPU did not follow the plan. Along a profile, also those at its end.
 * @param {PlannedLeg} leg @param {Sample[]} samples @param {Sample} settled @param {Load} load
 */
function requestedOf({ schedule = [], profile = [] }, samples, { gauges, toNs }, load) {
  const seen = Math.max(...samples.map((sample) => sample.gauges.requested));
  const points = [...schedule, ...profile];
  const after = points.findIndex(({ atNs, line }) => !line && atNs >= toNs);
  const followed = after === -1 ? points : points.slice(0, after);
  if (!load.connectionsProfile) return { requested: Math.max(seen, requestedAt(followed, toNs)) };
  if (followed.length === 0) return { requested: seen, requestedAtEnd: gauges.requested };
  const requestedAtEnd = requestedAt(followed, toNs);
  return {
    requested: Math.max(requestedAtEnd, ...followed.filter(({ atNs }) => atNs <= toNs).map(({ slots }) => slots)),
    requestedAtEnd,
  };
}

/** @param {Sample[]} warmup */
function warmupOf(warmup) {
  const [first] = warmup;
  if (first === undefined) return undefined;
  return {
    fromNs: first.fromNs,
    toNs: Math.max(...warmup.map(({ toNs }) => toNs)),
    transfers: warmup.reduce((sum, { counters }) => sum + counters.transfers, 0),
  };
}

/**
 * The figures of a leg that ended before its steady state: those of its warm-up or ramp, under another name, because
 * not all connections were open.
 * @param {Sample[]} samples @param {Load} load
 */
function beforeSteadyOf(samples, load) {
  if (load.workload === 'once' || samples.some(({ phase }) => phase === 'steady')) return undefined;
  for (const phase of /** @type {const} */ (['warmup', 'ramp'])) {
    const scoped = samples.filter((sample) => sample.phase === phase);
    if (scoped.length === 0) continue;
    // its slots were requested for different times
    const unequal = { ...load, connectionsProfile: load.connectionsProfile ?? [] };
    const figures = spanFigures(samples, scoped, unequal, scoped);
    return figures && { phase, ...figures };
  }
  return undefined;
}

/** @param {Sample[]} samples */
function serverKernelOf(samples) {
  const deltas = samples.flatMap(({ serverKernel }) => (serverKernel ? [serverKernel] : []));
  return deltas.length > 0 ? kernelSum(deltas) : undefined;
}

/** Readings of TCP_INFO, not connections. @param {Sample[]} samples */
function tcpOf(samples) {
  return {
    sampled: samples.reduce((sum, { tcp }) => sum + tcp.sampled, 0),
    retransmitted: samples.reduce((sum, { tcp }) => sum + tcp.retransmitted, 0),
  };
}
