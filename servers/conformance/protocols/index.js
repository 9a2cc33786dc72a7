// The protocols that the checks can speak, written from servers/PROTOCOLS.md. A check obtains its transfers from a
// protocol and does not depend on their format, so most checks work with all protocols.

import { readFileSync } from 'node:fs';
import { ace } from './ace.js';
import { echo } from './echo.js';
import { http } from './http.js';
import { volley } from './volley.js';

/**
 * @typedef {object} Transfer one request, or several that are sent together, and the expected reply
 * @property {string} what for messages
 * @property {Buffer} request
 * @property {number} replies number of replies
 * @property {number} minBytes minimum length of all replies together
 * @property {Buffer} [reply] content of all replies, if it is fixed
 * @property {Expected[]} [expected] http: each reply, in order
 *
 * @typedef {{status: number, connection: string, head?: boolean, exactly?: boolean}} Expected head: whether it has no
 *   body; exactly: whether another 4xx or 5xx status is refused
 *
 * @typedef {object} Vector
 * @property {string} name
 * @property {string[]} send pieces, hexadecimal
 * @property {string} [receive] hexadecimal
 * @property {Expected[]} [replies] http
 * @property {boolean} [closes] whether the server closes first
 * @property {string} [needs] an option; the vector is only for servers whose manifest has it
 *
 * @typedef {object} Protocol
 * @property {string} name
 * @property {Buffer} greeting sent before the first request of a connection that stays open
 * @property {Buffer} half an incomplete request
 * @property {number[]} sizes request sizes to test, in bytes
 * @property {number} bulk size of a burst that fills buffers
 * @property {(size?: number) => Transfer} transfer one random request of about this size
 * @property {(size: number) => Transfer} burst short requests that together have about this size
 * @property {(bytes: Buffer, transfer: Transfer) => number | null} take returns the length of the transfer's replies;
 *   null: they are incomplete; throws AssertionError if they are wrong
 * @property {(bytes: Buffer, vector: Vector, exactly: boolean) => void} judge judges all bytes received for a vector
 */

/** @type {Protocol[]} */
const PROTOCOLS = [echo, volley, ace, http];

/** The names of the protocols that the checks can speak. */
export const checkedProtocols = PROTOCOLS.map(({ name }) => name);

/**
 * @param {string} name
 * @returns {Protocol}
 */
export function protocolNamed(name) {
  const protocol = PROTOCOLS.find((candidate) => candidate.name === name);
  if (!protocol) throw new Error(`unknown protocol "${name}"; known: ${checkedProtocols.join(', ')}`);
  return protocol;
}

/**
 * @param {Protocol} protocol
 * @returns {Vector[]} the wire vectors
 */
export function vectorsOf({ name }) {
  const path = new URL(`../vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')).vectors;
}

/**
 * @param {Transfer[]} transfers
 * @returns {Transfer} all of them, sent at once
 */
export function together(transfers) {
  return {
    what: transfers.map(({ what }) => what).join(', '),
    request: Buffer.concat(transfers.map(({ request }) => request)),
    replies: transfers.reduce((sum, { replies }) => sum + replies, 0),
    minBytes: transfers.reduce((sum, { minBytes }) => sum + minBytes, 0),
    reply: Buffer.concat(transfers.map(({ reply }) => reply ?? Buffer.alloc(0))),
    expected: transfers.flatMap(({ expected }) => expected ?? []),
  };
}
