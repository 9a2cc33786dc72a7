// The protocols that the probe speaks, byte by byte; the text of them is servers/PROTOCOLS.md. The one thing to know: a
// check asks a protocol for transfers and never knows what they look like, so most checks serve all protocols.

import { readFileSync } from 'node:fs';
import { ace } from './ace.js';
import { echo } from './echo.js';
import { http } from './http.js';
import { volley } from './volley.js';

/**
 * @typedef {object} Transfer one request, or several that are sent together, and what must come back
 * @property {string} what for messages
 * @property {Buffer} request
 * @property {number} replies how many
 * @property {number} least bytes that the replies have together
 * @property {Buffer} [reply] where its content is fixed
 * @property {Expected[]} [expected] http: each reply, in order
 *
 * @typedef {{status: number, connection: string, exactly?: boolean}} Expected exactly: no other 4xx or 5xx instead
 *
 * @typedef {object} Vector
 * @property {string} name
 * @property {string[]} send pieces, hexadecimal
 * @property {string} [receive] hexadecimal
 * @property {Expected[]} [replies] http
 * @property {boolean} [closes] the server closes of itself
 *
 * @typedef {object} Protocol
 * @property {string} name
 * @property {Buffer} greeting what a connection that stays open begins with, before its first request
 * @property {Buffer} half the beginning of a request, and no more
 * @property {number[]} sizes of transfers that are worth trying, in bytes of the request
 * @property {number} bulk bytes of a burst that fills buffers
 * @property {(size?: number) => Transfer} transfer one request of about that size, random
 * @property {(size: number) => Transfer} burst as many short requests as make about that size
 * @property {(bytes: Buffer, transfer: Transfer) => number | null} take how many bytes its replies take; null while
 *   they are not all there; throws AssertionError when they are wrong
 * @property {(bytes: Buffer, vector: Vector, exactly: boolean) => void} judge all that came back for a vector
 */

/** @type {Protocol[]} */
const PROTOCOLS = [echo, volley, ace, http];

/** The names of those that it speaks. */
export const probedProtocols = PROTOCOLS.map(({ name }) => name);

/**
 * @param {string} name
 * @returns {Protocol}
 */
export function protocolNamed(name) {
  const found = PROTOCOLS.find((each) => each.name === name);
  if (!found) throw new Error(`no protocol "${name}"; known: ${PROTOCOLS.map((each) => each.name).join(', ')}`);
  return found;
}

/**
 * @param {Protocol} protocol
 * @returns {Vector[]} the golden vectors
 */
export function vectorsOf({ name }) {
  const path = new URL(`../vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')).vectors;
}
