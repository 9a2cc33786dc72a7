// A URL as `target`: it gives address, protocol, TLS and path at once. Other keys must not contradict it.

import { isIP } from 'node:net';
import { protocolOf, schemes } from '../../protocols/index.js';
import { withoutLogin } from '../../words/endpoint.js';
import { mistake, mistakesError } from '../mistakes.js';

/**
 * @import { Raw } from '../merge.js'
 * @import { UsageError } from '../../errors.js'
 * @import { Where } from '../mistakes.js'
 */

/** @typedef {{ protocol?: string, tls?: true, port?: number }} Scheme */

/** @type {Record<string, Scheme>} */
const SCHEMES = { tcp: {}, ...schemes };
const URL_PARTS =
  /^([a-z][a-z0-9+.-]*):\/\/([^/?#@]*@)?(\[[^\]]*\]|[^/?#:@[\]]*)(?::([0-9]*(?:-[0-9]*)?))?([/?][^#]*)?(#.*)?$/is;

/** A comma before the beginning of a target; other commas belong to the query of a URL. */
const BETWEEN = /,(?=\s*(?:[a-z][a-z0-9+.-]*:\/\/|unix:|\[|[^\s,/?=&]+:[0-9]))/i;

/** @param {string} text of the flag @returns {string[]} */
export const splitTargets = (text) =>
  text
    .split(BETWEEN)
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * @typedef {object} ReadUrl
 * @property {string} target  host:port
 * @property {string} scheme
 * @property {Scheme} means
 * @property {string} path    with its query; '' if absent
 * @property {string} [host]  the Host header: a name, with its port unless that is the default
 */

/**
 * @param {string} text
 * @param {(code: string, data: object, why: string) => Error} refusal
 * @returns {ReadUrl | null} null: not a URL
 */
function readUrl(text, refusal) {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return null;
  const [, given = '', login, host = '', port, path = '', fragment] = URL_PARTS.exec(text) ?? [];
  const scheme = given.toLowerCase();
  const means = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined;
  if (means === undefined || host === '') {
    const known = Object.keys(SCHEMES);
    if (host === '') throw refusal('url', {}, 'is not a URL with a host, such as http://127.0.0.1:8080/path');
    throw refusal('url-scheme', { scheme, known }, `has the scheme ${scheme}, which is not one of ${known.join(', ')}`);
  }
  if (login !== undefined) {
    const how = protocolOf(means.protocol ?? '').login ?? 'a login is not supported';
    throw refusal('url-login', { scheme }, `holds a login, which would be stored with the run; ${how}`);
  }
  if (fragment !== undefined)
    throw refusal('url-fragment', {}, `has a fragment (${fragment}), which no request carries; leave it out`);
  if (!protocolOf(means.protocol ?? '').hasPath && path !== '' && path !== '/') {
    throw refusal('url-path', { path }, `has the path ${path}, but ${means.protocol ?? scheme} has none; leave it out`);
  }
  if (port === undefined && means.port === undefined)
    throw refusal('no-port', {}, 'has no port; give one, such as tcp://127.0.0.1:7000');
  const name =
    isIP(host.replace(/^\[|\]$/g, '')) === 0
      ? { host: port === undefined || Number(port) === means.port ? host : `${host}:${port}` }
      : {};
  return {
    target: `${host}:${port ?? means.port}`,
    scheme,
    means,
    path: path.startsWith('?') ? `/${path}` : path,
    ...name,
  };
}

/**
 * Replaces the URLs of `target` by addresses, and by the keys protocol, tls and path.
 * @param {Raw} raw as written, flags included; changed in place
 * @param {Where} where
 * @throws {UsageError} when a URL cannot be a target, or contradicts another key
 */
export function takeUrls(raw, where) {
  const texts = [raw.target].flat();
  if (!texts.every((text) => typeof text === 'string') || texts.length === 0) return; // the schema says so
  const refuser = (/** @type {string} */ text) => {
    const shown = withoutLogin(text);
    return (/** @type {string} */ code, /** @type {object} */ data, /** @type {string} */ why) =>
      mistakesError([mistake(where, code, 'target', { target: shown, ...data }, `${JSON.stringify(shown)} ${why}`)]);
  };
  const urls = texts.map((text) => readUrl(text, refuser(text)));
  const [first] = urls;
  const odd = urls.findIndex((url) => url?.scheme !== first?.scheme || url?.path !== first?.path);
  if (odd > 0)
    throw refuser(texts[odd])(
      'urls-differ',
      { first: texts[0] },
      `differs from ${texts[0]} in scheme or path; all targets of a leg have one`,
    );
  if (first === undefined || first === null) return;
  const addresses = urls.map((url) => /** @type {ReadUrl} */ (url).target);
  raw.target = Array.isArray(raw.target) ? addresses : addresses[0];
  const contradictions = adopt(raw, first).map(([key, value, said]) =>
    mistake(
      where,
      'contradicts-url',
      key,
      { value, target: texts[0] },
      key === 'tls.verify'
        ? `-k (--no-tls.verify) is for https; ${texts[0]} has no certificate: leave it out`
        : `${JSON.stringify(value)} contradicts the target ${texts[0]}, which says ${said}; leave one of them out`,
    ),
  );
  if (contradictions.length > 0) throw mistakesError(contradictions);
}

/**
 * @param {Raw} raw changed in place
 * @param {ReadUrl} url
 * @returns {[key: string, value: unknown, said: string][]} the keys that contradict the URL, and what it says
 */
function adopt(raw, { scheme, means: { protocol, tls }, path: written, host }) {
  /** @type {[string, unknown, string][]} */
  const wrong = [];
  if (protocol === undefined) return wrong;
  if (raw.protocol !== undefined && raw.protocol !== protocol) wrong.push(['protocol', raw.protocol, protocol]);
  if (tls && raw.tls === false) wrong.push(['tls', false, 'TLS']);
  if (!tls && raw.tls !== undefined && raw.tls !== false) {
    const isVerifyAlone = raw.tls.verify === false && Object.keys(raw.tls).length === 1;
    wrong.push(isVerifyAlone ? ['tls.verify', false, ''] : ['tls', raw.tls, `no TLS (${scheme}s says TLS)`]);
  }
  const owner = protocolOf(protocol).hasPath ? protocol : undefined;
  const options = owner === undefined ? undefined : (raw[owner] ?? {});
  const path = written === '/' && options?.requests !== undefined ? '' : written; // with a list, the origin alone
  if (path !== '' && options?.path !== undefined && options.path !== path)
    wrong.push([`${owner}.path`, options.path, path]);
  if (wrong.length > 0) return wrong;
  raw.protocol = protocol;
  if (tls) raw.tls ??= true;
  if (owner === undefined || Object(options) !== options) return wrong;
  raw[owner] = {
    ...options,
    ...(path !== '' && { path }),
    ...(host !== undefined && options.host === undefined && { host }),
  };
  return wrong;
}
