// The samples of a profile of V8. V8 counts a sample in an inlined function for the function into which it is inlined,
// but with the line of the inlined one; here it counts for the function of that line, where this is known.

import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** @import { Frame, StackSample } from '../judge/explained/functions.js' */

/**
 * @typedef {{ functionName: string, scriptId: string, url: string, lineNumber: number }} CallFrame  lineNumber: from 0
 *
 * @typedef {object} Node
 * @property {number} id
 * @property {CallFrame} callFrame
 * @property {number[]} [children]
 * @property {{ line: number, ticks: number }[]} [positionTicks]  samples by line, from 1
 *
 * A CPU profile (Chrome DevTools Protocol, Profiler.Profile); times in µs of CLOCK_MONOTONIC.
 * @typedef {object} V8Profile
 * @property {Node[]} nodes  the first is the root
 * @property {number} startTime
 * @property {number} endTime
 * @property {number[]} samples  ids of nodes
 * @property {number[]} timeDeltas
 *
 * @typedef {[name: string, first: number, last: number]} Range  of the lines of a function, from 0
 * @typedef {{ scriptId: string, ranges: Range[] }[]} ScriptFunctions
 */

/**
 * What V8 sees as such, and what it does not see: the event loop, which reads and parses requests while V8 counts the
 * thread as idle, and other threads.
 * @type {Frame}
 */
export const NATIVE_CODE = { name: 'native code of Node', file: 'node' };
/** Nodes of V8 that are no function. */
const NAMES = new Map([
  ['(program)', NATIVE_CODE.name],
  ['(garbage collector)', 'garbage collection'],
]);
const NOT_BUSY = new Set(['(idle)', '(root)']);

/**
 * @param {V8Profile} profile @param {ScriptFunctions} functions of its scripts
 * @param {{ thread: string, sources: string }} where sources: folder that files are named relative to
 * @returns {StackSample[]} those in which the thread was busy
 */
export function samplesOf(profile, functions, { thread, sources }) {
  const tree = new ProfileTree(profile, functions, sources);
  let timeUs = profile.startTime;
  return profile.samples.flatMap((id, i) => {
    timeUs += profile.timeDeltas[i];
    const stack = tree.stackOf(id);
    return stack === null ? [] : [{ timeNs: timeUs * 1000, thread, stack }];
  });
}

/** @param {V8Profile} profile @returns {number} ns between samples: V8 takes fewer than it was asked for */
export const intervalOf = ({ startTime, endTime, samples }) =>
  ((endTime - startTime) * 1000) / Math.max(1, samples.length);

class ProfileTree {
  /** @param {V8Profile} profile @param {ScriptFunctions} functions @param {string} sources */
  constructor({ nodes }, functions, sources) {
    this.sources = sources;
    this.nodes = new Map(nodes.map((node) => [node.id, node]));
    this.parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
    this.ranges = new Map(functions.map(({ scriptId, ranges }) => [scriptId, ranges]));
    /** Of each node: its stacks by line, with the number of samples still to be given to each. */
    this.stacks = new Map(nodes.map((node) => [node.id, /** @type {Share[] | null} */ (null)]));
    /** @type {Map<string, Frame>} */
    this.frames = new Map();
    /** The innermost function by script and line. @type {Map<string, Range | undefined>} */
    this.atLine = new Map();
    /** What each function was seen to call, at any depth. @type {Map<string, Map<string, CallFrame>>} */
    this.called = new Map();
    for (const node of nodes) this.addCalls(node);
  }

  /** @param {Node} node */
  addCalls({ id, callFrame }) {
    for (let parent = this.parents.get(id); parent !== undefined; parent = this.parents.get(parent)) {
      const caller = keyOf(/** @type {Node} */ (this.nodes.get(parent)).callFrame);
      const called = this.called.get(caller) ?? new Map();
      this.called.set(caller, called);
      called.set(keyOf(callFrame), callFrame);
    }
  }

