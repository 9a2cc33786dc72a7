// Reads the instances of a server on this host: what they use, their accept queues and descriptors. The leg may be run
// by another host.

import { readDescriptors } from '../machine/descriptors.js';
import { processesAway } from '../machine/kernel-counters.js';
import { ListenMeter } from '../machine/listen-queues.js';
import { Moments } from './moments.js';

/**
 * @import { Descriptors } from '../machine/descriptors.js'
 * @import { ListenQueue } from '../machine/listen-queues.js'
 * @import { ServerReading as InstanceReading } from '../machine/usage.js'
 */

/**
 * All instances of a server at one moment, by CLOCK_MONOTONIC of this host.
 * @typedef {{ atNs: bigint, instances: { reading: InstanceReading | null, hasEnded: boolean }[] }} InstancesReading
 *   reading: null: the instance could not be read; if the instance has ended, its last reading
 *
 * @typedef {object} MachineReading  what the machine counts for the server; counts are since the previous reading
 * @property {ListenQueue | null} listen
 * @property {Descriptors | null} descriptors  of its processes
 * @property {number[]} [busy]  share of each core; absent: the machine is the client's
 * @property {Record<string, number>} [kernel]  counters of the server's network namespace on its machine
 *
 * @typedef {MachineReading & InstancesReading & { earlier: InstancesReading[] }} ServerReading  earlier: at the
 *   requested moments, in order
 *
 * Reads a server on this host or another.
 * @typedef {object} Meter
 * @property {(leg: { startNs: bigint, endNs: bigint }, moments: bigint[]) => Promise<ServerReading | null>} begin  the
 *   first reading, before the leg or at its start: earlier use does not count
 * @property {(moments: bigint[]) => ServerReading | null | Promise<ServerReading | null>} read  now, and at these
 *   moments for a later reading; null: none comes in time
 * @property {() => void} close  ends the reading
 */

/** Earlier readings in one ServerReading, at most. */
export const MAX_EARLIER_READINGS = 100;

/** @implements {Meter} */
export class ServerMeter {
  /**
   * @param {{ usage: () => InstanceReading | null, exited?: Promise<unknown> }[]} servers the instances
   * @param {{ listening?: { address: string, port: number }[], pids?: number[], clock?: () => bigint }} [options]
   *   listening: where its sockets listen, without addresses that may be another program's
   */
  constructor(servers, { listening = [], pids = [], clock = () => process.hrtime.bigint() } = {}) {
    this.clock = clock;
    this.instances = servers.map((server) => {
      const instance = { server, last: /** @type {InstanceReading | null} */ (null), hasEnded: false };
      void server.exited?.then(() => void (instance.hasEnded = true));
      return instance;
    });
    // if the server is in another network namespace, its port may belong to another program in this one
    this.listening = new ListenMeter(processesAway(pids).length > 0 ? [] : listening);
    this.moments = new Moments(() => this.readEarlier(), clock);
    /** Readings at moments, for the next answer. @type {InstancesReading[]} */
    this.earlier = [];
  }

  /** @type {Meter['begin']} at the start */
  begin({ startNs }, moments) {
    this.listening.read(); // before the first connection comes
    return new Promise((resolve) => {
      const ms = Number(startNs - this.clock()) / 1e6;
      setTimeout(() => resolve(this.read(moments)), Math.max(0, ms)).unref();
    });
  }

  /** @param {bigint[]} moments by the clock @returns {ServerReading} */
  read(moments) {
    this.moments.add(moments);
    const latest = this.readInstances();
    const pids = this.instances.flatMap(({ last, hasEnded }) =>
      hasEnded ? [] : Object.keys(last?.processSeconds ?? {}).map(Number),
    );
    return {
      ...latest,
      listen: this.listening.read(),
      descriptors: readDescriptors(pids),
      earlier: this.earlier.splice(0),
    };
  }

  /** @returns {InstancesReading} */
  readInstances() {
    return {
      atNs: this.clock(),
      instances: this.instances.map((instance) => {
        const { hasEnded } = instance;
        const reading = hasEnded ? instance.last : readingOf(instance.server);
        instance.last = reading ?? instance.last;
        return { reading, hasEnded };
      }),
    };
  }

  /** Keeps a reading for the next answer. */
  readEarlier() {
    this.earlier = [...this.earlier, this.readInstances()].slice(-MAX_EARLIER_READINGS);
  }

  close() {
    this.moments.close();
  }
}

/** @param {{ usage: () => InstanceReading | null }} server @returns {InstanceReading | null} */
function readingOf(server) {
  try {
    return server.usage();
  } catch {
    return null;
  }
}
