/**
 * Options of the connections' sockets, as the addon takes them: numbers in the order of enum in node/endpoints.h, and a
 * name. A null leaves one to the kernel; what is given is set before a connect, or that fails.
 */

/**
 * @typedef {object} SocketOptions
 * @property {boolean} nodelay TCP_NODELAY
 * @property {number | null} keepAliveSeconds idle until the first probe, and between two
 * @property {boolean} resetOnClose SO_LINGER with 0 s: close(2) sends RST
 * @property {number | null} sendBufferBytes SO_SNDBUF
 * @property {number | null} receiveBufferBytes SO_RCVBUF
 * @property {number | null} tos IP_TOS, of IPv6 the traffic class
 * @property {string | null} congestion TCP_CONGESTION
 * @property {number | null} sourcePort of slot 0; slot i has this + i / the number of endpoints
 */

/** @type {SocketOptions} */
const USUAL = {
  nodelay: true,
  keepAliveSeconds: null,
  resetOnClose: false,
  sendBufferBytes: null,
  receiveBufferBytes: null,
  tos: null,
  congestion: null,
  sourcePort: null,
};

/** @param {Partial<SocketOptions>} [options] */
export function socketSettings(options = {}) {
  const { nodelay, keepAliveSeconds, resetOnClose, sendBufferBytes, receiveBufferBytes, tos, congestion, sourcePort } =
    { ...USUAL, ...options };
  return {
    socket: Float64Array.of(
      nodelay ? 1 : 0,
      keepAliveSeconds ?? 0,
      resetOnClose ? 1 : 0,
      sendBufferBytes ?? 0,
      receiveBufferBytes ?? 0,
      tos ?? 0,
    ),
    congestion: congestion ?? '',
    sourcePort: sourcePort ?? 0,
  };
}
