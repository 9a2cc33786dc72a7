// Measures CPU and memory of the client, the server and the machine, from /proc, as use since the previous reading.
// A share is of one core (1: one core for the whole time); seconds are CPU seconds.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * @import { WorkerUsage } from '../run/cluster/messages.js'
 * @import { Descriptors } from './descriptors.js'
 */

/**
 * Share of a core. If threads that began and ended between two readings used as much, the busiest thread is not known.
 */
const MAX_UNSEEN = 0.1;
/** If a server has more processes, only the busiest are shown. */
const MAX_PROCESSES_SHOWN = 32;

/**
 * The result of the launcher's usage(): cumulative, except memory and the numbers of threads and processes.
 * @typedef {object} ServerReading  instanceSeconds, living: if the server has several instances, CPU seconds of each
 *   (null: not known), and how many have not ended
 * @property {number | null} cpuSeconds
 * @property {number | null} [waitSeconds]
 * @property {number} rssBytes
 * @property {number} threads
 * @property {number} processes
 * @property {Record<string, number> | Map<string | number, number> | null} [threadSeconds]
 * @property {Switches | null} [contextSwitches]
 * @property {Record<string, number> | null} [processSeconds]
 * @property {(number | null)[]} [instanceSeconds]
 * @property {number} [living]
 * @typedef {{ cpuSeconds?: number, waitSeconds?: number, rssBytes: number, threads: number, processes: number,
 *   startRssBytes?: number, busiestThread?: number, processCpu?: number[], contextSwitches?: Switches,
 *   descriptors?: Descriptors }} ServerUse
 * @typedef {{ voluntary: number, involuntary: number }} Switches
 * @typedef {{ cpuNs: number, waitNs: number }} ThreadTimes
 * @typedef {{ cpuSeconds: number, rssBytes: number }} ProcessUsage
 */

/**
 * @param {string | null} schedstat of a thread
 * @returns {ThreadTimes | null} its time on a CPU, and ready but waiting for one; null: the kernel does not count them
 */
function parseThread(schedstat) {
  const [cpuNs, waitNs] = schedstat?.split(' ').map(Number) ?? [];
  return waitNs === undefined ? null : { cpuNs, waitNs };
}

/** Measures this process since the previous read(); a value that cannot be read stays as it was. */
export class ProcessMeter {
  constructor() {
    this.cpu = process.cpuUsage();
    this.status = new ProcFile('/proc/self/status'); // process.memoryUsage() throws when no descriptor is left
    this.rssBytes = process.memoryUsage.rss();
  }

  /** @returns {ProcessUsage} */
  read() {
    const cpu = process.cpuUsage();
    const cpuSeconds = (cpu.user + cpu.system - this.cpu.user - this.cpu.system) / 1e6;
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(this.status.read() ?? '') ?? [];
    if (kib !== undefined) this.rssBytes = Number(kib) * 1024;
    this.cpu = cpu;
    return { cpuSeconds, rssBytes: this.rssBytes };
  }

  close() {
    this.status.close();
  }
}

/** Measures this process and one of its engine threads since the previous read(). */
export class WorkerMeter {
  /**
   * @param {() => number | null} engineThread returns the thread's id; null: it does not run yet
   * @param {ProcessMeter} [processMeter] of this process; if several engines share it, each reading counts for the
   *   engine that takes it
   */
  constructor(engineThread, processMeter = new ProcessMeter()) {
    this.engineThread = engineThread;
    this.at = process.hrtime.bigint();
    this.process = processMeter;
    /** @type {ThreadTimes} */
    this.engine = { cpuNs: 0, waitNs: 0 };
    /** @type {{tid: number, file: ProcFile} | null} */
    this.schedstat = null;
  }

  /** @returns {ThreadTimes | null} null: the thread does not run yet, or has ended */
  readEngine() {
    const tid = this.engineThread();
    if (tid === null) return null;
    if (this.schedstat?.tid !== tid) this.schedstat = { tid, file: new ProcFile(`/proc/self/task/${tid}/schedstat`) };
    return parseThread(this.schedstat.file.read());
  }

