// The options of protocol http, and its requests, made once for all transfers of a leg: a single request, or a list
// from which each connection draws by weight. The options are stored with the run, so they only name secrets; the
// values come from kept-secrets.js. Headers that frame a message (Host, Connection, Content-Length) are not options.

import { EnvironmentError } from '../errors.js';
import { familyOf, formatEndpoint } from '../words/endpoint.js';
import { count, counted } from '../words/format.js';
import { isSecretHeader, variableIn } from '../words/secrets.js';
import { writeSize } from '../words/units.js';
import { keptSecrets } from './kept-secrets.js';
import {
  bytesPiece,
  bytesToLastPlaceholder,
  lengthOf,
  mistakenPlaceholder,
  piecesOf,
  textBytes,
  textPiece,
  writeRequests,
} from './http-pieces.js';

/**
 * @import { Endpoint, WrittenScenario } from '../../config/types.js'
 * @import { Listed, Piece } from './http-pieces.js'
 * @import { OptionMistake, Prepared, Protocol } from './index.js'
 */

/**
 * @typedef {WrittenScenario['http']} Written
 * @typedef {NonNullable<Written['requests']>[number]} WrittenRequest
 * @typedef {WrittenRequest & {name: string, method: string, path: string, weight: number, content?: string}}
 *   ListedRequest
 * @typedef {Omit<Written, 'method' | 'requests'> & {method: string, content?: string, requests?: ListedRequest[]}}
 *   HttpOptions content: of the file that body names, in base64
 * @typedef {Written['headers']} Headers
 * @typedef {NonNullable<Written['expect']>} Expectation
 * @typedef {{name: string, method: string, path: string, headers: Headers, body: Buffer | null, isVerbatim: boolean,
 *   weight: number, expect: Expectation}} HttpRequest  body: null if there is none, or if it is the payload;
 *   isVerbatim: the body has no placeholders
 */

/** Maximum length of http.body in bytes; longer bodies are sent as payload. */
export const HTTP_BODY_MAX = 1024 ** 2;
/** Maximum length of expect.body in bytes. */
const FIND_MAX = 255;
/** Bytes that each connection can hold of a request: the part up to its last placeholder. */
const ROOM_MAX = 64 * 1024;

/** Headers that may not be given, and why. @type {Record<string, string>} */
const RESERVED = {
  host: 'is http.host',
  connection: 'follows from http.keepAlive',
  'content-length': 'follows from http.body or payload',
  'transfer-encoding': 'is not supported: each body is sent whole, with its Content-Length',
  expect: 'is not supported: the body is sent together with the head',
  upgrade: 'asks for another protocol than HTTP',
};
/** @param {string} name @returns {boolean} whether the client sets the header itself, or does not support it */
export const isReservedHeader = (name) => Object.hasOwn(RESERVED, name.toLowerCase());
const WITH_PAYLOAD = ['POST', 'PUT', 'PATCH'];
const USUAL_METHODS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', ...WITH_PAYLOAD];
/** Characters that the value of a header may not contain. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** @param {Written} options valid by the schema @returns {HttpOptions} */
const completeHttp = ({ requests, ...options }) => ({
  ...withMethod(options),
  ...(requests && {
    requests: requests.map(withMethod).map((request) => ({
      ...{ ...request, path: request.path ?? '/' },
      ...{ name: request.name ?? `${request.method} ${request.path ?? '/'}`, weight: request.weight ?? 1 },
    })),
  }),
});

/**
 * @template {{method?: string, body?: string, bodyBase64?: string}} T
 * @param {T} request @returns {T & {method: string}}
 */
const withMethod = (request) => ({
  ...request,
  method: request.method ?? (request.body === undefined && request.bodyBase64 === undefined ? 'GET' : 'POST'),
});

/**
 * @param {{body?: string, method?: string}} options
 * @returns {boolean} whether its requests have a body, possibly an empty one
 */
const hasBody = ({ body, method = 'GET' }) => body !== undefined || WITH_PAYLOAD.includes(method);

/** @param {{body?: string}} options @returns {string | undefined} path of the file that holds the body */
export const bodyFileOf = ({ body }) => (body?.startsWith('@') ? body.slice(1) : undefined);

