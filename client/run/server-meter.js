// Reads the instances of a server on this host: what they use, their accept queues and descriptors. The leg may be that
// of another host.

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
 *   reading: null where it could not be read; the last one, where it has ended
 *
 * @typedef {object} MachineReading  of what the machine says of the server; counts are since the reading before
 * @property {ListenQueue | null} listen
 * @property {Descriptors | null} descriptors  of its processes
 * @property {number[]} [busy]  share of each core, where the machine is not that of the client
 * @property {Record<string, number>} [kernel]  of the server's network namespace there
 *
 * @typedef {MachineReading & InstancesReading & { earlier: InstancesReading[] }} ServerReading  earlier: at the moments
 *   that were asked for, in their order
 *
 * What a leg reads a server with, wherever that is.
 * @typedef {object} Meter
 * @property {(leg: { startNs: bigint, endNs: bigint }, moments: bigint[]) => Promise<ServerReading | null>} begin  the
 *   first reading, from before the leg or at its start: what was used until then is not the leg's
 * @property {(moments: bigint[]) => ServerReading | null | Promise<ServerReading | null>} read  now, and at these
 *   moments for a later reading; null where none comes in time
 * @property {() => void} close  no more is read
 */

/** Readings at moments, in one answer. */
export const MOST_EARLIER = 100;

/** @implements {Meter} */
export class ServerMeter {
  /**
   * @param {{ usage: () => InstanceReading | null, exited?: Promise<unknown> }[]} servers the instances
   * @param {{ listening?: { address: string, port: number }[], pids?: number[], clock?: () => bigint }} [options]
   *   listening: where its sockets listen, as far as no other program can
   */
  constructor(servers, { listening = [], pids = [], clock = () => process.hrtime.bigint() } = {}) {
    this.clock = clock;
    this.instances = servers.map((server) => {
      const instance = { server, last: /** @type {InstanceReading | null} */ (null), hasEnded: false };
      void server.exited?.then(() => void (instance.hasEnded = true));
      return instance;
    });
    // here the same port may belong to another program
    this.listening = new ListenMeter(processesAway(pids).length > 0 ? [] : listening);
    this.moments = new Moments(() => this.readEarlier(), clock);
    /** Readings at moments, which nobody has yet. @type {InstancesReading[]} */
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
    const own = this.readInstances();
    const pids = this.instances.flatMap(({ last, hasEnded }) =>
      hasEnded ? [] : Object.keys(last?.processSeconds ?? {}).map(Number),
    );
    return {
      ...own,
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
    this.earlier = [...this.earlier, this.readInstances()].slice(-MOST_EARLIER);
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
