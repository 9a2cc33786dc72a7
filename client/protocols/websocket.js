// What a client of WebSocket (RFC 6455) sends, made once for all transfers of a leg.
// Two adjacent copies of the payload are masked here, so that the engine copies nothing: a message that begins at byte
// r of them has the mask rotated by r mod 4 bytes as its key. The engine writes the heads of frames.

import { createHash } from 'node:crypto';
import { HEADER_NAMES, headerLines, HOST, hostOf } from './http.js';

/**
 * @import { WrittenScenario } from '../../config/types.js'
 * @import { Denied, LegFacts, OptionMistake, Prepared, Protocol } from './index.js'
 */

/** @typedef {WrittenScenario['websocket']} WebsocketOptions */

/** Headers that may not be given: the upgrade sets them. */
const RESERVED = [
  'host',
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'content-length',
  'transfer-encoding',
];
/** From RFC 6455, section 1.3. */
const MAGIC = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** @param {WebsocketOptions} options @returns {OptionMistake[]} */
function websocketMistakes({ headers }) {
  return Object.keys(headers)
    .filter((name) => RESERVED.includes(name.toLowerCase()))
    .map((name) => [
      `headers.${name}`,
      'header-set-elsewhere',
      { header: name },
      `${name} is set by the upgrade, or follows from websocket.host; leave it out`,
    ]);
}

/**
 * @param {string} said by the server @param {WebsocketOptions} options
 * @returns {Denied | null} null unless it is a status other than 101
 */
function deniedByWebsocket(said, { path }) {
  const [, status = '101'] = /^HTTP\/1\.[01] ([0-9]{3})/.exec(said) ?? [];
  if (status === '101') return null;
  const answered = `It answered the upgrade of ${path} with the status ${status}`;
  return status === '401' || status === '403'
    ? {
        key: 'websocket.headers',
        remedy: `${answered}: give the headers that it asks for in websocket.headers, such as Authorization or Origin`,
      }
    : {
        key: 'websocket.path',
        remedy: `${answered}: check the path (ws://HOST:PORT/PATH or --websocket.path), or give --protocol http if it serves no WebSocket`,
      };
}

/**
 * @param {WebsocketOptions} options
 * @param {LegFacts} leg
 * @returns {Prepared}
 */
function prepareWebsocket(options, { payload, endpoint: { address, port } }) {
  const { path, host = hostOf({ host: address, port }), headers } = options;
  const random = createHash('sha256').update(payload).digest();
  const key = random.subarray(0, 16).toString('base64');
  const mask = random.subarray(16, 20);
  const upgrade = Buffer.from(
    [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${key}`,
      'Sec-WebSocket-Version: 13',
      ...headerLines(headers),
      '',
      '',
    ].join('\r\n'),
    'latin1',
  );
  const accept = Buffer.from(
    createHash('sha1')
      .update(key + MAGIC)
      .digest('base64'),
  );
  const masked = Buffer.concat([payload, payload]);
  for (let i = 0; i < masked.length; i += 1) masked[i] ^= mask[i % 4];
  return {
    bytes: Buffer.concat([upgrade, accept, mask, masked]),
    parameters: { upgradeBytes: upgrade.length },
  };
}

/** @type {Protocol<WebsocketOptions>} */
export const websocket = {
  schema: {
    description: 'The upgrade request of protocol websocket',
    properties: {
      path: {
        type: 'string',
        maxLength: 4096,
        pattern: '^/[!-~]*$',
        default: '/',
        description: 'Path of the upgrade request',
        'x-expects': 'an absolute path in ASCII without spaces, such as /index.html?page=2',
      },
      host: HOST,
      headers: {
        type: 'object',
        default: {},
        propertyNames: HEADER_NAMES,
        additionalProperties: {
          type: 'string',
          maxLength: 8192,
          pattern: '^([!-~\\u00a0-\\u00ff]([\\t -~\\u00a0-\\u00ff]*[!-~\\u00a0-\\u00ff])?)?$',
          'x-expects': 'a text on one line, without spaces around it',
        },
        description: 'Additional headers of the upgrade request',
        'x-expects': 'an object with names and texts, such as {"Accept": "text/html"}',
        'x-flag': false,
      },
    },
  },
  schemes: { ws: { port: 80 }, wss: { port: 443, tls: true } },
  hasPath: true,
  hasHeaders: true,
  noun: 'transfer',
  sendsPayloadAlone: true,
  variesPayload: true,
  mistakes: websocketMistakes,
  prepare: prepareWebsocket,
  denied: deniedByWebsocket,
};