/**
 * @param {{body?: string, bodyBase64?: string, content?: string}} options
 * @returns {Buffer | null} null if there is none, or if it is the payload
 */
const bodyOf = ({ body, bodyBase64, content = bodyBase64 }) =>
  content !== undefined ? Buffer.from(content, 'base64') : body === undefined ? null : Buffer.from(body);

/** @param {HttpOptions} options @returns {boolean} whether the body of requests is http.body or the payload */
const hasHttpPayload = (options) => options.requests === undefined && hasBody(options);

/** @param {HttpOptions} options @returns {number[] | undefined} bytes of http.body; undefined without it */
function httpSizes(options) {
  const body = bodyOf(options);
  return body === null ? undefined : [body.length];
}

/**
 * @param {Headers} common @param {Headers} [specific] to one request
 * @returns {Headers} both; for a name in both, in any case, the specific one
 */
function joinHeaders(common, specific = {}) {
  const names = new Set(Object.keys(specific).map((name) => name.toLowerCase()));
  const kept = Object.entries(common).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...Object.fromEntries(kept), ...specific };
}

/** @param {HttpOptions} options @returns {HttpRequest[]} the requests of the list, or the single request */
export const httpRequests = ({ requests, ...options }) =>
  (requests ?? [{ ...options, name: '', weight: 1 }]).map((listed) => ({
    ...{ name: listed.name, method: listed.method, path: listed.path, weight: listed.weight },
    headers: requests === undefined ? options.headers : joinHeaders(options.headers, listed.headers),
    ...{ body: bodyOf(listed), isVerbatim: listed.bodyBase64 !== undefined },
    expect: { ...options.expect, ...listed.expect },
  }));

/**
 * @param {HttpOptions} options
 * @param {{pipeline: number}} scenario
 * @param {Record<string, unknown>} given as written
 * @returns {OptionMistake[]}
 */
function httpMistakes(options, { pipeline }, given) {
  const { requests = [], headers, keepAlive } = options;
  const mistakes = headerMistakes('', headers);
  if (!keepAlive && pipeline > 1) {
    mistakes.push([
      'keepAlive',
      'pipeline-without-keep-alive',
      { pipeline },
      `false asks the server to close after each reply, but pipeline is ${pipeline}: the other requests in flight would be ` +
        'lost; leave one of them out',
    ]);
  }
  for (const key of requests.length > 0 ? ['method', 'path', 'body'] : []) {
    if (given[key] === undefined) continue;
    const why = `${given[key]}, but each request of http.requests has its own ${key}; leave one of them out`;
    mistakes.push([key, 'set-by-requests', { key }, why]);
  }
  const completed = httpRequests(options);
  const names = completed.map(({ name }) => name);
  completed.forEach((request, i) => {
    const prefix = requests.length > 0 ? `requests[${i}].` : '';
    const expectation = requests.length > 0 ? requests[i].expect : options.expect;
    mistakes.push(...headerMistakes(prefix, requests[i]?.headers ?? {}));
    mistakes.push(...expectationMistakes(prefix, request, expectation));
    mistakes.push(...methodMistakes(prefix, request), ...bodyMistakes(prefix, request));
    mistakes.push(...base64Mistakes(prefix, requests[i] ?? {}));
    if (names.indexOf(request.name) === i) return;
    const why = `"${request.name}" is also the name of another request; give each request a different name`;
    mistakes.push([`${prefix}name`, 'same-name', { name: request.name }, why]);
  });
  return mistakes;
}

/** @param {string} prefix of the key @param {Headers} headers @returns {OptionMistake[]} */
const headerMistakes = (prefix, headers) =>
  Object.keys(headers)
    .filter(isReservedHeader)
    .map((name) => [
      `${prefix}headers.${name}`,
      'header-set-elsewhere',
      { header: name },
      `${name} ${RESERVED[name.toLowerCase()]}; leave it out`,
    ]);

/** @param {string} prefix @param {HttpRequest} request @returns {OptionMistake[]} */
function methodMistakes(prefix, { method }) {
  const upper = method.toUpperCase();
  if (method === 'CONNECT') {
    const why = 'CONNECT opens a tunnel, which is not supported; give another method';
    return [[`${prefix}method`, 'method-connect', { method }, why]];
  }
  if (method === upper || !USUAL_METHODS.includes(upper)) return [];
  const why = `"${method}" is not "${upper}": methods are case-sensitive; did you mean ${upper}?`;
  return [[`${prefix}method`, 'wrong-value', { value: method, meant: upper }, why]];
}

