// A client's connection: a plain socket, and no mercy for wrong bytes. The one thing to know: nothing is read unless
// somebody asks for it, so a client that never reads is one that is left alone.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PATIENCE_MS, within } from './wait.js';

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
    /** @type {Buffer} what was read beyond what was asked for */
    this.rest = Buffer.alloc(0);
    /** @type {string | null} how the server has ended it, as far as it was read: FIN, or an error's code */
    this.endedBy = null;
    socket.on('end', () => (this.endedBy ??= 'FIN'));
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
  async exchange(transfer = this.protocol.transfer(), patienceMs = PATIENCE_MS) {
    const reply = this.reply(transfer, patienceMs); // reads while it sends: neither side can block the other
    this.send(transfer);
    await reply;
  }

  /**
   * Reads the whole reply to a transfer and holds it against what is expected.
   * @param {Transfer} transfer
   * @param {number} [patienceMs]
   */
  async reply(transfer, patienceMs = PATIENCE_MS) {
    const what = `the reply to ${transfer.what}`;
    const [bytes, length] = await this.#readUntil((so_far) => this.protocol.take(so_far, transfer), what,
      patienceMs, transfer.least);
    this.rest = bytes.subarray(length);
  }

  /**
   * @param {number} [patienceMs]
   * @returns {Promise<Buffer>} everything up to the end; `endedBy` tells how that came
   */
  async readToEnd(patienceMs = PATIENCE_MS) {
    const what = 'the end of the stream';
    const [bytes] = await this.#readUntil(() => null, what, patienceMs, Infinity, true);
    this.rest = Buffer.alloc(0);
    return bytes;
  }

  /** From now on reads all that comes into `rest`, for whoever looks at it there. */
  listen() {
    this.socket.on('data', (bytes) => (this.rest = Buffer.concat([this.rest, bytes]))).resume();
  }

  get ended() {
    return this.endedBy !== null || this.socket.destroyed;
  }

  /**
   * @param {(bytes: Buffer) => number | null} whole how many bytes it takes; null: not all of it is there
   * @param {string} what
   * @param {number} patienceMs
   * @param {number} least no need to look before so many are there
   * @param {boolean} [untilEnd]
   * @returns {Promise<[Buffer, number]>}
   */
  #readUntil(whole, what, patienceMs, least, untilEnd = false) {
    const { socket } = this;
    let parts = [this.rest];
    let got = this.rest.length;
    this.rest = Buffer.alloc(0);
    /** @type {() => void} */
    let stop = () => {};
    /** @type {Promise<[Buffer, number]>} */
    const found = new Promise((resolve, reject) => {
      const look = () => {
        if (got < least) return;
        const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
        parts = [bytes];
        try {
          const length = whole(bytes);
          if (length === null) return;
          stop();
          resolve([bytes, length]);
        } catch (error) {
          stop();
          reject(error);
        }
      };
      const onData = (/** @type {Buffer} */ bytes) => {
        parts.push(bytes);
        got += bytes.length;
        look();
      };
      const onEnd = () => {
        stop();
        if (untilEnd) resolve([Buffer.concat(parts), got]);
        else reject(closed(what, got, this.endedBy));
      };
      stop = () => socket.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
      look();
      if (this.ended) onEnd();
      else socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
    });
    return within(found, () => `${what} (${got} bytes came)`, patienceMs).finally(stop);
  }

  reset() {
    this.socket.resetAndDestroy();
  }

  destroy() {
    this.socket.destroy();
  }
}

/** @param {string} what @param {number} got @param {string | null} by */
function closed(what, got, by) {
  return new assert.AssertionError({ message: `the server closed (${by ?? 'at once'}) after ${got} bytes of ${what}` });
}

/** @param {Connection[]} connections */
export function reset(connections) {
  for (const each of connections) each.reset();
}

/** @param {Connection[]} connections */
export function destroy(connections) {
  for (const each of connections) each.destroy();
}
