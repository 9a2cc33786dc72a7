// The web server of a live page: on the loopback address only, for those who know its URL. Node's own http, no
// framework. A request without the token in its path learns nothing, not even that it was almost right. While somebody
// reads, the page is made again and again; each reader gets its latest state, as fast as it takes it.

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
/** 128 bits, as text that needs no escape in a URL. */
const TOKEN_BYTES = 16;
/** More readers are refused. */
const MOST_READERS = 8;
/** Their streams, and what browsers open besides them. */
const MOST_SOCKETS = 64;
/** For a whole request, which has no body; and how often those are looked for that took longer. */
const [HEAD_MS, LOOK_MS] = [4000, 1000];
/** With any port, as a tunnel may have another; a name of somebody else that leads here is refused. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
/** After a broken connection a browser waits this long. */
const RETRY_MS = 1000;
/** From a state of the page to the next. */
const PAUSE_MS = 1000;
/** The pause is this many times as long as it took to make the page: what is measured needs the processors. */
const PAUSES_PER_MAKING = 4;
/** For readers to take the last state, and then for pages to be sent. */
const [LAST_MS, CLOSE_MS] = [3000, 200];

const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "frame-ancestors 'none'", // the page itself has the rest
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/**
 * @typedef {{ page: () => Promise<string>, body: (end?: { page: string | null }) => Promise<string> }} LivePage  body:
 *   what of the page changes
 * @typedef {{ sent: string, isBlocked: boolean }} Reader  sent: the last state; isBlocked: it takes no more now
 */

/** @param {string} event @param {string} body @returns {string} a server-sent event */
const eventOf = (event, body) => `event: ${event}\ndata: ${JSON.stringify(body)}\n\n`;

/** Serves a page of which there is a new state every second. */
export class LiveServer {
  /** @param {LivePage} live */
  constructor(live) {
    this.live = live;
    this.token = randomBytes(TOKEN_BYTES).toString('base64url');
    /** @type {Map<Response, Reader>} */
    this.readers = new Map();
    this.mostReaders = MOST_READERS;
    /** The event with the latest state; empty: none was made. */
    this.latest = '';
    this.hasEnded = false;
    /** @type {Promise<void> | null} */
    this.making = null;
    this.ending = new AbortController();
    // who sends no whole request keeps no place from others; Node itself looks for them every 30 s
    const limits = { headersTimeout: HEAD_MS, requestTimeout: HEAD_MS, connectionsCheckingInterval: LOOK_MS };
    this.server = createServer(limits, (request, response) => this.answer(request, response));
    this.server.maxConnections = MOST_SOCKETS;
  }

  /**
   * @param {number} port 0: a free one
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

  /** The one way in. */
  get url() {
    const { port } = /** @type {AddressInfo} */ (this.server.address());
    return `http://${ADDRESS}:${port}/${this.token}/`;
  }

  /** @param {IncomingMessage} request @param {Response} response */
  answer(request, response) {
    if (!OWN_HOST.test(request.headers.host ?? '')) return refuse(response, 403, 'this host name is not served\n');
    const [path] = (request.url ?? '').split('?', 1);
    const [, token, name, ...rest] = path.split('/');
    if (!this.isToken(token) || rest.length > 0) return refuse(response, 404, 'not found\n');
    if (request.method !== 'GET') return refuse(response, 405, 'GET only\n', { Allow: 'GET' });
    if (name === undefined) return refuse(response, 308, '', { Location: `/${this.token}/` });
    if (name === 'events') return this.join(response);
    if (name === '') return void this.sendPage(response);
    return refuse(response, 404, 'not found\n');
  }

  /** @param {string | undefined} given */
  isToken(given = '') {
    const [own, other] = [Buffer.from(this.token), Buffer.from(given)];
    return own.length === other.length && timingSafeEqual(own, other);
  }

  /** @param {Response} response */
  async sendPage(response) {
    const text = await this.live.page();
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }).end(text);
  }

  /** @param {Response} response of one more reader */
  join(response) {
    if (this.readers.size >= this.mostReaders) {
      return refuse(response, 503, `there are ${this.mostReaders} readers already\n`, { 'Retry-After': '5' });
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
    this.making ??= this.makeAgain().finally(() => (this.making = null));
  }

  /** As long as somebody reads, and the run has not ended. */
  async makeAgain() {
    const { signal } = this.ending;
    while (this.readers.size > 0 && !signal.aborted) {
      const begun = performance.now();
      this.publish(eventOf('page', await this.live.body()));
      const pauseMs = Math.max(PAUSE_MS, PAUSES_PER_MAKING * (performance.now() - begun));
      await wait(pauseMs, null, { signal }).catch(() => {});
    }
  }

  /** @param {string} event the latest state */
  publish(event) {
    this.latest = event;
    for (const [response, reader] of this.readers) this.send(response, reader);
  }

  /**
   * Writes the latest state if the reader takes it now, and does not have it.
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
   * Sends the last state to those who read, and serves nothing any more.
   * @param {{ page: string | null }} end of the run
   */
  async close(end) {
    this.ending.abort();
    await this.making;
    if (this.readers.size > 0) {
      const last = eventOf('end', await this.live.body(end));
      const taken = Promise.all([...this.readers.keys()].map((response) => once(response, 'close')));
      this.hasEnded = true;
      this.publish(last);
      await Promise.race([taken, wait(LAST_MS, null, { ref: false })]);
    }
    // a browser keeps connections that it does not use
    const closed = once(this.server.close(), 'close');
    await Promise.race([closed, wait(CLOSE_MS, null, { ref: false })]);
    this.server.closeAllConnections();
  }
}

/**
 * Who is refused keeps no connection.
 * @param {Response} response @param {number} status @param {string} text @param {Record<string, string>} [headers]
 */
function refuse(response, status, text, headers = {}) {
  const own = { Connection: 'close', 'Content-Type': 'text/plain; charset=utf-8' };
  response.writeHead(status, { ...HEADERS, ...own, ...headers }).end(text);
}

/** @param {NodeJS.ErrnoException} error @param {number} port @returns {EnvironmentError} */
function listenError({ code, message }, port) {
  const why =
    code === 'EADDRINUSE'
      ? 'is already in use'
      : code === 'EACCES'
        ? 'needs privileges that this user does not have'
        : `cannot be listened on: ${message}`;
  return new EnvironmentError(`--live: port ${port} ${why}; give another one, or none for a free one`, {
    code: 'ELIVE',
    data: { option: 'live', port, errno: code },
  });
}
