// The request of HTTP, made once for all transfers of a leg: the head as bytes, the payload as its body. Pure.
// The headers that frame the message (Host, Connection, Content-Length) are set here and may not be given as options.

import { familyOf, formatEndpoint } from '../results/endpoint.js';

/**
 * @typedef {object} HttpOptions
 * @property {'GET' | 'HEAD' | 'POST' | 'PUT'} method
 * @property {string} path
 * @property {string} [host] by default the address and port that is connected to
 * @property {Record<string, string>} headers more of them
 * @property {boolean} keepAlive false: each request asks the server to close
 */

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

/** @param {import('../results/endpoint.js').Endpoint} endpoint @returns {string} of a server behind a unix socket: localhost */
export const hostOf = (endpoint) => (familyOf(endpoint.host) === 'unix' ? 'localhost' : formatEndpoint(endpoint));

/**
 * @param {HttpOptions} options
 * @param {{payloadBytes: number, endpoint: {address: string, port: number}}} leg
 * @returns {import('./index.js').Prepared}
 */
export function prepareHttp(options, { payloadBytes, endpoint: { address, port } }) {
  const { method, path, host = hostOf({ host: address, port }), headers, keepAlive } = options;
  const body = hasBody(options);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(keepAlive ? [] : ['Connection: close']),
    ...(body ? [`Content-Length: ${payloadBytes}`] : []),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ];
  return {
    bytes: Buffer.from(lines.join('\r\n'), 'latin1'),
    parameters: { headOnly: method === 'HEAD', sendsBody: body, keepsAlive: keepAlive },
  };
}
