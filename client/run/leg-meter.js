// What client, server, machine and kernel used during a leg: read when a sample comes. CPU time is that of the sample's
// own span, also where it comes late; of the kernel's counters, the increase since the reading before.
import { readDescriptors } from '../machine/descriptors.js';
import { KernelMeter } from '../machine/kernel-counters.js';
import { ListenMeter } from '../machine/listen-queues.js';
import { increase, MachineMeter, mergeReadings, ProcessMeter, serverUse } from '../machine/usage.js';
import { clientUse } from '../measure/client-use.js';
import { kernelSum } from '../measure/kernel-totals.js';
import { filled, limitedBy } from '../measure/limit-attribution.js';
import { restTimes, turnTimes } from '../measure/slices.js';
import { toSample } from '../measure/sample.js';
import { present } from '../measure/sums.js';
import { warning } from '../words/warnings.js';
import { Moments } from './moments.js';
import { readingBetween, UsageCurve } from './usage-curve.js';

/**
 * @import { Sample, Slices, Warning } from '../../config/types.js'
 * @import { ProcessUsage, ServerReading, ServerUse } from '../machine/usage.js'
 * @import { Merged } from '../measure/sample-merge.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { HostReading, InstancesReading } from '../agents/server-messages.js'
 * @import { ServerUnderTest } from './server-under-test.js'
 */

const SECOND_NS = 1e9;
/** A timer may be late: so long before the next slice a server is read that must not have begun to work for it. */
const BEFORE_SLICE_NS = 5e6;
/**
 * Of more processes some are read in turn, and what the others used is an estimate, which tells nothing of a part of a
 * second.
 */
const MOST_PROCESSES = 64;
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
 * @param {ServerReading['instanceSeconds']} before @param {ServerReading['instanceSeconds']} now
 * @returns {ServerReading['instanceSeconds']} since then
 */
const secondsBetween = (before, now) => before && now?.map((seconds, i) => increase(before[i], seconds));

