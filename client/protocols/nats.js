// Messages of NATS, made once for all transfers of a leg. Pure.
// The one thing to know: each connection subscribes to one subject, which ends with 16 random digits that the engine
// draws; what it publishes comes back there.

/**
 * @typedef {object} NatsOptions
 * @property {'publish' | 'request'} mode
 * @property {string} subject publish: of which each connection has one of its own; request: the service's
 */

const CONNECT = { verbose: false, pedantic: false, tls_required: false, name: 'broadside', lang: 'c', version: '1',
  protocol: 1, headers: true, no_responders: true };
const MOST_VARIANTS = 16;
/** All variants of the payload together, but for a large one. */
const VARIANTS_BYTES = 1024 * 1024;

/** @param {Uint8Array} payload @returns {Buffer[]} length, payload and line end: rotated, so that they differ */
function variantsOf(payload) {
  const { length } = payload;
  const count = Math.max(1, Math.min(MOST_VARIANTS, length, Math.floor(VARIANTS_BYTES / length)));
  return Array.from({ length: count }, (_, i) => {
    const at = Math.floor(i * length / count);
    return Buffer.concat([Buffer.from(` ${length}\r\n`), payload.subarray(at), payload.subarray(0, at),
      Buffer.from('\r\n')]);
  });
}

/**
 * @param {NatsOptions} options
 * @param {import('./index.js').LegFacts} leg
 * @returns {import('./index.js').Prepared}
 */
export function prepareNats({ mode, subject }, { payload }) {
  const own = mode === 'publish' ? `${subject}.` : '_INBOX.broadside.';
  const greeting = Buffer.from(`CONNECT ${JSON.stringify(CONNECT)}\r\nSUB ${own}`);
  const rest = Buffer.from(' 1\r\nPING\r\n');
  const head = Buffer.from(mode === 'publish' ? `PUB ${own}` : `PUB ${subject} ${own}`);
  const variants = variantsOf(payload);
  return { bytes: Buffer.concat([greeting, rest, head, ...variants]),
    numbers: [greeting.length, rest.length, head.length, Buffer.byteLength(own), variants[0].length,
      Number(mode === 'request')] };
}
