// Estimates cumulative use at any moment by interpolation between readings, so that use is divided among samples that
// come late and at once.

/** @import { ServerReading } from '../machine/usage.js' */

/** @param {number} a @param {number} b @param {number} share of the way from a to b @returns {number} */
const between = (a, b, share) => a + share * (b - a);

/**
 * @param {number | null | undefined} a
 * @param {number | null | undefined} b
 * @param {number} share
 * @returns {number | null} null: a or b is not known
 */
const betweenKnown = (a, b, share) => (typeof a === 'number' && typeof b === 'number' ? between(a, b, share) : null);

/**
 * @template {Record<string, number>} T
 * @param {T} a @param {T} b @param {number} share @returns {T} with the keys of b; a key that a lacks began at 0
 */
const betweenEach = (a, b, share) =>
  /** @type {T} */ (
    Object.fromEntries(Object.entries(b).map(([name, value]) => [name, between(a[name] ?? 0, value, share)]))
  );

/**
 * @param {ServerReading['threadSeconds'] | undefined} threads
 * @returns {Record<string, number> | null}
 */
const recordOf = (threads) => (threads instanceof Map ? Object.fromEntries(threads) : (threads ?? null));

/**
 * @param {ServerReading} a @param {ServerReading} b later @param {number} share of the way from a to b
 * @returns {ServerReading} values that are not cumulative are those of b
 */
export function readingBetween(a, b, share) {
  if (share <= 0) return a;
  if (share >= 1) return b;
  const [aThreads, bThreads] = [recordOf(a.threadSeconds), recordOf(b.threadSeconds)];
  const { contextSwitches: before, processSeconds: aProcesses, instanceSeconds: aInstances = [] } = a;
  const { contextSwitches: after, processSeconds: bProcesses, instanceSeconds: bInstances } = b;
  const switched = before && after ? betweenEach(before, after, share) : null;
  return {
    ...b,
    cpuSeconds: betweenKnown(a.cpuSeconds, b.cpuSeconds, share),
    waitSeconds: betweenKnown(a.waitSeconds, b.waitSeconds, share),
    threadSeconds: aThreads && bThreads ? betweenEach(aThreads, bThreads, share) : null,
    contextSwitches: switched && {
      voluntary: Math.round(switched.voluntary),
      involuntary: Math.round(switched.involuntary),
    },
    processSeconds: aProcesses && bProcesses ? betweenEach(aProcesses, bProcesses, share) : (bProcesses ?? null),
    ...(bInstances && {
      instanceSeconds: bInstances.map((seconds, i) =>
        betweenKnown(i in aInstances ? aInstances[i] : seconds, seconds, share),
      ),
    }),
  };
}

/** @template Reading */
export class UsageCurve {
  /** @param {(a: Reading, b: Reading, share: number) => Reading} mix a reading on the way from a to b */
  constructor(mix) {
    this.mix = mix;
    /** In order. @type {{ atNs: number, reading: Reading }[]} */
    this.points = [];
    /** Until when use has been taken, ns since the leg's start. */
    this.takenNs = 0;
  }

  /** @param {number} atNs since the leg's start @param {Reading} reading at that time */
  add(atNs, reading) {
    this.points.push({ atNs, reading });
  }

  /**
   * Takes the use since the previous call.
   * @param {number} toNs Infinity: up to the last reading
   * @returns {{ before: Reading, now: Reading, seconds: number } | null} null: there is no reading
   */
  take(toNs) {
    const [first] = this.points;
    const last = this.points.at(-1);
    if (first === undefined || last === undefined) return null;
    const before = this.at(this.takenNs);
    const endNs = Math.max(this.takenNs, Math.min(toNs, last.atNs));
    const seconds = Math.max(0, endNs - Math.max(this.takenNs, first.atNs)) / 1e9;
    this.takenNs = endNs;
    while (this.points.length > 1 && this.points[1].atNs <= endNs) this.points.shift();
    return { before, now: this.at(endNs), seconds };
  }

  /** @param {number} ns @returns {Reading} before the first reading and after the last one, that reading */
  at(ns) {
    const { points } = this;
    const next = points.findIndex(({ atNs }) => atNs > ns);
    if (next === 0) return points[0].reading;
    if (next === -1) return points[points.length - 1].reading;
    const [a, b] = [points[next - 1], points[next]];
    return this.mix(a.reading, b.reading, (ns - a.atNs) / (b.atNs - a.atNs));
  }
}
