// Which io backend a leg runs over: epoll, unless the scenario asks for io_uring; and which stack of SCTP. Pure.

import { isSctp } from '../words/transport.js';

/** @typedef {{name: string, available: boolean, why: string | null}} Backend */
/** @typedef {{io: 'auto' | 'epoll' | 'io_uring'}} Wish */

/** @typedef {{transport: string, sctpStack: 'auto' | 'kernel' | 'usrsctp'}} SctpWish */
/** @typedef {{kernel: string | null, usrsctp: string | null}} Stacks null, or why the machine does not have it */

/** @param {SctpWish} scenario @param {Stacks} stacks @returns {'kernel' | 'usrsctp' | null} null: not over SCTP */
export function chooseStack({ transport, sctpStack }, { kernel, usrsctp }) {
  if (!isSctp(transport)) return null;
  if (sctpStack !== 'auto') return sctpStack;
  return kernel === null || usrsctp !== null ? 'kernel' : 'usrsctp';
}

/**
 * @param {SctpWish} scenario
 * @param {Stacks} stacks
 * @returns {{stack: string, why: string}[]} each stack that could be used and is not there; empty: there is one
 */
export function unavailableStacks(scenario, stacks) {
  const chosen = chooseStack(scenario, stacks);
  if (chosen === null || stacks[chosen] === null) return [];
  const candidates = scenario.sctpStack === 'auto' ? /** @type {const} */ (['kernel', 'usrsctp']) : [chosen];
  return candidates.map((stack) => ({ stack, why: stacks[stack] ?? 'unknown reason' }));
}

/**
 * `auto` is epoll for every load, so that the legs of a comparison or a sweep never differ in it. Over io_uring some loads cost
 * less CPU, but more of them cost more, and with few connections the measured times are longer: the bench `io` has the table.
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
