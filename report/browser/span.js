/** Spans of time that a reader zooms to, [from, to] in seconds since the start of a leg. Runs in the page. Pure. */

/** @typedef {[from: number, to: number]} Span */

/** A shorter one would hold less than what was measured together, s. */
const LEAST_SPAN_S = 0.5;
/** One step of zoom. */
export const ZOOM_STEP = 1.5;

/** @param {number} seconds @returns {number} as it is written in a link */
const rounded = (seconds) => Math.round(seconds * 100) / 100;

/**
 * @param {Span} span in any order, possibly beyond the whole
 * @param {Span} whole axis
 * @returns {Span | null} within the whole, not too short; null: it is the whole
 */
export function fitSpan([a, b], [least, most]) {
  const length = Math.min(Math.max(Math.abs(b - a), LEAST_SPAN_S), most - least);
  if (length >= most - least - 0.01) return null;
  const middle = (a + b) / 2;
  const from = Math.min(Math.max(middle - length / 2, least), most - length);
  return [rounded(from), rounded(from + length)];
}

/**
 * @param {Span | null} span shown; null: the whole
 * @param {Span} whole axis
 * @param {number} at a moment that keeps its place
 * @param {number} factor above 1: to a shorter span
 * @returns {Span | null}
 */
export function zoomSpan(span, whole, at, factor) {
  const [from, to] = span ?? whole;
  const length = Math.max(LEAST_SPAN_S, (to - from) / factor);
  const share = Math.min(1, Math.max(0, (at - from) / (to - from)));
  const begin = Math.max(whole[0], at - share * length);
  return fitSpan([begin, begin + length], whole);
}

/**
 * @param {Span | null} span shown
 * @param {Span} whole axis
 * @param {number} share of its own length, below 0: to the left
 * @returns {Span | null}
 */
export function moveSpan(span, whole, share) {
  if (!span) return null;
  const by = share * (span[1] - span[0]);
  return fitSpan([span[0] + by, span[1] + by], whole);
}

/**
 * @param {Span | null} span
 * @param {Span} whole
 * @param {number} at a moment
 * @returns {Span | null} moved so that it holds the moment
 */
export function spanWith(span, whole, at) {
  if (!span || (at >= span[0] && at <= span[1])) return span;
  const length = span[1] - span[0];
  const from = at < span[0] ? at - length * 0.1 : at - length * 0.9;
  return fitSpan([from, from + length], whole);
}
