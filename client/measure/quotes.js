// Quotes of the server: the first bytes that it sent when it ended a connection, or as an error reply. An engine
// reports the first quote of each kind and state; over all engines and seconds, the first one counts.

/** @import { Quote as ShownQuote, Sample } from '../../config/types.js' */

/**
 * @typedef {'reset' | 'closed' | 'timeout' | 'corrupt' | 'protocol' | 'other' | 'greeting' | '4xx' | '5xx' | 'error' |
 *   'wrong-status' | 'wrong-body' | 'redirect'} QuoteKind an error of an open connection, a reject of an attempt, or
 *   the kind of a whole reply; the quote of a redirect is its target
 * @typedef {'opening' | 'idle' | 'busy'} QuoteState  of the connection when the bytes came: its hello was in progress,
 *   it awaited no reply, or it awaited a reply
 * @typedef {{ kind: QuoteKind, state: QuoteState, atNs: number, bytes: string }} Quote  as the engine reports it; atNs:
 *   since the leg's start; bytes: one character each, at most QUOTE_BYTES
 */

/** @type {readonly QuoteKind[]} */
export const QUOTE_KINDS = [
  'reset',
  'closed',
  'timeout',
  'corrupt',
  'protocol',
  'other',
  'greeting',
  '4xx',
  '5xx',
  'error',
  'wrong-status',
  'wrong-body',
  'redirect',
];
/** @type {readonly QuoteState[]} */
export const QUOTE_STATES = ['opening', 'idle', 'busy'];

/** The most bytes that the engine keeps. */
export const QUOTE_BYTES = 128;

/** @type {Record<string, string>} */
const ESCAPES = { '\r': '\\r', '\n': '\\n', '\t': '\\t', '\\': '\\\\' };

/** @param {string} bytes one character each @returns {string} the same in printable ASCII, such as `\r` and `\x1b` */
export const escaped = (bytes) =>
  bytes.replace(/[^ -[\]-~]/g, (byte) => ESCAPES[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** @param {Quote} quote @returns {ShownQuote} text: ends with dots if there may have been more */
export const toShownQuote = ({ kind, state, atNs, bytes }) => ({
  ...{ kind, state, atNs },
  text: escaped(bytes) + (bytes.length < QUOTE_BYTES ? '' : '...'),
});

/**
 * @template {{ kind: string, state: string, atNs: number }} T
 * @param {T[]} quotes @returns {T[]} the first of each kind and state, in the order of time
 */
export function firstQuotes(quotes) {
  /** @type {Map<string, T>} */
  const first = new Map();
  for (const quote of [...quotes].sort((a, b) => a.atNs - b.atNs)) {
    const key = `${quote.kind} ${quote.state}`;
    if (!first.has(key)) first.set(key, quote);
  }
  return [...first.values()];
}

/** @param {Sample[]} samples @returns {ShownQuote[] | undefined} undefined without any */
export function quotesOf(samples) {
  const quotes = firstQuotes(samples.flatMap((sample) => sample.quotes ?? []));
  return quotes.length > 0 ? quotes : undefined;
}
