// The cells of the bench io. Pure. An idle connection transfers only heartbeats, so workload hold is measured with one
// payload size.

export const BACKENDS = /** @type {const} */ (['epoll', 'io_uring']);
export const WORKLOADS = /** @type {const} */ (['continuous', 'hold']);

const HOLD_PAYLOAD_BYTES = 1024;
/** Between two transfers of a held connection. */
export const HEARTBEAT_SECONDS = 1;

/**
 * @typedef {(typeof BACKENDS)[number]} Backend
 * @typedef {(typeof WORKLOADS)[number]} Workload
 * @typedef {{workload: Workload, connections: number, payloadBytes: number}} Cell
 */

/**
 * @param {{workloads: Workload[], connections: number[], payloads: number[]}} axes
 * @returns {Cell[]}
 */
export function cellsOf({ workloads, connections, payloads }) {
  return workloads.flatMap((workload) =>
    (workload === 'hold' ? [HOLD_PAYLOAD_BYTES] : payloads).flatMap((payloadBytes) =>
      connections.map((count) => ({ workload, connections: count, payloadBytes })),
    ),
  );
}
