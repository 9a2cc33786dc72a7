// Simulated work: the time added to each request. block and spin hold the serving thread and with it its loop, so
// another thread must handle signals.

/** How a request's time passes: a timer, the thread asleep, the thread computing. */
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
 * @returns {{lowNs: number, highNs: number} | null} null: it is none
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
 * @returns {() => number} the time of the next request, in ns: uniform, and the same row for the same seed
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

/** @param {number} ns the thread, and with it the loop, stands still for so long */
function block(ns) {
  Atomics.wait(asleep, 0, 0, ns / 1e6);
}

/** From Node 23.9 on there is a clock of the thread; before, the process's, to which V8's own threads add a little. */
const cpuUsage = /** @type {{threadCpuUsage?: typeof process.cpuUsage}} */ (process).threadCpuUsage ?? process.cpuUsage;

/** @param {number} ns of CPU time; never less of the clock's, whatever other threads have used */
function spin(ns) {
  const due = performance.now() + ns / 1e6;
  const before = cpuUsage();
  const endUs = before.user + before.system + ns / 1e3;
  for (let now = before; now.user + now.system < endUs || performance.now() < due;) now = cpuUsage();
}

/**
 * @callback Perform
 * @param {number} requests one after the other
 * @param {() => boolean} gone whether nobody waits for them any more
 * @param {() => void} done called once all of it has passed, unless gone; perhaps before this returns
 */

/**
 * @param {Work | null} work
 * @returns {Perform | null} null: requests cost nothing
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
 * A timer of Node counts whole milliseconds from the start of the loop's turn, so it may come early: then once more.
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
