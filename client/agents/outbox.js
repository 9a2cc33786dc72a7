// What one side of a run has to say to the other, in order, through the stream of the run: each batch has an id, and is
// sent again until it is acknowledged. A batch that arrives twice is dropped by the server, so that the other side
// reads each entry once.
import { setTimeout as wait } from 'node:timers/promises';
import { encode } from './codec.js';

/** @import { Broker } from './broker.js' */

const ACK_MS = 2000;
const RETRY_MS = 100;
/** The workers of a host report at nearly the same time: what is said within this time goes into one batch. */
const GATHER_MS = 10;
/** Of the largest message, with room for the commas. */
const SHARE_OF_PAYLOAD = 0.9;

export class Outbox {
  /**
   * @param {Pick<Broker, 'append' | 'maxBytes'>} broker @param {string} subject
   */
  constructor(broker, subject) {
    this.broker = broker;
    this.subject = subject;
    this.maxBytes = Math.floor(broker.maxBytes * SHARE_OF_PAYLOAD);
    /** Not yet in a batch. @type {string[]} */
    this.waiting = [];
    this.batches = 0;
    this.bytes = 0;
    /** When something was acknowledged last, or nothing was left to be. */
    this.acknowledgedAt = performance.now();
    this.sending = false;
    this.closed = false;
    /** @type {(() => void)[]} */
    this.listeners = [];
  }

  /** @param {unknown} entry */
  add(entry) {
    if (this.closed) return;
    if (!this.sending && this.waiting.length === 0) this.acknowledgedAt = performance.now();
    this.waiting.push(Buffer.from(encode(entry)).toString());
    if (!this.sending) void this.send();
  }

  async send() {
    this.sending = true;
    await wait(GATHER_MS);
    while (this.waiting.length > 0 && !this.closed) await this.deliver(this.nextBatch());
    this.sending = false;
    for (const listener of this.listeners.splice(0)) listener();
  }

  /** @returns {Uint8Array} as many entries as fit, at least one */
  nextBatch() {
    let bytes = 2;
    let count = 0;
    for (const entry of this.waiting) {
      bytes += Buffer.byteLength(entry) + 1;
      if (count > 0 && bytes > this.maxBytes) break;
      count += 1;
    }
    return Buffer.from(`[${this.waiting.splice(0, count).join(',')}]`);
  }

  /** @param {Uint8Array} batch */
  async deliver(batch) {
    this.batches += 1;
    const id = `${this.subject}.${this.batches}`;
    while (!this.closed) {
      try {
        await this.broker.append(this.subject, batch, { id, timeout: ACK_MS });
        this.acknowledgedAt = performance.now();
        this.bytes += batch.length;
        return;
      } catch {
        await wait(RETRY_MS); // the server is away or slow; it will know the id of what it has already
      }
    }
  }

  /** @returns {number} ms for which something has waited to be acknowledged */
  get overdueMs() {
    return this.sending ? performance.now() - this.acknowledgedAt : 0;
  }

  /** @returns {Promise<void>} when everything that was said is acknowledged, or it is closed */
  async settled() {
    if (!this.sending) return;
    await new Promise((/** @type {(value: void) => void} */ resolve) => this.listeners.push(resolve));
  }

  /** Says nothing more. */
  close() {
    this.closed = true;
  }
}
