// The text of one exchange: the endpoint, the bytes sent and received, and the times.

import { escaped } from '../measure/quotes.js';
import { addressText } from '../words/endpoint.js';
import { count, duration } from '../words/format.js';
import { masked } from '../words/secrets.js';

/**
 * @import { Tapped, TappedBytes } from '../engine/index.js'
 * @import { NamedAddress } from '../scenario/keys/address.js'
 * @import { Secret } from '../words/secrets.js'
 */

/**
 * @param {string} sign before each line
 * @param {TappedBytes} bytes
 * @param {Secret[]} secrets
 * @returns {string[]} one for each line of the bytes
 */
function bytesLines(sign, { total, first }, secrets) {
  const isCut = total > first.length;
  const lines = masked(first, secrets, isCut).match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const more = isCut ? [`${sign} (the first ${count(first.length)} of ${count(total)} bytes)`] : [];
  return [...lines.map((line) => `${sign} ${escaped(line)}`), ...more];
}

/** @param {Tapped} tapped @returns {string[]} */
function connectionLines({ timesNs: { connect, secure, open }, tls }) {
  if (open === 0) return [];
  const tcpNs = (secure || open) - connect;
  const { version, cipher, subject, issuer, expires } = tls;
  const lines = [`open after ${duration(tcpNs)}`];
  if (version !== '') lines.push(`${version}, ${cipher}, after ${duration(open - secure)} more`);
  if (subject !== '') lines.push(`certificate: ${subject}; issuer: ${issuer}; until ${expires}`);
  return lines;
}

/**
 * @param {object} exchanged
 * @param {string} exchanged.endpoint that was connected to
 * @param {NamedAddress[]} [exchanged.named]
 * @param {Tapped | null} exchanged.tapped
 * @param {string} exchanged.protocol
 * @param {Error | null} exchanged.error null if the reply is complete and correct
 * @param {Secret[]} [secrets] masked in the text
 * @returns {string}
 */
export function exchangeText({ endpoint, named = [], tapped, protocol, error }, secrets = []) {
  const lines = [...named.map(addressText), `connecting to ${endpoint}`];
  if (tapped !== null) {
    const { sent, received, timesNs } = tapped;
    const since = (/** @type {number} */ ns) => duration(ns - timesNs.send);
    lines.push(...connectionLines(tapped));
    if (sent.total > 0) lines.push(`sent ${count(sent.total)} bytes:`, ...bytesLines('>', sent, secrets));
    if (received.total > 0) {
      const when =
        timesNs.send === 0 ? '' : `, the first after ${since(timesNs.first)}, the last after ${since(timesNs.last)}`;
      lines.push(`received ${count(received.total)} bytes${when}:`, ...bytesLines('<', received, secrets));
    } else if (sent.total > 0) lines.push('received nothing');
  }
  lines.push(error === null ? `the reply is complete (${protocol})` : error.message);
  return lines.join('\n');
}
