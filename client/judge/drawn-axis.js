// The logarithmic axis on which page and console draw a column of figures: equal ratios have equal lengths.

/** The axis shows an interval up to this multiple of its value; beyond, the interval leaves the axis. */
const MOST_REACH = 3;
/** Room beyond the values on both sides, as a share of the axis. */
const ROOM = 0.06;
/** Smallest ratio between the ends of the axis. A narrower axis would make noise look like a difference. */
const LEAST_SPAN = 1.5;
/** Steps of ticks within a decade, from the closest to the widest. */
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
 * @property {number[]} ticks  round values within the axis, ascending
 * @property {(value: number) => number} shareOf  position of a value above zero, as a share of the length; outside
 *   0..1, the value is outside the axis
 */

/** Smallest gap between two ticks in a narrow and in a wide column, as a share of the axis. */
export const LEAST_GAP = Object.freeze({ narrow: 0.42, wide: 0.12 });

/**
 * @param {number[]} ticks @param {number} lowest @param {number} highest @param {number} gap
 * @returns {boolean} whether the texts of the ticks have room
 */
const haveRoom = (ticks, lowest, highest, gap) =>
  ticks.every((tick, i) => i === 0 || Math.log(tick / ticks[i - 1]) >= gap * Math.log(highest / lowest));

/** @param {number} lowest @param {number} highest @param {number} gap @returns {number[]} round values between */
function ticksOf(lowest, highest, gap) {
  const first = Math.floor(Math.log10(lowest));
  const decades = Array.from({ length: Math.ceil(Math.log10(highest)) - first + 1 }, (_, i) => 10 ** (first + i));
  const choices = STEPS.map((steps) =>
    decades
      .flatMap((decade) => steps.map((step) => Number((step * decade).toPrecision(3))))
      .filter((tick) => tick >= lowest && tick <= highest),
  );
  const widestFit = choices.find((ticks) => haveRoom(ticks, lowest, highest, gap));
  // a single tick is no axis
  if (widestFit !== undefined && widestFit.length > 1) return widestFit;
  const [closest] = choices;
  if (widestFit !== undefined) return [closest[0], closest[closest.length - 1]];
  const tens = decades.filter((decade) => decade >= lowest && decade <= highest);
  const every = Math.ceil(tens.length * gap);
  return tens.filter((_, i) => i % every === 0);
}

/**
 * @param {{ value: number, low?: number, high?: number }[]} drawn values with their intervals, all above zero
 * @param {number} [gap] smallest gap between two ticks, as a share of the axis
 * @returns {DrawnAxis | undefined} undefined for fewer than two values: there is nothing to compare
 */
export function drawnAxis(drawn, gap = LEAST_GAP.narrow) {
  if (drawn.length < 2) return undefined;
  const ends = drawn.flatMap(({ value, low = value, high = value }) => [
    Math.max(low, value / MOST_REACH),
    Math.min(high, value * MOST_REACH),
  ]);
  const [lowest, highest] = [Math.min(...ends), Math.max(...ends)].map(Math.log);
  const span = Math.max(highest - lowest, Math.log(LEAST_SPAN));
  const from = (lowest + highest - span) / 2 - span * ROOM;
  const length = span * (1 + 2 * ROOM);
  return {
    ticks: ticksOf(Math.exp(from), Math.exp(from + length), gap),
    shareOf: (value) => (Math.log(value) - from) / length,
  };
}
