// Where a run's metrics are sent by OTLP/HTTP: from --otlp, or from the variables that every exporter of OpenTelemetry reads.
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/

import { UsageError } from '../errors.js';

/**
 * @typedef {{ url: URL, headers: Record<string, string>, timeoutMs: number, allowPublic: boolean }} Endpoint
 * @typedef {{ endpoint: Endpoint | null } | { problem: string }} Found  endpoint null: none was given
 */

const DEFAULT_TIMEOUT_MS = 10_000;
const PATH = 'v1/metrics';

/** @param {string} base @returns {URL} the path of metrics appended; throws when it is not an HTTP URL */
function metricsUrl(base) {
  const url = httpUrl(base);
  url.pathname = `${url.pathname.replace(/\/*$/, '')}/${PATH}`;
  return url;
}

/** @param {string} text @returns {URL} throws when it is not an HTTP URL */
function httpUrl(text) {
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new TypeError('not an HTTP URL');
  return url;
}

/** @param {string} text such as "key=value,other=a%20b" @returns {Record<string, string>} throws when it cannot be decoded */
function parseHeaders(text) {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new TypeError(`${JSON.stringify(pair)} is not NAME=VALUE`);
      return [decodeURIComponent(pair.slice(0, at).trim()), decodeURIComponent(pair.slice(at + 1).trim())];
    }),
  );
}

/**
 * @param {string} name
 * @param {Record<string, string | undefined>} env
 * @returns {string | undefined} that of metrics before that of all signals; one that is empty counts as not set
 */
const variable = (name, env) =>
  env[`OTEL_EXPORTER_OTLP_METRICS_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || undefined;

/**
 * @param {Record<string, string | undefined>} env
 * @returns {URL | null} throws when it is not an HTTP URL
 */
function urlOf(env) {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_METRICS_EXPORTER === 'none') return null;
  const { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ofMetrics, OTEL_EXPORTER_OTLP_ENDPOINT: ofAll } = env;
  if (ofMetrics) return httpUrl(ofMetrics);
  return ofAll ? metricsUrl(ofAll) : null;
}

/**
 * @param {{ otlp?: string, 'otlp-public'?: boolean }} given as typed
 * @param {Record<string, string | undefined>} env
 * @returns {Found} problem: why what the variables say cannot be used; a run is not refused for it
 * @throws {UsageError} when an option cannot be used
 */
export function otlpEndpoint({ otlp, 'otlp-public': allowPublic = false }, env) {
  const refuse = (/** @type {string} */ option, /** @type {unknown} */ value, /** @type {string} */ why) =>
    new UsageError(`--${option}: ${why}`, { code: 'EOPTION', data: { option, value } });
  /** @type {URL | null} */
  let url;
  try {
    url = otlp === undefined ? urlOf(env) : metricsUrl(otlp);
  } catch {
    if (otlp !== undefined) {
      throw refuse(
        'otlp',
        otlp,
        `${JSON.stringify(otlp)} is not the URL of a collector, such as http://127.0.0.1:4318`,
      );
    }
    return { problem: 'OTEL_EXPORTER_OTLP_ENDPOINT is not an HTTP URL, such as http://127.0.0.1:4318' };
  }
  if (url === null) {
    if (allowPublic) throw refuse('otlp-public', true, 'there is no endpoint; give one with --otlp URL');
    return { endpoint: null };
  }
  const protocol = variable('PROTOCOL', env);
  if (otlp === undefined && protocol !== undefined && !protocol.startsWith('http/')) {
    return { problem: `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}; only OTLP over HTTP in JSON is supported` };
  }
  const timeoutMs = Number(variable('TIMEOUT', env) ?? DEFAULT_TIMEOUT_MS);
  if (!(timeoutMs > 0)) return { problem: 'OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds' };
  try {
    return { endpoint: { url, headers: parseHeaders(variable('HEADERS', env) ?? ''), timeoutMs, allowPublic } };
  } catch (error) {
    return { problem: `OTEL_EXPORTER_OTLP_HEADERS cannot be read: ${/** @type {Error} */ (error).message}` };
  }
}
