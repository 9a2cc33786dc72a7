// A list of requests from a file: the JSON of http.requests, a HAR file as browsers export it, or lines of method and URL with headers
// below, as vegeta has its targets. Pure.

import path from 'node:path';
import { HTTP_BODY_MOST, isOwnHeader } from '../../protocols/http.js';
import { isObject } from '../../measure/objects.js';
import { count, counted } from '../../words/format.js';

/** As many may be in a list. */
const MOST = 256;
const MOST_NAME = 90;
const PORTS = /** @type {Record<string, number>} */ ({ http: 80, https: 443 });
const TARGET_LINE = /^([A-Za-z]+)[ \t]+(\S+)$/;
const HEADER_LINE = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/;
const PARTS = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]*)([^#]*)/i;
const PATH = /^[/*][!-~]{0,4095}$/;
/** As the schema has it, of a value. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * @typedef {{method: string, path: string, headers?: Record<string, string | string[]>, body?: string, name?: string, weight?: number}} Entry
 * @typedef {{method: string, url: string, headers: [name: string, value: string][], body?: string}} Found  url: or a path alone
 * @typedef {{reason: string, count: number}} LeftOut
 * @typedef {{file: string, taken: number, leftOut: LeftOut[]}} Taken  taken: entries of the file
 * @typedef {{requests: unknown[], origin: string | null, taken: number, leftOut: LeftOut[]}} Listed  origin: such as https://a.example, of
 *   the requests; null: the file has none
 */

/** What is wrong with a file, for programs and for people. */
export class ListError extends Error {
  /** @param {string} problem @param {string} why after the file's name */
  constructor(problem, why) {
    super(why);
    this.problem = problem;
  }
}

/** @param {unknown} har as parsed @returns {Found[]} */
const entriesOf = (har) =>
  /** @type {any} */ (har).log.entries.flatMap((/** @type {any} */ { request } = {}) => {
    if (!isObject(request) || typeof request.url !== 'string' || typeof request.method !== 'string') return [];
    const headers = [request.headers ?? []]
      .flat()
      .map((/** @type {any} */ one) => [String(one?.name), String(one?.value)]);
    const { text, encoding, params = [] } = request.postData ?? {};
    const form = new URLSearchParams(params.map((/** @type {any} */ { name, value = '' }) => [name, value])).toString();
    const body = encoding === 'base64' ? Buffer.from(String(text), 'base64').toString() : (text ?? (form || undefined));
    return [{ method: request.method, url: request.url, headers, ...(body !== undefined && { body: String(body) }) }];
  });

/** @param {string} text @param {string} folder that paths of bodies are relative to @returns {Found[]} @throws {ListError} */
function targetsOf(text, folder) {
  /** @type {Found[]} */
  const found = [];
  text.split(/\r?\n/).forEach((line, i) => {
    const last = found.at(-1);
    const [, method, url] = TARGET_LINE.exec(line.trim()) ?? [];
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (line.trim() === '' || line.startsWith('#')) return;
    if (method !== undefined) found.push({ method, url, headers: [] });
    else if (last !== undefined && line.startsWith('@')) last.body = `@${path.resolve(folder, line.slice(1).trim())}`;
    else if (last !== undefined && name !== undefined) last.headers.push([name, value]);
    else {
      const why = `line ${count(i + 1)} is no method and URL, no header and no @FILE; give lines such as GET http://127.0.0.1:8080/`;
      throw new ListError('wrong-line', why);
    }
  });
  return found;
}

/** @param {string} url @returns {{origin: string | null, authority: string, path: string} | null} null: of another scheme; origin: null of a path alone */
function partsOf(url) {
  if (url.startsWith('/')) return { origin: null, authority: '', path: url };
  const [, scheme, host, rest] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return null;
  const lower = scheme.toLowerCase();
  const authority = host.toLowerCase().replace(new RegExp(`:${PORTS[lower]}$`), '');
  return { origin: `${lower}://${authority}`, authority, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** @param {string} host with or without a port @returns {string} without the usual port of HTTP or HTTPS */
const plainHost = (host) => host.toLowerCase().replace(/:(80|443)$/, '');

/** @param {Found['headers']} headers @returns {Entry['headers']} those that are not set by the client itself */
function headersOf(headers) {
  /** @type {Map<string, [name: string, values: string[]]>} */
  const all = new Map();
  for (const [name, value] of headers) {
    if (name.startsWith(':') || isOwnHeader(name) || CONTROL.test(value)) continue;
    const [first, values] = all.get(name.toLowerCase()) ?? [name, []];
    all.set(name.toLowerCase(), [first, [...values, value.trim()]]);
  }
  return Object.fromEntries(
    [...all.values()].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/** @param {Found} found @param {boolean} hasFiles whether a body that begins with @ names a file @returns {string | null} why it cannot be sent */
function faultOf({ method, body = '' }, hasFiles) {
  if (method === 'CONNECT') return 'with the method CONNECT';
  if (Buffer.byteLength(body) > HTTP_BODY_MOST) return 'with a body of more than 1 MiB';
  return body.startsWith('@') && !hasFiles ? 'whose body begins with @' : null;
}

/**
 * @param {Found[]} found @param {string[]} hosts of the target; none: the first origin of the file
 * @param {boolean} hasFiles
 * @returns {Listed}
 */
function listOf(found, hosts, hasFiles) {
  const known = found.map((one) => ({ one, parts: partsOf(one.url) }));
  const origin = known.find(({ parts }) => parts?.origin)?.parts?.origin ?? null;
  /** @type {Map<string, number>} */
  const left = new Map();
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  for (const { one, parts } of known) {
    const isOther =
      parts !== null &&
      parts.origin !== null &&
      (hosts.length > 0 ? !hosts.includes(plainHost(parts.authority)) : parts.origin !== origin);
    const fault =
      parts === null || !PATH.test(parts.path)
        ? 'with another scheme than http or https, or a path that is not in ASCII'
        : isOther
          ? 'of other origins'
          : faultOf(one, hasFiles);
    if (fault !== null || parts === null) {
      left.set(String(fault), (left.get(String(fault)) ?? 0) + 1);
      continue;
    }
    const headers = headersOf(one.headers);
    const entry = { method: one.method, path: parts.path, headers, ...(one.body !== undefined && { body: one.body }) };
    const key = JSON.stringify(entry);
    const before = entries.get(key);
    entries.set(key, { ...entry, weight: (before?.weight ?? 0) + 1 });
  }
  const most = [...entries.values()].sort((a, b) => Number(b.weight) - Number(a.weight));
  const beyond = most.slice(MOST).reduce((sum, { weight }) => sum + Number(weight), 0);
  if (beyond > 0) left.set(`beyond the ${MOST} most frequent`, beyond);
  const leftOut = [...left].map(([reason, n]) => ({ reason, count: n }));
  const taken = found.length - leftOut.reduce((sum, { count: n }) => sum + n, 0);
  return { requests: named(most.slice(0, MOST)), origin, taken, leftOut };
}

/** @param {Entry[]} entries @returns {Entry[]} each with a name of its own */
function named(entries) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return entries.map((entry) => {
    const name = `${entry.method} ${entry.path}`.slice(0, MOST_NAME);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { ...entry, name: times === 1 ? name : `${name} #${times}` };
  });
}

/**
 * @param {string} text of the file @param {{folder: string, hosts: string[]}} place folder: of the file; hosts: of the target, with their
 *   ports
 * @returns {Listed} the requests, of JSON as written
 * @throws {ListError}
 */
export function readRequestList(text, { folder, hosts }) {
  const plain = hosts.map(plainHost);
  const isJson = /^\s*[[{]/.test(text);
  let json;
  try {
    json = isJson ? JSON.parse(text) : undefined;
  } catch (error) {
    throw new ListError('not-json', `is not JSON (${/** @type {Error} */ (error).message})`);
  }
  const isHar = isObject(json) && Array.isArray(/** @type {any} */ (json).log?.entries);
  if (Array.isArray(json)) return { requests: json, origin: null, taken: json.length, leftOut: [] };
  if (isJson && !isHar) throw new ListError('no-list', 'is neither a list of requests nor a HAR file (log.entries)');
  const listed = listOf(isHar ? entriesOf(json) : targetsOf(text, folder), plain, !isHar);
  if (listed.requests.length > 0) return listed;
  const why = listed.leftOut.map(({ reason, count: n }) => `${count(n)} ${reason}`).join(', ');
  const remedy =
    plain.length > 0 && listed.origin !== null ? `; the first is of ${listed.origin}: give its host in http.host` : '';
  throw new ListError('empty', why === '' ? 'has no requests' : `has no request that can be sent: ${why}${remedy}`);
}

/** @param {Taken} taken @returns {string} such as "12 requests of shop.har; left out: 30 of other origins" */
export const takenText = ({ file, taken, leftOut }) =>
  `${counted(taken, 'request')} of ${path.basename(file)}` +
  (leftOut.length === 0
    ? ''
    : `; left out: ${leftOut.map(({ reason, count: n }) => `${count(n)} ${reason}`).join(', ')}`);
