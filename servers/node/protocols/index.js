// The protocols by name: bytes in, bytes out. http and websocket are implemented by node:http and ws instead.

import { ace } from './ace.js';
import { echo } from './echo.js';
import { volley } from './volley.js';

/**
 * @typedef {object} Answer
 * @property {Buffer} reply may be empty
 * @property {number} requests that were completed by these bytes
 * @property {'more' | 'close' | 'stop'} then read on, close the connection, or end the server
 */

/**
 * Answers the bytes of one connection; may keep and modify them.
 * @typedef {(bytes: Buffer) => Answer} Codec
 */

/** @type {Record<string, (options: {volleyStop: boolean}) => Codec>} one codec a connection */
export const codecs = { echo, volley, ace };

export const protocolNames = [...Object.keys(codecs), 'http', 'websocket'];
