/**
 * What is known of each leg: its summary where it left one, otherwise the same figures summed from its samples. A
 * figure that was not measured stays absent; it is never shown as zero.
 */
import { readWarning } from '../../client/results/warnings.js';
import { enginesOf, limitSharesOf, processCpuOf } from './attribution.js';
import { merge, percentiles, valueAt } from './histogram.js';
import { saturationOf } from './saturation.js';
import { coverOf, phasesOf, scheduledOf, scopedOf, sums, timedOf } from './spans.js';
import { connectStepsOf, rampOf, tcpOf } from './unsummarised.js';

/** Kernel figures that say how it stands; the others say what was added since the sample before. */
const ABSOLUTE = new Set(['TcpMemPages', 'TcpTimeWait', 'TcpOrphans']);

/** So many times what is received is sent, and more, where that is what the transfers are about. */
const TELLING_TIMES = 2;

/**
 * @param {Array<Record<string, number> | null | undefined>} readings of the samples
 * @returns {Record<string, number>} added up, or the most at once
 */
function kernelOf(readings) {
  /** @type {Record<string, number>} */
  const totals = {};
  for (const reading of readings) {
    for (const [name, value] of Object.entries(reading ?? {})) {
      if (typeof value !== 'number') continue;
      totals[name] = ABSOLUTE.has(name) ? Math.max(totals[name] ?? 0, value) : (totals[name] ?? 0) + value;
    }
  }
  return totals;
}

/**
 * @param {import('../types.js').Sample[]} samples
 * @returns {Record<string, number> | undefined} as summary.serverKernel
 */
function elsewhereOf(samples) {
  return samples.some((sample) => sample.serverKernel)
    ? kernelOf(samples.map((sample) => sample.serverKernel))
    : undefined;
}

/**
 * @param {any} limit of the plan; of a run of schema 1 with `verdict` and `what` in place of side, exceeded and text
 * @returns {boolean} whether the run went on although it was exceeded
 */
const isAnnounced = ({ side, exceeded, verdict }) =>
  verdict === undefined ? exceeded && side !== 'client' : verdict !== 'ok' && verdict !== 'client';

/**
 * @param {string} label of a leg @param {any} plan @param {number} [requested] of this leg: of a sweep, few of them may fit
 * @returns {string[]} what the plan said of the limits its server would meet
 */
function ceilingsOf(label, plan, requested = Infinity) {
  /** @type {any[]} */
  const limits = plan?.limits ?? [];
  const met = limits
    .filter((limit) => isAnnounced(limit) && limit.servers?.includes(label) && !(limit.holds >= requested))
    .sort((a, b) => (a.holds ?? Infinity) - (b.holds ?? Infinity));
  // Of several that bound how many it can have, the least is met.
  return met
    .filter(({ holds }, i) => i === 0 || holds === null || holds === undefined)
    .map(({ text, what }) => text ?? what);
}

/**
 * Whether connections end as planned while the leg goes on, and are opened again: after their lifetime, or after a
 * reply without keep-alive. What is open at a moment tells little of them.
 * @param {any} scenario as resolved @param {string} workload @returns {boolean}
 */
function livesFor(scenario, workload) {
  if (workload === 'once' || workload === 'reconnect') return false;
  return (
    Boolean(scenario?.lifetime) ||
    (scenario?.protocol === 'http' && (scenario.protocolOptions ?? scenario.http)?.keepAlive === false)
  );
}

/**
 * Whether the server ended connections as it had said, over and over: then each slot had a second one, and more.
 * @param {Record<string, number>} counted of the whole leg @param {number | undefined} requested
 * @returns {boolean}
 */
function renewed({ reopened = 0, lost = 0, lostWithWorker = 0 }, requested = 0) {
  return requested > 0 && reopened - lost - lostWithWorker >= requested;
}

/**
 * In workload reconnect, and where connections live for a time, some have always only just been opened; those have had
 * no time for an answer.
 * @param {Record<string, number>} gauges @param {string} workload @param {boolean} [lives] whether they live for a time
 * @returns {number}
 */
