// Which io backend a leg runs over: epoll, unless the scenario asks for io_uring. Pure.

import { EnvironmentError } from '../errors.js';

/** @typedef {{name: string, available: boolean, why: string | null}} Backend */

/**
 * @param {{io: 'auto' | 'epoll' | 'io_uring'}} scenario
 * @param {Backend[]} backends of this build and kernel
 * @returns {string} the name of a backend that is available
 * @throws {EnvironmentError} when the one asked for is not
 */
export function chooseBackend({ io }, backends) {
  if (io === 'auto') return 'epoll';
  const why = backends.find(({ name, available }) => name === io && !available)?.why;
  if (why) {
    throw new EnvironmentError(`io: ${io} cannot be used here: ${why}; give --io auto or epoll`, { code: 'EIO' });
  }
  return io;
}
