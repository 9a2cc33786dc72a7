// Launches servers on an agent: the functions of the local launcher, carried out by the agent (server-host.js). The
// instances of a server are read together, by their meter.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { RunError } from '../errors.js';
import { kernelSum } from '../measure/kernel-totals.js';
import { warning } from './warnings.js';
import { checkedEnding, checkedReading, checkedServers } from './server-shape.js';

/**
 * @import { Launcher, Server, ServerExit } from '../run/server-under-test.js'
 * @import { Meter } from '../run/server-meter.js'
 * @import { FromServerHost, HostReading, Output, ServerEnding, ServerOrder, ServerTask, StartedServer, ToServerHost
 *   } from './server-messages.js'
 */

/** Time limit of a reading; a sample without a reading has no figures of the server. */
const READ_MS = 5000;
/** Time limit of a stop; the launcher itself needs up to 8 s. */
const STOP_MS = 20_000;

/**
 * @typedef {object} Carrier  sends messages to the agent
 * @property {string} name  of the agent
 * @property {string} address  that its servers listen on
 * @property {() => bigint} offsetNs  its clock minus this one's
 * @property {(message: ToServerHost) => void} send
 * @property {boolean} [outlivesController]  whether the agent completes the leg if the controller ends
 *
 * @typedef {{ take: (value: unknown) => void, reject: (error: Error) => void }} Waiting  take: throws when the
 *   answer is invalid
 * @typedef {(stream: Output, line: string, instance: number) => void} OnLine
 * @typedef {ServerOrder & { onLine?: OnLine }} StartOptions  the launcher's options that an agent accepts
 */

export class RemoteLauncher {
  /** @param {Carrier} carrier */
  constructor(carrier) {
    this.carrier = carrier;
    /** Folder for the certificates of servers: the run's. */
    this.folder = '.';
    this.requests = 0;
    /** Requests without an answer, by number. @type {Map<number, Waiting>} */
    this.waiting = new Map();
    /** @type {Map<number, OnLine>} */
    this.lines = new Map();
    /** By the number of the request that started the servers. @type {Map<number, RemoteServers>} */
    this.servers = new Map();
    /** How the agent was lost; null: it is not. @type {string | null} */
    this.lost = null;
  }

  /**
   * @template Answer
   * @param {ServerTask} task
   * @param {(value: unknown) => Answer} checked  throws when the answer is invalid
   * @param {number} [request]
   * @returns {Promise<Answer>} rejects with the agent's reason when it refuses
   */
  ask(task, checked, request = this.nextRequest()) {
    if (this.lost !== null) return Promise.reject(this.lossError(this.lost));
    return new Promise((resolve, reject) => {
      this.waiting.set(request, { take: (value) => resolve(checked(value)), reject });
      this.carrier.send({ request, ...task });
    });
  }

  nextRequest() {
    this.requests += 1;
    return this.requests;
  }

  /** @param {string} how */
  lossError(how) {
    const { name } = this.carrier;
    return new RunError(`agent ${name}, which starts the servers, was lost: ${how}`, {
      code: 'ESERVERAGENTLOST',
      data: { agent: name, how },
    });
  }

  /** @param {FromServerHost} message @throws {TypeError} when an answer is invalid */
  receive(message) {
    const { type } = message;
    if (type === 'line') this.lines.get(message.server)?.(message.stream, message.text, message.instance);
    else if (type === 'ended') this.servers.get(message.server)?.end(message.instance, message.ending);
    else {
      const waiting = this.waiting.get(message.request);
      if (type === 'answer') waiting?.take(message.value);
      else {
        const { code, data, text } = message.error;
        waiting?.reject(new RunError(`agent ${this.carrier.name}: ${text}`, { code, data }));
      }
      this.waiting.delete(message.request);
    }
  }

  /** Rejects all open requests when the agent is lost. @param {string} how */
  lose(how) {
    if (this.lost !== null) return;
    this.lost = how;
    for (const { reject } of this.waiting.values()) reject(this.lossError(how));
    this.waiting.clear();
    for (const servers of this.servers.values()) servers.lose(how);
  }

  /** @param {{ names?: string[], onLine?: (line: string) => void }} options */
  async build({ names = [], onLine = () => {} }) {
    const request = this.nextRequest();
    this.lines.set(request, (_, line) => onLine(line));
    await this.ask({ type: 'build', names }, () => {}, request).finally(() => this.lines.delete(request));
  }

  /** @param {StartOptions} options @returns {Promise<Server>} */
  async startServer(options) {
    const [server] = await this.startInstances(options, 1);
    return server;
  }

  /** @param {StartOptions} options @param {number} count @returns {Promise<Server[]>} */
  async startInstances({ onLine = () => {}, ...options }, count) {
    const { name, command, env, protocol, transport, readyTimeoutMs } = options;
    const request = this.nextRequest();
    const servers = new RemoteServers(this, request, count);
    this.servers.set(request, servers);
    this.lines.set(request, onLine);
    const order = { name, command, options: options.options, env, protocol, transport, readyTimeoutMs };
    try {
      const { address } = this.carrier;
      const task = /** @type {const} */ ({ type: 'start', order, instances: count });
      const started = await this.ask(task, (value) => checkedServers(value, count, address), request);
      return started.map((server, index) => servers.serverOf(server, index));
    } catch (error) {
      this.forget(request);
      throw error;
    }
  }

  /** Ends the messages from these servers. @param {number} request */
  forget(request) {
    this.servers.delete(request);
    this.lines.delete(request);
  }

