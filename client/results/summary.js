// From samples to summary.json. Pure: a leg's plan, its samples and how it ended are all it knows.
// The one thing to know: counts are sums over samples, percentiles come from added histograms, nothing is averaged.

import { accountOf } from './account.js';
import { agentSummaries } from './agents.js';
import { checkBooks } from './books.js';
import { checkSteadyState } from './checks/index.js';
import { replyFindings } from './checks/replies.js';
import { latenessFindings } from './checks/lateness.js';
import { serverLimitFindings } from './checks/server-limits.js';
import { casesOf } from './cases.js';
import { comparisonsOf } from './comparisons.js';
import { churnsConnections, serverRecycles } from './churn.js';
import { requestedAt } from './schedule.js';
import { instanceSummaries } from './instances.js';
import { kernelSum } from './kernel-totals.js';
import { variedKeys } from './leg-settings.js';
import { limitOver, limitShares } from './limit-attribution.js';
import { rampOf } from './ramp.js';
import { RUN_SCHEMA } from './schema.js';
import { counterNames, errorCauses, rejectCauses } from './counters.js';
import { serverLimitsOf } from './server-limits.js';
import { serverUseOf } from './server-use.js';
import { scheduled, spanFigures, statusesOf } from './span-figures.js';
import { addHistograms, addUp, present, withTotal } from './sums.js';
import { fruitlessOf } from './fruitless.js';
import { searchOf } from './search/index.js';
import { connectSteps } from './syn-retries.js';
import { timesOf } from './times.js';
import { logSummary } from './transfer-log.js';
import { judgeRun } from './verdict.js';
import { warning } from './warnings.js';

/**
 * @typedef {import('./sample.js').Sample} Sample
 * @typedef {import('./warnings.js').Warning} Warning
 * @typedef {{ id: string, label: string, series?: string, axes?: Record<string, unknown>, settings?: Record<string, any>,
 *   case?: string, round?: number,
 *   schedule?: import('./schedule.js').Point[], profile?: import('./schedule.js').Point[],
 *   rampToNs?: number,
 *   serverModel?: import('../plan/processes.js').ServerModel,
 *   pin?: { client: string | null, server: string | null }, io?: string, instances?: number, workers?: number,
 *   transport?: import('./transport.js').Transport, stack?: import('./transport.js').SctpStack,
 *   agents?: string[], serverAgent?: string, connections?: number, serverCpus?: string[], workerCpus?: string[], wrap?: { server?: string, client?: string } }} PlannedLeg
 * @typedef {'plan' | 'done' | 'interrupted' | 'server-start' | 'target-lost' | 'no-transfers' | 'inconsistent' | 'workers' | 'error' | 'cut' | 'stop-on' | 'confident'} EndedBy
 * @typedef {{ condition: string, forNs: number, atNs: number }} Stopped  by `stopOn`: what held, for how long, and until when
 * @typedef {{ endedBy: EndedBy, failure?: Warning, stopped?: Stopped, startNs?: number, targets: string[], server: string,
 *   logRows?: number, logKind?: string, warnings: Warning[], synRetryNs?: number[],
 *   agents?: import('./agents.js').AgentState[] }} LegEnd
 *   startNs: the leg's start relative to t0; logRows: rows in the leg's transfer log, absent where
 *   they were not counted; synRetryNs: of this kernel
 * @typedef {ReturnType<typeof summariseLeg>} LegSummary
 */

/**
 * The summary of one leg. One whose figures contradict each other is not complete, and says in what.
 * @param {PlannedLeg} leg @param {Sample[]} samples in order @param {LegEnd} end
 * @param {import('./ramp.js').Load} [load] what the scenario says of it
 */
