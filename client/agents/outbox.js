// Sends entries in order through the stream of a run. Each batch has an id and is sent again until it is acknowledged;
// the NATS server drops repeated batches, so the other side reads each entry once.
import { setTimeout as wait } from 'node:timers/promises';
import { encode } from './codec.js';

/** @import { Broker } from './broker.js' */

const ACK_MS = 2000;
const RETRY_MS = 100;
/** The workers of a host report at nearly the same time: entries within this time go into one batch. */
const GATHER_MS = 10;
/** Share of the largest message for entries; the rest is for the commas. */
const SHARE_OF_PAYLOAD = 0.9;

export class Outbox {
  /**
   * @param {Pick<Broker, 'append' | 'maxBytes'>} broker @param {string} subject
   */
  constructor(broker, subject) {
    this.broker = broker;
    this.subject = subject;
    this.maxBytes = Math.floor(broker.maxBytes * SHARE_OF_PAYLOAD);
    /** Entries for the next batches. @type {string[]} */
    this.waiting = [];
    this.batches = 0;
    this.bytes = 0;
    /** When a batch was last acknowledged, or none was waiting for it. */
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
        await wait(RETRY_MS); // the server is away or slow; it drops a batch that it already has
      }
    }
  }

  /** @returns {number} ms since the last acknowledgement while entries wait; 0 if none waits */
  get overdueMs() {
    return this.sending ? performance.now() - this.acknowledgedAt : 0;
  }

  /** @returns {Promise<void>} resolves when all entries are acknowledged, or the outbox is closed */
  async settled() {
    if (!this.sending) return;
    await new Promise((/** @type {(value: void) => void} */ resolve) => this.listeners.push(resolve));
  }

  /** Stops sending. */
  close() {
    this.closed = true;
  }
}
