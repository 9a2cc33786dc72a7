// Several tests judged together: of those in which there is no difference, one finds any with at most the given probability (S. Holm,
// A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979). Pure.

/** @param {number[]} ps of the tests @param {number} level @returns {boolean[]} whether each finds a difference */
export function holm(ps, level) {
  const order = ps.map((_, i) => i).sort((a, b) => ps[a] - ps[b]);
  const failed = order.findIndex((test, i) => ps[test] > level / (ps.length - i));
  const found = new Set(failed === -1 ? order : order.slice(0, failed));
  return ps.map((_, i) => found.has(i));
}
