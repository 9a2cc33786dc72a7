// The axis on which a column of figures is drawn, for page and console. Pure. It is logarithmic: the same ratio has the
// same length everywhere.

/** An interval that reaches further than this multiple from its value leaves the axis, rather than stretch it. */
const MOST_REACH = 3;
/** Room beyond the values on both sides, as a share of the axis. */
const ROOM = 0.06;
/** A narrower axis would make noise look like a difference: its ends are this far apart, as a ratio. */
const LEAST_SPAN = 1.5;
/** Steps of ticks within a decade, the closest first. */
const STEPS = [
  [1, 1.2, 1.5, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9],
  [1, 1.5, 2, 3, 4, 5, 7],
  [1, 2, 3, 5],
  [1, 2, 5],
  [1, 3],
  [1],
];

/**
 * @typedef {object} DrawnAxis
 * @property {number[]} ticks  round values within the axis, in order
 * @property {(value: number) => number} shareOf  where a value above zero lies, 0..1 of the length; beyond: outside
 */

/** Between two ticks, as a share of the axis: of a narrow column, and of a wide one. */
export const LEAST_GAP = Object.freeze({ narrow: 0.42, wide: 0.12 });

/**
 * @param {number[]} ticks @param {number} least @param {number} most @param {number} gap
 * @returns {boolean} whether their texts have room
 */
const haveRoom = (ticks, least, most, gap) =>
  ticks.every((tick, i) => i === 0 || Math.log(tick / ticks[i - 1]) >= gap * Math.log(most / least));

/** @param {number} least @param {number} most @param {number} gap @returns {number[]} round values between */
function ticksOf(least, most, gap) {
  const first = Math.floor(Math.log10(least));
  const decades = Array.from({ length: Math.ceil(Math.log10(most)) - first + 1 }, (_, i) => 10 ** (first + i));
  const choices = STEPS.map((steps) =>
    decades
      .flatMap((decade) => steps.map((step) => Number((step * decade).toPrecision(3))))
      .filter((tick) => tick >= least && tick <= most),
  );
  const found = choices.find((ticks) => haveRoom(ticks, least, most, gap));
  // a single tick is no axis
  if (found !== undefined && found.length > 1) return found;
  const [closest] = choices;
  if (found !== undefined) return [closest[0], closest[closest.length - 1]];
  const tens = decades.filter((decade) => decade >= least && decade <= most);
  const every = Math.ceil(tens.length * gap);
  return tens.filter((_, i) => i % every === 0);
}

/**
 * @param {{ value: number, low?: number, high?: number }[]} drawn values with their intervals, all above zero
 * @param {number} [gap] between two ticks at least, as a share of the axis
 * @returns {DrawnAxis | undefined} undefined of fewer than two values: there is nothing to compare
 */
export function drawnAxis(drawn, gap = LEAST_GAP.narrow) {
  if (drawn.length < 2) return undefined;
  const ends = drawn.flatMap(({ value, low = value, high = value }) => [
    Math.max(low, value / MOST_REACH),
    Math.min(high, value * MOST_REACH),
  ]);
  const [least, most] = [Math.min(...ends), Math.max(...ends)].map(Math.log);
  const span = Math.max(most - least, Math.log(LEAST_SPAN));
  const from = (least + most - span) / 2 - span * ROOM;
  const length = span * (1 + 2 * ROOM);
  return {
    ticks: ticksOf(Math.exp(from), Math.exp(from + length), gap),
    shareOf: (value) => (Math.log(value) - from) / length,
  };
}
