// The cells of the bench client-share, and the ways in which each is measured. Pure.

/** @typedef {{connections: number, payloadBytes: number}} Cell */

/**
 * @typedef {object} Way
 * @property {'epoll' | 'io_uring'} io
 * @property {import('../turns.js').Placement} cpus
 */

/** The ways, of which the first is the baseline. @satisfies {Record<string, Way>} */
export const WAYS = Object.freeze({
  epoll: { io: 'epoll', cpus: {} },
  'epoll, client pinned': { io: 'epoll', cpus: { client: 1 } },
  'epoll, both pinned': { io: 'epoll', cpus: { client: 1, server: 0 } },
  io_uring: { io: 'io_uring', cpus: {} },
  'io_uring, client pinned': { io: 'io_uring', cpus: { client: 1 } },
  'io_uring, both pinned': { io: 'io_uring', cpus: { client: 1, server: 0 } },
});

/** @typedef {keyof typeof WAYS} WayName */

export const WAY_NAMES = /** @type {WayName[]} */ (Object.keys(WAYS));
export const BASELINE = 'epoll';

/** @param {{connections: number[], payloads: number[]}} axes @returns {Cell[]} */
export function cellsOf({ connections, payloads }) {
  return payloads.flatMap((payloadBytes) => connections.map((count) => ({ connections: count, payloadBytes })));
}
