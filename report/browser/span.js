/** Runs in the page. Computes the spans of time that a reader zooms to, in seconds since the start of a leg. */

/** @typedef {[from: number, to: number]} Span */

/** Shortest span, s: a shorter one would contain no whole interval. */
const MIN_SPAN_S = 0.5;
/** One step of zoom. */
export const ZOOM_STEP = 1.5;

/** @param {number} seconds @returns {number} in steps of 10 ms */
const rounded = (seconds) => Math.round(seconds * 100) / 100;

/**
 * @param {Span} span in any order, possibly outside the axis
 * @param {Span} whole the axis
 * @returns {Span | null} the span within the axis, not too short; null if it is the whole axis
 */
export function fitSpan([a, b], [min, max]) {
  const length = Math.min(Math.max(Math.abs(b - a), MIN_SPAN_S), max - min);
  if (length >= max - min - 0.01) return null;
  const middle = (a + b) / 2;
  const from = Math.min(Math.max(middle - length / 2, min), max - length);
  return [rounded(from), rounded(from + length)];
}

/**
 * @param {Span | null} span shown; null: the whole axis
 * @param {Span} whole the axis
 * @param {number} at the moment that keeps its place
 * @param {number} factor above 1: a shorter span
 * @returns {Span | null}
 */
export function zoomSpan(span, whole, at, factor) {
  const [from, to] = span ?? whole;
  const length = Math.max(MIN_SPAN_S, (to - from) / factor);
  const share = Math.min(1, Math.max(0, (at - from) / (to - from)));
  const begin = Math.max(whole[0], at - share * length);
  return fitSpan([begin, begin + length], whole);
}

/**
 * @param {Span | null} span shown
 * @param {Span} whole axis
 * @param {number} share of the span's length; negative: to the left
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
 * @returns {Span | null} the span, moved so that it contains the moment
 */
export function spanWith(span, whole, at) {
  if (!span || (at >= span[0] && at <= span[1])) return span;
  const length = span[1] - span[0];
  const from = at < span[0] ? at - length * 0.1 : at - length * 0.9;
  return fitSpan([from, from + length], whole);
}
