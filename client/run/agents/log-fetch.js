// Copies transfer logs from agents to this host: in parts, a bounded number of them in flight, each asked for again
// until it comes. The one thing to know: a file gets its name only when its SHA-256 is the one that the agent has
// computed; until then it has the suffix `.partial`, and a later call resumes it.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError } from '../../errors.js';
import { decodeReport, encode } from './codec.js';
import { REFUSED } from './messages.js';
import { isCount, isText } from './shape.js';
import { subjects } from './subjects.js';

/**
 * @import { Answer, Broker } from './broker.js'
 * @import { LogPartRequest, LogState, Refusal, Request, WhichLog } from './messages.js'
 */

/** Of a file in one message, and how many of them are under way: 4 MiB of one file, whatever the number of agents. */
const PART_BYTES = 512 * 1024;
const PARTS_IN_FLIGHT = 8;
/** Of a message, for what is not the part itself. */
const HEADROOM_BYTES = 4096;
/** Until a question is asked again; an agent asked for the hash of a large file answers one of them. */
const ANSWER_MS = 5000;
const RETRY_MS = 200;
/**
 * How long a question is asked without an answer, and how long where no agent of that name was ever there to hear it.
 */
const PATIENCE_MS = 60_000;
const FIRST_PATIENCE_MS = 5000;

/**
 * @typedef {Pick<Broker, 'maxBytes' | 'request'>} Connection
 */

/** An agent that does not answer, or has not what is asked of it. */
export class LogRefusal extends EnvironmentError {
  /** @param {string} agent @param {Refusal} refusal */
  constructor(agent, { code, data, text }) {
    super(text, { code: 'EAGENTLOG', data: { ...data, agent, reason: code } });
  }

  /** @returns {string} its code */
  get reason() {
    return this.data.reason;
  }
}

export class LogFetch {
  /**
   * @param {Connection} broker
   * @param {{ firstPatienceMs?: number, patienceMs?: number, retryMs?: number }} [waits] firstPatienceMs: where no
   *   agent of the name was ever there
   */
  constructor(broker, { firstPatienceMs = FIRST_PATIENCE_MS, patienceMs = PATIENCE_MS, retryMs = RETRY_MS } = {}) {
    this.broker = broker;
    this.firstPatienceMs = firstPatienceMs;
    this.patienceMs = patienceMs;
    this.retryMs = retryMs;
    /** Parts that were asked for again. */
    this.repeated = 0;
    /** Names of agents that have answered. @type {Set<string>} */
    this.heard = new Set();
  }

  /**
   * @param {string} agent @param {WhichLog} which @param {number} [mostBytes] that the file can have
   * @returns {Promise<LogState>}
   * @throws {LogRefusal}
   */
  async describe(agent, which, mostBytes = Infinity) {
    const state = decodeReport((await this.ask(agent, { ...which, type: 'log' })).data);
    if (isCount(state?.bytes) && state.bytes <= mostBytes && /^[0-9a-f]{64}$/.test(state.sha256)) return state;
    const text = `agent ${agent}: what it says of ${which.leg}/${which.share} cannot be true`;
    throw new LogRefusal(agent, { ok: false, code: 'log-impossible', data: { name: agent }, text });
  }

  /**
   * Copies one log. One that has changed meanwhile, or of which an earlier call left something else, is copied anew
   * once.
   * @param {string} agent @param {WhichLog} which @param {LogState} state of it @param {string} target path of the copy
   * @throws {LogRefusal}
   */
  async copy(agent, which, state, target) {
    const partial = `${target}.partial`;
    for (let tries = 0; ; tries += 1) {
      if ((await this.complete(agent, which, state, partial)) === state.sha256) {
        await rename(partial, target);
        return;
      }
      await rm(partial, { force: true });
      if (tries > 0) {
        const text = `agent ${agent}: what came of ${which.leg}/${which.share} is not what it has (SHA-256); try again later`;
        throw new LogRefusal(agent, { ok: false, code: 'log-changed', data: { name: agent }, text });
      }
    }
  }

  /**
   * Appends to a part of a file what is missing.
   * @param {string} agent @param {WhichLog} which @param {LogState} state @param {string} partial path
   * @returns {Promise<string>} the SHA-256 of what is there then, in hexadecimal digits
   */
  async complete(agent, which, { bytes }, partial) {
    const there = (await stat(partial).catch(() => null))?.size ?? 0;
    let end = there > bytes ? 0 : there;
    const hash = createHash('sha256');
    if (end > 0) for await (const known of createReadStream(partial)) hash.update(known);
    const file = await open(partial, end === 0 ? 'w' : 'a');
    try {
      const size = this.partBytes();
      /** In their order. @type {Promise<Uint8Array>[]} */
      const parts = [];
      let asked = end;
      while (end < bytes) {
        while (asked < bytes && parts.length < PARTS_IN_FLIGHT) {
          const length = Math.min(size, bytes - asked);
          const part = this.part(agent, { ...which, type: 'log-part', from: asked, bytes: length });
          part.catch(() => {}); // it is reported when its turn comes
          parts.push(part);
          asked += length;
        }
        const whole = Math.min(size, bytes - end);
        const part = await /** @type {Promise<Uint8Array>} */ (parts.shift());
        if (part.length !== whole) break; // the file has changed, and so has its hash
        await file.appendFile(part);
        hash.update(part);
        end += whole;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return hash.digest('hex');
  }

  /** @returns {number} bytes of a part */
  partBytes() {
    return Math.max(1024, Math.min(PART_BYTES, this.broker.maxBytes - HEADROOM_BYTES));
  }

  /** @param {string} agent @param {LogPartRequest} request @returns {Promise<Uint8Array>} @throws {LogRefusal} */
  async part(agent, request) {
    return (await this.ask(agent, request)).data;
  }

  /**
   * Asks until an answer comes.
   * @param {string} agent @param {Request} request
   * @returns {Promise<Answer>}
   * @throws {LogRefusal} it was refused, or none came within the patience
   */
  async ask(agent, request) {
    const since = performance.now();
    for (;;) {
      try {
        const answer = await this.broker.request(subjects.agent(agent), encode(request), { timeout: ANSWER_MS });
        this.heard.add(agent);
        if (answer.headers?.has(REFUSED)) throw new LogRefusal(agent, asRefusal(answer.data));
        return answer;
      } catch (error) {
        if (error instanceof LogRefusal) throw error;
        const isAbsent = !this.heard.has(agent) && /** @type {any} */ (error).isNoResponders?.() === true;
        const patienceMs = isAbsent ? this.firstPatienceMs : this.patienceMs;
        if (performance.now() - since > patienceMs) {
          const text = `agent ${agent} does not answer (${/** @type {Error} */ (error).message}); is it running?`;
          throw new LogRefusal(agent, { ok: false, code: 'agent-silent', data: { name: agent }, text });
        }
        this.repeated += 1;
        await wait(this.retryMs); // the NATS server or the agent is away
      }
    }
  }
}

/** @param {Uint8Array} data of an answer that is marked as one @returns {Refusal} */
function asRefusal(data) {
  const { code, text } = decodeReport(data) ?? {};
  const isClear = isText(code) && isText(text);
  return { ok: false, data: {}, ...(isClear ? { code, text } : { code: 'log-unclear', text: 'it does not say why' }) };
}