/** @param {string} prefix @param {HttpRequest} request @param {Expectation} [expectation] @returns {OptionMistake[]} */
function expectationMistakes(prefix, { method }, { body } = {}) {
  if (body === undefined) return [];
  const bytes = Buffer.byteLength(body);
  if (method === 'HEAD') {
    const why = `"${body}", but a reply to HEAD has no body; leave it out`;
    return [[`${prefix}expect.body`, 'body-of-head', { body }, why]];
  }
  if (bytes <= FIND_MAX) return [];
  const why = `has ${count(bytes)} bytes in UTF-8, at most ${FIND_MAX}`;
  return [[`${prefix}expect.body`, 'out-of-range', { value: bytes, max: FIND_MAX }, why]];
}

/**
 * @param {string} prefix
 * @param {{body?: string, bodyBase64?: string}} request
 * @returns {OptionMistake[]} at most one
 */
function base64Mistakes(prefix, { body, bodyBase64 = '' }) {
  if (bodyBase64.length % 4 !== 0) {
    const why = 'is not base64: its length is not a multiple of 4';
    return [[`${prefix}bodyBase64`, 'wrong-value', { meant: null }, why]];
  }
  if (body === undefined || bodyBase64 === '') return [];
  return [[`${prefix}bodyBase64`, 'two-bodies', {}, 'is a second body, besides body; leave one of them out']];
}

/**
 * @param {string} prefix
 * @param {HttpRequest} request
 * @returns {OptionMistake[]} mistakes in its body and its placeholders
 */
function bodyMistakes(prefix, { body, isVerbatim, path, headers }) {
  const { length = 0 } = body ?? {};
  if (length > HTTP_BODY_MAX) {
    const remedy = prefix === '' ? '; give a file in payload instead: "file:PATH"' : '';
    const why = `has ${writeSize(length)}, at most ${writeSize(HTTP_BODY_MAX)}${remedy}`;
    return [[`${prefix}body`, 'out-of-range', { value: length, max: HTTP_BODY_MAX }, why]];
  }
  const values = Object.entries(headers).map(([name, value]) => [
    `headers.${name}`,
    String([value].flat().map(keptValue)),
  ]);
  const texts = [['path', path], ...values];
  for (const [key, text] of [...texts, ['body', isVerbatim ? '' : (body?.toString() ?? '')]]) {
    const placeholder = mistakenPlaceholder(text);
    if (placeholder === null) continue;
    const isSecret = isSecretHeader(key.replace(/^headers\./, ''));
    const subject = isSecret ? 'a text in braces' : placeholder;
    const why = `${subject} is not a placeholder; give {random:LEAST-MOST} with LEAST at most MOST, {sequence} or {uuid}`;
    return [[`${prefix}${key}`, 'no-placeholder', isSecret ? {} : { placeholder }, why]];
  }
  const bytes = bytesToLastPlaceholder([...piecesOf(texts.join()), ...bodyPieces({ body, isVerbatim })]);
  if (bytes <= ROOM_MAX) return [];
  const why = `the last placeholder ends after ${count(bytes)} bytes of the request, at most ${count(ROOM_MAX)}`;
  return [[`${prefix}body`, 'placeholder-too-far', { bytes, most: ROOM_MAX }, why]];
}

/** @param {Pick<HttpRequest, 'body' | 'isVerbatim'>} request */
const bodyPieces = ({ body, isVerbatim }) =>
  body !== null && isVerbatim ? [bytesPiece(body)] : piecesOf(body?.toString('latin1') ?? '', 'latin1');

/** @param {Endpoint} endpoint @returns {string} value of the Host header; localhost for a unix socket */
export const hostOf = (endpoint) => (familyOf(endpoint.host) === 'unix' ? 'localhost' : formatEndpoint(endpoint));

/**
 * @param {string} value of a header, as in the options
 * @returns {string} the value sent; as in the options, if its secret is not known
 */
const keptValue = (value) => keptSecrets[variableIn(value) ?? ''] ?? value;