export function leftUnanswered({ unanswered, openedLastSecond = 0 }, workload, lives = false) {
  return workload === 'reconnect' || lives ? Math.max(0, unanswered - openedLastSecond) : unanswered;
}

/**
 * The share of transfers begun that failed or stayed unfinished, counted where the percentiles beside it are: among the
 * transfers in scope and in the drain, where those in flight at its start end. In open loop what was due and never sent
 * counts as begun.
 * @param {import('../types.js').Sample[]} scoped those the percentiles cover
 * @param {import('../types.js').Sample[]} samples of the whole leg
 * @param {any} steady of the summary, for a leg that left no samples
 * @returns {number}
 */
function failedShareOf(scoped, samples, steady) {
  const drain = samples.filter((sample) => sample.phase === 'drain' && !scoped.includes(sample));
  const counted = samples.length ? sums(scoped, 'counters') : (steady ?? {});
  const drained = sums(drain, 'counters');
  const begun = (counted.failed ?? 0) + (counted.unfinished ?? 0) + (drained.failed ?? 0) + (drained.unfinished ?? 0);
  const lost = begun + (counted.unsent ?? 0) + (drained.unsent ?? 0);
  return lost > 0 ? lost / ((counted.transfers ?? 0) + lost) : 0;
}

/** @param {Record<string, number>} causes @returns {number} */
const totalOf = (causes) => Object.values(causes).reduce((sum, value) => sum + value, 0);

/**
 * @param {Record<string, number> | undefined} causes with a total
 * @returns {Record<string, number> | undefined} without it
 */
function withoutTotal(causes) {
  if (!causes) return undefined;
  return Object.fromEntries(Object.entries(causes).filter(([name]) => name !== 'total'));
}

/** @param {Array<number | undefined>} values @returns {number | undefined} */
function largest(values) {
  const known = /** @type {number[]} */ (values.filter((value) => typeof value === 'number'));
  return known.length ? known.reduce((a, b) => Math.max(a, b)) : undefined;
}

/**
 * @param {import('../types.js').Sample[]} samples
 * @param {string} name
 * @returns {import('../types.js').Percentiles | undefined}
 */
function mergedPercentiles(samples, name) {
  const merged = merge(samples.map((sample) => sample.histograms?.[name]));
  return merged ? percentiles(merged) : undefined;
}

/**
 * The leg's start relative to the run's zero, which only the summary names: a transfer ended within its sample, and
 * legs start on whole seconds, so the sampled transfers leave room for one.
 * @param {import('../types.js').Sample[]} samples
 * @returns {number} ns
 */
export function startOf(samples) {
  let [least, most] = [-Infinity, Infinity];
  for (const sample of samples) {
    for (const [start, response, , status] of sample.transfers?.random ?? []) {
      if (status !== 0) continue;
      least = Math.max(least, start + response - sample.toNs);
      most = Math.min(most, start + response - sample.fromNs);
    }
  }
  if (!Number.isFinite(most)) return 0;
  const whole = Math.round((least + most) / 2e9) * 1e9;
  return whole >= least - 1e7 && whole <= most + 1e7 ? whole : Math.round((least + most) / 2);
}

/** @param {import('../types.js').Leg} leg @param {import('../types.js').Facts} facts @returns {string[]} */
function missingOf(leg, facts) {
  const missing = [];
  if (leg.samples.length === 0) missing.push('the whole leg: it left no samples');
  else if (!leg.summary) missing.push('summary.json: the figures here are summed from the samples');
  if (leg.cutLines > 0) missing.push(`${leg.cutLines} cut line${leg.cutLines > 1 ? 's' : ''} of samples.ndjson`);
  // One whose transfers have all ended is complete; its figures say what they cover.
  if (leg.samples.length && facts.scope === 'all' && facts.workload !== 'once' && facts.endedBy !== 'done')
    missing.push(`the steady state: figures cover the ${facts.covers}`);
  // One that began before it was planned, after a warm-up by count, lasts as long.
  const planned = leg.planned ? leg.planned.steadyToNs - leg.planned.steadyFromNs : 0;
  const lasted = facts.steadyToNs - facts.steadyFromNs;
  if (leg.samples.length && facts.scope === 'steady' && planned && facts.endedBy !== 'done' && lasted < planned - 5e8) {
    missing.push(`the last ${Math.round((planned - lasted) / 1e9)} s of the steady state`);
  }
  return missing;
}

