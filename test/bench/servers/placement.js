// The CPUs that servers and client run on. Pure. Only single-threaded servers are bound; one with a thread per CPU
// needs them all.

/** apart: the server on the first CPU, the client on the last; shipped: the kernel places both. */
export const PLACEMENTS = /** @type {const} */ (['apart', 'shipped']);

/** @typedef {(typeof PLACEMENTS)[number]} Placement */

/**
 * @param {Placement} placement
 * @param {'one' | 'all'} threads of the server
 * @param {number[]} cpus that can be had
 * @returns {{serverCpu: string | null, clientCpu: string | null}} null: wherever the kernel puts it
 */
export function placesOf(placement, threads, cpus) {
  if (placement === 'shipped' || threads === 'all' || cpus.length < 2) return { serverCpu: null, clientCpu: null };
  return { serverCpu: String(cpus[0]), clientCpu: String(cpus.at(-1)) };
}

/** @param {Placement} placement @param {number[]} cpus @returns {string} for the conditions */
export function placementText(placement, cpus) {
  const { serverCpu, clientCpu } = placesOf(placement, 'one', cpus);
  if (serverCpu === null) return 'the kernel places both sides';
  return `servers of one thread on CPU ${serverCpu} and the client on CPU ${clientCpu}, others where the kernel puts them`;
}
