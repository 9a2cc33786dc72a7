// Key `payload`: the bytes of each request. Pure.

import { protocolOf } from '../../protocols/index.js';
import { parseSize, writeSize } from '../../results/units.js';
import { mistake, writtenText } from '../mistakes.js';

/** Of a request of volley. */
const WORD_BYTES = 4;
export const MAX_PAYLOAD_BYTES = 1024 ** 3;
/** Before the path of a file whose bytes are the payload. */
const FILE = 'file:';
/** Until the file has been read. */
const UNREAD_BYTES = 1;

/** @typedef {{path: string, sha256?: string}} PayloadFile  sha256: once it has been read */

/** @param {any} raw valid by the schema @returns {PayloadFile | null} null: the payload is made from the seed */
export const payloadFileOf = ({ payload }) => (payload?.startsWith(FILE) ? { path: payload.slice(FILE.length) } : null);

/**
 * @param {any} raw valid by the schema
 * @param {any} protocolOptions complete
 * @returns {number} 0: the requests carry no payload
 */
export function payloadBytesOf({ protocol, payload }, protocolOptions) {
  const { hasPayload, sizes } = protocolOf(protocol);
  if (hasPayload?.(protocolOptions) === false) return 0;
  const size = () => (payload.startsWith(FILE) ? UNREAD_BYTES : parseSize(payload));
  return Math.max(...(sizes?.(protocolOptions) ?? [size()]));
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {unknown} raw as it was written
 * @returns {import('../mistakes.js').Mistake[]}
 */
export function payloadMistakes(scenario, where, raw) {
  const { protocol, protocolOptions, payloadBytes, payloadFile } = scenario;
  const payload = writtenText(raw, 'payload');
  if (protocolOf(protocol).sizes?.(protocolOptions)) {
    // each size has been checked under its own key
    return payload === undefined
      ? []
      : [
          mistake(
            where,
            'payload-set-by-protocol',
            'payload',
            { payload, protocol },
            `${payload}, but the options of ${protocol} set the size; leave payload out`,
          ),
        ];
  }
  if (protocolOf(protocol).hasPayload?.(protocolOptions) === false) {
    return payload === undefined
      ? []
      : [
          mistake(
            where,
            'payload-not-sent',
            'payload',
            { payload, protocol },
            `${payload}, but such a request of ${protocol} carries none; leave payload out`,
          ),
        ];
  }
  const mistakes = [];
  if (!Number.isInteger(payloadBytes))
    mistakes.push(
      mistake(
        where,
        'not-whole-bytes',
        'payload',
        { value: payloadBytes },
        `${payloadBytes} bytes are not whole bytes`,
      ),
    );
  else if (payloadBytes < 1 && !protocolOf(protocol).emptyPayload)
    mistakes.push(
      mistake(where, 'out-of-range', 'payload', { value: payloadBytes, min: 1 }, 'a payload has at least 1B'),
    );
  else if (payloadBytes > MAX_PAYLOAD_BYTES) {
    mistakes.push(
      mistake(
        where,
        'out-of-range',
        'payload',
        { value: payloadBytes, max: MAX_PAYLOAD_BYTES },
        `${writeSize(payloadBytes)} is too large; at most ${writeSize(MAX_PAYLOAD_BYTES)}`,
      ),
    );
  }
  if (protocol === 'volley' && payloadFile !== null) {
    mistakes.push(
      mistake(
        where,
        'payload-fixed-by-protocol',
        'payload',
        { value: payload, protocol, bytes: WORD_BYTES },
        `${payload}, but a request of volley is a word that its client draws; leave payload out`,
      ),
    );
  } else if (protocol === 'volley' && payloadBytes !== WORD_BYTES) {
    mistakes.push(
      mistake(
        where,
        'payload-fixed-by-protocol',
        'payload',
        { value: payloadBytes, protocol, bytes: WORD_BYTES },
        `${writeSize(payloadBytes)}, but a request of volley always has ${WORD_BYTES} bytes; ` +
          `leave payload out, or give ${where('payload').startsWith('--') ? '' : 'another protocol or '}--payload ${WORD_BYTES}B`,
      ),
    );
  }
  return mistakes;
}
