// The endpoint to which --otlp sends the metrics of a run: its URL, and headers and timeout from the environment
// variables that every exporter of OpenTelemetry reads. https://opentelemetry.io/docs/specs/otel/protocol/exporter/

import { UsageError } from '../errors.js';
import { keepPasswordOf, keepUnseen } from '../protocols/kept-secrets.js';
import { withoutLogin } from '../words/endpoint.js';
import { HIDDEN } from '../words/secrets.js';

/** @typedef {{ url: URL, headers: Record<string, string>, timeoutMs: number, allowPublic: boolean }} Endpoint */

const DEFAULT_TIMEOUT_MS = 10_000;
const PATH = 'v1/metrics';
/** How the names of variables that may hold a secret end. */
const HEADERS = 'HEADERS';

/** @param {string} base @returns {URL} with the path of metrics appended; throws if base is not an HTTP URL */
function metricsUrl(base) {
  const url = URL.canParse(base) ? new URL(base) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError(
      `${JSON.stringify(withoutLogin(base))} is not the URL of a collector, such as http://127.0.0.1:4318`,
    );
  url.pathname = `${url.pathname.replace(/\/*$/, '')}/${PATH}`;
  return url;
}

/**
 * @param {string} text such as "key=value,other=a%20b"
 * @returns {Record<string, string>} throws when it cannot be decoded
 */
function parseHeaders(text) {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new TypeError('a header is not NAME=VALUE');
      return [decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}

/** @param {string} text @returns {number} ms; throws if the text is not a positive number */
function parseTimeout(text) {
  if (!(Number(text) > 0)) throw new TypeError(`${JSON.stringify(text)} is not a number of milliseconds`);
  return Number(text);
}

/**
 * @template Value
 * @param {string} name of the option or variable, for a message
 * @param {string} text
 * @param {(text: string) => Value} parse throws when the text cannot be used
 * @returns {Value}
 */
function read(name, text, parse) {
  try {
    return parse(text);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new UsageError(`${name}: ${message}`, {
      code: 'EOPTION',
      data: { option: name.replace(/^--/, ''), value: name.endsWith(HEADERS) ? HIDDEN : withoutLogin(text) },
    });
  }
}

/**
 * @param {{ otlp?: string, 'otlp-public'?: boolean }} given as typed
 * @param {Record<string, string | undefined>} env  a variable for metrics precedes the one for all signals; an empty
 *   variable counts as not set
 * @returns {Endpoint | null} null: --otlp was not given
 * @throws {UsageError} when the option, or a variable that belongs to it, cannot be used
 */
export function otlpEndpoint({ otlp, 'otlp-public': allowPublic = false }, env) {
  if (otlp === undefined) return null;
  const url = read('--otlp', otlp, metricsUrl);
  /** @type {<Value>(name: string, fallback: string, parse: (text: string) => Value) => Value} */
  const variable = (name, fallback, parse) => {
    const names = [`OTEL_EXPORTER_OTLP_METRICS_${name}`, `OTEL_EXPORTER_OTLP_${name}`];
    const set = names.find((candidate) => env[candidate]);
    return read(set ?? names[1], (set && env[set]) || fallback, parse);
  };
  const headers = variable(HEADERS, '', parseHeaders);
  for (const value of Object.values(headers)) keepUnseen(value, HIDDEN);
  keepPasswordOf(url);
  const timeoutMs = variable('TIMEOUT', String(DEFAULT_TIMEOUT_MS), parseTimeout);
  return { url, headers, timeoutMs, allowPublic };
}