  /** @returns {WorkerUsage} */
  read() {
    const at = process.hrtime.bigint();
    const engine = this.readEngine() ?? this.engine;
    const usage = {
      ...this.process.read(),
      engineCpuSeconds: Math.max(0, engine.cpuNs - this.engine.cpuNs) / 1e9,
      waitSeconds: Math.max(0, engine.waitNs - this.engine.waitNs) / 1e9,
      wallSeconds: Number(at - this.at) / 1e9,
    };
    Object.assign(this, { at, engine });
    return usage;
  }
}

/**
 * @param {string} stat /proc/stat
 * @param {number[] | null} [cpus] only these; null: all
 * @returns {{ busy: number, total: number }[]} ticks of each core
 */
export function parseStat(stat, cpus = null) {
  const cores = [];
  for (const line of stat.split('\n')) {
    const [, cpu] = /^cpu(\d+)/.exec(line) ?? [];
    if (cpu === undefined || cpus?.includes(Number(cpu)) === false) continue;
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
    const total = ticks.reduce((sum, n) => sum + n, 0);
    cores.push({ total, busy: total - ticks[3] - ticks[4] });
  }
  return cores;
}

/**
 * @param {{ busy: number, total: number }[]} before @param {{ busy: number, total: number }[]} after
 * @returns {number[]} each core's busy share, 0..1
 */
export function busyShares(before, after) {
  return after.map((core, i) => {
    const ticks = core.total - (before[i]?.total ?? 0);
    return ticks > 0 ? Math.min(1, Math.max(0, (core.busy - (before[i]?.busy ?? 0)) / ticks)) : 0;
  });
}

/**
 * Measures every core, or only the given cores. read() repeats its last result if it is called again within a few of
 * the kernel's 10 ms ticks.
 */
export class MachineMeter {
  /** @param {number[] | null} [cpus] */
  constructor(cpus = null) {
    this.cpus = cpus;
    this.before = readStat(cpus);
    /** @type {number[]} */
    this.last = this.before.map(() => 0);
  }

  /** @returns {number[]} */
  read() {
    const after = readStat(this.cpus);
    const ticks = (after[0]?.total ?? 0) - (this.before[0]?.total ?? 0);
    if (ticks < 10) return this.last;
    this.last = busyShares(this.before, after);
    this.before = after;
    return this.last;
  }
}

/** @param {number[] | null} cpus */
function readStat(cpus) {
  try {
    return parseStat(readFileSync('/proc/stat', 'utf8'), cpus);
  } catch {
    return [];
  }
}

/**
 * @param {number | null} before
 * @param {number | null} after
 * @returns {number | null} 0 or more; null: one of the values is not known
 */
export const increase = (before, after) => (before === null || after === null ? null : Math.max(0, after - before));

/**
 * Computes what the server used between two readings.
 * @param {ServerReading | null} before @param {ServerReading} after @param {number} wallSeconds between the two
 * @returns {ServerUse} without descriptors. cpuSeconds, waitSeconds, contextSwitches, busiestThread and processCpu
 *   (shares of a core, largest first) are absent if the launcher could not measure both times; waitSeconds and
 *   busiestThread are also absent if threads came and went
 */
export function serverUse(before, after, wallSeconds) {
  const cpuSeconds = increase(before === null ? 0 : before.cpuSeconds, after.cpuSeconds);
  /** @type {ServerUse} */
  const use = {
    ...(cpuSeconds === null ? {} : { cpuSeconds }),
    rssBytes: after.rssBytes,
    threads: after.threads,
    processes: after.processes,
  };
  if (typeof after.waitSeconds === 'number' && typeof before?.waitSeconds === 'number') {
    use.waitSeconds = Math.max(0, after.waitSeconds - before.waitSeconds);
  }
  if (after.contextSwitches && before?.contextSwitches) {
    use.contextSwitches = {
      voluntary: after.contextSwitches.voluntary - before.contextSwitches.voluntary,
      involuntary: after.contextSwitches.involuntary - before.contextSwitches.involuntary,
    };
  }
  if (after.threadSeconds && before?.threadSeconds && wallSeconds > 0) {
    const earlier = new Map(entriesOf(before.threadSeconds));
    const used = entriesOf(after.threadSeconds).map(([tid, seconds]) => seconds - (earlier.get(tid) ?? 0));
    const unseen = (cpuSeconds ?? Infinity) - used.reduce((sum, seconds) => sum + seconds, 0);
    if (unseen < MAX_UNSEEN * wallSeconds) use.busiestThread = Math.min(1, Math.max(0, ...used) / wallSeconds);
    else delete use.waitSeconds;
  }
  if (after.processSeconds && before?.processSeconds && wallSeconds > 0) {
    const earlier = before.processSeconds;
    use.processCpu = Object.entries(after.processSeconds)
      .map(([pid, seconds]) => Math.max(0, seconds - (earlier[pid] ?? 0)) / wallSeconds)
      .sort((a, b) => b - a)
      .slice(0, MAX_PROCESSES_SHOWN);
  }
  return use;
}

