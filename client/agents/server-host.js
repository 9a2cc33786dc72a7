// Starts, reads and stops servers on an agent's host as the controller asks. It starts only servers that the agent's
// permission names, and all of them end with the agent's work for the run.
import { readFileSync } from 'node:fs';
import { processCpuNs } from '../engine/index.js';
import { EnvironmentError } from '../errors.js';
import { HostMeter } from '../machine/host-meter.js';
import { LineLimit } from '../store/event-log.js';
import { ServerMeter } from '../run/server-meter.js';
import { areMoments, isServerOrder } from './order-shape.js';

/**
 * @import { Launcher as ServerLauncher, Server } from '../run/server-under-test.js'
 * @import { FromServerHost, HostReading, Output, RemoteError, ServerEnding, ServerOrder, StartedServer, ToServerHost
 *   } from './server-messages.js'
 * @import { Listed, ServerPermission } from './server-permission.js'
 */

const FLUSH_MS = 5000;
/** Lines of stderr that are sent with the end of a server. */
const LAST_LINES = 8;
/** Instances of a server, as in a scenario. */
const MOST_INSTANCES = 1024;
/** Orders to start servers that are being carried out. */
const MOST_STARTING = 64;

/**
 * @typedef {Pick<ServerLauncher, 'startServer' | 'startInstances' | 'build'> & {
 *   listServers: () => Listed[] }} Launcher
 *
 * @typedef {object} Serving  the servers that an agent may start, and their address
 * @property {Launcher} launcher
 * @property {ServerPermission} permission
 * @property {string} address
 *
 * @typedef {{ server: Server, hasEnded: boolean }} Instance
 * @typedef {{ instances: Instance[], meter: ServerMeter, host: HostMeter, output: HostOutput }} Held
 */

export class ServerHost {
  /**
   * @param {Serving} serving
   * @param {{ say: (message: FromServerHost) => void, clock: () => bigint, log: (line: string) => void }} session
   */
  constructor({ launcher, permission, address }, { say, clock, log }) {
    this.launcher = launcher;
    this.permission = permission;
    this.address = address;
    this.say = say;
    this.clock = clock;
    this.log = log;
    /**
     * By the number of the request that started them; servers that have ended stay until the controller stops them.
     * @type {Map<number, Held>}
     */
    this.held = new Map();
    /** Starts that have not ended. @type {Set<Promise<unknown>>} */
    this.starting = new Set();
    this.keepUntilNs = 0n;
    /** Why the agent's work for the run has ended; null: it has not. @type {string | null} */
    this.endedBy = null;
  }

  /** Whether a server runs, or is being started. */
  get isBusy() {
    return this.starting.size > 0 || [...this.held.values()].some(isRunning);
  }

  /** Whether the controller has asked to keep the running servers, even without it, until a later time. */
  get isKept() {
    return this.isBusy && this.clock() < this.keepUntilNs;
  }

  /** @param {ToServerHost} message @returns {Promise<void>} resolves after the answer */
  async receive(message) {
    const { request } = message;
    try {
      this.say({ type: 'answer', request, value: await this.carryOut(message) });
    } catch (error) {
      const { code = 'EAGENTSERVER', data = {}, message: text } = /** @type {Error & Partial<RemoteError>} */ (error);
      this.say({ type: 'refused', request, error: { code, data, text } });
    }
  }

  /** @param {ToServerHost} message @returns {Promise<unknown>} the answer */
  async carryOut(message) {
    if (this.endedBy !== null)
      throw new EnvironmentError("the agent's work for this run has ended", { code: 'EAGENTENDED' });
    switch (message.type) {
      case 'build':
        return this.build(message.request, message.names);
      case 'start': {
        const starting = this.start(message.request, message.order, message.instances);
        this.starting.add(starting);
        return starting.finally(() => this.starting.delete(starting));
      }
      case 'read':
        return this.read(message.server, message.moments);
      case 'stop':
        return this.stop(message.server, message.instance);
      case 'keep':
        this.keepUntilNs = message.untilNs;
        return null;
    }
  }

  /**
   * @param {Pick<ServerOrder, 'name' | 'command' | 'options' | 'env'>} order
   * @throws {EnvironmentError} when it is not permitted
   */
  check(order) {
    const objection = this.permission.objectionTo(order, this.launcher.listServers());
    if (objection === null) return;
    const { code, data, text } = objection;
    throw new EnvironmentError(text, { code, data });
  }

  /** @param {number} request @param {string[]} names @returns {Promise<null>} */
  async build(request, names) {
    for (const name of names) this.check({ name });
    const output = new HostOutput(request, this.say);
    try {
      await this.launcher.build({ names, onLine: (line) => output.add('stdout', line, 0) });
    } finally {
      output.close();
    }
    return null;
  }

