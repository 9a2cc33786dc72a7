// Profiles in the formats that other programs read: folded stacks (flamegraph.pl, speedscope) and .cpuprofile (Chrome,
// Visual Studio Code, speedscope).

import { medianOf } from '../measure/statistics.js';

/** @import { Frame, StackSample } from '../judge/explained/functions.js' */

/** Times the usual gap between two samples: the threads did nothing in it. */
const LONG_GAP = 1.5;

/** @param {Frame} frame @returns {string} */
const labelOf = ({ name, file, line }) => {
  const where = [file, line].filter((part) => part !== undefined && part !== '').join(':');
  return `${name || '(anonymous)'}${where === '' ? '' : ` (${where})`}`;
};

/** @param {StackSample[]} samples @returns {string} a line for each stack: its functions, and how often it was seen */
export function folded(samples) {
  /** @type {Map<Frame[], number>} */
  const counts = new Map();
  for (const { stack } of samples) counts.set(stack, (counts.get(stack) ?? 0) + 1);
  const lines = [...counts].map(
    ([stack, count]) => `${stack.map((frame) => labelOf(frame).replaceAll(';', ',')).join(';')} ${count}`,
  );
  return `${lines.join('\n')}\n`;
}

/**
 * @param {StackSample[]} samples at least one
 * @returns {object} a CPU profile of the Chrome DevTools Protocol, of all threads together
 */
export function cpuProfile(samples) {
  const inOrder = [...samples].sort((a, b) => a.timeNs - b.timeNs);
  /** @typedef {{ id: number, callFrame: object, children: number[], below: Map<string, Node> }} Node */
  /** @type {Node[]} */
  const nodes = [];
  /** @type {(frame: Frame) => Node} */
  const add = ({ name, file, line = 0 }) => {
    const callFrame = { functionName: name, scriptId: '0', url: file, lineNumber: line - 1, columnNumber: -1 };
    const node = { id: nodes.length + 1, callFrame, children: [], below: new Map() };
    nodes.push(node);
    return node;
  };
  const root = add({ name: '(root)', file: '' });
  const idle = add({ name: '(idle)', file: '' });
  root.children.push(idle.id);
  const usualNs = medianOf(inOrder.map(({ timeNs }, i) => timeNs - (inOrder[i - 1]?.timeNs ?? timeNs)));
  /** @type {{ id: number, timeNs: number }[]} */
  const taken = [];
  for (const { stack, timeNs } of inOrder) {
    const last = taken.at(-1)?.timeNs ?? timeNs;
    // other programs give the time until the next sample to the functions of this one
    if (timeNs - last > LONG_GAP * usualNs) taken.push({ id: idle.id, timeNs: last + usualNs });
    let node = root;
    for (const frame of stack) {
      const label = labelOf(frame);
      const child = node.below.get(label) ?? add(frame);
      if (!node.below.has(label)) node.children.push(child.id);
      node.below.set(label, child);
      node = child;
    }
    taken.push({ id: node.id, timeNs });
  }
  const [startTime, endTime] = [inOrder[0], inOrder[inOrder.length - 1]].map(({ timeNs }) => timeNs / 1000);
  return {
    nodes: nodes.map(({ below: _below, ...node }) => node),
    ...{ startTime, endTime, samples: taken.map(({ id }) => id) },
    timeDeltas: taken.map(({ timeNs }, i) => (timeNs - (taken[i - 1]?.timeNs ?? timeNs)) / 1000),
  };
}
