// Key `socket`: options of the client's sockets. null leaves an option to the kernel.

/**
 * @import { SocketOptions as EngineSocketOptions } from '../../engine/index.js'
 * @import { DerivedKeys } from '../../../config/types.js'
 */

/** @typedef {DerivedKeys['socket']} SocketOptions */

const NS_PER_SECOND = 1e9;

/** @param {SocketOptions} [socket] absent: defaults @returns {Partial<EngineSocketOptions>} */
export function forEngine(socket) {
  if (socket === undefined) return {};
  const { keepAliveNs, lingerNs, ...otherOptions } = socket;
  return {
    ...otherOptions,
    keepAliveSeconds: keepAliveNs && keepAliveNs / NS_PER_SECOND,
    resetOnClose: lingerNs === 0,
  };
}
