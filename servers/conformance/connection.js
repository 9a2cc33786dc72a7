// A client connection: a socket that compares every reply byte by byte. It reads only on request, so the connection of
// a client that never reads is simply not used.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { within } from './wait.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Protocol, Transfer } from './protocols/index.js'
 */

export class Connection {
  /**
   * @param {Socket} socket connected
   * @param {Protocol} protocol
   */
  constructor(socket, protocol) {
    this.socket = socket;
    this.protocol = protocol;
    this.localPort = Number(socket.localPort);
    /** Whether the protocol's greeting has been sent. */
    this.greeted = false;
    /** Whether it reads continuously, not only on request. */
    this.listening = false;
    /** @type {Buffer[]} bytes that were read and not yet consumed */
    this.parts = [];
    this.unconsumed = 0;
    /** @type {() => void} called when data or the end was received */
    this.onMore = () => {};
    /** @type {string | null} how the server has closed it: FIN, or an error's code; null: the end has not been read */
    this.endedBy = null;
    socket.pause();
    socket.on('data', (bytes) => {
      this.parts.push(bytes);
      this.unconsumed += bytes.length;
      this.onMore();
    });
    socket.on('end', () => {
      this.endedBy ??= 'FIN';
      this.onMore();
    });
    socket.on('close', () => this.onMore());
    // resets are expected; checks look at `endedBy`
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ { code }) => (this.endedBy ??= code ?? 'error'));
  }

  /**
   * @param {{host: string, port: number}} server
   * @param {Protocol} protocol
   */
  static async open({ host, port }, protocol) {
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true });
    try {
      await within(once(socket, 'connect'), 'a connection');
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return new Connection(socket, protocol);
  }

  /** @returns {boolean} without a listener, a port in the ephemeral range can be connected to itself */
  isToItself() {
    return this.socket.localPort === this.socket.remotePort && this.socket.localAddress === this.socket.remoteAddress;
  }

  /** @param {Buffer} bytes */
  write(bytes) {
    return this.socket.write(bytes);
  }

  /**
   * Sends a request, and before the first one the protocol's greeting.
   * @param {Transfer} transfer
   */
  send({ request }) {
    const greeting = this.greeted ? Buffer.alloc(0) : this.protocol.greeting;
    this.greeted = true;
    return this.write(greeting.length > 0 ? Buffer.concat([greeting, request]) : request);
  }

  /** @param {Buffer} [bytes] */
  shutdown(bytes) {
    if (bytes) this.socket.write(bytes);
    this.socket.end();
  }

  /**
   * Sends one request and reads its complete reply.
   * @param {Transfer} [transfer]
   * @param {number} [patienceMs]
   */
  async exchange(transfer = this.protocol.transfer(), patienceMs) {
    const reply = this.reply(transfer, patienceMs); // reads while sending, so that neither side can block the other
    this.send(transfer);
    await reply;
  }

  /**
   * Reads the complete reply to a transfer and compares it with the expected one. The promise may be awaited later; an
   * early error is reported then.
   * @param {Transfer} transfer
   * @param {number} [patienceMs]
   * @returns {Promise<void>}
   */
  reply(transfer, patienceMs) {
    return awaitableLater(this.#readReply(transfer, patienceMs));
  }

  /** @param {Transfer} transfer @param {number} [patienceMs] */
  async #readReply(transfer, patienceMs) {
    const what = `the reply to ${transfer.what}`;
    await this.#readUntil(
      () => {
        if (this.hasReply(transfer)) return true;
        if (!this.ended) return false;
        const by = this.endedBy ?? 'at once';
        throw new assert.AssertionError({
          message: `the server closed (${by}) after ${this.unconsumed} bytes of ${what}`,
        });
      },
      what,
      patienceMs,
    );
    this.#drop(Number(this.protocol.take(this.bytes, transfer)));
  }

  /**
   * @param {number} [patienceMs]
   * @returns {Promise<Buffer>} all bytes up to the end; `endedBy` tells how it ended; may be awaited later
   */
  readToEnd(patienceMs) {
    return awaitableLater(this.#readToEnd(patienceMs));
  }

  /** @param {number} [patienceMs] */
  async #readToEnd(patienceMs) {
    await this.#readUntil(() => this.ended, 'the end of the stream', patienceMs);
    const { bytes } = this;
    this.#drop(bytes.length);
    return bytes;
  }

  /** Reads continuously from now on, for `hasReply` and `ended`. */
  listen() {
    this.listening = true;
    this.socket.resume();
  }

  /** @param {Transfer} transfer @returns {boolean} whether the bytes begin with its complete, correct reply */
  hasReply(transfer) {
    return this.unconsumed >= transfer.minBytes && this.protocol.take(this.bytes, transfer) !== null;
  }

  /** @returns {boolean} whether the end of the connection has been read */
  get ended() {
    return this.endedBy !== null || this.socket.destroyed;
  }

  /** @returns {Buffer} bytes that were read and not yet consumed */
  get bytes() {
    if (this.parts.length !== 1) this.parts = [Buffer.concat(this.parts)];
    return this.parts[0];
  }

  /** @param {number} count of bytes that were consumed */
  #drop(count) {
    this.parts = [this.bytes.subarray(count)];
    this.unconsumed -= count;
  }

  /**
   * @param {() => boolean} done throws if it can no longer become true
   * @param {string} what
   * @param {number} [patienceMs]
   */
  async #readUntil(done, what, patienceMs) {
    /** @type {Promise<void>} */
    const finished = new Promise((resolve, reject) => {
      this.onMore = () => {
        try {
          if (done()) resolve();
        } catch (error) {
          reject(error);
        }
      };
      this.onMore();
      this.socket.resume();
    });
    try {
      await within(finished, () => `${what} (received ${this.unconsumed} bytes)`, patienceMs);
    } finally {
      this.onMore = () => {};
      if (!this.listening) this.socket.pause();
    }
  }

  reset() {
    this.socket.resetAndDestroy();
  }

  destroy() {
    this.socket.destroy();
  }
}

/** @param {Connection[]} connections */
export function reset(connections) {
  for (const connection of connections) connection.reset();
}

/** @param {Connection[]} connections */
export function destroy(connections) {
  for (const connection of connections) connection.destroy();
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>} the same promise, which may reject before it is awaited
 */
function awaitableLater(promise) {
  promise.catch(() => {});
  return promise;
}
