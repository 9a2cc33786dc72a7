// From samples to summary.json. Pure: a leg's plan, its samples and how it ended are all it knows.
// The one thing to know: counts are sums over samples, percentiles come from added histograms, nothing is averaged.
import { checkBooks } from './books.js';
import { churnsConnections, serverRecycles } from './churn.js';
import { requestedAt } from './schedule.js';
import { Histogram } from './histogram.js';
import { instanceSummaries } from './instances.js';
import { kernelSum } from './kernel-totals.js';
import { variedKeys } from './leg-settings.js';
import { limitOver, limitShares } from './limit-attribution.js';
import { rampOf } from './ramp.js';
import { counterNames, errorCauses, rejectCauses, statusNames } from './counters.js';
import { connectSteps } from './syn-retries.js';
import { timesOf } from './times.js';
import { warning } from './warnings.js';

/**
 * @typedef {import('./sample.js').Sample} Sample
 * @typedef {import('./warnings.js').Warning} Warning
 * @typedef {{ id: string, label: string, series?: string, axes?: Record<string, unknown>, settings?: Record<string, any>, round?: number,
 *   schedule?: import('./schedule.js').Point[], profile?: import('./schedule.js').Point[],
 *   rampToNs?: number,
 *   serverModel?: import('../plan/processes.js').ServerModel,
 *   pin?: { client: string | null, server: string | null }, io?: string, instances?: number, workers?: number,
 *   transport?: import('./transport.js').Transport, stack?: import('./transport.js').SctpStack,
 *   serverCpus?: string[], workerCpus?: string[], wrap?: { server?: string, client?: string } }} PlannedLeg
 * @typedef {'plan' | 'done' | 'interrupted' | 'server-start' | 'target-lost' | 'inconsistent' | 'workers' | 'error' | 'cut'} EndedBy
 * @typedef {{ endedBy: EndedBy, failure?: Warning, startNs?: number, targets: string[], server: string,
 *   logRows?: number, logKind?: string, warnings: Warning[], synRetryNs?: number[] }} LegEnd
 *   startNs: the leg's start relative to t0; logRows: rows in the leg's transfer log, absent where
 *   they were not counted; synRetryNs: of this kernel
 * @typedef {ReturnType<typeof summariseLeg>} LegSummary
 */

/**
 * @param {Sample[]} samples
 * @param {'responseTime' | 'serviceTime' | 'connectTime' | 'handshakeTime' | 'resumptionTime' | 'recoveryTime' |
 *   'rtt'} name
 * @returns {Histogram}
 */
function addHistograms(samples, name) {
  return Histogram.ofLines(samples.map(({ histograms }) => histograms[name]));
}

/**
 * The summary of one leg. One whose figures contradict each other is not complete, and says in what.
 * @param {PlannedLeg} leg @param {Sample[]} samples in order @param {LegEnd} end
 * @param {import('./ramp.js').Load} [load] what the scenario says of it
 */
export function summariseLeg(leg, samples, end, load = {}) {
  const summary = figuresOf(leg, samples, end, load);
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
    round: leg.round ?? 1,
    ...present('io', leg.io),
    ...present('transport', leg.transport),
    ...present('stack', leg.stack),
    ...present('pin', leg.pin),
    ...present('wrap', leg.wrap),
    targets: end.targets,
    complete: end.endedBy === 'plan' || end.endedBy === 'done',
    endedBy: end.endedBy,
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
      ...scheduled(counters, load),
    },
    ...present('statuses', statusesOf(samples)),
    ...present('warmup', warmupOf(warmup)),
    ...present('steady', load.workload === 'once' ? undefined : spanFigures(samples, steady, load)),
    ...present('wholeLeg', wholeLegOf(samples, load)),
    ...present('beforeSteady', beforeSteadyOf(samples, load)),
    ...present('instances', instanceSummaries(leg, samples, settled, end.targets, load)),
    ...present('ramp', rampOf(samples, leg, load)),
    ...present('connectTimeNs', timesOf(connects)),
    ...present('connectSteps', connectSteps(connects, end.synRetryNs)),
    ...present('handshakeTimeNs', timesOf(addHistograms(samples, 'handshakeTime'))),
    ...present('resumptionTimeNs', timesOf(addHistograms(samples, 'resumptionTime'))),
    ...present('recoveryTimeNs', timesOf(addHistograms(samples, 'recoveryTime'))),
    ...present('rttNs', timesOf(addHistograms(samples, 'rtt'))),
    tcp: tcpOf(samples),
    client: { peakRssBytes: Math.max(...samples.map(({ client }) => client.rssBytes)) },
    ...present('serverUse', serverOf(samples)),
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
  if (logRows === undefined) return undefined;
  return { rows: logRows, missing: transfers + failed + unfinished - logRows, kind: logKind };
}

