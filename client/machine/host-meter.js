// What a host says besides its processes: busy cores and the counters of its kernel. Each reading is since the one
// before.

import { KernelMeter } from './kernel-counters.js';
import { MachineMeter } from './usage.js';

/**
 * @typedef {object} HostUse  since the reading before
 * @property {number[]} busy    share of each core
 * @property {Record<string, number>} kernel  counters of this process's network namespace
 * @property {Record<string, number>} [serverKernel]  of the server's, if that is another one
 */

export class HostMeter {
  /** @param {number[]} [serverPids] */
  constructor(serverPids = []) {
    this.machine = new MachineMeter();
    this.kernel = new KernelMeter(serverPids);
  }

  /** What the kernel has counted before is nobody's. */
  beginKernel() {
    this.kernel.read();
  }

  /** What the cores have done before is nobody's. */
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
