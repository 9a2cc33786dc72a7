/**
 * The flame graphs of a page: for each call tree the place, width and tone of every frame. A frame is as wide as the
 * CPU time per request in it and below. What only the second side of a comparison has is as wide as it is there, and
 * widens the frames above, so that a frame is never narrower than those below it together.
 */
import { placeText } from '../../client/judge/explained/texts.js';
import { counted, duration } from '../../client/words/format.js';

/**
 * @import { TreeNode } from '../../client/judge/explained/call-tree.js'
 * @import { FlameGraph, Frame, ProfileTree } from '../types.js'
 *
 * @typedef {{ index: number, ns: number[], width: number, onlyBase: number, children: Laid[] }} Laid  a node;
 *   onlyBase: the part of its width that only the second side has
 */

/** Frames in all graphs of a page together. */
const MAX_FRAMES = 60_000;
/** A smaller difference, as a share of the whole, has a pale tone even if it is the largest. */
const LEAST_FULL_TONE = 0.05;

/** @param {number[]} values @returns {number} */
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/** @param {TreeNode} node @returns {Laid} its children from the widest to the narrowest */
function laidOut([index, ns, nodes]) {
  const children = nodes.map(laidOut).sort((a, b) => b.width - a.width);
  const onlyBase = sumOf(children.map((child) => child.onlyBase));
  const isOnlyBase = ns[0] === 0 && ns.length > 1;
  // Rounding can make the children larger than their parent.
  const width = Math.max(isOnlyBase ? ns[1] : ns[0] + onlyBase, sumOf(children.map((child) => child.width)));
  return { index, ns, width, onlyBase: isOnlyBase ? width : onlyBase, children };
}

/** @param {number[]} ns of each side @returns {number} */
const differenceOf = ([head, base]) => head - base;

/** @param {Laid} node @returns {number} CPU time in the function itself */
const selfOf = ({ ns, children }) => Math.max(0, ns[0] - sumOf(children.map((child) => child.ns[0])));

/** @param {Laid} node @returns {Laid[]} it and all nodes below, in the order of frames */
const nodesOf = (node) => [node, ...node.children.flatMap(nodesOf)];

/**
 * @param {Laid} node @param {(node: Laid) => number} toneOf @param {number} depth @param {number} x
 * @returns {Frame[]}
 */
function framesOf(node, toneOf, depth, x) {
  let next = x;
  const below = node.children.flatMap((child) => {
    const frames = framesOf(child, toneOf, depth + 1, next);
    next += child.width;
    return frames;
  });
  return [[node.index, depth, x, node.width, Math.round(100 * toneOf(node)) / 100, ...node.ns], ...below];
}

/**
 * @param {ProfileTree} tree @param {(id: string) => string} labelOf a case
 * @returns {FlameGraph} its first frame is the whole
 */
export function flameGraph({ case: id, against, functions, roots }, labelOf) {
  const sides = [id, ...(against === undefined ? [] : [against])].map(labelOf);
  const totals = sides.map((_, side) => sumOf(roots.map(([, ns]) => ns[side])));
  const whole = laidOut([functions.length, totals, roots]);
  const [, ...nodes] = nodesOf(whole);
  const largest =
    sides.length === 1
      ? Math.max(1, ...nodes.map(selfOf))
      : Math.max(1, LEAST_FULL_TONE * Math.max(...totals), ...nodes.map(({ ns }) => Math.abs(differenceOf(ns))));
  const toneOf = (/** @type {Laid} */ node) =>
    sides.length === 1
      ? (node === whole ? 0 : selfOf(node)) / largest
      : Math.max(-1, Math.min(1, differenceOf(node.ns) / largest));
  const texts = sides.map((label, side) => `${label} ${duration(totals[side])}`);
  return {
    case: id,
    sides,
    largest,
    functions: [...functions.map((each) => [each.name, placeText(each)]), ['all functions', '']],
    frames: framesOf(whole, toneOf, 0, 0),
    alt: `CPU time per request by call stack: ${texts.join(', ')}; ${counted(nodes.length, 'frame')}.`,
  };
}

/**
 * @param {ProfileTree[]} trees @param {(id: string) => string} labelOf a case
 * @returns {{ graphs: FlameGraph[], left: number }} left: graphs that are not drawn, since the page would be too large
 */
export function flameGraphs(trees, labelOf) {
  let frames = 0;
  const known = trees.map((tree) => flameGraph(tree, labelOf)).filter(({ frames: [[, , , width]] }) => width > 0);
  const graphs = known.filter((graph) => (frames += graph.frames.length) <= MAX_FRAMES);
  return { graphs, left: known.length - graphs.length };
}
