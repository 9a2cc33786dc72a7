// Which io backend a leg runs over: epoll, unless the scenario asks for io_uring. Pure.

/** @typedef {{name: string, available: boolean, why: string | null}} Backend */
/** @typedef {{io: 'auto' | 'epoll' | 'io_uring'}} Wish */

/**
 * `auto` is epoll for every load, so that the legs of a comparison or a sweep never differ in it. Over io_uring some loads cost
 * less CPU, but more of them cost more, and with few connections the measured times are longer.
 *
 * @param {Wish} scenario
 * @returns {string} the name of a backend of the kernel; whether it is available, unavailableBackend() says
 */
export const chooseBackend = ({ io }) => (io === 'auto' ? 'epoll' : io);

/**
 * @param {Wish} scenario
 * @param {Backend[]} backends of this build and kernel
 * @returns {string | null} why the requested backend is not available; null: it is
 */
export function unavailableBackend({ io }, backends) {
  const found = backends.find(({ name, available }) => name === io && !available);
  return found === undefined ? null : (found.why ?? 'unknown reason');
}