/**
 * @param {string} name of the header @param {string} value as in the options
 * @returns {string} the value sent
 * @throws {EnvironmentError} if its secret is not known, or is not valid
 */
function sentValue(name, value) {
  const variable = variableIn(value);
  if (variable === null) return value;
  const secret = keptSecrets[variable];
  const isSent = secret !== undefined && !CONTROL.test(secret);
  if (isSent) return secret;
  const why = secret === undefined ? 'is not in the environment of this process' : 'contains a control character';
  throw new EnvironmentError(`http.headers.${name}: ${variable} ${why}`, { code: 'ESECRET', data: { variable } });
}

/** @param {HttpOptions['headers']} headers @returns {string[]} the lines of a head @throws {EnvironmentError} */
export const headerLines = (headers) =>
  Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${sentValue(name, value)}`),
  );

/**
 * @param {HttpRequest} request
 * @param {{host: string, keepAlive: boolean, payloadBytes: number, varies: boolean}} message payloadBytes: length of
 *   the payload sent after the pieces; varies: payloadBytes is the maximum
 * @returns {Piece[]}
 * @throws {EnvironmentError}
 */
function templateOf({ method, path, headers, body, isVerbatim }, { host, keepAlive, payloadBytes, varies }) {
  const pieces = bodyPieces({ body, isVerbatim });
  const isFramed = body !== null || hasBody({ method });
  const isFixed = !varies && pieces.length === 1;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(keepAlive ? [] : ['Connection: close']),
    ...(isFramed && isFixed ? [`Content-Length: ${textBytes(pieces) + payloadBytes}`] : []),
    ...headerLines(headers),
    '',
  ];
  const length = isFramed && !isFixed ? [textPiece('Content-Length: '), lengthOf(pieces), textPiece('\r\n')] : [];
  return [...piecesOf(lines.join('\r\n')), ...length, textPiece('\r\n'), ...pieces];
}

/** @param {HttpRequest} request @returns {Pick<Listed, 'statuses' | 'find'>} find: null for HEAD, which has no body */
const expectationOf = ({ method, expect: { status, body } }) => ({
  statuses: status === undefined ? null : [status].flat(),
  find: body === undefined || method === 'HEAD' ? null : Buffer.from(body),
});

/**
 * @param {HttpOptions} options
 * @param {{payloadBytes: number, payloadMinBytes?: number | null, endpoint: {address: string, port: number}}} leg
 * @returns {Prepared}
 */
function prepareHttp(options, { payloadBytes, payloadMinBytes = null, endpoint: { address, port } }) {
  const { host = hostOf({ host: address, port }), keepAlive } = options;
  const sendsPayload = hasHttpPayload(options) && bodyOf(options) === null;
  const varies = sendsPayload && payloadMinBytes !== null;
  const message = { host, keepAlive, payloadBytes: sendsPayload ? payloadBytes : 0, varies };
  const requests = httpRequests(options);
  const bytes = writeRequests(
    requests.map((request) => ({
      ...{ weight: request.weight, pieces: templateOf(request, message) },
      ...{ headOnly: request.method === 'HEAD', sendsPayload },
      ...expectationOf(request),
    })),
  );
  return { bytes, parameters: { requests: requests.length, keepsAlive: keepAlive } };
}

const TOKEN_WANTED = "If it asks for a token, give one, such as -H 'Authorization: Bearer TOKEN'";
/** What to do about a reply with this status. @type {Record<number, string>} */
const REMEDIES = {
  401: TOKEN_WANTED,
  403: TOKEN_WANTED,
  404: 'Check the path (--http.path, or the URL)',
  405: 'Check the method (--http.method)',
};

/** @param {number} status @param {Headers} headers of the request @returns {string | null} */
function remedyOf(status, headers = {}) {
  const remedy = REMEDIES[status] ?? null;
  const sent = Object.keys(headers).filter(isSecretHeader).join(', ');
  return remedy === TOKEN_WANTED && sent !== '' ? `${sent} was sent: the server does not accept its value` : remedy;
}

/** Characters of a body that a message shows. */
const BODY_SHOWN = 200;

/** @param {string} body @param {boolean} isChunked @returns {string} beginning of its text, or of its first chunk */
function beginningOf(body, isChunked) {
  const [line = '', size = ''] = (isChunked && /^([0-9a-f]+)[^\r\n]*\r\n/i.exec(body)) || [];
  const text = isChunked ? body.slice(line.length).slice(0, parseInt(size, 16) || 0) : body;
  return text.slice(0, BODY_SHOWN).trim();
}

/**
 * Recognises replies that suggest a wrong request: a redirect, or a client error. Ignores lists of requests, where such
 * replies are usual, and scenarios with expect.status.
 * @param {string} received the beginning of the first reply, one character per byte
 * @param {HttpOptions} options
 * @returns {{ status: number, said: string, remedy: string | null } | null} said: status line and beginning of the body
 */
function turnedAwayByHttp(received, { requests, expect, headers }) {
  const [, head, status, reason] = /^(HTTP\/1\.[01] (\d{3})([^\r\n]*)(?:\r\n[^\r\n]+)*)/.exec(received) ?? [];
  const code = Number(status);
  if (head === undefined || requests !== undefined || expect?.status !== undefined) return null;
  if (code < 300 || code > 499 || code === 304) return null;
  const [, location] = /^location:[ \t]*(.*)$/im.exec(head) ?? [];
  const beginning = beginningOf(received.slice(head.length + 4), /^transfer-encoding:.*chunked/im.test(head));
  const remedy = location === undefined ? remedyOf(code, headers) : `Measure the redirect's location: ${location}`;
  return { status: code, said: `${status}${reason}${beginning === '' ? '' : `: ${beginning}`}`, remedy };
}