/**
 * @param {import('../types.js').Leg} leg
 * @param {import('../types.js').Run} run
 * @returns {import('../types.js').Facts}
 */
export function factsOf(leg, run) {
  const { summary, samples } = leg;
  const config = run.summary?.config ?? run.scenario ?? run.plan ?? {};
  const workload = config.workload ?? 'continuous';
  const last = samples[samples.length - 1];
  const steady = samples.filter((sample) => sample.phase === 'steady');
  const scope = workload !== 'once' && (steady.length || summary?.steady) ? 'steady' : 'all';
  const inSteady = scope === 'steady' ? summary?.steady : undefined;
  const scoped = scopedOf(samples, workload);
  const counted = sums(samples, 'counters');
  const inScope = sums(scoped, 'counters');
  const phases = { ...phasesOf(leg.planned, samples), ...summary?.phases };
  const seconds =
    inSteady && steady.length
      ? (inSteady.toNs - inSteady.fromNs) / 1e9
      : scoped.reduce((sum, sample) => sum + (sample.toNs - sample.fromNs) / 1e9, 0);
  // Once: over the leg's length the rate would be that of the ramp, or of one straggler.
  const hasRate = seconds > 0 && workload !== 'once';
  const rejects = withoutTotal(summary?.rejects) ?? sums(samples, 'rejects');
  const errors = withoutTotal(summary?.errors) ?? sums(samples, 'errors');
  const connections = summary?.connections;
  const peakRequested = connections?.requested ?? largest(samples.map((sample) => sample.gauges.requested));
  const alongProfile = Boolean(run.scenario?.connectionsProfile);
  const lives =
    livesFor(run.scenario, workload) ||
    (!['once', 'reconnect'].includes(workload) && !alongProfile && renewed(connections ?? counted, peakRequested));
  // The drain closes connections: how it stood at the end is how it stood before.
  // (A sample without a span only books what a worker took along when it was killed.)
  const before = samples.findLast((sample) => sample.phase !== 'drain' && sample.toNs > sample.fromNs);
  const gauges = (before ?? last)?.gauges;
  const perConnection = last?.histograms?.perConnection ? merge([last.histograms.perConnection]) : null;
  const transfers = summary?.transfers;
  const transferred = ['transfers', 'failed', 'unfinished'].some(
    (name) => (transfers?.[name === 'transfers' ? 'count' : name] ?? counted[name] ?? 0) > 0,
  );
  const measured = samples.length > 0;
  /** @type {import('../types.js').Facts} */
  const facts = {
    id: leg.id,
    label: leg.label,
    index: leg.index,
    colour: leg.index,
    drawn: true,
    place: leg.index,
    series: summary?.series ?? leg.planned?.series,
    point: (summary?.axes ?? leg.planned?.axes)?.connections,
    serverModel: summary?.serverModel ?? leg.planned?.serverModel,
    ran: measured || Boolean(connections),
    complete: summary?.complete ?? false,
    endedBy: summary?.endedBy ?? (measured ? 'cut' : 'never'),
    message: summary?.failure?.text ?? summary?.message,
    missing: [],
    round: summary?.round ?? leg.planned?.round ?? 1,
    startNs: summary?.startNs ?? startOf(samples),
    ...phases,
    requested: connections?.requestedAtEnd ?? connections?.requested ?? gauges?.requested,
    peakRequested,
    alongProfile,
    // Of so many transfers, a connection that had nothing left to begin closed before the end: those opened count.
    open:
      summary?.endedBy === 'done' && connections
        ? connections.opened - connections.reopened
        : (gauges?.open ?? connections?.openAtEnd),
    peakOpen: connections?.peakOpen ?? largest(samples.map((sample) => sample.gauges.open)),
    opened: connections?.opened ?? counted.opened,
    reopened: connections?.reopened ?? counted.reopened,
    lost: connections?.lost ?? counted.lost,
    lostWithWorker: connections?.lostWithWorker ?? counted.lostWithWorker ?? 0,
    unanswered: gauges ? leftUnanswered(gauges, workload, lives) : connections?.unansweredAtEnd,
    neverAnswered: connections?.neverAnswered ?? last?.gauges.neverAnswered,
    attempts: summary?.attempts?.total ?? counted.attempts,
    rejected: summary?.attempts?.rejected ?? (measured ? totalOf(rejects) : undefined),
    abandoned: summary?.attempts?.abandoned ?? counted.abandoned,
    rejects,
    errors,
    statuses: withoutTotal(summary?.statuses) ?? sums(samples, 'statuses'),
    replies: withoutTotal(inSteady?.statuses) ?? sums(scoped, 'statuses'),
    rejectsTotal: summary?.rejects?.total ?? (measured ? totalOf(rejects) : undefined),
    errorsTotal: summary?.errors?.total ?? (measured ? totalOf(errors) : undefined),
    transfers: transfers?.count ?? counted.transfers,
    failed: transfers?.failed ?? counted.failed,
    unfinished: transfers?.unfinished ?? counted.unfinished,
    bytesSent: transfers?.bytesSent ?? counted.bytesSent,
    bytesReceived: transfers?.bytesReceived ?? counted.bytesReceived,
    scope,
    covers: coverOf(scope, workload, scoped),
    seconds,
    perSecond: inSteady?.perSecond ?? (hasRate ? (inScope.transfers ?? 0) / seconds : undefined),
    bytesSentPerSecond: inSteady?.bytesSentPerSecond ?? (hasRate ? (inScope.bytesSent ?? 0) / seconds : undefined),
    oneWay: run.scenario?.protocol === 'stream',
    sendsMore: (inScope.bytesSent ?? 0) > TELLING_TIMES * (inScope.bytesReceived ?? 0),
    bytesPerSecond: inSteady?.bytesPerSecond ?? (hasRate ? (inScope.bytesReceived ?? 0) / seconds : undefined),
    response: inSteady?.responseTimeNs ?? mergedPercentiles(timedOf(samples, workload), 'responseTime'),
    service: inSteady?.serviceTimeNs ?? mergedPercentiles(timedOf(samples, workload), 'serviceTime'),
    ...scheduledOf(samples, scoped, inSteady),
    connect: summary?.connectTimeNs ?? mergedPercentiles(samples, 'connectTime'),
    handshake: summary?.handshakeTimeNs ?? mergedPercentiles(samples, 'handshakeTime'),
    resumption: summary?.resumptionTimeNs ?? mergedPercentiles(samples, 'resumptionTime'),
    recovery: summary?.recoveryTimeNs ?? mergedPercentiles(samples, 'recoveryTime'),
    // Counted from the beginning of the steady state on.
    perConnection:
      inSteady?.perConnection ??
      (perConnection && scope === 'steady' && !run.scenario?.connectionsProfile
        ? {
            min: perConnection.min,
            p1: valueAt(perConnection, 0.01),
            p50: valueAt(perConnection, 0.5),
            max: perConnection.max,
          }
        : undefined),
    failedShare: failedShareOf(scoped, samples, summary?.steady),
    clientCpuSeconds: sumOf(scoped, 'client', 'cpuSeconds'),
    serverCpuSeconds: sumOf(scoped, 'server', 'cpuSeconds'),
    idlePollSeconds: sumOf(scoped, 'client', 'idlePollSeconds'),
    clientRss: largest(samples.map((sample) => sample.client?.rssBytes)),
    serverRss: largest(samples.map((sample) => sample.server?.rssBytes)),
    serverThreads: largest(samples.map((sample) => sample.server?.threads)),
    serverProcesses: largest(samples.map((sample) => sample.server?.processes)),
    limitedBy: summary?.limitedBy ?? mostFrequent(scoped.map((sample) => sample.limitedBy)),
    logRows: summary?.log?.rows ?? counted.logRows,
    logMissing: summary?.log?.missing,
    kernel: summary?.kernel ?? kernelOf(samples.map((sample) => sample.kernel)),
    serverKernel: summary?.serverKernel ?? elsewhereOf(samples),
    ramp: summary ? summary.ramp : rampOf(samples, leg.planned),
    limits: summary?.limitShares ?? limitSharesOf(steady),
    engines: summary?.steady?.client?.engines ?? enginesOf(steady),
    processCpu: processCpuOf(steady),
    work: leg.planned?.server?.options?.work,
    plannedProcesses: leg.planned?.server?.options?.processes,
    connectSteps: summary ? summary.connectSteps : connectStepsOf(samples, run.environment?.tcp?.synRetryNs),
    rtt: summary?.rttNs ?? mergedPercentiles(samples, 'rtt'),
    tcp: summary?.tcp ?? tcpOf(samples),
    opensPerSecond: (workload === 'reconnect' || lives) && seconds > 0 ? (inScope.opened ?? 0) / seconds : undefined,
    attemptsPerSecond: workload === 'reconnect' && seconds > 0 ? (inScope.attempts ?? 0) / seconds : undefined,
    ceilings: ceilingsOf(leg.planned?.series ?? leg.label, run.plan, leg.planned?.connections),
    warnings: (summary?.warnings ?? []).map(readWarning),
    saturation: null,
    closed: (config.loop ?? 'closed') === 'closed',
    pauseNs: run.scenario?.pauseNs ?? 0,
    lives,
    pipeline: run.scenario?.pipeline ?? 1,
    workload,
    heldOnly: workload === 'hold' && !run.scenario?.heartbeatNs && !transferred,
  };
  facts.saturation = saturationOf(facts, scoped);
  facts.missing = missingOf(leg, facts);
  return facts;
}

