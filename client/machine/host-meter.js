// Measures the busy cores of a host and the counters of its kernel. Each reading counts from the previous one.

import { KernelMeter } from './kernel-counters.js';
import { MachineMeter } from './usage.js';

/**
 * @typedef {object} HostUse  since the previous reading
 * @property {number[]} busy    share of each core
 * @property {Record<string, number>} kernel  counters of this process's network namespace
 * @property {Record<string, number>} [serverKernel]  counters of the server's network namespace, if that is another one
 */

export class HostMeter {
  /** @param {number[]} [serverPids] */
  constructor(serverPids = []) {
    this.machine = new MachineMeter();
    this.kernel = new KernelMeter(serverPids);
  }

  /** Begins the kernel's counters; earlier counts are dropped. */
  beginKernel() {
    this.kernel.read();
  }

  /** Begins the measurement of the cores; earlier use is dropped. */
  beginCores() {
    this.machine.read();
  }

  /** @returns {HostUse} */
  read() {
    return { busy: this.machine.read(), ...this.kernel.read() };
  }

  /** @returns {Required<Pick<HostUse, 'busy' | 'kernel'>>} kernel: of the network namespace of the server */
  readForServer() {
    const { busy, kernel, serverKernel = {} } = this.read();
    return { busy, kernel: this.kernel.away.length > 0 ? serverKernel : kernel };
  }
}