/**
 * @param {Partial<Written>} options as resolved, or as a summary has them
 * @returns {string} such as "GET /path", "3 requests"
 */
function httpWords({ method, path, body, requests }) {
  if (requests !== undefined) return counted(requests.length, 'request');
  return path === undefined ? '' : `${method ?? (body === undefined ? 'GET' : 'POST')} ${path}`;
}

/** Schemas that options of http, of a request in its list, and of websocket share. */
export const HEADER_NAMES = {
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  'x-expects': 'the name of a header, such as Accept',
};
export const HOST = {
  type: 'string',
  pattern: '^[!-~]{1,255}$',
  description: 'Host header',
  'x-default': 'the address and port connected to',
  'x-expects': 'a host name, such as www.example.org',
};
const HEADER_VALUES = {
  type: ['string', 'array'],
  maxLength: 8192,
  pattern: '^([^\\u0000-\\u0020\\u007f]([^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f])?)?$',
  'x-expects': 'a text on one line, without spaces around it, or a list of such texts',
  minItems: 1,
  items: {
    type: 'string',
    maxLength: 8192,
    pattern: '^([^\\u0000-\\u0020\\u007f]([^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f])?)?$',
    'x-expects': 'a text on one line, without spaces around it',
  },
};
const PATH = {
  type: 'string',
  maxLength: 4096,
  pattern: '^[/*][!-~]*$',
  default: '/',
  description: 'Request path',
  'x-expects': 'an absolute path in ASCII without spaces, such as /index.html?page=2',
};
const STATUS = { pattern: '^[2-5]([0-9]{2}|xx)$', minimum: 200, maximum: 599 };

/** @param {string} description @returns {object} the schema of the option expect */
const expectation = (description) => ({
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  description,
  'x-expects': 'an object such as {"status": "2xx", "body": "a text"}',
  properties: {
    status: {
      type: ['string', 'integer', 'array'],
      ...STATUS,
      minItems: 1,
      items: { type: ['string', 'integer'], ...STATUS, 'x-expects': 'a status such as 404 or 2xx' },
      description: 'Statuses that a reply may have; another one is counted as wrong-status, 4xx or 5xx',
      'x-default': 'all but 4xx and 5xx',
      'x-expects': 'a status such as 2xx or 404, or a list of them',
    },
    body: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Text that the body of a reply must have in it; a reply without it, as one without a body, is counted as wrong-body',
      'x-default': 'none',
    },
  },
});

