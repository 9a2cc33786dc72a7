// The web server of a live page, on the loopback address only. The path of its URL has a secret token, which is
// compared in constant time. While there are readers, the page is built repeatedly; each reader gets the latest
// version, as fast as it reads.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError } from '../errors.js';

/**
 * @import { IncomingMessage, ServerResponse as Response } from 'node:http'
 * @import { AddressInfo } from 'node:net'
 */

const ADDRESS = '127.0.0.1';
/** 128 bits; the token is their base64url text, which needs no escape in a URL. */
const TOKEN_BYTES = 16;
/** More readers are refused. */
const MAX_READERS = 8;
/** Limit of connections: the readers' streams, and the other connections of browsers. */
const MAX_SOCKETS = 64;
/** Time limit of a whole request, and the interval of checks for it. */
const [REQUEST_MS, CHECK_MS] = [4000, 1000];
/** Accepted Host headers, with any port, since a tunnel may have another. Any other may be DNS rebinding. */
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
/** Time that a browser waits after a broken connection. */
const RETRY_MS = 1000;
/** Shortest pause between two versions of the page. */
const PAUSE_MS = 1000;
/** The pause is at least this multiple of the time to build the page, to leave the processors to the measurement. */
const PAUSES_PER_BUILD = 4;
/** Time limits at the end: for readers to read the last version, and for pages to be sent. */
const [LAST_MS, CLOSE_MS] = [3000, 200];

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'", // the page has the other directives
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * @typedef {{ page: () => Promise<string>, body: (end?: { page: string | null }) => Promise<string> }} LivePage  body:
 *   the changing part of the page
 * @typedef {{ sent: string, isBlocked: boolean }} Reader  sent: the last event sent; isBlocked: its buffer is full
 */

/** @param {string} event @param {string} body @returns {string} a server-sent event */
const eventOf = (event, body) => `event: ${event}\ndata: ${JSON.stringify(body)}\n\n`;

/** Serves a page, with a new version about every second. */
export class LiveServer {
  /** @param {LivePage} live */
  constructor(live) {
    this.live = live;
    this.token = randomBytes(TOKEN_BYTES).toString('base64url');
    /** @type {Map<Response, Reader>} */
    this.readers = new Map();
    this.maxReaders = MAX_READERS;
    /** The event with the latest version; '' before the first. */
    this.latest = '';
    this.hasEnded = false;
    /** @type {Promise<void> | null} */
    this.building = null;
    this.ending = new AbortController();
    // Incomplete requests must not occupy connections; Node's default interval of checks is 30 s.
    const limits = { headersTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, connectionsCheckingInterval: CHECK_MS };
    this.server = createServer(limits, (request, response) => this.answer(request, response));
    this.server.maxConnections = MAX_SOCKETS;
  }

  /**
   * @param {number} port 0 for a free port
   * @returns {Promise<string>} the URL
   * @throws {EnvironmentError}
   */
  async listen(port) {
    await new Promise((resolve, reject) => {
      this.server.once('error', (/** @type {NodeJS.ErrnoException} */ error) => reject(listenError(error, port)));
      this.server.listen({ host: ADDRESS, port }, () => resolve(undefined));
    });
    this.server.on('error', () => {});
    return this.url;
  }

  /** The URL with the token. */
  get url() {
    const { port } = /** @type {AddressInfo} */ (this.server.address());
    return `http://${ADDRESS}:${port}/${this.token}/`;
  }

  /** @param {IncomingMessage} request @param {Response} response */
  answer(request, response) {
    if (!LOCAL_HOST.test(request.headers.host ?? '')) return refuse(response, 403, 'this host name is not served\n');
    const [path] = (request.url ?? '').split('?', 1);
    const [, token, name, ...surplus] = path.split('/');
    if (!this.isToken(token) || surplus.length > 0) return refuse(response, 404, 'not found\n');
    if (request.method !== 'GET') return refuse(response, 405, 'GET only\n', { Allow: 'GET' });
    if (name === undefined) return refuse(response, 308, '', { Location: `/${this.token}/` });
    if (name === 'events') return this.join(response);
    if (name === '') return void this.sendPage(response);
    return refuse(response, 404, 'not found\n');
  }

