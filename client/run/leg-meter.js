// Measures what client, server, machine and kernel use during a leg, when a sample comes. CPU time is that of the
// sample's span, even if the sample comes late; kernel counters are the increase since the previous reading.
import { increase, mergeReadings, ProcessMeter, serverUse } from '../machine/usage.js';
import { clientUse } from '../measure/client-use.js';
import { filled, limitedBy } from '../measure/limit-attribution.js';
import { restTimes, turnTimes } from '../measure/slices.js';
import { toSample } from '../measure/sample.js';
import { present } from '../measure/sums.js';
import { warning } from '../words/warnings.js';
import { readingBetween, UsageCurve } from './usage-curve.js';

/**
 * @import { Sample, Slices, Warning } from '../../config/types.js'
 * @import { HostUse } from '../machine/host-meter.js'
 * @import { ProcessUsage, ServerReading as Usage, ServerUse } from '../machine/usage.js'
 * @import { Merged } from '../measure/sample-merge.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { ServerReading } from './server-meter.js'
 * @import { ServerUnderTest } from './server-under-test.js'
 */

/**
 * Reads cores and kernel of this host, if the workers are on it.
 * @typedef {{ beginKernel: () => void, beginCores: () => void, read: () => HostUse }} ClientMeter
 *
 * @typedef {HostUse & { primary: ProcessUsage }} ClientReading  primary: this process
 */

const SECOND_NS = 1e9;
/** A server is read this long before its next slice: a timer may be late, and the slice's work must not be in it. */
const BEFORE_SLICE_NS = 5e6;
/**
 * With more processes only some are read each time, and the use of the others is estimated: too coarse for part of a
 * second.
 */
const MAX_PROCESSES = 64;
/**
 * The kernel's counters are read this long before the start: a timer may be late, and must not miss the first connects.
 */
const KERNEL_LEAD_MS = 50;
/** A shorter rest is not measured. */
const MIN_REST_NS = 20e6;

/**
 * Makes the sample of late intervals of a phase that is over. It has no time span; the readings of machine and server
 * belong to the next sample.
 * @param {Merged} merged @param {Pick<Leg, 'workers' | 'slices'>} leg
 * @returns {Sample}
 */
function withoutReadings(merged, { workers, slices }) {
  const client = clientUse(merged.usages, { cpuSeconds: 0, rssBytes: 0 }, workers);
  const turn = slices === undefined ? {} : { turn: { turnNs: 0, measuredNs: 0 } };
  return toSample(merged, { client, server: null, busy: [], kernel: {}, limitedBy: 'unknown', ...turn });
}

/**
 * @param {Usage['instanceSeconds']} before @param {Usage['instanceSeconds']} now
 * @returns {Usage['instanceSeconds']} CPU seconds of each instance from `before` to `now`
 */
const secondsBetween = (before, now) => before && now?.map((seconds, i) => increase(before[i], seconds));

export class LegMeter {
  /**
   * @param {Leg} leg
   * @param {ServerUnderTest} server
   * @param {{ client: ClientMeter, warn: (warning: Warning) => void }} options
   */
  constructor(leg, server, { client, warn }) {
    this.leg = leg;
    this.server = server;
    this.client = client;
    /** How long the leg has its turn in a span; null: it takes no turns. @type {ReturnType<typeof turnTimes> | null} */
    this.turnTimes = null;
    /** When the leg rests in a span. @type {ReturnType<typeof restTimes>} */
    this.restTimes = (fromNs) => ({ fromNs, toNs: fromNs });
    this.changeSlices(leg.slices);
    this.warn = warn;
    this.primary = new ProcessMeter();
    /** Whether readings for a sample have begun: a first reading of the client would come too late. */
    this.isReading = false;
    /** Whether a sample has been made: a first reading of the server would come too late. */
    this.hasSamples = false;
    /** Whether no sample has had a reading of the server so far. */
    this.isFirst = true;
    /** Zero of the times of samples. */
    this.startNs = process.hrtime.bigint();
    /** Of the server. @type {UsageCurve<Usage>} */
    this.serverCurve = new UsageCurve(readingBetween);
    /**
     * Until when extra readings of the server are planned, ns since the leg's start. If it is loaded in slices, its use
     * between two samples is uneven.
     */
    this.momentsToNs = -SECOND_NS;
    /**
     * The last reading of the server's CPU time.
     * @type {{ atNs: number, cpuSeconds: number | null, processes: number } | null}
     */
    this.lastRead = null;
    /** The server's use in its rests since the last sample. */
    this.unloaded = { ns: 0, cpuSeconds: 0 };
    /** CPU seconds of this process. @type {UsageCurve<number>} */
    this.primaryCurve = new UsageCurve((a, b, share) => a + share * (b - a));
    this.primarySeconds = 0;
  }

  /** @param {Slices | undefined} slices of the leg; undefined: it takes no turns */
  changeSlices(slices) {
    if (slices === undefined) return;
    this.turnTimes = turnTimes(slices, this.leg.steadyToNs);
    this.restTimes = restTimes(slices, this.leg.steadyToNs);
  }

