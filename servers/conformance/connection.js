// A client's connection: a plain socket, and no mercy for wrong bytes. The one thing to know: nothing is read unless
// somebody asks for it, so a client that never reads is one that is left alone.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { within } from './wait.js';

/**
 * @typedef {import('./protocols/index.js').Protocol} Protocol
 * @typedef {import('./protocols/index.js').Transfer} Transfer
 */

export class Connection {
  /**
   * @param {import('node:net').Socket} socket connected
   * @param {Protocol} protocol
   */
  constructor(socket, protocol) {
    this.socket = socket;
    this.protocol = protocol;
    this.localPort = Number(socket.localPort);
    /** Whether the protocol's greeting has been sent. */
    this.greeted = false;
    /** Whether it reads all that comes, and not only while somebody asks for it. */
    this.listening = false;
    /** @type {Buffer[]} what was read and not yet asked for */
    this.parts = [];
    this.got = 0;
    /** @type {() => void} called when more has come, or the end */
    this.onMore = () => {};
    /** @type {string | null} how the server has ended it, as far as it was read: FIN, or an error's code */
    this.endedBy = null;
    socket.pause();
    socket.on('data', (bytes) => {
      this.parts.push(bytes);
      this.got += bytes.length;
      this.onMore();
    });
    socket.on('end', () => {
      this.endedBy ??= 'FIN';
      this.onMore();
    });
    socket.on('close', () => this.onMore());
    // Resets are part of the game; who minds looks at `endedBy`.
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

  /** @returns {boolean} a port nobody listens on, inside the ephemeral range, can be connected to itself */
  isToItself() {
    return this.socket.localPort === this.socket.remotePort && this.socket.localAddress === this.socket.remoteAddress;
  }

  /** @param {Buffer} bytes */
  write(bytes) {
    return this.socket.write(bytes);
  }

  /**
   * Sends the protocol's greeting first, if it has not been.
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
   * One request and its whole reply.
   * @param {Transfer} [transfer]
   * @param {number} [patienceMs]
   */
  async exchange(transfer = this.protocol.transfer(), patienceMs) {
    const reply = this.reply(transfer, patienceMs); // reads while it sends: neither side can block the other
    this.send(transfer);
    await reply;
  }

  /**
   * Reads the whole reply to a transfer and holds it against what is expected. May be awaited later: a reply that is
   * wrong at once is told then.
   * @param {Transfer} transfer
   * @param {number} [patienceMs]
   * @returns {Promise<void>}
   */
  reply(transfer, patienceMs) {
    return toldLater(this.#readReply(transfer, patienceMs));
  }

  /** @param {Transfer} transfer @param {number} [patienceMs] */
  async #readReply(transfer, patienceMs) {
    const what = `the reply to ${transfer.what}`;
    await this.#readUntil(
      () => {
        if (this.hasReply(transfer)) return true;
        if (!this.ended) return false;
        const by = this.endedBy ?? 'at once';
        throw new assert.AssertionError({ message: `the server closed (${by}) after ${this.got} bytes of ${what}` });
      },
      what,
      patienceMs,
    );
    this.#drop(Number(this.protocol.take(this.rest, transfer)));
  }

  /**
   * @param {number} [patienceMs]
   * @returns {Promise<Buffer>} everything up to the end; `endedBy` tells how that came; may be awaited later
   */
  readToEnd(patienceMs) {
    return toldLater(this.#readRest(patienceMs));
  }

  /** @param {number} [patienceMs] */
  async #readRest(patienceMs) {
    await this.#readUntil(() => this.ended, 'the end of the stream', patienceMs);
    const bytes = this.rest;
    this.#drop(bytes.length);
    return bytes;
  }

  /** From now on reads all that comes, for `hasReply` and `ended`. */
  listen() {
    this.listening = true;
    this.socket.resume();
  }

  /** @param {Transfer} transfer @returns {boolean} whether what was read begins with its whole reply, which is right */
  hasReply(transfer) {
    return this.got >= transfer.least && this.protocol.take(this.rest, transfer) !== null;
  }

  /** @returns {boolean} whether the end has been read */
  get ended() {
    return this.endedBy !== null || this.socket.destroyed;
  }

  /** @returns {Buffer} what was read and not yet asked for */
  get rest() {
    if (this.parts.length !== 1) this.parts = [Buffer.concat(this.parts)];
    return this.parts[0];
  }

  /** @param {number} count of bytes that were asked for */
  #drop(count) {
    this.parts = [this.rest.subarray(count)];
    this.got -= count;
  }

  /**
   * @param {() => boolean} done throws when it cannot come to that any more
   * @param {string} what
   * @param {number} [patienceMs]
   */
  async #readUntil(done, what, patienceMs) {
    /** @type {Promise<void>} */
    const found = new Promise((resolve, reject) => {
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
      await within(found, () => `${what} (${this.got} bytes came)`, patienceMs);
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
  for (const each of connections) each.reset();
}

/** @param {Connection[]} connections */
export function destroy(connections) {
  for (const each of connections) each.destroy();
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>} the same, which may fail before anybody waits for it
 */
function toldLater(promise) {
  promise.catch(() => {});
  return promise;
}
