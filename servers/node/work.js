// Simulated work: the time added to each request. block and spin hold the serving thread and with it its loop, so
// another thread must handle signals.

/** A timer; the thread sleeps; the thread computes. */
export const WORK_KINDS = ['wait', 'block', 'spin'];

/** @type {Record<string, number>} */
const NS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const MOST_NS = 3600e9;
const TIME = String.raw`(\d+(?:\.\d+)?)(ns|us|ms|s)`;
const SPAN = new RegExp(`^${TIME}(?:-${TIME})?$`);

/**
 * @typedef {object} Work
 * @property {number} lowNs
 * @property {number} highNs
 * @property {string} kind of WORK_KINDS
 * @property {number} seed
 */

/**
 * @param {string} text "30ms-50ms" or "1.5ms"
 * @returns {{lowNs: number, highNs: number} | null} null: not a valid time
 */
export function parseWork(text) {
  const [, low, lowUnit, high = low, highUnit = lowUnit] = SPAN.exec(text) ?? [];
  if (low === undefined) return null;
  const lowNs = Number(low) * NS[lowUnit];
  const highNs = Number(high) * NS[highUnit];
  return lowNs <= highNs && highNs <= MOST_NS ? { lowNs, highNs } : null;
}

/**
 * @param {Work} work
 * @returns {() => number} the time of the next request, in ns: uniform, and the same sequence for the same seed
 */
export function drawer({ lowNs, highNs, seed }) {
  const next = mulberry32(Math.trunc(seed / 2 ** 32) * 0x9e3779b1 + seed);
  return () => lowNs + (highNs - lowNs) * (next() / 0xffffffff);
}

/**
 * Tommy Ettinger's generator of 32 bits.
 * @param {number} seed its low 32 bits
 */
function mulberry32(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

const asleep = new Int32Array(new SharedArrayBuffer(4));

/** @param {number} ns how long the thread, and with it the loop, is blocked */
function block(ns) {
  Atomics.wait(asleep, 0, 0, ns / 1e6);
}

/** Node 23.9 and later have a CPU clock of the thread. Before, the process's is used; V8's threads add little. */
const cpuUsage = /** @type {{threadCpuUsage?: typeof process.cpuUsage}} */ (process).threadCpuUsage ?? process.cpuUsage;

/** @param {number} ns of CPU time, and at least as much wall-clock time, whatever other threads have used */
function spin(ns) {
  const due = performance.now() + ns / 1e6;
  const before = cpuUsage();
  const endUs = before.user + before.system + ns / 1e3;
  for (let now = before; now.user + now.system < endUs || performance.now() < due;) now = cpuUsage();
}

/**
 * @callback Perform
 * @param {number} requests done one after another
 * @param {() => boolean} gone whether the connection has closed meanwhile
 * @param {() => void} done called when all work is done, unless gone; possibly before this returns
 */

/**
 * @param {Work | null} work
 * @returns {Perform | null} null: requests need no work
 */
export function performer(work) {
  if (work === null) return null;
  const draw = drawer(work);
  if (work.kind === 'wait') return (requests, gone, done) => waitFor(sum(requests, draw), gone, done);
  const hold = work.kind === 'block' ? block : spin;
  return (requests, gone, done) => {
    if (gone()) return;
    hold(sum(requests, draw));
    done();
  };
}

/** @param {number} requests @param {() => number} draw @returns {number} ns */
function sum(requests, draw) {
  let ns = 0;
  for (let left = requests; left > 0; left--) ns += draw();
  return ns;
}

/**
 * Node's timers count whole milliseconds from the start of the loop's turn, so one may fire early: then again.
 * @param {number} ns
 * @param {() => boolean} gone
 * @param {() => void} done
 */
function waitFor(ns, gone, done) {
  const due = performance.now() + ns / 1e6;
  const look = () => {
    const left = due - performance.now();
    if (gone()) return;
    if (left > 0) setTimeout(look, Math.ceil(left));
    else done();
  };
  look();
}
