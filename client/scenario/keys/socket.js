// Key `socket`: options of the client's sockets, from texts to numbers. Pure. null leaves an option to the kernel.

import { parseDuration, parseSize } from '../../words/units.js';

/**
 * @import { SocketOptions as EngineSocketOptions } from '../../engine/index.js'
 * @import { Written } from '../scenario.js'
 */

/**
 * @typedef {object} SocketOptions
 * @property {boolean} nodelay
 * @property {number | null} keepAliveNs
 * @property {number | null} lingerNs        0: a close sends RST; nothing else is allowed
 * @property {number | null} sendBufferBytes as requested; the kernel doubles it
 * @property {number | null} receiveBufferBytes
 * @property {number | null} sourcePort      of the first connection
 * @property {number | null} tos
 * @property {string | null} congestion
 */

const NS_PER_SECOND = 1e9;

/** @param {Written['socket']} raw @returns {SocketOptions} */
export function socketOf({ nodelay, keepAlive, linger, sendBuffer, receiveBuffer, sourcePort, tos, congestion }) {
  const given = (/** @type {string | undefined} */ text, /** @type {(text: string) => number} */ parse) =>
    text === undefined ? null : parse(text);
  return {
    nodelay,
    keepAliveNs: given(keepAlive, parseDuration),
    lingerNs: given(linger, parseDuration),
    sendBufferBytes: given(sendBuffer, parseSize),
    receiveBufferBytes: given(receiveBuffer, parseSize),
    sourcePort: sourcePort ?? null,
    tos: tos ?? null,
    congestion: congestion ?? null,
  };
}

/** @param {SocketOptions} [socket] absent: the usual @returns {Partial<EngineSocketOptions>} */
export function forEngine(socket) {
  if (socket === undefined) return {};
  const { keepAliveNs, lingerNs, ...rest } = socket;
  return { ...rest, keepAliveSeconds: keepAliveNs && keepAliveNs / NS_PER_SECOND, resetOnClose: lingerNs === 0 };
}