/**
 * @param {import('../types.js').Sample[]} samples @param {'client' | 'server'} side
 * @param {'cpuSeconds' | 'idlePollSeconds'} name
 * @returns {number | undefined} absent when no sample has it
 */
function sumOf(samples, side, name) {
  const values = samples.map((sample) => sample[side]?.[name]).filter((value) => typeof value === 'number');
  return values.length ? values.reduce((a, b) => /** @type {number} */ (a) + /** @type {number} */ (b), 0) : undefined;
}

/** @param {Array<string | undefined>} values @returns {string | undefined} */
function mostFrequent(values) {
  /** @type {Map<string, number>} */
  const tally = new Map();
  for (const value of values) if (value) tally.set(value, (tally.get(value) ?? 0) + 1);
  return [...tally].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/**
 * Whether fewer were open than were asked for: at the end, or along a profile at its most. Nothing of the kind can be
 * said where connections end as planned.
 * @param {import('../types.js').Facts} f @returns {boolean}
 */
export function lacks({ workload, lives, alongProfile, peakOpen, peakRequested, open, requested }) {
  if (lives || workload === 'once' || workload === 'reconnect') return false;
  // The most of a second's end: along a line it lies a little below the most of all.
  const [reached, wanted] = alongProfile ? [peakOpen, (peakRequested ?? 0) * 0.995] : [open, requested];
  return reached !== undefined && wanted !== undefined && reached < wanted;
}

/**
 * Whether it is known that no connect of a leg had to wait for a second SYN: one that was given up may have.
 * @param {import('../types.js').Facts} facts @returns {boolean}
 */
export function noSecondSyn({ connectSteps, kernel, rejects }) {
  return !connectSteps && kernel.TcpExtTCPSynRetrans === 0 && !rejects.timeout;
}

/**
 * Percentile p is "> max" where failed and unfinished transfers exceed 1 - p of all that the percentiles cover:
 * failures must not make a server look fast.
 * @param {import('../types.js').Facts} facts @param {number} p 0..1 @returns {boolean}
 */
export function beyondMax(facts, p) {
  return facts.failedShare > 1 - p + 1e-12;
}
