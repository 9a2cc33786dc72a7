// The launcher of servers on another host, as the controller sees it: the same functions as those of the launcher,
// carried out by an agent (server-host.js). Its servers are read together, by their meter.
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

/** What a reading may take; a sample without it has no figures of the server. */
const READ_MS = 5000;
/** What a stop may take: the launcher itself needs up to 8 s. */
const STOP_MS = 20_000;

/**
 * @typedef {object} Carrier  of messages to the agent
 * @property {string} name  of the agent
 * @property {string} address  that its servers listen on
 * @property {() => bigint} offsetNs  its clock minus this one's
 * @property {(message: ToServerHost) => void} send
 * @property {boolean} [outlivesController]  whether the agent completes the leg if the controller ends
 *
 * @typedef {{ take: (value: unknown) => void, reject: (error: Error) => void }} Waiting  take: throws when no agent
 *   answers so
 * @typedef {(stream: Output, line: string, instance: number) => void} OnLine
 * @typedef {ServerOrder & { onLine?: OnLine }} StartOptions  those of the launcher that an agent takes
 */

export class RemoteLauncher {
  /** @param {Carrier} carrier */
  constructor(carrier) {
    this.carrier = carrier;
    /** For the certificates of servers; the folder of the run. */
    this.folder = '.';
    this.requests = 0;
    /** By the number of the request. @type {Map<number, Waiting>} */
    this.waiting = new Map();
    /** @type {Map<number, OnLine>} */
    this.lines = new Map();
    /** By the number of the request that started them. @type {Map<number, RemoteServers>} */
    this.servers = new Map();
    /** How the agent was lost. @type {string | null} */
    this.lost = null;
  }

  /**
   * @template Answer
   * @param {ServerTask} task
   * @param {(value: unknown) => Answer} checked  throws when no agent answers so
   * @param {number} [request]
   * @returns {Promise<Answer>} rejects with what the agent says against it
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

  /** @param {FromServerHost} message @throws {TypeError} when no agent says so */
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

  /** The agent is lost: nothing that it was asked for will be answered. @param {string} how */
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
      return started.map((one, index) => servers.serverOf(one, index));
    } catch (error) {
      this.forget(request);
      throw error;
    }
  }

  /** Nothing more comes from these servers. @param {number} request */
  forget(request) {
    this.servers.delete(request);
    this.lines.delete(request);
  }

  /**
   * Where the load comes from agents too, tells this one until when the servers are needed, even if this process ends
   * before: then `collect` can finish the leg.
   * @param {bigint} endNs of the leg, of this clock
   */
  legStarts(endNs) {
    if (this.carrier.outlivesController && this.lost === null) {
      this.ask({ type: 'keep', untilNs: endNs + this.carrier.offsetNs() }, () => {}).catch(() => {});
    }
  }
}

/** @typedef {Pick<HostReading, 'kernel' | 'earlier'> & { drops: number }} Untaken @type {Readonly<Untaken>} */
const NOTHING_UNTAKEN = Object.freeze({ kernel: {}, drops: 0, earlier: [] });

/** The instances that one request has started. @implements {Meter} */
class RemoteServers {
  /** @param {RemoteLauncher} launcher @param {number} request @param {number} count */
  constructor(launcher, request, count) {
    this.launcher = launcher;
    this.request = request;
    this.count = count;
    /** Of readings that nobody has taken yet: one that came late is part of the next. @type {Untaken} */
    this.untaken = NOTHING_UNTAKEN;
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
      usage: () => null, // it is read by the meter
      stop: () => this.stop(index),
      meter: this,
    };
  }

  /** @param {string} pem @param {number} index @returns {string} file with it */
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

  /** @param {string} how its host was lost */
  lose(how) {
    const agent = this.launcher.carrier.name;
    const lost = (/** @type {object} */ which) => warning('server-agent-lost', { ...which, agent, how });
    for (const resolve of this.endings) resolve({ code: null, signal: null, warning: lost });
  }

  /** @type {Meter['begin']} what was counted after the start is part of the next reading */
  async begin({ startNs, endNs }, moments) {
    this.launcher.legStarts(endNs);
    const first = await this.read(moments);
    if (first !== null && first.atNs > startNs) this.keep({ ...first, earlier: [] });
    return first;
  }

  /**
   * @param {bigint[]} moments at which it is to be read too, for a later answer
   * @returns {Promise<HostReading | null>} with times of this clock; null: none came in time
   */
  async read(moments) {
    let isLate = false;
    const offsetNs = this.launcher.carrier.offsetNs();
    const task = /** @type {const} */ ({ type: 'read', server: this.request });
    /** @type {Promise<HostReading | null>} */
    const reading = this.launcher
      .ask({ ...task, moments: moments.map((ns) => ns + offsetNs) }, (value) => checkedReading(value, this.count))
      .then(
        (found) => (isLate ? this.keep(found) : this.take(found)),
        () => null,
      );
    const found = await within(reading, READ_MS);
    isLate = found === null;
    return found;
  }

  /**
   * @param {HostReading} reading that nobody waits for any more: what it has counted is part of the next
   * @returns {null}
   */
  keep(reading) {
    this.untaken = this.withUntaken(reading);
    return null;
  }

  /** @param {HostReading} reading of the agent @returns {HostReading} with times of this clock, and what was kept */
  take(reading) {
    const { kernel, drops, earlier } = this.withUntaken(reading);
    this.untaken = NOTHING_UNTAKEN;
    const { listen } = reading;
    const offsetNs = this.launcher.carrier.offsetNs();
    return {
      ...reading,
      atNs: reading.atNs - offsetNs,
      kernel,
      listen: listen && { ...listen, drops },
      earlier: earlier.map((one) => ({ ...one, atNs: one.atNs - offsetNs })),
    };
  }

  /** @param {HostReading} reading @returns {Untaken} what it has counted, with what was kept */
  withUntaken({ kernel, listen, earlier }) {
    const before = this.untaken;
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
 * @returns {Promise<Value | null>} null: it did not come in time
 */
function within(value, ms) {
  /** @type {NodeJS.Timeout} */
  let timer;
  const late = new Promise((/** @type {(none: null) => void} */ resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