/**
 * Adds the readings of all instances of a server. An instance that has ended keeps the CPU time of its last reading.
 * @param {{ reading: ServerReading | null, hasEnded: boolean }[]} instances
 * @returns {ServerReading | null} null: all have ended, or an instance that has not could not be read
 */
export function mergeReadings(instances) {
  const living = instances
    .flatMap(({ reading, hasEnded }) => (hasEnded ? [] : [reading]))
    .filter((reading) => reading !== null);
  if (living.length === 0 || living.length < instances.filter(({ hasEnded }) => !hasEnded).length) return null;
  if (instances.length === 1) return living[0];
  const readings = instances.map(({ reading }) => reading);
  /**
   * @param {(reading: ServerReading) => number | null | undefined} valueOf
   * @returns {number | null} null: it is not known for an instance
   */
  const sumOfAll = (valueOf) =>
    readings.reduce((/** @type {number | null} */ total, reading) => {
      const value = reading === null ? null : (valueOf(reading) ?? null);
      return total === null || value === null ? null : total + value;
    }, 0);
  /** @param {(reading: ServerReading) => number} valueOf */
  const sumOfLiving = (valueOf) => living.reduce((total, reading) => total + valueOf(reading), 0);
  const hasThreads = living.every(({ threadSeconds }) => threadSeconds);
  return {
    cpuSeconds: sumOfAll(({ cpuSeconds }) => cpuSeconds),
    waitSeconds: sumOfAll(({ waitSeconds }) => waitSeconds),
    rssBytes: sumOfLiving(({ rssBytes }) => rssBytes),
    threads: sumOfLiving((reading) => reading.threads),
    processes: sumOfLiving(({ processes }) => processes),
    threadSeconds: hasThreads
      ? Object.fromEntries(living.flatMap((reading) => entriesOf(reading.threadSeconds)))
      : null,
    processSeconds: Object.assign({}, ...living.map(({ processSeconds }) => processSeconds)),
    instanceSeconds: readings.map((reading) => reading?.cpuSeconds ?? null),
    living: living.length,
  };
}

/** @param {ServerReading['threadSeconds'] | undefined} threads @returns {[string, number][]} */
function entriesOf(threads) {
  if (!threads) return [];
  const pairs = threads instanceof Map ? [...threads] : Object.entries(threads);
  return pairs.map(([tid, seconds]) => [String(tid), seconds]);
}

/**
 * Measures how many of the cores that a run may use are busy now.
 * @param {number[]} cpus that this process may run on
 * @param {number} [ms] over which it is measured
 * @returns {Promise<number>} cores, such as 1.3
 */
export async function readBusyCores(cpus, ms = 500) {
  const meter = new MachineMeter(cpus);
  meter.read();
  await wait(ms);
  return meter.read().reduce((sum, share) => sum + share, 0);
}

/** The buffer of all reads of ProcFile. */
const buffer = Buffer.alloc(16_384);

/**
 * A file of /proc that is read repeatedly through one descriptor, so that it can still be read when the process has no
 * other descriptor left. /proc makes the text anew for each read from the beginning.
 */
class ProcFile {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** @type {number | null} */
    this.descriptor = null;
  }

  /** Closes the descriptor; read() opens it again. */
  close() {
    if (this.descriptor !== null) closeSync(this.descriptor);
    this.descriptor = null;
  }

  /** @returns {string | null} null: it cannot be read, as its subject has ended or no descriptor is left */
  read() {
    try {
      this.descriptor ??= openSync(this.path, 'r');
      return buffer.toString('latin1', 0, readSync(this.descriptor, buffer, 0, buffer.length, 0));
    } catch {
      return null;
    }
  }
}
