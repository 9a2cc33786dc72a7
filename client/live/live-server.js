// The web server of a live page: on the loopback address only, for those who know its URL. Node's own http, no framework.
// A request without the token in its path learns nothing, not even that it was almost right.

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { EnvironmentError } from '../errors.js';
import { EventStream } from './event-stream.js';

const ADDRESS = '127.0.0.1';
/** 128 bits, as text that needs no escape in a URL. */
const TOKEN_BYTES = 16;
/** Event streams, and what browsers open besides them. */
const MOST_SOCKETS = 64;
/** With any port, as a tunnel may have another; a name of somebody else that leads here is refused. */
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;
/** How long those who watch at the end may take to fetch the report. */
const FETCH_MS = 3000;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** @typedef {{ type: string, text: string }} Document */
/** @typedef {import('node:http').ServerResponse} Response */

/** Serves the documents of a page, its events, and at the end the report. */
export class LiveServer {
  /**
   * @param {Record<string, Document>} documents by the last part of their path; '' is the page
   * @param {(text: string, path: string) => string} [asServed] of the report: what is sent of the file
   */
  constructor(documents, asServed = (text) => text) {
    this.documents = documents;
    this.asServed = asServed;
    this.token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.stream = new EventStream();
    /** @type {string | null} */
    this.report = null;
    /** Readers that have not fetched the report yet. */
    this.expected = 0;
    /** @type {() => void} */
    this.onFetched = () => {};
    this.server = createServer((request, response) => this.answer(request, response));
    this.server.maxConnections = MOST_SOCKETS;
    this.server.headersTimeout = 5000;
    this.server.requestTimeout = 10_000;
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
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.server.address());
    return `http://${ADDRESS}:${port}/${this.token}/`;
  }

  /** @param {import('node:http').IncomingMessage} request @param {Response} response */
  answer(request, response) {
    if (!OWN_HOST.test(request.headers.host ?? '')) return refuse(response, 403, 'this host name is not served\n');
    const [path] = (request.url ?? '').split('?', 1);
    const [, token, name, ...rest] = path.split('/');
    if (!this.isToken(token) || rest.length > 0) return refuse(response, 404, 'not found\n');
    if (request.method !== 'GET') return refuse(response, 405, 'GET only\n', { Allow: 'GET' });
    if (name === undefined) return refuse(response, 308, '', { Location: `/${this.token}/` });
    if (name === 'events') return this.openStream(request, response);
    if (name === 'report' && this.report !== null) return void this.sendReport(this.report, response);
    if (!Object.hasOwn(this.documents, name)) return refuse(response, 404, 'not found\n');
    const { type, text } = this.documents[name];
    response.writeHead(200, { ...HEADERS, 'Content-Type': type, 'Content-Security-Policy': POLICY }).end(text);
  }

  /** @param {string | undefined} given */
  isToken(given = '') {
    const [own, other] = [Buffer.from(this.token), Buffer.from(given)];
    return own.length === other.length && timingSafeEqual(own, other);
  }

  /** @param {import('node:http').IncomingMessage} request @param {Response} response */
  openStream(request, response) {
    if (!this.stream.hasRoom) {
      return refuse(response, 503, `there are ${this.stream.mostReaders} readers already\n`, { 'Retry-After': '5' });
    }
    const last = Number(request.headers['last-event-id']);
    response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/event-stream; charset=utf-8' });
    response.flushHeaders();
    this.stream.join(response, Number.isSafeInteger(last) && last > 0 ? last : 0);
  }

  /** @param {string} path of the page @param {Response} response */
  async sendReport(path, response) {
    response.once('close', () => {
      this.expected -= 1;
      if (this.expected <= 0) this.onFetched();
    });
    try {
      const text = this.asServed(await readFile(path, 'utf8'), path);
      response.writeHead(200, { ...HEADERS, 'Content-Type': 'text/html; charset=utf-8' }).end(text);
    } catch {
      refuse(response, 404, 'not found\n');
    }
  }

  /**
   * The last event. Those who have the page open may fetch the report then.
   * @param {unknown} data @param {string | null} report file of its page; null: there is none
   */
  end(data, report) {
    this.report = report;
    this.expected = report === null ? 0 : this.stream.readers.size;
    this.stream.publish('end', data, { key: 'end' });
    this.stream.end();
  }

  /** Waits, a few seconds at most, until those who watched have the report; then nothing is served any more. */
  async close() {
    if (this.expected > 0) {
      /** @type {Promise<void>} */
      const fetched = new Promise((resolve) => {
        this.onFetched = resolve;
      });
      const patience = setTimeout(() => this.onFetched(), FETCH_MS);
      await fetched;
      clearTimeout(patience);
    }
    await new Promise((resolve) => {
      this.server.close(resolve);
      // answers that are complete but not yet written are not cut
      this.server.closeIdleConnections();
      setTimeout(() => this.server.closeAllConnections(), 200).unref();
    });
  }
}

/** @param {Response} response @param {number} status @param {string} text @param {Record<string, string>} [headers] */
function refuse(response, status, text, headers = {}) {
  response.writeHead(status, { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(text);
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
