// An agent: a host that runs workers for runs controlled from elsewhere. It only dials out, to the NATS server; it works for
// one run at a time, and only against targets that its own allow list names.
import path from 'node:path';
import { EnvironmentError } from '../../errors.js';
import { AgentSession } from './agent-session.js';
import { decode, encode, PROTOCOL_VERSION } from './codec.js';
import { subjects, token } from './subjects.js';

const ASK_MS = 1000;

/**
 * @typedef {import('./messages.js').Hello} Hello
 * @typedef {import('./messages.js').Request} Request
 * @typedef {import('@nats-io/transport-node').NatsConnection} NatsConnection
 *
 * @typedef {object} Options
 * @property {string} name
 * @property {string} version     of Broadside
 * @property {import('./allow-list.js').AllowList} allow
 * @property {string} logs        folder
 * @property {number} deadlineMs
 * @property {(target?: import('../../results/endpoint.js').Endpoint) => Promise<import('../../machine/host.js').Host>} readHost
 * @property {(line: string) => void} log
 * @property {() => bigint} [clock]  CLOCK_MONOTONIC; a test gives another
 * @property {string} [workerFile]
 */

export class Agent {
  /** @param {NatsConnection} nc @param {Options} options */
  constructor(nc, options) {
    this.nc = nc;
    this.options = options;
    this.clock = options.clock ?? (() => process.hrtime.bigint());
    /** @type {AgentSession | null} */
    this.session = null;
    this.closed = false;
    /** That have begun, by target. @type {Map<string, Promise<import('../../machine/host.js').Host>>} */
    this.readings = new Map();
  }

  /** Begins to answer. @returns {Promise<this>} @throws {EnvironmentError} another agent has the name */
  async open() {
    const { name } = this.options;
    const isTaken = await this.nc
      .request(subjects.agent(name), encode({ type: 'clock' }), { timeout: ASK_MS })
      .then(() => true)
      .catch(() => false);
    if (isTaken) {
      throw new EnvironmentError(`--name ${name}: another agent of that name is connected; give each its own name`, {
        code: 'EAGENTNAME',
        data: { name },
      });
    }
    this.nc.subscribe(subjects.discover, { callback: (_, message) => void this.introduce(message) });
    this.nc.subscribe(subjects.agent(name), { callback: (_, message) => void this.answer(message) });
    await this.nc.flush();
    return this;
  }

  /** @param {import('@nats-io/transport-node').Msg} message */
  async introduce(message) {
    const { target } = decode(message.data);
    const { name, version, allow } = this.options;
    const host = await this.readHost(target ?? undefined);
    /** @type {Hello} */
    const hello = {
      version: PROTOCOL_VERSION,
      name,
      broadside: version,
      run: this.session?.run ?? null,
      allow: allow.texts,
      host,
    };
    message.respond(encode(hello));
  }

  /**
   * Who asks again before there is an answer gets the same one: with many sockets, the kernel takes seconds to list them.
   * @param {import('../../results/endpoint.js').Endpoint} [target]
   */
  readHost(target) {
    const key = JSON.stringify(target ?? null);
    const reading = this.readings.get(key) ?? this.options.readHost(target).finally(() => this.readings.delete(key));
    this.readings.set(key, reading);
    return reading;
  }

  /** @param {import('@nats-io/transport-node').Msg} message */
  answer(message) {
    /** @type {Request} */
    const request = decode(message.data);
    if (request.type === 'clock') message.respond(encode({ ns: this.clock() }));
    else if (request.type === 'reserve') message.respond(encode(this.reserve(request)));
    else if (request.type === 'release') {
      // only then: the stream is deleted next
      const over =
        this.session?.run === request.run ? this.session.end('the controller has ended it') : Promise.resolve();
      void over.then(() => message.respond(encode({ ok: true })));
    }
  }

  /**
   * @param {import('./messages.js').ReserveRequest} request
   * @returns {import('./messages.js').Reservation}
   */
  reserve({ version, run, targets }) {
    const { name, allow, logs, log, workerFile, deadlineMs } = this.options;
    if (version !== PROTOCOL_VERSION) {
      return refusal(
        'agent-version',
        { name, own: PROTOCOL_VERSION, asked: version },
        `agent ${name} speaks version ${PROTOCOL_VERSION} of the messages, the controller version ${version}; install the same Broadside on both`,
      );
    }
    if (this.closed || (this.session !== null && this.session.run !== run)) {
      return refusal(
        'agent-busy',
        { name, run: this.session?.run ?? null },
        `agent ${name} works for run ${this.session?.run}; wait until that has ended`,
      );
    }
    const refused = allow.refused(targets);
    if (refused.length > 0) {
      return refusal(
        'agent-refuses-target',
        { name, refused, allow: allow.texts },
        `agent ${name} may not connect to ${refused.join(', ')}; it permits ${allow.texts.join(', ')} (broadside agent --allow)`,
      );
    }
    if (this.session === null) {
      log(`run ${run}: reserved`);
      const folder = path.join(logs, token(run));
      const session = new AgentSession({
        nc: this.nc,
        run,
        name,
        folder,
        allow,
        deadlineMs,
        log,
        clock: this.clock,
        workerFile,
      });
      this.session = session.open();
      void session.over.then(() => {
        this.session = null;
      });
    }
    return { ok: true };
  }

  /** Ends what it works on. */
  async close() {
    this.closed = true;
    await this.session?.end('the agent is ended', this.options.deadlineMs);
    await this.nc.close();
  }
}

/** @param {string} code @param {Record<string, any>} data @param {string} text @returns {import('./messages.js').Reservation} */
const refusal = (code, data, text) => ({ ok: false, code, data, text });