/**
 * In workload once each connection has one transfer, whenever it was opened: the figures are of all phases, and say nothing
 * about fairness. The rates are of the time from the leg's start to the end of the interval with the last reply: what
 * follows is only a wait for those that are never answered.
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

/** @param {Sample[]} samples @returns {Record<string, number> | undefined} undefined where the protocol has none */
function statusesOf(samples) {
  const sums = statusNames.map(
    (name) =>
      /** @type {[string, number]} */ ([name, samples.reduce((sum, { statuses }) => sum + (statuses?.[name] ?? 0), 0)]),
  );
  const seen = sums.filter(([, sum]) => sum > 0);
  return seen.length > 0 ? withTotal(Object.fromEntries(seen)) : undefined;
}

/**
 * Of the requests that a rate made due.
 * @param {Record<string, number>} counters @param {import('./ramp.js').Load} load
 */
function scheduled({ due, late, unsent }, { rate }) {
  return rate === undefined || rate === null ? {} : { due, late, unsent };
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

/** What was due in the warm-up and waits on. @param {Sample[]} samples @param {Sample[]} steady */
function waitingBefore(samples, steady) {
  return samples[samples.indexOf(steady[0]) - 1]?.gauges.waiting ?? 0;
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

/**
 * The figures of a span of the leg.
 * @param {Sample[]} samples of the leg @param {Sample[]} steady those of the span @param {import('./ramp.js').Load} load
 * @param {Sample[]} timed those whose times count: with those in flight at its end that the drain saw answered, for who
 *   lets some stand all the time is not fast
 */
function spanFigures(samples, steady, load, timed = [...steady, ...samples.filter(({ phase }) => phase === 'drain')]) {
  if (steady.length === 0) return undefined;
  const fromNs = steady[0].fromNs;
  const toNs = Math.max(...steady.map((sample) => sample.toNs));
  const seconds = (toNs - fromNs) / 1e9;
  const counters = addUp(steady, 'counters', counterNames);
  const { transfers, failed, unfinished, bytesSent, bytesReceived } = counters;
  const draining = samples.filter((sample) => sample.phase === 'drain' && !steady.includes(sample));
  const drain = addUp(draining, 'counters', counterNames);
  // along a profile some slots are active longer than others
  const fairness = load.connectionsProfile ? undefined : samples.at(-1)?.histograms.perConnection;
  const client = { cpuSeconds: 0, engineCpuSeconds: 0, waitSeconds: 0 };
  const idlePolls = steady.flatMap(({ client: { idlePollSeconds = 0 } }) =>
    idlePollSeconds > 0 ? [idlePollSeconds] : [],
  );
  for (const sample of steady) {
    client.cpuSeconds += sample.client.cpuSeconds;
    client.engineCpuSeconds += sample.client.engineCpuSeconds;
    client.waitSeconds += sample.client.waitSeconds;
  }
  const engines = enginesOf(steady);
  const measured = steady.flatMap(({ server }) => (server ? [server.cpuSeconds] : []));
  const processCpu = processCpuOf(steady);
  return {
    fromNs,
    toNs,
    transfers,
    // what failed in the drain, or what it cut off, had been in flight at the end of the steady state
    failed: failed + drain.failed,
    unfinished: unfinished + drain.unfinished,
    // what is booked in the drain of a worker that was lost was due before it
    ...scheduled(
      {
        ...counters,
        due: counters.due + drain.due + waitingBefore(samples, steady),
        unsent: counters.unsent + drain.unsent,
      },
      load,
    ),
    ...present('statuses', statusesOf(steady)),
    opened: counters.opened,
    attempts: counters.attempts,
    perSecond: seconds > 0 ? transfers / seconds : 0,
    bytesPerSecond: seconds > 0 ? bytesReceived / seconds : 0,
    bytesSentPerSecond: seconds > 0 ? bytesSent / seconds : 0,
    ...present('responseTimeNs', timesOf(addHistograms(timed, 'responseTime'))),
    ...present('serviceTimeNs', timesOf(addHistograms(timed, 'serviceTime'))),
    ...present('perConnection', fairness && spread(Histogram.fromLine(fairness))),
    client: {
      ...client,
      ...(idlePolls.length > 0 ? { idlePollSeconds: idlePolls.reduce((sum, n) => sum + n, 0) } : {}),
      engines,
    },
    ...(measured.length > 0
      ? { server: { cpuSeconds: measured.reduce((sum, n) => sum + n, 0), ...present('processCpu', processCpu) } }
      : {}),
  };
}

/**
 * The share of a core of each engine thread, of the time it waited for one, and the part of the first that were idle polls, over the
 * time it has reported.
 * @param {Sample[]} samples
 */
function enginesOf(samples) {
  /** @type {Map<number, { ns: number, cpuNs: number, waitNs: number, idlePollNs: number }>} */
  const sums = new Map();
  for (const { fromNs, toNs, client } of samples) {
    for (const { worker, cpu, wait, idlePoll = 0 } of client.engines) {
      const sum = sums.get(worker) ?? { ns: 0, cpuNs: 0, waitNs: 0, idlePollNs: 0 };
      const ns = toNs - fromNs;
      sums.set(worker, {
        ns: sum.ns + ns,
        cpuNs: sum.cpuNs + cpu * ns,
        waitNs: sum.waitNs + wait * ns,
        idlePollNs: sum.idlePollNs + idlePoll * ns,
      });
    }
  }
  return [...sums]
    .filter(([, { ns }]) => ns > 0)
    .sort(([a], [b]) => a - b)
    .map(([worker, { ns, cpuNs, waitNs, idlePollNs }]) => ({
      worker,
      cpu: cpuNs / ns,
      wait: waitNs / ns,
      ...(idlePollNs > 0 ? { idlePoll: idlePollNs / ns } : {}),
    }));
}

/**
 * @param {Sample[]} samples of a span
 * @returns {number[] | undefined} the mean share of a core of the server's busiest process, of the next, and so on;
 *   undefined where its processes are not known
 */
function processCpuOf(samples) {
  const known = samples.filter(({ server }) => server?.processCpu?.length);
  const totalNs = known.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
  if (totalNs === 0) return undefined;
  /** @type {number[]} */
  const means = [];
  for (const { fromNs, toNs, server } of known) {
    (server?.processCpu ?? []).forEach((share, i) => {
      means[i] = (means[i] ?? 0) + (share * (toNs - fromNs)) / totalNs;
    });
  }
  return means;
}

/** @param {Histogram} histogram transfers per slot */
function spread(histogram) {
  const [p1, p50] = histogram.percentiles([1, 50]);
  return { min: histogram.min, p1, p50, max: histogram.max };
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

/** @param {Sample[]} samples */
function serverOf(samples) {
  const uses = samples.flatMap(({ server }) => (server ? [server] : []));
  if (uses.length === 0) return undefined;
  return {
    peakRssBytes: Math.max(...uses.map(({ rssBytes }) => rssBytes)),
    threads: Math.max(...uses.map(({ threads }) => threads)),
    processes: Math.max(...uses.map(({ processes }) => processes)),
    ...present('contextSwitchesPerSecond', switchesOf(samples)),
  };
}

/**
 * Of the whole leg: a reading belongs to the sample at whose end it is taken, and two short ones share it.
 * @param {Sample[]} samples
 * @returns {import('../machine/usage.js').Switches | undefined} a second; undefined where one of its seconds has none
 */
function switchesOf(samples) {
  const timed = samples.filter(({ fromNs, toNs, phase }) => toNs > fromNs && phase !== 'drain');
  const all = timed.flatMap(({ server }) => server?.contextSwitches ?? []);
  if (timed.length === 0 || all.length < timed.length) return undefined;
  const seconds = timed.reduce((sum, { fromNs, toNs }) => sum + (toNs - fromNs) / 1e9, 0);
  return {
    voluntary: all.reduce((sum, { voluntary }) => sum + voluntary, 0) / seconds,
    involuntary: all.reduce((sum, { involuntary }) => sum + involuntary, 0) / seconds,
  };
}

/**
 * @param {Sample[]} samples @param {'counters' | 'rejects' | 'errors'} part @param {readonly string[]} names
 * @returns {Record<string, number>}
 */
function addUp(samples, part, names) {
  return Object.fromEntries(names.map((name) => [name, samples.reduce((sum, one) => sum + one[part][name], 0)]));
}

/** @param {Record<string, number>} parts @returns {Record<string, number> & { total: number }} */
function withTotal(parts) {
  return { total: Object.values(parts).reduce((sum, n) => sum + n, 0), ...parts };
}

/**
 * @template T
 * @param {string} name @param {T | undefined} value
 * @returns {Record<string, T>} empty when there is nothing: absent rather than zero
 */
function present(name, value) {
  return value === undefined ? {} : { [name]: value };
}

/**
 * @param {{ run: string, scenario: string, startedAt: string, endedAt: string,
 *   config: { connections: number, workload: string, protocol: string, payloadBytes: number,
 *     rate?: number | null, tests?: import('./leg-settings.js').Test[] | null },
 *   planned: number, interrupted: boolean, warnings: Warning[], failure?: Warning, cut?: boolean }} run planned: legs in the
 *   plan; failure: what ended the run outside a leg; cut: it was killed, and is summarised later
 * @param {any[]} legs summaries of the legs that were begun
 */
export function summariseRun(run, legs) {
  const { scenario, startedAt, endedAt, config, planned, interrupted, warnings, failure, cut = false } = run;
  const broken = legs.find(({ complete }) => !complete);
  const endedBy = cut
    ? 'cut'
    : failure !== undefined
      ? 'error'
      : interrupted
        ? 'interrupted'
        : broken
          ? broken.endedBy
          : 'plan';
  return {
    schema: 2,
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
      ...(variedKeys(config).has('payloadBytes') ? {} : { payloadBytes: config.payloadBytes }),
      loop: (config.rate ?? null) === null ? 'closed' : 'open',
    },
    warnings: failure === undefined ? warnings : [...warnings, failure],
    legs,
  };
}
