// The cells and clients of client-cost, and how long all of it takes. Pure.

/** The engine as shipped logs every transfer. */
export const CLIENTS = /** @type {const} */ (['bare', 'net', 'engine', 'engine-no-log']);

/** The engine of another checkout, where that is to be compared, too. */
export const OTHER = /** @type {const} */ ('other');

/** shipped: the kernel places both sides; one-core: client and server share core 0. */
export const PLACEMENTS = /** @type {const} */ (['shipped', 'one-core']);

/**
 * @typedef {(typeof CLIENTS)[number] | typeof OTHER} Client
 * @typedef {(typeof PLACEMENTS)[number]} Placement
 * @typedef {{placement: Placement, connections: number, payloadBytes: number}} Cell
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
