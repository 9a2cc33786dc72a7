// http, by node:http. Node emits pipelined requests all at once; they are queued here, so that the work of one is
// done before that of the next begins, and a malformed one is answered after those before it.

import { createServer } from 'node:http';

/**
 * @import { IncomingHttpHeaders, IncomingMessage as Request, Server, ServerResponse as Response } from 'node:http'
 * @import { Duplex } from 'node:stream'
 * @import { Perform } from './work.js'
 */

const PAGE = '<html><title>Broadside</title>Aye.</html>\n';
const HEAD_BYTES = 8 * 1024;
const ALLOWED = 'GET, HEAD, POST';
const PAGE_HEADERS = { 'Content-Type': 'text/html', 'Content-Length': PAGE.length };

/** @param {IncomingHttpHeaders} headers @returns {boolean} by Content-Length */
const hasBody = (headers) => !/^0*$/.test(headers['content-length'] ?? '');

/** @param {Request} request @returns {number} the status of its reply */
function statusOf({ httpVersion, method, headers, rawHeaders }) {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 505;
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return 400;
  if ('transfer-encoding' in headers) return 413;
  if (method === 'POST') return 200;
  if (hasBody(headers)) return 413;
  return method === 'GET' || method === 'HEAD' ? 200 : 405;
}

/** @param {Response} response @param {number} status */
function answer(response, status) {
  if (status === 200) {
    response.writeHead(200, PAGE_HEADERS).end(PAGE);
  } else {
    const allow = status === 405 ? { Allow: ALLOWED } : {};
    response.writeHead(status, { ...allow, 'Content-Length': 0, Connection: 'close' }).end();
  }
}

/** @param {string} line @returns {string} the reply to a request that Node cannot parse */
const refusal = (line) => `HTTP/1.1 ${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;

/**
 * @param {Perform | null} perform
 * @returns {Server}
 */
export function createHttpServer(perform) {
  /** @type {WeakMap<Duplex, Response>} the last reply that a connection is owed */
  const owed = new WeakMap();
  /**
   * @type {WeakMap<Duplex, {request: Request, before: Response | undefined}>} the last request with a body, and the
   *   reply owed before it
   */
  const posted = new WeakMap();
  /** @type {WeakMap<Duplex, {request: Request, response: Response}[]>} requests that wait for the work before them */
  const rows = new WeakMap();

  /** @param {Duplex} socket @param {() => void} then called once everything owed has been written */
  const afterOwed = (socket, then) => {
    const body = posted.get(socket);
    const last = body && !body.request.complete ? body.before : owed.get(socket); // an incomplete request is owed none
    if (last === undefined || last.writableFinished) then();
    else last.once('finish', then);
  };

  /** @param {Duplex} socket @param {{request: Request, response: Response}[]} row */
  const workOff = (socket, row) => {
    const { request, response } = row[0];
    perform?.(
      1,
      () => socket.destroyed,
      () => {
        answer(response, statusOf(request));
        row.shift();
        if (row.length > 0) setImmediate(workOff, socket, row);
        else socket.resume();
      },
    );
  };

  /** @param {Request} request @param {Response} response */
  const onRequest = (request, response) => {
    const { socket } = request;
    const isPosted = request.method === 'POST' && hasBody(request.headers) && statusOf(request) === 200;
    if (isPosted) posted.set(socket, { request, before: owed.get(socket) });
    owed.set(socket, response);
    if (isPosted) request.resume().on('end', () => respond(request, response));
    else respond(request, response);
  };

  /** A request that is complete. @param {Request} request @param {Response} response */
  const respond = (request, response) => {
    const { socket } = request;
    if (perform === null) {
      answer(response, statusOf(request));
      return;
    }
    const row = rows.get(socket) ?? [];
    rows.set(socket, row);
    if (row.push({ request, response }) > 1) return;
    socket.pause();
    workOff(socket, row);
  };

  const server = createServer({
    maxHeaderSize: HEAD_BYTES,
    keepAliveTimeout: 0,
    headersTimeout: 0,
    requestTimeout: 0,
    requireHostHeader: false,
  });
  Object.assign(server, { httpAllowHalfOpen: true }); // otherwise a half-closed client would lose its pending replies
  server.on('request', onRequest);
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (_request, socket) => {
    socket.on('error', () => {});
    afterOwed(socket, () => socket.end(refusal(`405 Method Not Allowed\r\nAllow: ${ALLOWED}`)));
  });
  server.on('clientError', (error, socket) => {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'HPE_CLOSED_CONNECTION') return; // bytes after a request with Connection: close
    const line = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    afterOwed(socket, () => {
      if (!socket.writable) return;
      if (code === 'HPE_INVALID_EOF_STATE')
        socket.end(); // the client has closed within a head: there is no request
      else socket.end(refusal(line), () => socket.destroy());
    });
  });
  return server;
}
