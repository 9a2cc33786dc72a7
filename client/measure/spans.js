// Spans of time, of which those that meet are one.

/** @typedef {{ fromNs: number, toNs: number }} Span */

/**
 * @param {Span[]} spans ascending, apart from each other; changed in place
 * @param {Span} next which does not begin before the last one
 */
export function addSpan(spans, { fromNs, toNs }) {
  const last = spans.at(-1);
  if (last !== undefined && fromNs <= last.toNs) last.toNs = Math.max(last.toNs, toNs);
  else spans.push({ fromNs, toNs });
}

/** @param {Span[]} spans in any order @returns {Span[]} ascending, apart from each other */
export function joinedSpans(spans) {
  /** @type {Span[]} */
  const all = [];
  for (const span of [...spans].sort((a, b) => a.fromNs - b.fromNs)) addSpan(all, span);
  return all;
}