  /**
   * @param {number} request @param {ServerOrder} order @param {number} instances
   * @returns {Promise<StartedServer[]>}
   */
  async start(request, order, instances) {
    if (!isServerOrder(order)) {
      throw new EnvironmentError('the order names neither a server nor a command', { code: 'EORDERREFUSED' });
    }
    this.check(order);
    const running = [...this.held.values()].reduce((sum, held) => sum + held.instances.length, 0);
    const isPossible = Number.isInteger(instances) && instances >= 1 && running + instances <= MOST_INSTANCES;
    if (!isPossible || this.starting.size >= MOST_STARTING) {
      const text = `the agent runs up to ${MOST_INSTANCES} instances at the same time and has ${running}; ${instances} more are too many`;
      throw new EnvironmentError(text, { code: 'EINSTANCESREFUSED', data: { instances, running } });
    }
    const output = new HostOutput(request, this.say);
    const options = {
      ...this.launchOptions(order),
      cpuClock: processCpuNs,
      onLine: (/** @type {Output} */ stream, /** @type {string} */ line, instance = 0) =>
        output.add(stream, line, instance),
    };
    let started;
    try {
      started =
        instances === 1
          ? [await this.launcher.startServer(options)]
          : await this.launcher.startInstances(options, instances);
    } catch (error) {
      output.close();
      throw error;
    }
    const pids = started.flatMap((server) => server.pids);
    const listening = started.map(({ host, port }) => ({ address: host, port }));
    /** @type {Held} */
    const held = {
      instances: started.map((server) => ({ server, hasEnded: false })),
      meter: new ServerMeter(started, { listening, pids, clock: this.clock }),
      host: new HostMeter(pids),
      output,
    };
    this.held.set(request, held);
    held.instances.forEach((instance, index) => void this.follow(request, held, instance, index));
    if (this.endedBy !== null) await this.stopAll(); // released meanwhile
    this.log(`started ${order.name === undefined ? `the command ${order.command}` : `the server ${order.name}`}`);
    return started.map(({ host, port, authority }) => ({
      ...{ host, port },
      authority: authority === null ? null : readFileSync(authority, 'utf8'),
    }));
  }

  /**
   * Selects the parts of an order that reach the launcher, which would also accept a wrapper, more words and another
   * folder of servers.
   * @param {ServerOrder} order
   */
  launchOptions({ name, command, options, env, protocol, transport, readyTimeoutMs }) {
    const server = name === undefined ? { command } : { name };
    return { ...server, options, env, protocol, transport, readyTimeoutMs, host: this.address };
  }

  /**
   * Reports the end of an instance.
   * @param {number} server
   * @param {Held} held
   * @param {Instance} instance
   * @param {number} index
   */
  async follow(server, held, instance, index) {
    const ending = await instance.server.exited;
    instance.hasEnded = true;
    const why = this.endedBy === null ? {} : { stoppedBecause: this.endedBy };
    const lastLines = held.output.lastLinesOf(index);
    this.say({ type: 'ended', server, instance: index, ending: { ...ending, lastLines, ...why } });
    if (isRunning(held)) return;
    held.output.close();
    held.meter.close();
  }

  /** @param {number} server @param {bigint[]} moments at which to read, too @returns {HostReading} */
  read(server, moments) {
    const held = this.held.get(server);
    if (held === undefined) throw new EnvironmentError('the server has been stopped', { code: 'ESERVERSTOPPED' });
    return { ...held.meter.read(areMoments(moments) ? moments : []), ...held.host.readForServer() };
  }

  /** @param {number} server @param {number} instance @returns {Promise<ServerEnding>} of the launcher */
  async stop(server, instance) {
    const held = this.held.get(server);
    if (held === undefined) return { code: null, signal: null };
    const ending = await held.instances[instance].server.stop();
    if (!isRunning(held)) this.held.delete(server);
    return ending;
  }

  /** @returns {Promise<void>} resolves when all servers have stopped */
  async stopAll() {
    const servers = [...this.held.values()].flatMap(({ instances }) => instances.map(({ server }) => server));
    await Promise.allSettled(servers.map((server) => server.stop()));
  }

  /** Stops all servers, including those that are being started. @param {string} why @returns {Promise<void>} */
  async end(why) {
    this.endedBy = why;
    await this.stopAll();
    await Promise.allSettled([...this.starting]);
  }
}

/** @param {Held} held */
const isRunning = ({ instances }) => instances.some(({ hasEnded }) => !hasEnded);

/** Sends the lines of a server to the controller, up to a limit for each stream. */
class HostOutput {
  /** @param {number} server @param {(message: FromServerHost) => void} say */
  constructor(server, say) {
    this.server = server;
    this.say = say;
    /** By instance and stream. @type {Map<string, LineLimit>} */
    this.limits = new Map();
    /** Last lines of stderr, by instance. @type {Map<number, string[]>} */
    this.lastLines = new Map();
    this.timer = setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  /** @param {number} instance @returns {string[]} last lines of its stderr */
  lastLinesOf(instance) {
    return [...(this.lastLines.get(instance) ?? [])];
  }

  /** @param {Output} stream @param {string} line @param {number} instance */
  add(stream, line, instance) {
    const key = `${instance} ${stream}`;
    const { server } = this;
    const limit =
      this.limits.get(key) ?? new LineLimit((text) => this.say({ type: 'line', server, instance, stream, text }));
    this.limits.set(key, limit);
    limit.add(line);
    if (stream === 'stderr') this.lastLines.set(instance, [...this.lastLinesOf(instance), line].slice(-LAST_LINES));
  }

  flush() {
    for (const limit of this.limits.values()) limit.flush();
  }

  close() {
    clearInterval(this.timer);
    this.flush();
  }
}
