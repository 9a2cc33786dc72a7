// The message broker between controllers and agents, a NATS server: messages to subscribers, requests, and streams that
// keep batches until they are read. Tests have a broker on a virtual clock (test/fixtures/simulated-broker.js).
import { createInbox } from '@nats-io/transport-node';
import { DeliverPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';

/**
 * @import { JetStreamManager } from '@nats-io/jetstream'
 * @import { NatsConnection } from '@nats-io/transport-node'
 */

/** How long a stream keeps batches, and remembers the ids of messages. */
const KEEP_NS = 7 * 24 * 3600e9;
const DUPLICATES_NS = 120e9;
const PULL_MS = 5000;
/** Largest message by default. */
const MAX_BYTES = 2 ** 20;

/**
 * @typedef {{ data: Uint8Array, respond: (data: Uint8Array) => unknown }} Message
 * @typedef {{ data: Uint8Array }} Answer
 * @typedef {{ seq: number, data: Uint8Array, subject: string }} Batch  seq: its place in the stream, from 1
 * @typedef {AsyncIterable<Batch> & { stop: () => void }} Reader  ends when it is stopped, or the stream can no longer
 *   be read
 * @typedef {Omit<NatsBroker, 'nc' | 'jsm' | 'js'>} Broker
 */

/**
 * The connection's protocol object, which the types of the NATS client leave out.
 * @param {NatsConnection} nc
 * @returns {{ connected: boolean, transport: { discard: () => void } }}
 */
const protocolOf = (nc) => Reflect.get(nc, 'protocol');

export class NatsBroker {
  /** @param {NatsConnection} nc @param {JetStreamManager} jsm */
  constructor(nc, jsm) {
    this.nc = nc;
    this.jsm = jsm;
    this.js = jsm.jetstream();
  }

  /** The NATS server, as host:port. */
  get server() {
    return this.nc.getServer();
  }

  /** Largest message. */
  get maxBytes() {
    return this.nc.info?.max_payload ?? MAX_BYTES;
  }

  /** Whether messages can arrive now. @returns {boolean} */
  get isConnected() {
    return protocolOf(this.nc).connected;
  }

  get isClosed() {
    return this.nc.isClosed();
  }

  /** @returns {Promise<unknown>} resolves when it is closed, from either side */
  closed() {
    return this.nc.closed();
  }

  /**
   * @param {string} subject
   * @param {Uint8Array} [data]
   * @param {{ reply?: string }} [options] reply: subject that answers go to
   */
  publish(subject, data, options) {
    this.nc.publish(subject, data, options);
  }

  /** @param {string} subject @param {(message: Message) => void} take @returns {() => void} unsubscribes */
  subscribe(subject, take) {
    const subscription = this.nc.subscribe(subject, { callback: (_, message) => take(message) });
    return () => subscription.unsubscribe();
  }

  /** @returns {string} a new subject for answers */
  answerSubject() {
    return createInbox();
  }

  /**
   * @param {string} subject
   * @param {Uint8Array} data
   * @param {{ timeout: number }} options ms
   * @returns {Promise<Answer>}
   */
  request(subject, data, options) {
    return this.nc.request(subject, data, options);
  }

  /** @param {() => void} act called at each reconnection @returns {() => void} removes it */
  onReconnect(act) {
    let hasEnded = false;
    const follow = async () => {
      for await (const { type } of this.nc.status()) {
        if (hasEnded) return;
        if (type === 'reconnect') act();
      }
    };
    void follow();
    return () => void (hasEnded = true);
  }

  /** @returns {Promise<void>} resolves when the server has received all publications and subscriptions */
  flush() {
    return this.nc.flush();
  }

  /** @returns {Promise<void>} */
  async close() {
    await this.nc.close();
    // close() leaves a connection that is being opened, which would keep this process alive if the server is silent
    protocolOf(this.nc).transport.discard();
  }

  /** @param {string} name @param {string[]} subjects that it takes */
  async makeStream(name, subjects) {
    await this.jsm.streams.add({
      ...{ name, subjects, storage: StorageType.File, retention: RetentionPolicy.Limits },
      ...{ max_age: KEEP_NS, duplicate_window: DUPLICATES_NS },
    });
  }

  /** @param {string} name @param {string[]} subjects that it takes from now on */
  async changeStream(name, subjects) {
    await this.jsm.streams.update(name, { subjects });
  }

  /** @param {string} name @throws {Error} when there is no such stream, or no answer */
  async checkStream(name) {
    await this.jsm.streams.info(name);
  }

  /** @param {string} name */
  async deleteStream(name) {
    await this.jsm.streams.delete(name);
  }

  /**
   * @param {string} subject that a stream takes @param {Uint8Array} data
   * @param {{ id: string, timeout: number }} options id: the stream drops a second batch with this id; timeout: ms
   * @returns {Promise<unknown>} resolves when the stream has stored the batch
   */
  append(subject, data, { id, timeout }) {
    return this.js.publish(subject, data, { msgID: id, timeout });
  }

  /**
   * @param {string} name of the stream @param {string} subject of the batches, may contain `*`
   * @param {number} fromSequence
   * @returns {Promise<Reader>}
   */
  async read(name, subject, fromSequence) {
    const consumer = await this.js.consumers.get(name, {
      ...{ filter_subjects: subject, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: fromSequence },
    });
    return consumer.consume({ expires: PULL_MS });
  }
}
