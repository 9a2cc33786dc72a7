// The request of HTTP, made once for all transfers of a leg: the head as bytes, the payload as its body. Pure.
// The headers that frame the message (Host, Connection, Content-Length) are set here and may not be given as options.

import { familyOf, formatEndpoint } from '../words/endpoint.js';

/** @typedef {import('../../config/types.js').WrittenScenario['http']} HttpOptions */

/** Where bodies vary in length, there is a row of heads for each number of this many bytes (engine/core/protocol/http.c). */
const ROW_LENGTHS = 10_000;
/** At most 6,711 rows, so that a worker holds about as many heads, whatever headers they have. */
export const HTTP_VARIED_PAYLOAD_MOST = 64 * 1024 ** 2;

/** Headers that follow from other options. */
const OWN = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade'];

/** @param {{method: string}} options @returns {boolean} whether its requests have a body: the payload */
export const hasBody = ({ method }) => method === 'POST' || method === 'PUT';

/**
 * @param {HttpOptions} options
 * @param {{pipeline: number}} scenario
 * @returns {import('./index.js').OptionMistake[]}
 */
export function httpMistakes({ headers, keepAlive }, { pipeline }) {
  /** @type {import('./index.js').OptionMistake[]} */
  const mistakes = Object.keys(headers)
    .filter((name) => OWN.includes(name.toLowerCase()))
    .map((name) => [
      `headers.${name}`,
      'header-set-elsewhere',
      { header: name },
      `${name} follows from other keys (http.host, http.keepAlive, http.method, payload); leave it out`,
    ]);
  if (!keepAlive && pipeline > 1) {
    mistakes.push([
      'keepAlive',
      'pipeline-without-keep-alive',
      { pipeline },
      `false asks the server to close after each reply, but pipeline is ${pipeline}: the other requests in flight would be ` +
        'lost; leave one of them out',
    ]);
  }
  return mistakes;
}

/** @param {import('../words/endpoint.js').Endpoint} endpoint @returns {string} of a server behind a unix socket: localhost */
export const hostOf = (endpoint) => (familyOf(endpoint.host) === 'unix' ? 'localhost' : formatEndpoint(endpoint));

/**
 * @param {string[]} lines of a head, without Content-Length
 * @param {number} most bytes of a body
 * @returns {Buffer} rows of heads up to the last four digits of Content-Length, then all four digits with the head's end
 */
function variedHeads(lines, most) {
  const head = Buffer.from([...lines, 'Content-Length: '].join('\r\n'), 'latin1');
  const last = Math.floor(most / ROW_LENGTHS);
  const rowBytes = head.length + (last === 0 ? 0 : String(last).length);
  const rows = Buffer.alloc((last + 1) * rowBytes, ' ');
  for (let row = 0; row <= last; row += 1) {
    head.copy(rows, row * rowBytes);
    if (row > 0) rows.write(String(row), row * rowBytes + head.length);
  }
  const endings = Array.from({ length: ROW_LENGTHS }, (_, i) => `${String(i).padStart(4, '0')}\r\n\r\n`);
  return Buffer.concat([rows, Buffer.from(endings.join(''))]);
}

/**
 * @param {HttpOptions} options
 * @param {{payloadBytes: number, payloadMinBytes?: number | null, endpoint: {address: string, port: number}}} leg
 * @returns {import('./index.js').Prepared}
 */
export function prepareHttp(options, { payloadBytes, payloadMinBytes = null, endpoint: { address, port } }) {
  const { method, path, host = hostOf({ host: address, port }), headers, keepAlive } = options;
  const body = hasBody(options);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(keepAlive ? [] : ['Connection: close']),
    ...(body && payloadMinBytes === null ? [`Content-Length: ${payloadBytes}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const parameters = { headOnly: method === 'HEAD', sendsBody: body, keepsAlive: keepAlive };
  if (!body || payloadMinBytes === null) {
    return {
      bytes: Buffer.from([...lines, '', ''].join('\r\n'), 'latin1'),
      parameters: { ...parameters, rowBytes: 0, headBytes: 0 },
    };
  }
  const headBytes = [...lines, 'Content-Length: '].join('\r\n').length;
  const digits = payloadBytes < ROW_LENGTHS ? 0 : String(Math.floor(payloadBytes / ROW_LENGTHS)).length;
  return {
    bytes: variedHeads(lines, payloadBytes),
    parameters: { ...parameters, rowBytes: headBytes + digits, headBytes },
  };
}
