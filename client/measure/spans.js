// Merges adjacent and overlapping spans of time.

/** @typedef {{ fromNs: number, toNs: number }} Span */

/**
 * @param {Span[]} spans ascending, apart from each other; changed in place
 * @param {Span} next does not begin before the last span
 */
export function addSpan(spans, { fromNs, toNs }) {
  const last = spans.at(-1);
  if (last !== undefined && fromNs <= last.toNs) last.toNs = Math.max(last.toNs, toNs);
  else spans.push({ fromNs, toNs });
}

/** @param {Span[]} spans in any order @returns {Span[]} ascending, apart from each other */
export function joinedSpans(spans) {
  /** @type {Span[]} */
  const merged = [];
  for (const span of [...spans].sort((a, b) => a.fromNs - b.fromNs)) addSpan(merged, span);
  return merged;
}
