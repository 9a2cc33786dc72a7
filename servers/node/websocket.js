// websocket, by the npm package ws on node:http: every message is sent back. Messages of a connection are answered
// one after another, and nothing more is read while the work or the write of one is pending; messages that ws has
// already read are queued.

import { WebSocketServer } from 'ws';
import { createHttpServer } from './http.js';

/**
 * @import { Server } from 'node:http'
 * @import { RawData, WebSocket } from 'ws'
 * @import { Perform } from './work.js'
 */

/** @typedef {{content: RawData, binary: boolean}} Message */

/**
 * @param {WebSocket} socket
 * @param {Perform | null} perform
 */
function echo(socket, perform) {
  /** @type {Message[]} */
  const row = [];
  let busy = false;
  let turning = false;
  const gone = () => socket.readyState !== socket.OPEN;

  const free = () => {
    busy = false;
    goOn();
  };
  /** @param {Message} message */
  const answer = ({ content, binary }) => {
    let waits = false;
    socket.send(content, { binary }, () => {
      if (waits) free();
    });
    waits = socket.bufferedAmount > 0;
    if (!waits) free();
  };
  /** Answers queued messages until one has to wait; then pauses or resumes reading. */
  function goOn() {
    if (turning) return;
    turning = true;
    for (let next; !busy && !gone() && (next = row.shift()) !== undefined;) {
      const message = next;
      busy = true;
      if (perform === null) answer(message);
      else perform(1, gone, () => answer(message));
    }
    turning = false;
    if (busy !== socket.isPaused) socket[busy ? 'pause' : 'resume']();
  }

  socket.on('message', (content, binary) => {
    row.push({ content, binary });
    goOn();
  });
  socket.on('error', () => {}); // ws closes it; other connections are not affected
}

/**
 * @param {Perform | null} perform
 * @returns {Server} a request without an upgrade is answered as by http
 */
export function createWebsocketServer(perform) {
  const server = createHttpServer(null);
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, maxPayload: 0, clientTracking: false });
  sockets.on('connection', (socket, request) => {
    request.socket.setNoDelay(true);
    echo(socket, perform);
  });
  sockets.on('error', () => {}); // errors of the HTTP server, which server.js handles
  return server;
}