  /**
   * Takes the first readings, at the start of the leg: earlier use does not count.
   * @param {bigint} startNs of CLOCK_MONOTONIC
   */
  begin(startNs) {
    this.startNs = startNs;
    const leadMs = -this.sinceStart() / 1e6;
    const after = (/** @type {number} */ ms, /** @type {() => void} */ read) =>
      void setTimeout(() => !this.isReading && read(), Math.max(0, ms)).unref();
    after(leadMs - KERNEL_LEAD_MS, () => this.client.beginKernel());
    after(leadMs, () => this.beginClient());
    const leg = { startNs, endNs: startNs + BigInt(this.leg.endNs) };
    void this.server.meter
      .begin(leg, this.momentsAfter(0))
      .then((reading) => reading && !this.hasSamples && this.addReading(reading));
  }

  beginClient() {
    this.client.beginCores();
    this.primary.read();
    this.primaryCurve.add(this.sinceStart(), this.primarySeconds);
  }

  /** @param {ServerReading} reading @returns {Usage | null} of all instances; null: the server could not be read */
  addReading({ earlier, ...latest }) {
    /** @type {Usage | null} */
    let usage = null;
    for (const { atNs, instances } of [...earlier, latest]) {
      usage = mergeReadings(instances);
      if (usage !== null) this.addUsage(this.sinceStart(atNs), usage);
    }
    return usage;
  }

  /** @param {number} atNs since the leg's start @param {Usage} usage of the server up to then */
  addUsage(atNs, usage) {
    this.serverCurve.add(atNs, usage);
    const { lastRead: before, unloaded } = this;
    const { cpuSeconds, processes } = usage;
    this.lastRead = { atNs, cpuSeconds, processes };
    if (before === null || processes > MAX_PROCESSES || !this.isRest(before.atNs, atNs)) return;
    const used = increase(before.cpuSeconds, cpuSeconds);
    if (used === null) return;
    unloaded.ns += atNs - before.atNs;
    unloaded.cpuSeconds += used;
  }

  /** @param {number} fromNs @param {number} toNs @returns {boolean} whether other servers are loaded all that time */
  isRest(fromNs, toNs) {
    const { steadyFromNs, steadyToNs } = this.leg;
    const isSteady = fromNs >= steadyFromNs && toNs <= steadyToNs && toNs > fromNs;
    return isSteady && this.turnTimes?.(fromNs, toNs).turnNs === 0;
  }

  /**
   * @returns {{ unloaded?: { ns: number, cpuSeconds: number } }} the server's use in its rests since the previous call;
   *   absent: no rest was measured
   */
  takeUnloaded() {
    const { unloaded } = this;
    this.unloaded = { ns: 0, cpuSeconds: 0 };
    return unloaded.ns > 0 ? { unloaded } : {};
  }

  /**
   * @param {number} ns since the leg's start
   * @returns {bigint[]} when the server is to be read besides in the next two seconds: at each whole second, and at the
   *   begin and end of a rest; none if the leg takes no turns, or the server has too many processes
   */
  momentsAfter(ns) {
    /** @type {number[]} */
    const moments = [];
    if (this.turnTimes === null || (this.lastRead?.processes ?? 0) > MAX_PROCESSES) return [];
    while (this.momentsToNs + SECOND_NS <= Math.min(ns + 2 * SECOND_NS, this.leg.steadyToNs)) {
      const [beforeNs, atNs] = [this.momentsToNs, this.momentsToNs + SECOND_NS];
      const { fromNs, toNs } = this.restTimes(beforeNs, atNs);
      const rest = beforeNs >= this.leg.steadyFromNs ? [fromNs, toNs - BEFORE_SLICE_NS] : [0, 0];
      if (rest[1] - rest[0] >= MIN_REST_NS) moments.push(...rest);
      moments.push(atNs);
      this.momentsToNs = atNs;
    }
    return moments.map((sinceStart) => this.startNs + BigInt(Math.round(sinceStart)));
  }

  /** @param {bigint} [atNs] of CLOCK_MONOTONIC @returns {number} ns since the leg's start */
  sinceStart(atNs = process.hrtime.bigint()) {
    return Number(atNs - this.startNs);
  }

  close() {
    this.server.meter.close();
    this.primary.close();
  }

  /** @param {Merged} merged @returns {boolean} whether the sample has readings */
  static isRead({ fromNs, toNs, last }) {
    return toNs > fromNs || last;
  }

  /**
   * @param {Merged} merged
   * @returns {ReturnType<ServerUnderTest['meter']['read']>} of the server, begun now; null: the sample has no readings
   */
  readServer(merged) {
    if (!LegMeter.isRead(merged)) return null;
    this.isReading = true;
    return this.server.meter.read(this.momentsAfter(merged.toNs));
  }