  /**
   * The samples of a node are given to its lines in turn, in proportion: which sample has which line is not known.
   * @param {number} id of a node @returns {Frame[] | null} null: the thread was not busy
   */
  stackOf(id) {
    const shares = this.stacks.get(id) ?? this.sharesOf(id);
    this.stacks.set(id, shares);
    const [first] = shares;
    if (first === undefined) return null;
    const next = shares.reduce((a, b) => ((b.given + 1) / b.ticks < (a.given + 1) / a.ticks ? b : a), first);
    next.given += 1;
    return next.stack;
  }

  /** @typedef {{ stack: Frame[], ticks: number, given: number }} Share */

  /** @param {number} id of a node @returns {Share[]} none where the thread was not busy */
  sharesOf(id) {
    const node = /** @type {Node} */ (this.nodes.get(id));
    if (NOT_BUSY.has(node.callFrame.functionName)) return [];
    const stack = this.framesTo(id);
    /** @type {Map<string, Share>} */
    const shares = new Map();
    for (const { line, ticks } of node.positionTicks ?? [{ line: 0, ticks: 1 }]) {
      const inlined = this.inlinedAt(node.callFrame, line - 1);
      const key = inlined === null ? '' : keyOf(inlined);
      const share = shares.get(key) ?? {
        stack: inlined === null ? stack : [...stack, this.frameOf(inlined)],
        ...{ ticks: 0, given: 0 },
      };
      share.ticks += ticks;
      shares.set(key, share);
    }
    return [...shares.values()];
  }

  /** @param {number} id @returns {Frame[]} of the functions from the root to this node */
  framesTo(id) {
    /** @type {Frame[]} */
    const frames = [];
    for (let at = /** @type {number | undefined} */ (id); at !== undefined; at = this.parents.get(at)) {
      const { callFrame } = /** @type {Node} */ (this.nodes.get(at));
      if (!NOT_BUSY.has(callFrame.functionName)) frames.push(this.frameOf(callFrame));
    }
    return frames.reverse();
  }

  /**
   * @param {CallFrame} outer @param {number} line from 0
   * @returns {CallFrame | null} the function with this line that `outer` has called; null: `outer` has the line, or its
   *   function is not known
   */
  inlinedAt(outer, line) {
    if (!this.ranges.has(outer.scriptId) || this.hasLine(outer, line)) return null;
    const called = [...(this.called.get(keyOf(outer))?.values() ?? [])].filter((frame) => this.hasLine(frame, line));
    return called.find(({ scriptId }) => scriptId === outer.scriptId) ?? called.at(0) ?? null;
  }

  /** @param {CallFrame} callFrame @param {number} line @returns {boolean} whether no function within it has the line */
  hasLine({ scriptId, functionName, lineNumber }, line) {
    const key = `${scriptId} ${line}`;
    const range = this.atLine.has(key) ? this.atLine.get(key) : innermost(this.ranges.get(scriptId) ?? [], line);
    this.atLine.set(key, range);
    return range !== undefined && range[0] === functionName && range[1] === lineNumber;
  }

  /** @param {CallFrame} callFrame @returns {Frame} the same object for the same function */
  frameOf(callFrame) {
    const key = keyOf(callFrame);
    const frame = this.frames.get(key) ?? this.newFrame(callFrame);
    this.frames.set(key, frame);
    return frame;
  }

  /** @param {CallFrame} callFrame @returns {Frame} */
  newFrame({ functionName, url, lineNumber }) {
    const name = NAMES.get(functionName);
    if (name !== undefined) return { name, file: 'node' };
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const relative = path.isAbsolute(file) ? path.relative(this.sources, file) : file;
    const shown = relative.startsWith('..') ? file : relative;
    return { name: functionName, file: shown || 'node', ...(url ? { line: lineNumber + 1 } : {}) };
  }
}

/** @param {CallFrame} callFrame @returns {string} */
const keyOf = ({ scriptId, functionName, lineNumber }) => `${scriptId}\n${lineNumber}\n${functionName}`;

/** @param {Range[]} ranges of a script @param {number} line @returns {Range | undefined} the shortest that has it */
function innermost(ranges, line) {
  const around = ranges.filter(([, first, last]) => first <= line && line <= last);
  return around.sort((a, b) => a[2] - a[1] - (b[2] - b[1])).at(0);
}