export function summariseLeg(leg, samples, end, load = {}) {
  const figures = figuresOf(leg, samples, end, load);
  const fruitless = figures.complete ? fruitlessOf(figures, load) : null;
  const summary =
    fruitless === null
      ? figures
      : { ...figures, complete: false, endedBy: /** @type {EndedBy} */ ('no-transfers'), failure: fruitless };
  const imbalances = 'connections' in summary ? checkBooks(/** @type {any} */ (summary), samples) : [];
  if (imbalances.length === 0) return summary;
  const { failure } = /** @type {{ failure?: Warning }} */ (summary);
  const miscounted = warning('miscounted', { imbalances });
  return {
    ...summary,
    complete: false,
    endedBy: summary.complete ? /** @type {EndedBy} */ ('inconsistent') : summary.endedBy,
    failure: failure === undefined ? miscounted : { ...failure, text: `${failure.text}; ${miscounted.text}` },
    imbalances,
  };
}

/**
 * @param {PlannedLeg} leg @param {Sample[]} samples in order @param {LegEnd} end
 * @param {import('./ramp.js').Load} load what the scenario says of it
 */
function figuresOf(leg, samples, end, load) {
  const head = {
    id: leg.id,
    label: leg.label,
    server: end.server,
    ...present('series', leg.series),
    ...present('serverModel', leg.serverModel),
    axes: leg.axes ?? {},
    ...present('settings', leg.settings),
    ...present('case', leg.case),
    round: leg.round ?? 1,
    ...present('io', leg.io),
    ...present('transport', leg.transport),
    ...present('stack', leg.stack),
    ...present('pin', leg.pin),
    ...present('wrap', leg.wrap),
    targets: end.targets,
    ...present('serverAgent', leg.serverAgent),
    complete: ['plan', 'done', 'stop-on', 'confident'].includes(end.endedBy),
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
  // a run that is ended in its ramp has held what was open then; a sample without a span books what dead workers left
  const settled = samples.findLast(({ phase, fromNs, toNs }) => phase !== 'drain' && toNs > fromNs) ?? last;
  const connects = addHistograms(samples, 'connectTime');
  const covered = load.workload === 'once' ? samples : steady;
  const limits = limitShares(covered.map(({ limitedBy, fromNs, toNs }) => ({ limitedBy, ns: toNs - fromNs })));
  const connections = {
    ...requestedOf(leg, samples, settled, load),
    // of several workers the sum of what each had open at its most
    peakOpen: Math.max(...samples.map(({ gauges }) => Math.max(gauges.open, gauges.peakOpen ?? 0))),
    openAtEnd: settled.gauges.open,
    opened: counters.opened,
    reopened: counters.reopened,
    lost: counters.lost,
    ...(counters.lostWithWorker > 0 ? { lostWithWorker: counters.lostWithWorker } : {}),
    unansweredAtEnd: settled.gauges.unanswered,
    neverAnswered: last.gauges.neverAnswered,
  };
  const churns = churnsOf(/** @type {any} */ (connections), load);
  const checks = checkSteadyState(samples, load);
  const account = accountOf(settled.gauges, {
    requested: connections.requestedAtEnd ?? connections.requested,
    churns,
    once: load.workload === 'once',
    ...(end.endedBy === 'done' ? { allTransfers: counters.transfers } : {}),
  });
  const serverLimits = serverLimitsOf(samples);
  const figures = spanFigures(samples, steady, load);
  const steps = connectSteps(connects, end.synRetryNs);
  return {
    ...head,
    ...(churns ? { churns } : {}),
    ...(load.lifetime?.reopen === false ? { reopens: false } : {}),
    ...(isHeldOnly(counters, load) ? { heldOnly: true } : {}),
    phases: {
      ...(warmup.length > 0 ? { warmupFromNs: warmup[0].fromNs } : {}),
      ...(steady.length > 0 ? { steadyFromNs: steady[0].fromNs, steadyToNs: settled.toNs } : {}),
      endNs: Math.max(...samples.map(({ toNs }) => toNs)),
    },
    ...present('account', account),
    connections: churns ? { ...connections, openedLastSecond: settled.gauges.openedLastSecond ?? 0 } : connections,
    attempts: {
      total: counters.attempts,
      opened: counters.opened,
      rejected: rejects.total,
      abandoned: counters.abandoned,
    },
    rejects,
    errors,
    transfers: {
      count: counters.transfers,
      failed: counters.failed,
      unfinished: counters.unfinished,
      bytesSent: counters.bytesSent,
      bytesReceived: counters.bytesReceived,
      ...(leg.transport === 'udp' ? { strays: counters.strays } : {}),
      ...scheduled(counters, load),
    },
    ...present('statuses', statusesOf(samples)),
    ...present('warmup', warmupOf(warmup)),
    ...present('steady', withChecks(figures, checks, load)),
    ...present('wholeLeg', wholeLegOf(samples, load)),
    findings: [
      ...replyFindings(statusesOf(samples)),
      ...serverLimitFindings({ serverLimits, account, rejects, errors, connectSteps: steps }),
      ...checks.findings,
      ...latenessFindings(figures),
    ],
    ...present('beforeSteady', beforeSteadyOf(samples, load)),
    ...present('instances', instanceSummaries(leg, samples, settled, end.targets, load)),
    ...present('agents', agentSummaries(leg, samples, settled, load, end.agents)),
    ...present('ramp', rampOf(samples, leg, load, end.synRetryNs)),
    ...present('connectTimeNs', timesOf(connects)),
    ...present('connectSteps', steps),
    ...present('handshakeTimeNs', timesOf(addHistograms(samples, 'handshakeTime'))),
    ...present('resumptionTimeNs', timesOf(addHistograms(samples, 'resumptionTime'))),
    ...present('recoveryTimeNs', timesOf(addHistograms(samples, 'recoveryTime'))),
    ...present('rttNs', timesOf(addHistograms(samples, 'rtt'))),
    tcp: tcpOf(samples),
    client: { peakRssBytes: Math.max(...samples.map(({ client }) => client.rssBytes)) },
    ...present('serverUse', serverUseOf(samples)),
    ...present('serverLimits', serverLimits),
    limitedBy: limitOver(limits),
    ...present('limitShares', limits),
    ...present('log', logOf(counters, end)),
    kernel: kernelSum(samples.map(({ kernel }) => kernel)),
    ...present('serverKernel', serverKernelOf(samples)),
  };
}

/**
 * Whether the number open at one moment says little, because connections are closed and reopened as planned.
 * @param {Record<string, number>} connections @param {import('./ramp.js').Load} load
 */
function churnsOf(connections, load) {
  if (load.workload === 'once') return false;
  return churnsConnections(load) || (!load.connectionsProfile && serverRecycles(connections));
}

/**
 * Whether connections were to be held without a request on them.
 * @param {Record<string, number>} counters @param {import('./ramp.js').Load} load
 */
function isHeldOnly({ transfers, failed, unfinished }, { workload, heartbeatNs = 0 }) {
  return workload === 'hold' && heartbeatNs === 0 && transfers + failed + unfinished === 0;
}

/** @param {Record<string, number>} counters @param {LegEnd} end @returns {object | undefined} the rows of the transfer log */
function logOf({ transfers, failed, unfinished }, { logRows, logKind }) {
  return logRows === undefined ? undefined : logSummary({ count: transfers, failed, unfinished }, logRows, logKind);
}

/**
 * @param {ReturnType<typeof spanFigures>} steady @param {ReturnType<typeof checkSteadyState>} checks
 * @param {import('./ramp.js').Load} load
 */
function withChecks(steady, { intervals, arrivals }, load) {
  if (steady === undefined || load.workload === 'once') return undefined;
  const { responseTimeNs } = /** @type {{ responseTimeNs?: import('./times.js').Times }} */ (steady);
  return {
    ...steady,
    ...(responseTimeNs && intervals ? { responseTimeNs: { ...responseTimeNs, intervals } } : {}),
    ...present('arrivals', arrivals),
  };
}

/**
 * In workload once each connection has one transfer, whenever it was opened: the figures are of all phases, and say nothing
 * about fairness. The rates are of the time from the leg's start to the end of the interval with the last reply: what
 * follows is only a wait for those that stay unanswered.
 * @param {Sample[]} samples @param {import('./ramp.js').Load} load
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
 * The most connections that were requested until the steady state ended: as planned, since a peak may lie between two
 * samples, and a worker that died or had no CPU until then followed no plan. Along a profile also those at its end.
 * @param {PlannedLeg} leg @param {Sample[]} samples @param {Sample} settled @param {import('./ramp.js').Load} load
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
 * Of a leg that ended before its steady state: the figures of its warm-up or of its ramp, under that name, because not all
 * connections were open.
 * @param {Sample[]} samples @param {import('./ramp.js').Load} load
 */
function beforeSteadyOf(samples, load) {
  if (load.workload === 'once' || samples.some(({ phase }) => phase === 'steady')) return undefined;
  for (const phase of /** @type {const} */ (['warmup', 'ramp'])) {
    const scoped = samples.filter((sample) => sample.phase === phase);
    if (scoped.length === 0) continue;
    // its slots were not requested for equally long
    const unequal = { ...load, connectionsProfile: load.connectionsProfile ?? [] };
    return { phase, ...spanFigures(samples, scoped, unequal, scoped) };
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

/**
 * @param {{ payloadBytes: number, payloadMinBytes?: number | null, tests?: import('./leg-settings.js').Test[] | null }} config
 * @returns {{ payloadBytes?: number, payloadMinBytes?: number }} nothing where tests differ in it; payloadMinBytes: of a range
 */
function payloadSizes({ payloadBytes, payloadMinBytes, tests }) {
  const varied = variedKeys({ tests });
  if (varied.has('payloadBytes') || varied.has('payloadMinBytes')) return {};
  return { payloadBytes, ...(typeof payloadMinBytes === 'number' ? { payloadMinBytes } : {}) };
}

/**
 * @param {{ run: string, scenario: string, startedAt: string, endedAt: string,
 *   config: { connections: number, workload: string, protocol: string, payloadBytes: number, payloadMinBytes?: number | null,
 *     rate?: number | null, find?: import('./search/index.js').Find | null, thresholds?: string[], failIf?: string[], stopOn?: string[], tests?: import('./leg-settings.js').Test[] | null },
 *   planned: number, cases?: string[], interrupted: boolean, warnings: Warning[], failure?: Warning, cut?: boolean,
 *   resumed?: { at: string, legs: string[], changed: string[] }[] }} run planned: legs in the plan; cases: their ids in the plan's order;
 *   failure: what ended the run outside a leg; cut: it was killed, and is summarised later
 * @param {any[]} legs summaries of the legs that were begun
 */
export function summariseRun(run, legs) {
  const { scenario, startedAt, endedAt, config, planned, interrupted, warnings, failure, cut = false } = run;
  // a search measures beyond the limit on purpose
  const broken = legs.find(({ complete, endedBy: end }) => !complete && !(config.find && end === 'no-transfers'));
  const endedBy = cut
    ? 'cut'
    : failure !== undefined
      ? 'error'
      : interrupted
        ? 'interrupted'
        : broken
          ? broken.endedBy
          : 'plan';
  const loop = (config.rate ?? null) === null ? 'closed' : 'open';
  const cases = casesOf(legs, run.cases);
  const comparisons = config.find ? [] : comparisonsOf(cases, legs, { workload: config.workload, loop });
  const search = config.find ? searchOf(config.find, legs) : undefined;
  return {
    schema: RUN_SCHEMA,
    run: run.run,
    scenario,
    startedAt,
    endedAt,
    endedBy,
    complete: !cut && failure === undefined && !interrupted && !broken && legs.length === planned,
    config: {
      connections: config.connections,
      workload: config.workload,
      protocol: config.protocol,
      ...payloadSizes(config),
      loop,
    },
    warnings: failure === undefined ? warnings : [...warnings, failure],
    ...(run.resumed?.length ? { resumed: run.resumed } : {}),
    ...(cases.length > 0 ? { cases } : {}),
    ...(comparisons.length > 0 ? { comparisons } : {}),
    ...present('search', search),
    ...present('verdict', judgeRun(config, legs, planned, search)),
    legs,
  };
}
