// Reads the batches of a run's stream in order, each once. After a lost connection it continues after the last batch
// that it handed out.
import { setTimeout as wait } from 'node:timers/promises';
import { decode } from './codec.js';

/** @import { Batch, Broker, Reader } from './broker.js' */

const RETRY_MS = 100;

export class Inbox {
  /**
   * @param {Broker} broker @param {string} stream
   * @param {string} subject  of the batches to read
   * @param {{ onEntry: (entry: unknown, subject: string) => void, onUnreadable: (why: string, subject: string) => void,
   *   onBatch?: (bytes: number, subject: string) => boolean, decode?: (bytes: Uint8Array) => unknown }} handlers
   *   onUnreadable: a batch or one of its entries cannot be read or handled; the rest of the batch is skipped;
   *   onBatch: whether to read the batch
   */
  constructor(broker, stream, subject, { onEntry, onUnreadable, onBatch = () => true, decode: read = decode }) {
    this.broker = broker;
    this.stream = stream;
    this.subject = subject;
    this.onEntry = onEntry;
    this.onUnreadable = onUnreadable;
    this.onBatch = onBatch;
    this.decode = read;
    /** Place of the last batch in the stream. */
    this.sequence = 0;
    this.messages = 0;
    this.bytes = 0;
    this.closed = false;
    /** @type {Reader | null} */
    this.reader = null;
    /** Stops listening for reconnections. */
    this.endFollowing = () => {};
    /** @type {Promise<void>} */
    this.done = Promise.resolve();
  }

  /** Begins to read. @returns {this} */
  open() {
    this.done = this.readAll();
    this.endFollowing = this.broker.onReconnect(() => this.reader?.stop());
    return this;
  }

  async readAll() {
    while (!this.closed && !this.broker.isClosed) {
      try {
        await this.read();
      } catch {
        // the server is away; the next reader begins where this one ended
      }
      if (!this.closed) await wait(RETRY_MS);
    }
  }

  async read() {
    const reader = await this.broker.read(this.stream, this.subject, this.sequence + 1);
    this.reader = reader;
    if (this.closed) reader.stop();
    for await (const message of reader) {
      if (this.closed) return;
      if (message.seq > this.sequence) this.handOut(message);
    }
  }

  /** @param {Batch} batch */
  handOut({ seq, data, subject }) {
    this.sequence = seq;
    this.messages += 1;
    this.bytes += data.length;
    if (!this.onBatch(data.length, subject)) return;
    try {
      const entries = this.decode(data);
      if (!Array.isArray(entries)) throw new TypeError('a batch is not a list');
      for (const entry of entries) this.onEntry(entry, subject);
    } catch (error) {
      this.onUnreadable(/** @type {Error} */ (error).message, subject);
    }
  }

  async close() {
    this.closed = true;
    this.endFollowing();
    this.reader?.stop();
    await this.done;
  }
}