/** @type {Protocol<HttpOptions, Written>} */
export const http = {
  title: 'HTTP/1.1',
  schema: {
    description: 'The request of protocol http',
    properties: {
      method: {
        type: 'string',
        maxLength: 64,
        pattern: "^(?![0-9]+$)[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
        description: 'Request method; POST, PUT and PATCH without http.body send payload bytes as the body',
        'x-default': 'GET, or POST with http.body',
        'x-expects': 'a method, such as DELETE',
      },
      path: PATH,
      host: HOST,
      headers: {
        type: 'object',
        default: {},
        propertyNames: HEADER_NAMES,
        additionalProperties: HEADER_VALUES,
        description:
          'Further headers of each request: each has a text, or a list of texts where it is sent several times. The values of Authorization, Cookie and the like are not stored with the run',
        'x-expects': 'an object with names and texts, such as {"Accept": "text/html"}',
        'x-flag-expects': "a header, such as 'Accept: text/html', any number of times",
      },
      body: {
        type: 'string',
        description:
          'Body of each request (in place of payload): a text, or @FILE for the bytes of a file; in a scenario, a path relative to its folder',
        'x-default': 'payload for POST, PUT and PATCH, otherwise none',
      },
      keepAlive: {
        type: 'boolean',
        default: true,
        description:
          'Send many requests per connection; otherwise each request asks the server to close the connection',
      },
      expect: expectation('What replies must be'),
      requestsFrom: {
        type: 'string',
        minLength: 1,
        description:
          "File with the list of http.requests: its JSON, a HAR file as browsers export it, or lines of method and URL with headers below, as vegeta has its targets; of a HAR file or of lines those of the target's origin or of http.host, without a target those of the first origin; in a scenario, a path relative to its folder",
        'x-default': 'none',
        'x-alias': 'requests-from',
      },
      requests: {
        type: 'array',
        minItems: 1,
        maxItems: 256,
        description:
          'A list of requests in place of a single one. Each connection picks every request from the whole list at random, in proportion to the weights. Paths, headers and bodies may contain {random:LEAST-MOST}, a random number; {sequence}, a number that no other request of the leg has; and {uuid}, a random UUID',
        'x-default': 'the one of http.method and http.path',
        'x-expects':
          'a list of requests, such as [{"path": "/", "weight": 9}, {"method": "POST", "path": "/cart", "body": "{}"}]',
        'x-flag': false,
        items: {
          type: 'object',
          additionalProperties: false,
          properties: {
            name: {
              type: 'string',
              maxLength: 100,
              pattern: '^[!-~]([ -~]*[!-~])?$',
              description: 'Name in tables, files and conditions',
              'x-default': 'method and path',
              'x-expects': 'a text in ASCII',
            },
            method: {
              type: 'string',
              maxLength: 64,
              pattern: "^(?![0-9]+$)[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
              description: 'Request method',
              'x-default': 'GET, or POST with a body',
              'x-expects': 'a method, such as PATCH',
            },
            path: PATH,
            headers: {
              type: 'object',
              propertyNames: HEADER_NAMES,
              additionalProperties: HEADER_VALUES,
              description: 'Request headers besides those of http.headers',
              'x-default': 'none',
              'x-expects': 'an object with names and texts, such as {"Accept": "text/html"}',
            },
            body: { type: 'string', description: 'Body: a text, or @FILE, as http.body', 'x-default': 'none' },
            bodyBase64: {
              type: 'string',
              pattern: '^[A-Za-z0-9+/]*={0,2}$',
              description: 'Body in place of body: bytes in base64, in which nothing is a placeholder',
              'x-default': 'none',
              'x-expects': 'base64, such as AP8=',
            },
            expect: expectation('What replies to it must be, besides http.expect'),
            weight: {
              type: 'integer',
              minimum: 1,
              maximum: 1000000,
              default: 1,
              description: 'How often it is drawn, in relation to the others',
            },
          },
        },
      },
    },
  },
  schemes: { http: { port: 80 }, https: { port: 443, tls: true } },
  hasPath: true,
  hasHeaders: true,
  probe: { method: 'GET', path: '/', headers: {}, keepAlive: true },
  kinds: true,
  toleratedIdleNs: 2e9,
  complete: completeHttp,
  hasPayload: hasHttpPayload,
  sizes: httpSizes,
  sizedBy: 'http.body',
  variesPayload: true,
  mistakes: httpMistakes,
  prepare: prepareHttp,
  begins: /^HTTP\/1\.[01] /,
  turnedAway: turnedAwayByHttp,
  words: httpWords,
};
