// Protocol ace, client side: the header that announces the messages of a connection (servers/PROTOCOLS.md).

/** @import { LegFacts, Prepared, Protocol } from './index.js' */

const HEADER_BYTES = 8;
const LITTLE_ENDIAN = 1;
const NUMBER_AT = 4;
/** Announced if the number of messages is not known: more than any connection sends. */
const MAX_MESSAGES = 2 ** 32 - 1;

/**
 * @param {unknown} _options of protocol ace: none
 * @param {Pick<LegFacts, 'transfersPerConnection'>} leg
 * @returns {Prepared} bytes: the header
 */
function prepareAce(_options, { transfersPerConnection }) {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes[0] = LITTLE_ENDIAN;
  bytes.writeUInt32LE(transfersPerConnection ?? MAX_MESSAGES, NUMBER_AT);
  return { bytes, parameters: {} };
}

/** @type {Protocol<{}>} */
export const ace = {
  noun: 'transfer',
  emptyPayload: true,
  variesPayload: true,
  prepare: prepareAce,
};
