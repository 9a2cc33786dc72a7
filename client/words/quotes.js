// What the server said where that ended a connection or was an error reply: its first bytes, so that they can be shown. Pure.

/**
 * @typedef {'reset' | 'closed' | 'timeout' | 'corrupt' | 'protocol' | 'other' | 'greeting' | '4xx' | '5xx' | 'error'} QuoteKind
 *   an error of an open connection, a reject of an attempt, or the kind of a whole reply
 * @typedef {'opening' | 'idle' | 'busy'} QuoteState  the connection when the bytes came: its hello was in progress, it awaited no
 *   reply, or it awaited one
 * @typedef {{ kind: QuoteKind, state: QuoteState, atNs: number, bytes: string }} Quote  the first of its kind and state;
 *   atNs: since the leg's start; bytes: one character each, at most 64
 */

/** @type {readonly QuoteKind[]} */
export const QUOTE_KINDS = ['reset', 'closed', 'timeout', 'corrupt', 'protocol', 'other', 'greeting', '4xx', '5xx', 'error'];
/** @type {readonly QuoteState[]} */
export const QUOTE_STATES = ['opening', 'idle', 'busy'];

/** The engine keeps as many. */
export const QUOTE_BYTES = 64;

/** @type {Record<string, string>} */
const ESCAPES = { '\r': '\\r', '\n': '\\n', '\t': '\\t', '\\': '\\\\' };

/** @param {string} bytes one character each @returns {string} the same in printable ASCII: `\r`, `\x1b` */
export const escaped = (bytes) =>
  bytes.replace(/[^ -[\]-~]/g, (byte) => ESCAPES[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
