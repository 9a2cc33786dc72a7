// The cells and clients of the bench instructions. Pure.

/** bare: bare-client.c; the others: the engine over that transport. */
export const CLIENTS = /** @type {const} */ (['bare', 'epoll', 'io_uring']);
export const WORKLOADS = /** @type {const} */ (['continuous', 'reconnect']);

/** Each has a payload of its own where only the number of connections matters. */
const RECONNECT_PAYLOAD_BYTES = 1;

/**
 * @typedef {(typeof CLIENTS)[number]} Client
 * @typedef {(typeof WORKLOADS)[number]} Workload
 * @typedef {{workload: Workload, connections: number, payloadBytes: number}} Cell
 */

/**
 * @param {{workloads: Workload[], connections: number[], payloads: number[]}} axes
 * @returns {Cell[]}
 */
export function cellsOf({ workloads, connections, payloads }) {
  return workloads.flatMap((workload) =>
    (workload === 'reconnect' ? [RECONNECT_PAYLOAD_BYTES] : payloads).flatMap((payloadBytes) =>
      connections.map((count) => ({ workload, connections: count, payloadBytes })),
    ),
  );
}

/** The bare client does not reconnect. @param {Cell} cell @param {Client} client */
export function isMeasured({ workload }, client) {
  return workload === 'continuous' || client !== 'bare';
}

/**
 * The transfers of the shorter and of the longer of two runs. Each connection of `reconnect` leaves a port in TIME_WAIT,
 * of which there are 28,000.
 * @param {Cell} cell
 * @returns {[number, number]}
 */
export function transfersOf({ workload, connections }) {
  const few = workload === 'reconnect' ? 2 * connections : 10 * connections;
  return [Math.max(few, 2000), 3 * Math.max(few, 2000)];
}
