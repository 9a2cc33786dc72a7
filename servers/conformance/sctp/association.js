// The client side of an SCTP association, encapsulated in UDP (RFC 6951), as a stream of bytes: enough of RFC 9260 to
// check a server, and to be hostile to one. One path, one stream; the UDP port of the server is its SCTP port. It has
// the parts of net.Socket that connection.js uses. SCTP has no half-close: `end` ends the association once
// everything has been acknowledged, and the server can send nothing more.

import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import * as sctp from './packets.js';

const RETRY_MS = 300;
const FRAGMENT_BYTES = 1200;
const MAX_IN_FLIGHT = 64 * 1024;
const WINDOW_BYTES = 256 * 1024;
/** Of the UDP socket. */
const RECEIVE_BUFFER_BYTES = 1024 * 1024;

/** @param {number} a @param {number} b @returns {boolean} whether TSN a is after b */
const isAfter = (a, b) => a !== b && (a - b) >>> 0 < 0x80000000;
/** @param {number} tsn */
const next = (tsn) => (tsn + 1) >>> 0;
const random32 = () => randomInt(1, 2 ** 32 - 1);

/** @param {string} code @param {string} text */
const failure = (code, text) => Object.assign(new Error(text), { code });

/** @typedef {{tsn: number, chunk: sctp.Chunk}} Sent */

export class Association extends Duplex {
  /** @param {{host: string, port: number}} server */
  constructor({ host, port }) {
    super({ allowHalfOpen: true });
    this.remoteAddress = host;
    this.remotePort = port;
    this.localAddress = '';
    this.localPort = 0;
    this.socket = createSocket('udp4');
    /** Own tag, and the server's. */
    this.tag = random32();
    this.peerTag = 0;
    this.nextTsn = random32();
    this.sequence = 0;
    /** The last TSN that was received in order. */
    this.received = 0;
    /** Chunks that arrived out of order. @type {Map<number, Buffer>} */
    this.early = new Map();
    /** @type {Sent[]} sent or to be sent, not acknowledged */
    this.unacknowledged = [];
    /** How many of them have been sent. */
    this.inFlight = 0;
    this.peerWindow = 0;
    this.unread = 0;
    /** @type {'connecting' | 'open' | 'ending' | 'shutdown-sent' | 'shutdown-ack-sent' | 'closed'} */
    this.state = 'connecting';
    /** What is sent again until the server has answered. @type {sctp.Chunk[]} */
    this.repeated = [];
    this.timer = setInterval(() => this.#repeat(), RETRY_MS);
    /** @type {(() => void) | null} */
    this.onAcknowledged = null;
    this.socket.on('message', (bytes) => this.#receive(bytes));
    this.socket.on('error', (error) => this.destroy(error));
    this.socket.connect(port, host, () => {
      this.socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES); // a burst of packets must not be lost
      this.#begin();
    });
  }

  #begin() {
    ({ address: this.localAddress, port: this.localPort } = this.socket.address());
    this.repeated = [sctp.initChunk(this.tag, WINDOW_BYTES, this.nextTsn)];
    this.#repeat();
  }

  /** @param {...sctp.Chunk} chunks in one packet */
  transmit(...chunks) {
    const from = this.localPort;
    this.transmitRaw(sctp.encodePacket({ from, to: this.remotePort, tag: this.peerTag, chunks }));
  }

  /** @param {Buffer} packet */
  transmitRaw(packet) {
    if (this.state !== 'closed') this.socket.send(packet, () => {}); // an error is reported as an event
  }

