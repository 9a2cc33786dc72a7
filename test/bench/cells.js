// What is measured against what, in which order, for how long. Pure: the randomness is a seed.
// The one thing to know: the clients of a cell follow each other directly, so that a ratio compares neighbours.

/** The engine as shipped logs every transfer. */
export const CLIENTS = /** @type {const} */ (['bare', 'net', 'engine', 'engine-no-log']);

/** shipped: the kernel places both sides; one-core: client and server share core 0. */
export const PLACEMENTS = /** @type {const} */ (['shipped', 'one-core']);

/** Before the window, once all connections are open; not measured. */
export const WARMUP_SECONDS = 1;

/** Starting, connecting and ending, beside warm-up and window: what a measurement took here, rounded up. */
const REST_SECONDS = 0.8;
const REST_SECONDS_PER_CONNECTION = 1 / 10_000;

/**
 * @typedef {(typeof CLIENTS)[number]} Client
 * @typedef {(typeof PLACEMENTS)[number]} Placement
 * @typedef {{placement: Placement, connections: number, payloadBytes: number}} Cell
 * @typedef {Cell & {round: number, client: Client}} Step
 */

/**
 * @param {{placements: readonly Placement[], connections: number[], payloads: number[]}} axes
 * @returns {Cell[]}
 */
export function cellsOf({ placements, connections, payloads }) {
  return placements.flatMap((placement) =>
    payloads.flatMap((payloadBytes) => connections.map((count) => ({ placement, connections: count, payloadBytes }))),
  );
}

/**
 * Every client in every cell, once a round; cells in a new order each round, the clients of a cell too.
 * @param {Cell[]} cells
 * @param {number} rounds
 * @param {number} seed
 * @returns {Step[]}
 */
export function stepsOf(cells, rounds, seed) {
  const random = randomOf(seed);
  return Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    shuffle(cells, random).flatMap((cell) => shuffle(CLIENTS, random).map((client) => ({ ...cell, round, client }))),
  );
}

/** @param {Step[]} steps @param {number} windowSeconds @returns {number} about how long they take */
export function secondsOf(steps, windowSeconds) {
  const perStep = WARMUP_SECONDS + windowSeconds + REST_SECONDS;
  return steps.reduce((sum, { connections }) => sum + perStep + connections * REST_SECONDS_PER_CONNECTION, 0);
}

/** Two steps belong to the same cell. @param {Cell} a @param {Cell} b */
export function sameCell(a, b) {
  return a.placement === b.placement && a.connections === b.connections && a.payloadBytes === b.payloadBytes;
}

/**
 * Fisher and Yates.
 * @template T
 * @param {readonly T[]} items
 * @param {() => number} random
 * @returns {T[]}
 */
function shuffle(items, random) {
  const left = [...items];
  return items.map(() => /** @type {T} */ (left.splice(Math.floor(random() * left.length), 1)[0]));
}

/** @param {number} seed @returns {() => number} in [0, 1): xorshift32 (Marsaglia 2003) */
function randomOf(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