  /** @param {string | undefined} text from a path @returns {boolean} */
  isToken(text = '') {
    const [expected, received] = [Buffer.from(this.token), Buffer.from(text)];
    return expected.length === received.length && timingSafeEqual(expected, received);
  }

  /** @param {Response} response */
  async sendPage(response) {
    const text = await this.live.page();
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }).end(text);
  }

  /** Adds a reader. @param {Response} response */
  join(response) {
    if (this.readers.size >= this.maxReaders) {
      return refuse(response, 503, `there are ${this.maxReaders} readers already\n`, { 'Retry-After': '5' });
    }
    /** @type {Reader} */
    const reader = { sent: '', isBlocked: false };
    this.readers.set(response, reader);
    response.on('close', () => this.readers.delete(response));
    response.on('drain', () => {
      reader.isBlocked = false;
      this.send(response, reader);
    });
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
    reader.isBlocked = !response.write(`retry: ${RETRY_MS}\n\n`);
    this.send(response, reader);
    this.building ??= this.buildRepeatedly().finally(() => (this.building = null));
  }

  /** Builds and sends new versions while there are readers and the run has not ended. */
  async buildRepeatedly() {
    const { signal } = this.ending;
    while (this.readers.size > 0 && !signal.aborted) {
      const begun = performance.now();
      this.publish(eventOf('page', await this.live.body()));
      const pauseMs = Math.max(PAUSE_MS, PAUSES_PER_BUILD * (performance.now() - begun));
      await wait(pauseMs, null, { signal }).catch(() => {});
    }
  }

  /** @param {string} event with the latest version */
  publish(event) {
    this.latest = event;
    for (const [response, reader] of this.readers) this.send(response, reader);
  }

  /**
   * Sends the latest version, unless the reader has it or its buffer is full.
   * @param {Response} response
   * @param {Reader} reader
   */
  send(response, reader) {
    if (reader.isBlocked) return;
    if (reader.sent !== this.latest) {
      reader.sent = this.latest;
      reader.isBlocked = !response.write(this.latest);
    }
    if (this.hasEnded && !reader.isBlocked) response.end();
  }

  /**
   * Sends the last version to the readers, then closes the server.
   * @param {{ page: string | null }} end of the run
   */
  async close(end) {
    this.ending.abort();
    await this.building;
    if (this.readers.size > 0) {
      const last = eventOf('end', await this.live.body(end));
      const allClosed = Promise.all([...this.readers.keys()].map((response) => once(response, 'close')));
      this.hasEnded = true;
      this.publish(last);
      await Promise.race([allClosed, wait(LAST_MS, null, { ref: false })]);
    }
    // Browsers keep idle connections open.
    const closed = once(this.server.close(), 'close');
    await Promise.race([closed, wait(CLOSE_MS, null, { ref: false })]);
    this.server.closeAllConnections();
  }
}

/**
 * Refuses a request and closes its connection.
 * @param {Response} response @param {number} status @param {string} text @param {Record<string, string>} [headers]
 */
function refuse(response, status, text, headers = {}) {
  const defaults = { Connection: 'close', 'Content-Type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...HEADERS, ...defaults, ...headers }).end(text);
}

/** @param {NodeJS.ErrnoException} error @param {number} port @returns {EnvironmentError} */
function listenError({ code, message }, port) {
  const why =
    code === 'EADDRINUSE'
      ? 'is already in use'
      : code === 'EACCES'
        ? 'needs privileges that this user does not have'
        : `cannot be listened on: ${message}`;
  return new EnvironmentError(`--live: port ${port} ${why}; give another port, or none for a free one`, {
    code: 'ELIVE',
    data: { option: 'live', port, errno: code },
  });
}