export class LegMeter {
  /**
   * @param {Leg} leg
   * @param {ServerUnderTest} server
   * @param {{ isHere: boolean, warn: (one: Warning) => void }} options  isHere: the workers
   *   are on this host, not on agents
   */
  constructor(leg, server, { isHere, warn }) {
    this.leg = leg;
    this.server = server;
    this.isHere = isHere;
    /** For how long the leg has its turn in a span; null: all the time. @type {ReturnType<typeof turnTimes> | null} */
    this.turnTimes = null;
    /** When it rests. @type {ReturnType<typeof restTimes>} */
    this.restTimes = (fromNs) => ({ fromNs, toNs: fromNs });
    this.changeSlices(leg.slices);
    this.warn = warn;
    this.machine = new MachineMeter();
    this.own = new ProcessMeter();
    this.kernel = new KernelMeter(server.pids);
    // on another host, or over another transport, the same port may belong to another program
    const isElsewhere =
      !isHere ||
      server.machine !== undefined ||
      this.kernel.away.length > 0 ||
      !['tcp', undefined].includes(leg.transport);
    this.listening = new ListenMeter(isElsewhere ? [] : server.instances);
    /** Of the server's machine, to be added to the next reading. */
    this.carried = { kernel: /** @type {Record<string, number>} */ ({}), drops: 0 };
    /** Whether no sample has had a reading of the server. */
    this.isFirst = true;
    /** Zero of the times of samples. */
    this.startNs = process.hrtime.bigint();
    /** Of the server. @type {UsageCurve<ServerReading>} */
    this.serverCurve = new UsageCurve(readingBetween);
    /** At which a server that is loaded in slices is read: what it uses is not even between two samples. */
    this.moments = new Moments(() => this.addReading(this.sinceStart(), this.readServer()));
    /** Up to when there are some, ns since the leg's start. */
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

  /** Takes the first readings: what was used before the start is not the leg's. */
  begin() {
    this.machine.read();
    this.own.read();
    this.ownCurve.add(this.sinceStart(), this.ownSeconds);
    if (this.server.machine !== undefined) return;
    this.addReading(this.sinceStart(), this.readServer());
    this.moments.add(this.momentsAfter(0));
  }

  /**
   * @param {number} atNs since the leg's start
   * @param {ServerReading | null} reading then; null: it could not be read
   */
  addReading(atNs, reading) {
    if (reading === null) return;
    this.serverCurve.add(atNs, reading);
    const { lastRead: before, unloaded } = this;
    const { cpuSeconds, processes } = reading;
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

  /**
   * Takes the first reading of a server on another machine. What that has counted is the leg's if it came after the
   * start.
   * @param {HostReading} there @param {bigint} startNs
   */
  beginThere({ atNs, instances, kernel, listen }, startNs) {
    this.startNs = startNs;
    this.addReading(this.sinceStart(atNs), mergeReadings(instances));
    if (atNs > startNs) this.carried = { kernel, drops: listen?.drops ?? 0 };
  }

  /** @param {HostReading} reading @returns {HostReading} with what was counted before */
  withCarried(reading) {
    const { kernel, drops } = this.carried;
    this.carried = { kernel: {}, drops: 0 };
    const { listen } = reading;
    return {
      ...reading,
      kernel: kernelSum([kernel, reading.kernel]),
      listen: listen && { ...listen, drops: listen.drops + drops },
    };
  }

  /**
   * @param {Merged} merged @param {HostReading | null} [there]
   * @returns {{ server: ReturnType<UsageCurve<ServerReading>['take']>, latest: ServerReading | null }} what the server
   *   used in the span of the sample; null: it could not be read
   */
  readServerTo({ toNs, last }, there) {
    const isHere = this.server.machine === undefined;
    if (isHere) this.moments.add(this.momentsAfter(toNs));
    for (const { atNs, instances } of there?.earlier ?? [])
      this.addReading(this.sinceStart(atNs), mergeReadings(instances));
    const latest = isHere ? this.readServer() : there ? mergeReadings(there.instances) : null;
    if (latest === null) return { server: null, latest };
    this.addReading(this.sinceStart(isHere ? undefined : there?.atNs), latest);
    return { server: this.serverCurve.take(last ? Infinity : toNs), latest };
  }

  /** Takes the first readings of the kernel's counters. */
  beginKernel() {
    this.kernel.read();
  }

  close() {
    this.moments.close();
    this.own.close();
  }

  /** @returns {ServerReading | null} */
  readServer() {
    try {
      return this.server.read();
    } catch {
      return null;
    }
  }

  /** @param {Merged} merged @returns {boolean} whether its sample has readings */
  static isRead({ fromNs, toNs, last }) {
    return toNs > fromNs || last;
  }

  /**
   * @param {Merged} merged
   * @param {HostReading | null} [reading]  of the server's machine, where that is another one; null: none came
   * @returns {Sample} with what was used since the reading before
   */
  sampleOf(merged, reading) {
    if (!LegMeter.isRead(merged)) return withoutReadings(merged, this.leg);
    const there = reading && this.withCarried(reading);
    const { server: span, latest } = this.readServerTo(merged, there);
    const client = clientUse(merged.usages, this.ownUse(merged), this.leg.workers);
    const server = span && latest ? this.useOf(span, latest, there) : null;
    const listen = there ? there.listen : this.listening.read();
    if (span && latest) this.watchProcesses(span.before, latest);
    const busy = this.isHere ? this.machine.read() : []; // what agents use is in their intervals
    const turn = this.turnOf(merged);
    return toSample(merged, {
      client,
      turn,
      ...this.takeUnloaded(),
      server,
      instanceCpu: secondsBetween(span?.before.instanceSeconds, span?.now.instanceSeconds),
      busy,
      ...(there ? { serverBusy: there.busy } : {}),
      ...(this.isHere ? this.kernel.read() : { kernel: {} }),
      ...(there ? { serverKernel: there.kernel } : {}),
      ...(listen === null ? {} : { listen }),
      limitedBy: this.limitOf({
        ...{ busy, client, server, serverBusy: there?.busy },
        ...{ wall: (merged.toNs - merged.fromNs) / 1e9, serverWall: span?.seconds ?? 0 },
        turn: turn === undefined ? 1 : turn.turnNs / Math.max(1, merged.toNs - merged.fromNs),
      }),
    });
  }

  /**
   * @param {{ before: ServerReading, now: ServerReading, seconds: number }} span @param {ServerReading} latest
   * @param {HostReading | null} [there]
   * @returns {ServerUse}
   */
  useOf({ before, now, seconds }, latest, there) {
    const pids = Object.keys(latest.processSeconds ?? {}).map(Number);
    const descriptors = there ? there.descriptors : readDescriptors(pids);
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
   * @param {ServerReading} before
   * @param {ServerReading} now
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