  /** @param {Merged} merged @returns {ClientReading | null} now; null: the sample has no readings */
  readClient(merged) {
    return LegMeter.isRead(merged) ? { primary: this.primaryUse(merged), ...this.client.read() } : null;
  }

  /**
   * @param {Merged} merged
   * @param {ClientReading | null} clientReading for this sample; null: it has no readings
   * @param {ServerReading | null} reading of the server for this sample; null: none came
   * @returns {Sample} with the use since the previous readings
   */
  sampleOf(merged, clientReading, reading) {
    this.hasSamples = true;
    if (clientReading === null) return withoutReadings(merged, this.leg);
    const { primary, busy, kernel, serverKernel = reading?.kernel } = clientReading;
    const latest = reading && this.addReading(reading);
    const span = latest && this.serverCurve.take(merged.last ? Infinity : merged.toNs);
    const client = clientUse(merged.usages, primary, this.leg.workers);
    const server = span && reading ? this.useOf(span, reading) : null;
    if (span) this.watchProcesses(span.before, latest);
    const turn = this.turnOf(merged);
    return toSample(merged, {
      client,
      turn,
      ...this.takeUnloaded(),
      server,
      instanceCpu: secondsBetween(span?.before.instanceSeconds, span?.now.instanceSeconds),
      busy,
      kernel,
      ...present('serverBusy', reading?.busy),
      ...present('serverKernel', serverKernel),
      ...present('listen', reading?.listen ?? undefined),
      limitedBy: this.limitOf({
        ...{ busy, client, server, serverBusy: reading?.busy },
        ...{ wall: (merged.toNs - merged.fromNs) / 1e9, serverWall: span?.seconds ?? 0 },
        turn: turn === undefined ? 1 : turn.turnNs / Math.max(1, merged.toNs - merged.fromNs),
      }),
    });
  }

  /**
   * @param {{ before: Usage, now: Usage, seconds: number }} span @param {ServerReading} reading
   * @returns {ServerUse}
   */
  useOf({ before, now, seconds }, { descriptors }) {
    const { startRssBytes } = this.isFirst ? this.server : {};
    this.isFirst = false;
    return {
      ...serverUse(before, now, seconds),
      ...present('startRssBytes', startRssBytes),
      ...(descriptors === null ? {} : { descriptors }),
    };
  }

  /**
   * Warns when a server of several processes has fewer of them than before.
   * @param {Usage} before
   * @param {Usage} now
   */
  watchProcesses(before, now) {
    const { server } = this.leg;
    const hasSeveral = server.kind === 'named' && Number(server.options.processes) > 1;
    if (hasSeveral && now.living === before.living && now.processes > 0 && now.processes < before.processes) {
      this.warn(warning('server-processes-lost', { before: before.processes, now: now.processes }));
    }
  }

  /**
   * @param {Merged} merged
   * @returns {ProcessUsage} of this process; its CPU time is divided among the legs side by side
   */
  primaryUse({ toNs, last }) {
    const { cpuSeconds, ...use } = this.primary.read();
    this.primarySeconds += cpuSeconds / (this.leg.slices?.of ?? 1);
    this.primaryCurve.add(this.sinceStart(), this.primarySeconds);
    const span = this.primaryCurve.take(last ? Infinity : toNs);
    return { ...use, cpuSeconds: span === null ? 0 : span.now - span.before };
  }

  /**
   * @param {Merged} merged
   * @returns {{ turnNs: number, measuredNs: number } | undefined} undefined: the leg takes no turns
   */
  turnOf({ fromNs, toNs }) {
    return this.turnTimes === null ? undefined : this.turnTimes(fromNs, toNs);
  }

  /**
   * @param {{ busy: number[], client: ReturnType<typeof clientUse>, wall: number, server: ServerUse | null, serverWall:
   *   number, turn: number, serverBusy?: number[] }} second  turn: share of the second in which the leg was loaded
   */
  limitOf({ busy, client, server, wall: second, serverWall: serverSecond, turn, serverBusy }) {
    const { pin } = this.leg;
    const [wall, serverWall] = [second * turn, serverSecond * turn];
    const inTurn = (/** @type {number} */ share) => (turn > 0 ? Math.min(1, share / turn) : 0);
    const engines = filled(client.engineCpuSeconds, wall, pin.client);
    const servers = filled(server?.cpuSeconds ?? 0, serverWall, pin.server);
    return limitedBy({
      busy,
      client: { busiest: Math.max(inTurn(client.busiestEngine), engines), wait: inTurn(client.busiestWait) },
      server: server && {
        ...present('busiest', server.busiestThread === undefined ? undefined : inTurn(server.busiestThread)),
        filled: servers,
        wait: serverWall > 0 ? (server.waitSeconds ?? 0) / serverWall : 0,
        ...(serverWall > 0 && server.cpuSeconds !== undefined ? { cpu: server.cpuSeconds / serverWall } : {}),
        ...(serverBusy === undefined ? {} : { busy: serverBusy }),
      },
    });
  }
}
