// The call tree of a profile, in CPU time per request: that of one server, or that of two, joined by function.

/** @import { Frame, FunctionNames, NamedFunction } from './functions.js' */

/**
 * @typedef {{ stack: Frame[], ns: number }[]} Side  ns: CPU time per request with that stack
 *
 * A node: the index of its function, the CPU time per request in it and below, in ns, of each side, and its children.
 * @typedef {[index: number, ns: number[], children: TreeNode[]]} TreeNode
 *
 * @typedef {{ functions: Omit<NamedFunction, 'key'>[], roots: TreeNode[] }} CallTree
 */

/** Nodes with less than this share of the whole are left out, and more where there are too many. */
const LEAST_SHARE = 1 / 2000;
const MOST_NODES = 4000;
/** More calls within each other, such as those of a recursion, are left out. */
const MOST_DEPTH = 100;

/** @typedef {{ named: NamedFunction, ns: number[], children: Map<string, Growing> }} Growing */

/**
 * @param {Side[]} sides @param {FunctionNames} names of these sides
 * @returns {CallTree}
 */
export function callTree(sides, names) {
  /** @type {Map<string, Growing>} */
  const roots = new Map();
  for (const [side, stacks] of sides.entries()) {
    for (const { stack, ns } of stacks) {
      let level = roots;
      for (const frame of stack.slice(0, MOST_DEPTH)) {
        const named = names.of(frame, side);
        const node = level.get(named.key) ?? { named, ns: sides.map(() => 0), children: new Map() };
        level.set(named.key, node);
        node.ns[side] += ns;
        level = node.children;
      }
    }
  }
  const largest = Math.max(...sides.map((_, side) => [...roots.values()].reduce((sum, { ns }) => sum + ns[side], 0)));
  const sizes = nodesOf(roots)
    .map(({ ns }) => Math.max(...ns))
    .sort((a, b) => b - a);
  const least = Math.max(LEAST_SHARE * largest, sizes[MOST_NODES] ?? 0);
  /** @type {Map<string, number>} */
  const indexes = new Map();
  /** @type {CallTree['functions']} */
  const functions = [];
  const indexOf = (/** @type {NamedFunction} */ { key, isUnnamed: _isUnnamed, ...named }) => {
    const index = indexes.get(key) ?? functions.push(named) - 1;
    indexes.set(key, index);
    return index;
  };
  /** @type {(level: Map<string, Growing>) => TreeNode[]} */
  const pruned = (level) =>
    [...level.values()]
      .filter(({ ns }) => Math.max(...ns) > least)
      .map(({ named, ns, children }) => [indexOf(named), ns.map(Math.round), pruned(children)]);
  return { functions, roots: pruned(roots) };
}

/** @param {Map<string, Growing>} level @returns {Growing[]} all nodes at it and below */
const nodesOf = (level) => [...level.values()].flatMap((node) => [node, ...nodesOf(node.children)]);
