// What client, server, machine and kernel used during a leg: read when a sample comes. CPU time is that of the sample's
// own span, also where it comes late; of the kernel's counters, the increase since the reading before.
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
 * What the host of the workers says, if that is this one.
 * @typedef {{ beginKernel: () => void, beginCores: () => void, read: () => HostUse }} ClientMeter
 *
 * @typedef {HostUse & { own: ProcessUsage }} ClientReading  own: of this process
 */

const SECOND_NS = 1e9;
/** A timer may be late: so long before the next slice a server is read that must not have begun to work for it. */
const BEFORE_SLICE_NS = 5e6;
/**
 * Of more processes some are read in turn, and what the others used is an estimate, which tells nothing of a part of a
 * second.
 */
const MOST_PROCESSES = 64;
/**
 * The kernel's counters are read this long before the start, as a timer may be late and must not miss the first
 * connects.
 */
const KERNEL_LEAD_MS = 50;
/** A shorter rest tells nothing. */
const LEAST_REST_NS = 20e6;

/**
 * A sample that has no time span: late cuts of a phase that is over. The readings of machine and server belong to the
 * next sample.
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
 * @returns {Usage['instanceSeconds']} since then
 */
const secondsBetween = (before, now) => before && now?.map((seconds, i) => increase(before[i], seconds));

export class LegMeter {
  /**
   * @param {Leg} leg
   * @param {ServerUnderTest} server
   * @param {{ client: ClientMeter, warn: (one: Warning) => void }} options
   */
  constructor(leg, server, { client, warn }) {
    this.leg = leg;
    this.server = server;
    this.client = client;
    /** For how long the leg has its turn in a span; null: all the time. @type {ReturnType<typeof turnTimes> | null} */
    this.turnTimes = null;
    /** When it rests. @type {ReturnType<typeof restTimes>} */
    this.restTimes = (fromNs) => ({ fromNs, toNs: fromNs });
    this.changeSlices(leg.slices);
    this.warn = warn;
    this.own = new ProcessMeter();
    /** Whether readings for a sample have begun, after which there is no first reading of the client. */
    this.isReading = false;
    /** Whether there has been a sample, after which there is no first reading of the server. */
    this.hasSamples = false;
    /** Whether no sample has had a reading of the server. */
    this.isFirst = true;
    /** Zero of the times of samples. */
    this.startNs = process.hrtime.bigint();
    /** Of the server. @type {UsageCurve<Usage>} */
    this.serverCurve = new UsageCurve(readingBetween);
    /**
     * Up to when there are moments, ns since the leg's start, at which a server that is loaded in slices is read: what
     * it uses is not even between two samples.
     */
    this.momentsToNs = -SECOND_NS;
    /**
     * The last reading of the server's CPU time.
     * @type {{ atNs: number, cpuSeconds: number | null, processes: number } | null}
     */
    this.lastRead = null;
    /** What it used between readings in its rests, since the last sample. */
    this.unloaded = { ns: 0, cpuSeconds: 0 };
    /** CPU seconds of this process. @type {UsageCurve<number>} */
    this.ownCurve = new UsageCurve((a, b, share) => a + share * (b - a));
    this.ownSeconds = 0;
  }

  /** @param {Slices | undefined} slices of the leg; undefined: it takes no turns */
  changeSlices(slices) {
    if (slices === undefined) return;
    this.turnTimes = turnTimes(slices, this.leg.steadyToNs);
    this.restTimes = restTimes(slices, this.leg.steadyToNs);
  }

  /**
   * Takes the first readings, at the start of the leg: what was used before is not its own.
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
    this.own.read();
    this.ownCurve.add(this.sinceStart(), this.ownSeconds);
  }

  /** @param {ServerReading} reading @returns {Usage | null} of all its instances; null: it could not be read */
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
    if (before === null || processes > MOST_PROCESSES || !this.isRest(before.atNs, atNs)) return;
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
   * @returns {{ unloaded?: { ns: number, cpuSeconds: number } }} what the server has used in its rests since the call
   *   before
   */
  takeUnloaded() {
    const { unloaded } = this;
    this.unloaded = { ns: 0, cpuSeconds: 0 };
    return unloaded.ns > 0 ? { unloaded } : {};
  }

  /**
   * @param {number} ns since the leg's start
   * @returns {bigint[]} when the server is to be read besides, up to two seconds later: at whole seconds, and around a
   *   rest in each; none where it takes no turns, or has too many processes for that
   */
  momentsAfter(ns) {
    /** @type {number[]} */
    const moments = [];
    if (this.turnTimes === null || (this.lastRead?.processes ?? 0) > MOST_PROCESSES) return [];
    while (this.momentsToNs + SECOND_NS <= Math.min(ns + 2 * SECOND_NS, this.leg.steadyToNs)) {
      const [beforeNs, atNs] = [this.momentsToNs, this.momentsToNs + SECOND_NS];
      const { fromNs, toNs } = this.restTimes(beforeNs, atNs);
      const rest = beforeNs >= this.leg.steadyFromNs ? [fromNs, toNs - BEFORE_SLICE_NS] : [0, 0];
      if (rest[1] - rest[0] >= LEAST_REST_NS) moments.push(...rest);
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
    this.own.close();
  }

  /** @param {Merged} merged @returns {boolean} whether its sample has readings */
  static isRead({ fromNs, toNs, last }) {
    return toNs > fromNs || last;
  }

  /**
   * @param {Merged} merged
   * @returns {ReturnType<ServerUnderTest['meter']['read']>} of the server, begun now; null where its sample has none
   */
  readServer(merged) {
    if (!LegMeter.isRead(merged)) return null;
    this.isReading = true;
    return this.server.meter.read(this.momentsAfter(merged.toNs));
  }

  /** @param {Merged} merged @returns {ClientReading | null} now; null where its sample has none */
  readClient(merged) {
    return LegMeter.isRead(merged) ? { own: this.ownUse(merged), ...this.client.read() } : null;
  }

  /**
   * @param {Merged} merged
   * @param {ClientReading | null} read for it
   * @param {ServerReading | null} reading of the server for it; null: none came
   * @returns {Sample} with what was used since the readings before
   */
  sampleOf(merged, read, reading) {
    this.hasSamples = true;
    if (read === null) return withoutReadings(merged, this.leg);
    const { own, busy, kernel, serverKernel = reading?.kernel } = read;
    const latest = reading && this.addReading(reading);
    const span = latest && this.serverCurve.take(merged.last ? Infinity : merged.toNs);
    const client = clientUse(merged.usages, own, this.leg.workers);
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
   * Warns when a server of several processes has lost some of them.
   * @param {Usage} before
   * @param {Usage} now
   */
  watchProcesses(before, now) {
    const { server } = this.leg;
    const several = server.kind === 'named' && Number(server.options.processes) > 1;
    if (several && now.living === before.living && now.processes > 0 && now.processes < before.processes) {
      this.warn(warning('server-processes-lost', { before: before.processes, now: now.processes }));
    }
  }

  /**
   * @param {Merged} merged
   * @returns {ProcessUsage} of this process, its CPU time shared by the legs that it conducts
   */
  ownUse({ toNs, last }) {
    const { cpuSeconds, ...use } = this.own.read();
    this.ownSeconds += cpuSeconds / (this.leg.slices?.of ?? 1);
    this.ownCurve.add(this.sinceStart(), this.ownSeconds);
    const span = this.ownCurve.take(last ? Infinity : toNs);
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
   *   number, turn: number, serverBusy?: number[] }} second  turn: the share of it in which the leg was loaded
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
