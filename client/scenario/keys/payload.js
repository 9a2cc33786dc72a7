// Key `payload`: the bytes of each request: a size, a range of sizes from which each request draws its own, or a file.

import { createHash } from 'node:crypto';
import { protocolOf } from '../../protocols/index.js';
import { parseSize } from '../../words/units.js';

/** @import { Written } from '../scenario.js' */

export const MAX_PAYLOAD_BYTES = 1024 ** 3;
/** Prefix of the path of a file whose bytes are the payload. */
const FILE = 'file:';
/** Between the sizes of a range. */
const TO = '-';
/** The size of a file that has not been read yet. */
const UNREAD_BYTES = 1;

/** @typedef {{path: string, sha256?: string}} PayloadFile  sha256: once it has been read */

/** @param {Pick<Written, 'payload'>} raw @returns {PayloadFile | null} null: the payload is made from the seed */
export const payloadFileOf = ({ payload }) => (payload?.startsWith(FILE) ? { path: payload.slice(FILE.length) } : null);

/** @param {string} payload valid by the schema, and no file @returns {number[]} the smallest and the largest size */
function sizesOf(payload) {
  const [smallest, largest = smallest] = payload.split(TO);
  return [parseSize(smallest), parseSize(largest)];
}

/**
 * @param {Pick<Written, 'payload'>} raw
 * @returns {number | null} the smallest size of a range; null: all requests have one size
 */
export const payloadMinBytesOf = ({ payload }) =>
  payload === undefined || payload.startsWith(FILE) || !payload.includes(TO) ? null : sizesOf(payload)[0];

/**
 * @param {Pick<Written, 'payload' | 'protocol'>} raw
 * @param {unknown} protocolOptions complete
 * @returns {number} the largest size; 0: the requests carry no payload
 */
export function payloadBytesOf({ protocol, payload }, protocolOptions) {
  const { hasPayload, sizes } = protocolOf(protocol);
  if (hasPayload?.(protocolOptions) === false) return 0;
  const size = () => (payload.startsWith(FILE) ? UNREAD_BYTES : sizesOf(payload)[1]);
  return Math.max(...(sizes?.(protocolOptions) ?? [size()]));
}

/** @param {Uint8Array} bytes of a file @returns {string} in hexadecimal */
export const checksum = (bytes) => createHash('sha256').update(bytes).digest('hex');
