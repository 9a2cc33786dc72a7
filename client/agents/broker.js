// The place where controllers and agents publish and receive: messages to whoever listens, requests, and streams that
// keep what is appended until it is read. Here NATS; tests have one on a virtual clock
// (test/fixtures/simulated-broker.js).
import { createInbox } from '@nats-io/transport-node';
import { DeliverPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';

/**
 * @import { JetStreamManager } from '@nats-io/jetstream'
 * @import { NatsConnection } from '@nats-io/transport-node'
 */

/** For how long a stream keeps what nobody has collected, and knows the ids of messages. */
const KEEP_NS = 7 * 24 * 3600e9;
const DUPLICATES_NS = 120e9;
const PULL_MS = 5000;
/** Of a message, by default. */
const MAX_BYTES = 2 ** 20;

/**
 * @typedef {{ data: Uint8Array, respond: (data: Uint8Array) => unknown }} Message
 * @typedef {{ data: Uint8Array }} Answer
 * @typedef {{ seq: number, data: Uint8Array, subject: string }} Batch  seq: its place in the stream, from 1
 * @typedef {AsyncIterable<Batch> & { stop: () => void }} Reader  ends when it is stopped, or the stream cannot be read
 *   any more
 * @typedef {Omit<NatsBroker, 'nc' | 'jsm' | 'js'>} Broker
 */

/**
 * What a connection is made by, which the types of the NATS client leave out.
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

  /** The server it is connected to, as host:port. */
  get server() {
    return this.nc.getServer();
  }

  /** Of a message. */
  get maxBytes() {
    return this.nc.info?.max_payload ?? MAX_BYTES;
  }

  /** Whether something can be heard now. @returns {boolean} */
  get isConnected() {
    return protocolOf(this.nc).connected;
  }

  get isClosed() {
    return this.nc.isClosed();
  }

  /** @returns {Promise<unknown>} when it is closed, from either side */
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

  /** @param {string} subject @param {(message: Message) => void} take @returns {() => void} ends it */
  subscribe(subject, take) {
    const subscription = this.nc.subscribe(subject, { callback: (_, message) => take(message) });
    return () => subscription.unsubscribe();
  }

  /** @returns {string} a subject of its own, that answers go to */
  ownSubject() {
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

  /** @param {() => void} act whenever it is connected again @returns {() => void} ends it */
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

  /** @returns {Promise<void>} when the server has taken what was published and subscribed */
  flush() {
    return this.nc.flush();
  }

  /** @returns {Promise<void>} */
  async close() {
    await this.nc.close();
    // which leaves a connection that was being opened, and a server that does not answer would keep this process
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

  /** @param {string} name @throws {Error} there is none, or no answer */
  async checkStream(name) {
    await this.jsm.streams.info(name);
  }

  /** @param {string} name */
  async deleteStream(name) {
    await this.jsm.streams.delete(name);
  }

  /**
   * @param {string} subject that a stream takes @param {Uint8Array} data
   * @param {{ id: string, timeout: number }} options id: what is appended again under it is dropped; timeout: ms
   * @returns {Promise<unknown>} when it is kept
   */
  append(subject, data, { id, timeout }) {
    return this.js.publish(subject, data, { msgID: id, timeout });
  }

  /**
   * @param {string} name of the stream @param {string} subject of what is read, also `*` @param {number} fromSequence
   * @returns {Promise<Reader>}
   */
  async read(name, subject, fromSequence) {
    const consumer = await this.js.consumers.get(name, {
      ...{ filter_subjects: subject, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: fromSequence },
    });
    return consumer.consume({ expires: PULL_MS });
  }
}
