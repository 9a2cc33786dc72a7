// An agent: a host that runs workers, or starts servers, for runs controlled from elsewhere. It only dials out, to the
// NATS server. It works for one run at a time, against targets that its allow list names, and starts only the servers
// and commands that its options permit.
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import path from 'node:path';
import { EnvironmentError } from '../errors.js';
import { typed } from '../invocation.js';
import { isObject, ownValue } from '../measure/objects.js';
import { LineLimit } from '../store/event-log.js';
import { AgentSession } from './agent-session.js';
import { CONTROLS, decode, encode } from './codec.js';
import { isReservation } from './order-shape.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import { isCount } from './shape.js';
import { subjects, token } from './subjects.js';

/**
 * @import { Endpoint } from '../../config/types.js'
 * @import { Data } from '../errors.js'
 * @import { Host } from '../machine/host.js'
 * @import { AgentServers } from './agent-servers.js'
 * @import { Options as SessionOptions } from './agent-session.js'
 * @import { AllowList } from './allow-list.js'
 * @import { Broker, Message } from './broker.js'
 * @import { Hello, Refusal, Request, Reservation, ReserveRequest } from './messages.js'
 */

const ASK_MS = 1000;
/** Requests that are answered at the same time. */
const MOST_ANSWERS = 32;
const FLUSH_MS = 5000;

/**
 * @typedef {object} Options
 * @property {string} name
 * @property {string} version     of Broadside
 * @property {AllowList} allow
 * @property {string} logs        folder
 * @property {number} deadlineMs
 * @property {(target?: Endpoint) => Promise<Host>} readHost
 * @property {(line: string) => void} log
 * @property {() => bigint} [clock]  CLOCK_MONOTONIC by default
 * @property {SessionOptions['workers']} [workers]  instead of child processes
 * @property {AgentServers} [servers]  that it may start; absent: none
 * @property {() => Promise<object>} [describe]  describes the host as in environment.json
 */

export class Agent {
  /** @param {Broker} broker @param {Options} options */
  constructor(broker, options) {
    this.broker = broker;
    this.options = options;
    this.clock = options.clock ?? (() => process.hrtime.bigint());
    /** @type {AgentSession | null} */
    this.session = null;
    this.closed = false;
    /** Readings of the host that have begun, by target. @type {Map<string, Promise<Host>>} */
    this.readings = new Map();
    /** Requests that are being answered. */
    this.answering = 0;
    /** Limits the lines of output that strangers can cause. */
    this.strangers = new LineLimit(options.log);
    this.flusher = setInterval(() => this.strangers.flush(), FLUSH_MS).unref();
  }

  /** @param {string} line */
  report(line) {
    this.strangers.add(line.replace(CONTROLS, ''));
  }

  /** Begins to answer. @returns {Promise<this>} @throws {EnvironmentError} when another agent has the name */
  async open() {
    const { name } = this.options;
    const isTaken = await this.broker
      .request(subjects.agent(name), encode({ type: 'clock' }), { timeout: ASK_MS })
      .then(() => true)
      .catch(() => false);
    if (isTaken) {
      throw new EnvironmentError(`--name ${name}: another agent with that name is connected; give another name`, {
        code: 'EAGENTNAME',
        data: { name },
      });
    }
    this.listen(subjects.discover, async (request, message) => {
      const target = ownValue(request, 'target');
      message.respond(
        encode(await this.hello(isTarget(target) ? { host: target.host, port: target.port } : undefined)),
      );
    });
    this.listen(subjects.agent(name), (request, message) => this.answer(/** @type {Request} */ (request), message));
    await this.broker.flush();
    return this;
  }

  /**
   * Answers the messages to a subject. A message that cannot be read or answered gets no answer, and does not end the
   * agent.
   * @param {string} subject @param {(request: unknown, message: Message) => Promise<unknown>} answer
   */
  listen(subject, answer) {
    const take = async (/** @type {Message} */ message) => {
      if (this.answering >= MOST_ANSWERS) return; // a controller without an answer asks again
      this.answering += 1;
      try {
        await answer(decode(message.data), message);
      } catch (error) {
        this.report(`a message to ${subject} was not answered: ${/** @type {Error} */ (error).message}`);
      } finally {
        this.answering -= 1;
      }
    };
    this.broker.subscribe(subject, (message) => void take(message));
  }