  /**
   * If the load also comes from agents, tells this agent how long to keep the servers if this process ends, so that
   * `collect` can finish the leg.
   * @param {bigint} endNs of the leg, by this host's clock
   */
  legStarts(endNs) {
    if (this.carrier.outlivesController && this.lost === null) {
      this.ask({ type: 'keep', untilNs: endNs + this.carrier.offsetNs() }, () => {}).catch(() => {});
    }
  }
}

/** @typedef {Pick<HostReading, 'kernel' | 'earlier'> & { drops: number }} Backlog @type {Readonly<Backlog>} */
const NO_BACKLOG = Object.freeze({ kernel: {}, drops: 0, earlier: [] });

/** The instances that a request has started. @implements {Meter} */
class RemoteServers {
  /** @param {RemoteLauncher} launcher @param {number} request @param {number} count */
  constructor(launcher, request, count) {
    this.launcher = launcher;
    this.request = request;
    this.count = count;
    /** Counts of late readings, which are added to the next reading. @type {Backlog} */
    this.backlog = NO_BACKLOG;
    /** @type {((ending: ServerExit) => void)[]} */
    this.endings = [];
    this.exited = Array.from(
      { length: count },
      (_, index) =>
        new Promise((/** @type {(ending: ServerExit) => void} */ resolve) => {
          this.endings[index] = resolve;
        }),
    );
  }

  /** @param {StartedServer} started @param {number} index @returns {Server} */
  serverOf({ host, port, authority }, index) {
    return {
      ...{ host, port },
      pids: [],
      authority: authority === null ? null : this.keepAuthority(authority, index),
      exited: this.exited[index],
      usage: () => null, // the meter reads it
      stop: () => this.stop(index),
      meter: this,
    };
  }

  /** @param {string} pem @param {number} index @returns {string} path of the file with it */
  keepAuthority(pem, index) {
    const file = path.join(this.launcher.folder, `authority-${this.request}-${index}.pem`);
    writeFileSync(file, pem);
    return file;
  }

  /** @param {number} index @param {ServerEnding} ending */
  end(index, { stoppedBecause: why, ...ending }) {
    const agent = this.launcher.carrier.name;
    const because = why !== undefined && {
      warning: (/** @type {object} */ which) => warning('server-agent-stopped', { ...which, agent, why }),
    };
    this.endings[index]({ ...ending, ...because });
  }

  /** @param {string} how the agent was lost */
  lose(how) {
    const agent = this.launcher.carrier.name;
    const lost = (/** @type {object} */ which) => warning('server-agent-lost', { ...which, agent, how });
    for (const resolve of this.endings) resolve({ code: null, signal: null, warning: lost });
  }

  /** Counts after the leg's start are added to the next reading. @type {Meter['begin']} */
  async begin({ startNs, endNs }, moments) {
    this.launcher.legStarts(endNs);
    const first = await this.read(moments);
    if (first !== null && first.atNs > startNs) this.keep({ ...first, earlier: [] });
    return first;
  }

  /**
   * @param {bigint[]} moments at which to read, too, for a later answer
   * @returns {Promise<HostReading | null>} with times of this host's clock; null: no answer in time
   */
  async read(moments) {
    let isLate = false;
    const offsetNs = this.launcher.carrier.offsetNs();
    const task = /** @type {const} */ ({ type: 'read', server: this.request });
    /** @type {Promise<HostReading | null>} */
    const reading = this.launcher
      .ask({ ...task, moments: moments.map((ns) => ns + offsetNs) }, (value) => checkedReading(value, this.count))
      .then(
        (late) => (isLate ? this.keep(late) : this.take(late)),
        () => null,
      );
    const answer = await within(reading, READ_MS);
    isLate = answer === null;
    return answer;
  }

  /**
   * Adds a late reading to the backlog.
   * @param {HostReading} reading
   * @returns {null}
   */
  keep(reading) {
    this.backlog = this.addBacklog(reading);
    return null;
  }

  /** @param {HostReading} reading of the agent @returns {HostReading} by this host's clock, with the backlog */
  take(reading) {
    const { kernel, drops, earlier } = this.addBacklog(reading);
    this.backlog = NO_BACKLOG;
    const { listen } = reading;
    const offsetNs = this.launcher.carrier.offsetNs();
    return {
      ...reading,
      atNs: reading.atNs - offsetNs,
      kernel,
      listen: listen && { ...listen, drops },
      earlier: earlier.map((moment) => ({ ...moment, atNs: moment.atNs - offsetNs })),
    };
  }

  /** @param {HostReading} reading @returns {Backlog} its counts and those of the backlog */
  addBacklog({ kernel, listen, earlier }) {
    const before = this.backlog;
    return {
      kernel: kernelSum([before.kernel, kernel]),
      drops: before.drops + (listen?.drops ?? 0),
      earlier: [...before.earlier, ...earlier],
    };
  }

  close() {}

  /** @param {number} index @returns {Promise<ServerExit>} */
  async stop(index) {
    const { launcher, request } = this;
    if (launcher.lost !== null) return this.exited[index];
    const ending = await within(
      launcher.ask({ type: 'stop', server: request, instance: index }, checkedEnding),
      STOP_MS,
    );
    if (ending !== null) return ending;
    const { name } = launcher.carrier;
    throw new RunError(`agent ${name} has not stopped the server within ${STOP_MS / 1000} s`, {
      code: 'ESERVERNOTSTOPPED',
      data: { agent: name },
    });
  }
}

/**
 * @template Value
 * @param {Promise<Value>} value @param {number} ms
 * @returns {Promise<Value | null>} null: the time is over
 */
function within(value, ms) {
  /** @type {NodeJS.Timeout} */
  let timer;
  const late = new Promise((/** @type {(none: null) => void} */ resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
