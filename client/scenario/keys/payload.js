// Key `payload`: the bytes of each request: a size, a range of sizes from which each request draws its own, or a file.
// Pure.

import { protocolOf, protocolsThatVary } from '../../protocols/index.js';
import { parseSize, writeSize } from '../../results/units.js';
import { mistake, writtenText } from '../mistakes.js';

/** Of a request of volley. */
const WORD_BYTES = 4;
export const MAX_PAYLOAD_BYTES = 1024 ** 3;
/** Before the path of a file whose bytes are the payload. */
const FILE = 'file:';
/** Between the sizes of a range. */
const TO = '-';
/** Until the file has been read. */
const UNREAD_BYTES = 1;

/** @typedef {{path: string, sha256?: string}} PayloadFile  sha256: once it has been read */

/** @param {any} raw valid by the schema @returns {PayloadFile | null} null: the payload is made from the seed */
export const payloadFileOf = ({ payload }) => (payload?.startsWith(FILE) ? { path: payload.slice(FILE.length) } : null);

/** @param {string} payload valid by the schema, and no file @returns {number[]} the least and the largest size */
function sizesOf(payload) {
  const [least, largest = least] = payload.split(TO);
  return [parseSize(least), parseSize(largest)];
}

/** @param {any} raw valid by the schema @returns {number | null} the least size of a range; null: each request has the same */
export const payloadMinBytesOf = ({ payload }) =>
  payload === undefined || payload.startsWith(FILE) || !payload.includes(TO) ? null : sizesOf(payload)[0];

/**
 * @param {any} raw valid by the schema
 * @param {any} protocolOptions complete
 * @returns {number} the largest of a range; 0: the requests carry no payload
 */
export function payloadBytesOf({ protocol, payload }, protocolOptions) {
  const { hasPayload, sizes } = protocolOf(protocol);
  if (hasPayload?.(protocolOptions) === false) return 0;
  const size = () => (payload.startsWith(FILE) ? UNREAD_BYTES : sizesOf(payload)[1]);
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
  if (scenario.payloadMinBytes !== null) return rangeMistakes(scenario, where, String(payload));
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

/**
 * @param {import('../scenario.js').Scenario} scenario whose payload is a range
 * @param {import('../mistakes.js').Where} where
 * @param {string} payload as it was written
 * @returns {import('../mistakes.js').Mistake[]}
 */
function rangeMistakes({ protocol, payloadBytes, payloadMinBytes }, where, payload) {
  const least = Number(payloadMinBytes);
  const { variedPayloadMost, emptyPayload } = protocolOf(protocol);
  const [code, data, why] =
    variedPayloadMost === undefined
      ? [
          'payload-cannot-vary',
          { protocol },
          `is a range, but every request of ${protocol} has the same size; give one size, or a protocol whose ` +
            `requests may vary: ${protocolsThatVary.join(', ')}`,
        ]
      : !Number.isInteger(least) || !Number.isInteger(payloadBytes)
        ? ['not-whole-bytes', {}, 'has a size that is not whole bytes']
        : least >= payloadBytes
          ? ['range-empty', {}, 'is no range; give the smaller size first, such as 1B-64KiB']
          : least < 1 && !emptyPayload
            ? ['out-of-range', { min: 1 }, 'begins too low; a payload has at least 1B']
            : payloadBytes > variedPayloadMost
              ? ['out-of-range', { max: variedPayloadMost }, `ends too high; at most ${writeSize(variedPayloadMost)}`]
              : [null, {}, ''];
  return code === null ? [] : [mistake(where, code, 'payload', { value: payload, ...data }, `${payload} ${why}`)];
}
