// The loads of the bench accuracy. Pure. All are light, at most a fifth of what the machine can do; otherwise the
// measured delays would be those of a queue in front of both sides.

/** @typedef {{loop: 'closed' | 'open', io: 'epoll' | 'io_uring', connections: number}} Cell */

/** Of the server's delays, which are exponentially distributed. */
export const MEAN_US = 20_000;
export const PAYLOAD_BYTES = 64;
/** Open loop: requests per second of each connection, a quarter of what it could have answered. */
const RATE_PER_CONNECTION = 0.25 / (MEAN_US / 1e6);

/**
 * @param {{loops: Cell['loop'][], ios: Cell['io'][], connections: number[]}} axes
 * @returns {Cell[]}
 */
export function cellsOf({ loops, ios, connections }) {
  return loops.flatMap((loop) => ios.flatMap((io) => connections.map((count) => ({ loop, io, connections: count }))));
}

/** @param {Cell} cell @returns {number | undefined} requests a second; undefined: closed loop */
export const rateOf = ({ loop, connections }) => (loop === 'closed' ? undefined : connections * RATE_PER_CONNECTION);
