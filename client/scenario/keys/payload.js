// Key `payload`: the bytes of each request. Pure.

import { protocolOf } from '../../protocols/index.js';
import { formatSize, parseSize } from '../../results/units.js';
import { writtenText } from '../mistakes.js';

/** Of a request of volley. */
const WORD_BYTES = 4;
const MAX_PAYLOAD_BYTES = 1024 ** 3;

/**
 * @param {any} raw valid by the schema
 * @param {any} protocolOptions complete
 * @returns {number} 0: the requests carry no payload
 */
export function payloadBytesOf({ protocol, payload }, protocolOptions) {
  const { hasPayload, sizes } = protocolOf(protocol);
  if (hasPayload?.(protocolOptions) === false) return 0;
  return Math.max(...(sizes?.(protocolOptions) ?? [parseSize(payload)]));
}

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {unknown} raw as it was written
 * @returns {string[]} one sentence for each mistake
 */
export function payloadMistakes(scenario, where, raw) {
  const { protocol, protocolOptions, payloadBytes } = scenario;
  const payload = writtenText(raw, 'payload');
  if (protocolOf(protocol).sizes?.(protocolOptions)) {
    // each size has been checked under its own key
    return payload === undefined
      ? []
      : [`${where('payload')}: ${payload}, and the options of ${protocol} say how large it is; leave payload out`];
  }
  if (protocolOf(protocol).hasPayload?.(protocolOptions) === false) {
    return payload === undefined
      ? []
      : [`${where('payload')}: ${payload}, and such a request of ${protocol} carries none; leave payload out`];
  }
  const mistakes = [];
  if (!Number.isInteger(payloadBytes)) mistakes.push(`${where('payload')}: ${payloadBytes} bytes are not whole bytes`);
  else if (payloadBytes < 1) mistakes.push(`${where('payload')}: a payload has at least 1B`);
  else if (payloadBytes > MAX_PAYLOAD_BYTES) {
    mistakes.push(
      `${where('payload')}: ${formatSize(payloadBytes)} is too large; at most ${formatSize(MAX_PAYLOAD_BYTES)}`,
    );
  }
  if (protocol === 'volley' && payloadBytes !== WORD_BYTES) {
    mistakes.push(
      `${where('payload')}: ${formatSize(payloadBytes)}, and a request of volley is always ${WORD_BYTES} bytes; ` +
        `leave payload out, or give ${where('payload').startsWith('--') ? '' : 'another protocol or '}--payload ${WORD_BYTES}B`,
    );
  }
  return mistakes;
}
