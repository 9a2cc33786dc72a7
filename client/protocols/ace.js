// Protocol ace, client side: the header that announces the messages of a connection (servers/PROTOCOLS.md). Pure.

/** @import { LegFacts, Prepared, Protocol } from './index.js' */

const HEADER_BYTES = 8;
const LITTLE_ENDIAN = 1;
const NUMBER_AT = 4;
/** Announced where the number is not known: the server then waits for more when the connection ends. */
const MOST_MESSAGES = 2 ** 32 - 1;

/**
 * @param {unknown} _options it has none
 * @param {Pick<LegFacts, 'transfersPerConnection'>} leg
 * @returns {Prepared} bytes: the header
 */
function prepareAce(_options, { transfersPerConnection }) {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes[0] = LITTLE_ENDIAN;
  bytes.writeUInt32LE(transfersPerConnection ?? MOST_MESSAGES, NUMBER_AT);
  return { bytes, parameters: {} };
}

/** @type {Protocol<{}>} */
export const ace = {
  noun: 'transfer',
  emptyPayload: true,
  variesPayload: true,
  prepare: prepareAce,
};
