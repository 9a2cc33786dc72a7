// The request of HTTP, made once for all transfers of a leg: the head and http.body as bytes, or the payload as its body. Pure,
// except that it reads secrets from the environment: the options only name them, because they are kept with the run.
// The headers that frame the message (Host, Connection, Content-Length) are set here and may not be given as options.

import { EnvironmentError } from '../errors.js';
import { familyOf, formatEndpoint } from '../words/endpoint.js';
import { variableIn } from '../words/secrets.js';
import { writeSize } from '../words/units.js';

/**
 * @typedef {import('../../config/types.js').WrittenScenario['http']} Written
 * @typedef {Omit<Written, 'method'> & {method: string, content?: string}} HttpOptions  content: of the file of body, base64
 */

/** Where bodies vary in length, there is a row of heads for each number of this many bytes (engine/core/protocol/http.c). */
const ROW_LENGTHS = 10_000;
/** At most 6,711 rows, so that a worker holds about as many heads, whatever headers they have. */
export const HTTP_VARIED_PAYLOAD_MOST = 64 * 1024 ** 2;

/** Of http.body. A longer one is sent as payload. */
export const HTTP_BODY_MOST = 1024 ** 2;

/** Headers that are not options, and why. @type {Record<string, string>} */
const OWN = {
  host: 'is http.host',
  connection: 'follows from http.keepAlive',
  'content-length': 'follows from http.body or payload',
  'transfer-encoding': 'is not used: a body is sent whole, with its Content-Length',
  expect: 'would make the server wait for nothing: the body is sent with the head',
  upgrade: 'asks for another protocol than HTTP',
};
const WITH_PAYLOAD = ['POST', 'PUT', 'PATCH'];
const USUAL_METHODS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', ...WITH_PAYLOAD];
/** What a header's value may not hold, wherever it comes from. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** @param {Written} options valid by the schema @returns {HttpOptions} */
export const completeHttp = ({ method, ...rest }) => ({
  ...rest,
  method: method ?? (rest.body === undefined ? 'GET' : 'POST'),
});

/** @param {{body?: string, method?: string}} options @returns {boolean} whether its requests have a body: http.body, or the payload */
export const hasBody = ({ body, method = 'GET' }) => body !== undefined || WITH_PAYLOAD.includes(method);

/** @param {{body?: string}} options @returns {string | undefined} the file that is the body */
export const bodyFileOf = ({ body }) => (body?.startsWith('@') ? body.slice(1) : undefined);

/** @param {{body?: string, content?: string}} options @returns {Buffer | null} null: there is none, or it is the payload */
const bodyOf = ({ body, content }) =>
  content !== undefined ? Buffer.from(content, 'base64') : body === undefined ? null : Buffer.from(body);

/** @param {HttpOptions} options @returns {number[] | undefined} bytes of http.body */
export function httpSizes(options) {
  const body = bodyOf(options);
  return body === null ? undefined : [body.length];
}

/**
 * @param {HttpOptions} options
 * @param {{pipeline: number}} scenario
 * @returns {import('./index.js').OptionMistake[]}
 */
export function httpMistakes({ method, headers, body, keepAlive }, { pipeline }) {
  /** @type {import('./index.js').OptionMistake[]} */
  const mistakes = Object.keys(headers)
    .filter((name) => Object.hasOwn(OWN, name.toLowerCase()))
    .map((name) => [
      `headers.${name}`,
      'header-set-elsewhere',
      { header: name },
      `${name} ${OWN[name.toLowerCase()]}; leave it out`,
    ]);
  const upper = method.toUpperCase();
  if (method === 'CONNECT') {
    const why = 'CONNECT opens a tunnel, in which no further request is HTTP; give another method';
    mistakes.push(['method', 'method-connect', { method }, why]);
  } else if (method !== upper && USUAL_METHODS.includes(upper)) {
    const why = `"${method}" is not "${upper}": methods are case-sensitive; did you mean ${upper}?`;
    mistakes.push(['method', 'wrong-value', { value: method, meant: upper }, why]);
  }
  const bytes = Buffer.byteLength(body ?? '');
  if (bytes > HTTP_BODY_MOST) {
    const why = `has ${writeSize(bytes)}, at most ${writeSize(HTTP_BODY_MOST)}; give a file in payload instead: "file:PATH"`;
    mistakes.push(['body', 'out-of-range', { value: bytes, max: HTTP_BODY_MOST }, why]);
  }
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
 * @param {string} name of the header @param {string} value as in the options
 * @returns {string} as it is sent
 */
function sentValue(name, value) {
  const variable = variableIn(value);
  if (variable === null) return value;
  const secret = process.env[variable];
  const isSent = secret !== undefined && !CONTROL.test(secret);
  if (isSent) return secret;
  const why = secret === undefined ? 'is not in the environment of this process' : 'holds a control character';
  throw new EnvironmentError(`http.headers.${name}: ${variable} ${why}`, { code: 'ESECRET', data: { variable } });
}

/** @param {HttpOptions['headers']} headers @returns {string[]} the lines of a head @throws {EnvironmentError} */
export const headerLines = (headers) =>
  Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${sentValue(name, value)}`),
  );

/**
 * @param {string[]} lines of a head, without Content-Length
 * @param {number} most bytes of a body
 * @returns {Buffer} rows of heads up to the last four digits of Content-Length, then all four digits with the head's end
 */
function variedHeads(lines, most) {
  const head = Buffer.from([...lines, 'Content-Length: '].join('\r\n'));
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
  const body = bodyOf(options);
  const sendsPayload = body === null && hasBody(options);
  const isVaried = sendsPayload && payloadMinBytes !== null;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(keepAlive ? [] : ['Connection: close']),
    ...(hasBody(options) && !isVaried ? [`Content-Length: ${body?.length ?? payloadBytes}`] : []),
    ...headerLines(headers),
  ];
  const parameters = { headOnly: method === 'HEAD', sendsBody: sendsPayload, keepsAlive: keepAlive };
  if (!isVaried) {
    return {
      bytes: Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n')), body ?? Buffer.alloc(0)]),
      parameters: { ...parameters, rowBytes: 0, headBytes: 0 },
    };
  }
  const headBytes = Buffer.byteLength([...lines, 'Content-Length: '].join('\r\n'));
  const digits = payloadBytes < ROW_LENGTHS ? 0 : String(Math.floor(payloadBytes / ROW_LENGTHS)).length;
  return {
    bytes: variedHeads(lines, payloadBytes),
    parameters: { ...parameters, rowBytes: headBytes + digits, headBytes },
  };
}