  #repeat() {
    if (this.repeated.length > 0) this.transmit(...this.repeated);
    else if (this.inFlight > 0) this.#flush(0);
  }

  /** @param {Buffer} bytes */
  #receive(bytes) {
    const chunks = sctp.decodeChunks(bytes);
    if (chunks === null) return;
    let hasData = false;
    for (const chunk of chunks) {
      hasData ||= chunk.type === sctp.DATA;
      this.#hear(chunk);
    }
    if (hasData) this.#acknowledge();
  }

  /** @param {Required<sctp.Chunk>} chunk */
  #hear({ type, value }) {
    if (this.state === 'closed') return;
    if (type === sctp.INIT_ACK && this.peerTag === 0) {
      const { tag, window, tsn, cookie } = sctp.parseInitAck(value);
      this.peerTag = tag;
      this.peerWindow = window;
      this.received = (tsn - 1) >>> 0;
      this.repeated = [{ type: sctp.COOKIE_ECHO, value: cookie ?? Buffer.alloc(0) }];
      this.#repeat();
    } else if (type === sctp.COOKIE_ACK && this.state === 'connecting') {
      this.state = 'open';
      this.repeated = [];
      this.emit('connect');
    } else if (type === sctp.DATA) {
      this.#hearData(value);
    } else if (type === sctp.SACK) {
      this.#hearSack(value.readUInt32BE(0), value.readUInt32BE(4));
    } else if (type === sctp.HEARTBEAT) {
      this.transmit({ type: sctp.HEARTBEAT_ACK, value });
    } else if (type === sctp.ABORT) {
      this.#close(failure('ECONNRESET', 'the server has aborted the association'));
    } else if (type === sctp.SHUTDOWN) {
      this.#hearSack(value.readUInt32BE(0), this.peerWindow);
      if (this.state === 'open' || this.state === 'ending') this.state = 'shutdown-ack-sent';
      this.repeated = [{ type: sctp.SHUTDOWN_ACK }];
      this.#repeat();
    } else if (type === sctp.SHUTDOWN_ACK) {
      this.transmit({ type: sctp.SHUTDOWN_COMPLETE });
      this.#close();
    } else if (type === sctp.SHUTDOWN_COMPLETE) {
      this.#close();
    }
  }

  /** @param {Buffer} value of a DATA chunk */
  #hearData(value) {
    const tsn = value.readUInt32BE(0);
    if (!isAfter(tsn, this.received)) return;
    this.early.set(tsn, Buffer.from(value.subarray(12)));
    for (let at = next(this.received); this.early.has(at); at = next(at)) {
      const payload = /** @type {Buffer} */ (this.early.get(at));
      this.early.delete(at);
      this.received = at;
      this.unread += payload.length;
      this.push(payload);
    }
  }

  /** @returns {number} how much more it accepts */
  get window() {
    return Math.max(0, WINDOW_BYTES - this.readableLength);
  }

  #acknowledge() {
    this.transmit(sctp.sackChunk(this.received, this.window, this.early.keys()));
  }

  /** @param {number} tsn @param {number} window */
  #hearSack(tsn, window) {
    while (this.unacknowledged.length > 0 && !isAfter(this.unacknowledged[0].tsn, tsn)) {
      this.unacknowledged.shift();
      this.inFlight--;
    }
    this.inFlight = Math.max(0, this.inFlight);
    this.peerWindow = window;
    this.#flush(this.inFlight);
    if (this.unacknowledged.length === 0) {
      const done = this.onAcknowledged;
      this.onAcknowledged = null;
      done?.();
    }
  }

  /** Sends what the windows allow. @param {number} first index of the first chunk to send */
  #flush(first) {
    const allowed = Math.min(MAX_IN_FLIGHT, this.peerWindow) / FRAGMENT_BYTES;
    for (let i = first; i < this.unacknowledged.length && (i === 0 || i < allowed); i++) {
      this.transmit(this.unacknowledged[i].chunk);
      this.inFlight = Math.max(this.inFlight, i + 1);
    }
  }

  /**
   * Queues one message, or a part of one.
   * @param {Buffer} bytes
   * @param {{first?: boolean, last?: boolean}} [part] whether it begins and ends a message
   */
  queueMessage(bytes, { first = true, last = true } = {}) {
    for (let at = 0; at < bytes.length; at += FRAGMENT_BYTES) {
      const payload = bytes.subarray(at, at + FRAGMENT_BYTES);
      const isLast = last && at + FRAGMENT_BYTES >= bytes.length;
      const flags = (first && at === 0 ? sctp.FIRST : 0) | (isLast ? sctp.LAST : 0);
      const chunk = sctp.dataChunk({ tsn: this.nextTsn, sequence: this.sequence, flags, payload });
      this.unacknowledged.push({ tsn: this.nextTsn, chunk });
      this.nextTsn = next(this.nextTsn);
    }
    if (last && bytes.length > 0) this.sequence = (this.sequence + 1) & 0xffff;
    this.#flush(this.inFlight);
  }

  /** @override @param {Buffer} bytes @param {BufferEncoding} encoding @param {(error?: Error) => void} done */
  _write(bytes, encoding, done) {
    this.queueMessage(Buffer.from(bytes));
    this.onAcknowledged = done;
    if (this.unacknowledged.length === 0) this.#hearSack((this.nextTsn - 1) >>> 0, this.peerWindow);
  }

  /** @override */
  _read() {
    // The window has opened again.
    if (this.unread > WINDOW_BYTES / 2 && this.state === 'open') {
      this.unread = 0;
      this.#acknowledge();
    }
  }

  /** @override @param {(error?: Error) => void} done */
  _final(done) {
    if (this.state === 'open') {
      this.state = 'shutdown-sent';
      this.repeated = [{ type: sctp.SHUTDOWN, value: sctp.uint32(this.received) }];
      this.#repeat();
    }
    done();
  }

  /** @param {Error} [error] */
  #close(error) {
    if (this.state === 'closed') return;
    this.#release();
    if (error) this.destroy(error);
    else this.push(null);
  }

  #release() {
    this.state = 'closed';
    clearInterval(this.timer);
    try {
      this.socket.close();
    } catch {
      // It is closed already.
    }
  }

  /** Aborts the association. */
  resetAndDestroy() {
    if (this.peerTag !== 0) this.transmit({ type: sctp.ABORT });
    this.destroy();
  }

  /** @returns {Promise<void>} when all packets have been handed to the kernel */
  drained() {
    return new Promise((resolve) => this.socket.send(Buffer.alloc(0), () => resolve()));
  }

  /** Ends without a packet: the server hears nothing more from it. */
  vanish() {
    this.#release();
    super.destroy();
  }

  /** @override @param {Error | null} error @param {(error?: Error | null) => void} done */
  _destroy(error, done) {
    if (this.state !== 'closed') {
      if (this.state === 'open' && this.peerTag !== 0) this.transmit({ type: sctp.ABORT });
      this.socket.once('close', () => {});
      setImmediate(() => this.#release()); // after the packet
      clearInterval(this.timer);
    }
    done(error);
  }

  /**
   * @param {{host: string, port: number}} server
   * @returns {Promise<Association>} rejects with what ended the attempt; ends when the caller destroys it
   */
  static async open(server) {
    const association = new Association(server);
    await once(association, 'connect');
    return association;
  }
}