  /** @param {Endpoint} [target] @returns {Promise<Hello>} */
  async hello(target) {
    const { name, version, allow, logs, servers } = this.options;
    const host = await this.readHost(target);
    return {
      version: PROTOCOL_VERSION,
      name,
      broadside: version,
      run: this.session?.run ?? null,
      allow: allow.texts,
      host,
      serves: servers?.describe() ?? null,
      logs: { host: hostname(), folder: path.resolve(logs) },
    };
  }

  /**
   * Repeated requests share one reading: the kernel takes seconds to list many sockets.
   * @param {Endpoint} [target]
   */
  readHost(target) {
    const key = JSON.stringify(target ?? null);
    const reading = this.readings.get(key) ?? this.options.readHost(target).finally(() => this.readings.delete(key));
    this.readings.set(key, reading);
    return reading;
  }

  /** @param {Request} request @param {Message} message */
  async answer(request, message) {
    const { servers, describe } = this.options;
    if (request.type === 'clock') message.respond(encode({ ns: this.clock() }));
    else if (request.type === 'reserve') message.respond(encode(this.reserve(request)));
    else if (request.type === 'hello') message.respond(encode(await this.hello()));
    else if (request.type === 'servers') message.respond(encode((await servers?.availability(request.names)) ?? []));
    else if (request.type === 'environment') message.respond(encode((await describe?.()) ?? {}));
    else if (request.type === 'release') {
      // answer only after the end: the controller then deletes the stream
      if (this.session?.run === request.run) await this.session.end('the controller has ended it');
      message.respond(encode({ ok: true }));
    }
  }

  /** @returns {Refusal} */
  busy() {
    const { name } = this.options;
    const run = this.session?.run ?? null;
    return refusal('agent-busy', { name, run }, `agent ${name} works for run ${run}; wait until it has ended`);
  }

  /**
   * @param {ReserveRequest} request
   * @returns {Reservation}
   */
  reserve({ version, run, targets, serves = undefined }) {
    if (!isReservation({ version, run, targets })) throw new TypeError('it is not a reservation of a run');
    const { name, allow, logs, log, workers, deadlineMs, servers } = this.options;
    if (version !== PROTOCOL_VERSION) {
      return refusal(
        'agent-version',
        { name, own: PROTOCOL_VERSION, asked: version },
        `agent ${name} and the controller are of different versions of Broadside (their messages: ${PROTOCOL_VERSION}, ${version}); install the same one on both`,
      );
    }
    if (this.closed || (this.session !== null && this.session.run !== run)) {
      return this.busy();
    }
    if (serves && servers === undefined) {
      return refusal(
        'agent-serves-nothing',
        { name },
        `agent ${name} starts no servers; permit some there: ${typed('agent', '--servers NAME')}, or --commands`,
      );
    }
    const refused = allow.refused(targets);
    if (refused.length > 0) {
      return refusal(
        'agent-refuses-target',
        { name, refused, allow: allow.texts },
        `agent ${name} may not connect to ${refused.join(', ')}; it permits ${allow.texts.join(', ')} (${typed('agent', '--allow NETWORK')})`,
      );
    }
    if (this.session === null) {
      log(`run ${run}: reserved`);
      const folder = path.join(logs, token(run));
      const session = new AgentSession({
        broker: this.broker,
        run,
        name,
        folder,
        allow,
        deadlineMs,
        log,
        clock: this.clock,
        workers,
        ...(serves && servers && { serving: servers.serving }),
      });
      this.session = session.open();
      void session.over.then(() => {
        this.session = null;
      });
    }
    return { ok: true };
  }

  /** Ends the work for the current run. Reports that are not acknowledged within the deadline are lost. */
  async close() {
    this.closed = true;
    clearInterval(this.flusher);
    const ending = this.session?.end('the agent is ended');
    this.session?.giveUpAfter(this.options.deadlineMs);
    await ending;
    await this.broker.close();
  }
}

/**
 * @param {unknown} target
 * @returns {target is Endpoint} whether it is a numeric address and a port
 */
const isTarget = (target) =>
  isObject(target) && isIP(String(target.host)) !== 0 && isCount(target.port) && target.port <= 65_535;

/** @param {string} code @param {Data} data @param {string} text @returns {Refusal} */
const refusal = (code, data, text) => ({ ok: false, code, data, text });
