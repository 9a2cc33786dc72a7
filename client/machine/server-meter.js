// What the machine of a server says of it besides its processes: busy cores, kernel counters, accept queues,
// descriptors.

import { readDescriptors } from './descriptors.js';
import { KernelMeter } from './kernel-counters.js';
import { ListenMeter } from './listen-queues.js';
import { MachineMeter } from './usage.js';

/**
 * @import { Descriptors } from './descriptors.js'
 * @import { ListenQueue } from './listen-queues.js'
 * @import { ServerReading } from './usage.js'
 */

/**
 * @typedef {object} MachineReading  since the reading before
 * @property {number[]} busy    share of each core
 * @property {Record<string, number>} kernel  counters of the server's network namespace
 * @property {ListenQueue | null} listen
 * @property {Descriptors | null} descriptors  of its processes
 */

export class ServerMeter {
  /**
   * @param {{ instances: { address: string, port: number }[], pids: number[] }} server whose accept queues are known
   */
  constructor({ instances, pids }) {
    this.machine = new MachineMeter();
    this.kernel = new KernelMeter(pids);
    // here the same port may belong to another program
    this.listening = new ListenMeter(this.kernel.away.length > 0 ? [] : instances);
  }

  /** @param {(ServerReading | null)[]} readings of its instances @returns {MachineReading} */
  read(readings) {
    const { kernel, serverKernel = {} } = this.kernel.read();
    const pids = readings.flatMap((one) => Object.keys(one?.processSeconds ?? {}).map(Number));
    return {
      busy: this.machine.read(),
      kernel: this.kernel.away.length > 0 ? serverKernel : kernel,
      listen: this.listening.read(),
      descriptors: readDescriptors(pids),
    };
  }
}
