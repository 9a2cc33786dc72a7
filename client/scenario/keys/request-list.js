// Reads a list of requests from a file: the JSON of http.requests, a HAR file as browsers export it, or lines of method
// and URL with headers below, like the targets of vegeta.

import path from 'node:path';
import { validatorOf } from '../../../config/validators.js';
import { HTTP_BODY_MAX, isReservedHeader } from '../../protocols/http.js';
import { isObject } from '../../measure/objects.js';
import { count, counted } from '../../words/format.js';
import { faultText, isTooDeep, MAX_DEPTH } from '../json.js';
import { scenarioKeys } from '../schema.js';

/** The most requests of a list. */
const MAX_REQUESTS = 256;
const MAX_NAME_LENGTH = 90;
const PORTS = /** @type {Record<string, number>} */ ({ http: 80, https: 443 });
const TARGET_LINE = /^([A-Za-z]+)[ \t]+(\S+)$/;
const HEADER_LINE = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/;
const PARTS = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]*)([^#]*)/i;
const { pattern: PATH_PATTERN = '', maxLength: MAX_PATH_LENGTH = Infinity } = scenarioKeys.get('http.path') ?? {};
const PATH = new RegExp(PATH_PATTERN);
const MISSING_BODY = 'whose body is not in the file';
const MALFORMED = 'that are not as HAR has them';
/** The boundary between the parts of a body whose header Content-Type names none. */
const BOUNDARY = '----broadside-boundary';
/** Characters that the schema refuses in a value. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/**
 * @typedef {{body?: string, bodyBase64?: string}} Body  neither: there is none; body: a text, or @FILE
 * @typedef {Body & {method: string, path: string, headers?: Record<string, string | string[]>, name?: string, weight?:
 *   number}} Entry
 * @typedef {Body & {method: string, url: string, headers: [name: string, value: string][], fault?: string}} ReadRequest
 *   url: or a path alone; fault: why it cannot be sent
 * @typedef {{reason: string, count: number}} LeftOut
 * @typedef {{file: string, taken: number, leftOut: LeftOut[]}} Taken  taken: entries of the file
 * @typedef {{requests: unknown[], origin: string | null, taken: number, leftOut: LeftOut[]}} Listed  origin: of the
 *   requests, such as https://a.example; null: the file has none
 */

/** What is wrong with a file, for programs and for people. */
export class ListError extends Error {
  /** @param {string} problem @param {string} why after the file's name */
  constructor(problem, why) {
    super(why);
    this.problem = problem;
  }
}

/** @param {string} text @returns {Body} in base64 if it begins with @, which would otherwise name a file */
const textBody = (text) =>
  text.startsWith('@') ? { bodyBase64: Buffer.from(text).toString('base64') } : { body: text };

/**
 * @param {string} name of a field or a file
 * @returns {string} as multipart/form-data has it in quotation marks: HTML, section 4.10.22.8
 */
const quotedName = (name) =>
  `"${name.replace(/["\r\n]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}"`;

/**
 * @typedef {{name: string, value?: string | null, fileName?: string | null, contentType?: string | null}} Param
 * @typedef {{mimeType?: string | null, text?: string | null, encoding?: string | null, params?: Param[] | null}}
 *   PostData
 * @typedef {{method: string, url: string, headers?: {name: string, value: string}[] | null, bodySize?: number | null,
 *   postData?: PostData | null}} HarRequest as config/schema/har.json has it
 */

/**
 * @param {Param[]} params of postData
 * @param {string} boundary
 * @returns {string} the body as multipart/form-data
 */
const multipartOf = (params, boundary) =>
  [
    ...params.map(({ name, value, fileName = null, contentType }) => {
      const file = fileName === null ? '' : `; filename=${quotedName(fileName)}`;
      const type = contentType ? `\r\nContent-Type: ${contentType}` : '';
      return `--${boundary}\r\nContent-Disposition: form-data; name=${quotedName(name)}${file}${type}\r\n\r\n${value ?? ''}\r\n`;
    }),
    `--${boundary}--\r\n`,
  ].join('');

/**
 * @param {HarRequest} request
 * @param {ReadRequest['headers']} headers
 * @returns {Body & {headers?: ReadRequest['headers'], fault?: string}} its body; headers: with the boundary of a
 *   multipart body
 */
function bodyOfEntry({ postData, bodySize }, headers) {
  const { text, encoding, mimeType, ...fields } = postData ?? {};
  const params = fields.params ?? [];
  if (typeof text === 'string' && encoding === 'base64') {
    return { bodyBase64: Buffer.from(text, 'base64').toString('base64') };
  }
  const header = (/** @type {string} */ wanted) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const type = header('content-type') ?? mimeType ?? '';
  if (text) return textBody(text);
  if (params.length === 0) {
    const isMissing = Number(bodySize) > 0 || Number(header('content-length') ?? 0) > 0;
    return isMissing ? { fault: MISSING_BODY } : { ...(text === '' && { body: '' }) };
  }
  if (!/^multipart\//i.test(type)) {
    const form = params.map(({ name, value }) => [name, value ?? '']);
    return textBody(new URLSearchParams(form).toString());
  }
  if (params.some(({ fileName = null, value = null }) => fileName !== null && value === null)) {
    return { fault: MISSING_BODY };
  }
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain ?? BOUNDARY;
  const otherHeaders = headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  const named = (quoted ?? plain) ? type : `${type}; boundary=${BOUNDARY}`;
  return { ...textBody(multipartOf(params, boundary)), headers: [...otherHeaders, ['Content-Type', named]] };
}

/**
 * @param {{ _resourceType?: string, response?: { status?: number } }} entry of a HAR file
 * @param {ReadRequest['headers']} headers
 * @returns {string | undefined} why it is left out: it is not HTTP, or had no reply; undefined: it is not
 */
function faultOfEntry({ _resourceType: kind, response }, headers) {
  const upgrades = headers.some(([name, value]) => name.toLowerCase() === 'upgrade' && /websocket/i.test(value));
  if (kind === 'websocket' || response?.status === 101 || upgrades) return 'of WebSocket';
  return response?.status === 0 ? 'that were aborted or blocked' : undefined;
}

/** @param {unknown[]} entries of a HAR file, as parsed @returns {ReadRequest[]} */
function entriesOf(entries) {
  const isEntry = validatorOf('har');
  return entries.map((entry) => {
    if (!isEntry(entry)) return { method: '', url: '/', headers: [], fault: MALFORMED };
    const { request } = /** @type {{request: HarRequest}} */ (entry);
    const headers = (request.headers ?? []).map(({ name, value }) => /** @type {[string, string]} */ ([name, value]));
    const body = bodyOfEntry(request, headers);
    const fault = faultOfEntry(entry, headers) ?? body.fault;
    return { method: request.method, url: request.url, headers, ...body, ...(fault !== undefined && { fault }) };
  });
}

/**
 * @param {string} text
 * @param {string} folder that paths of bodies are relative to
 * @returns {ReadRequest[]}
 * @throws {ListError}
 */
function targetsOf(text, folder) {
  /** @type {ReadRequest[]} */
  const requests = [];
  text.split(/\r?\n/).forEach((line, i) => {
    const last = requests.at(-1);
    const [, method, url] = TARGET_LINE.exec(line.trim()) ?? [];
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (line.trim() === '' || line.startsWith('#')) return;
    if (method !== undefined) requests.push({ method, url, headers: [] });
    else if (last !== undefined && line.startsWith('@')) last.body = `@${path.resolve(folder, line.slice(1).trim())}`;
    else if (last !== undefined && name !== undefined) last.headers.push([name, value]);
    else {
      const why = `line ${count(i + 1)} is no method and URL, no header and no @FILE; give lines such as GET http://127.0.0.1:8080/`;
      throw new ListError('wrong-line', why);
    }
  });
  return requests;
}

/**
 * @param {string} url
 * @returns {{origin: string | null, authority: string, path: string} | null} null: of another scheme; origin: null of a
 *   path alone
 */
function partsOf(url) {
  if (url.startsWith('/')) return { origin: null, authority: '', path: url };
  const [, scheme, host, tail] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return null;
  const lower = scheme.toLowerCase();
  const authority = host.toLowerCase().replace(new RegExp(`:${PORTS[lower]}$`), '');
  return { origin: `${lower}://${authority}`, authority, path: tail.startsWith('/') ? tail : `/${tail}` };
}

/** @param {string} host with or without a port @returns {string} without the usual port of HTTP or HTTPS */
const plainHost = (host) => host.toLowerCase().replace(/:(80|443)$/, '');

/** @param {ReadRequest['headers']} headers @returns {Entry['headers']} without those that the client sets itself */
function headersOf(headers) {
  /** @type {Map<string, [name: string, values: string[]]>} */
  const byName = new Map();
  for (const [name, value] of headers) {
    if (name.startsWith(':') || isReservedHeader(name) || CONTROL.test(value)) continue;
    const [first, values] = byName.get(name.toLowerCase()) ?? [name, []];
    byName.set(name.toLowerCase(), [first, [...values, value.trim()]]);
  }
  return Object.fromEntries(
    [...byName.values()].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );
}

/**
 * @param {ReadRequest} request
 * @param {string | undefined} path of its URL; undefined: of another scheme
 * @returns {string | null} why it cannot be sent
 */
function faultOf({ method, body, bodyBase64, fault }, path) {
  if (path === undefined) return 'with another scheme than http or https';
  if (!PATH.test(path)) return 'with a path that is not in ASCII';
  if (path.length > MAX_PATH_LENGTH) return `with a path of more than ${count(MAX_PATH_LENGTH)} characters`;
  if (method === 'CONNECT') return 'with the method CONNECT';
  const bytes = bodyBase64 === undefined ? Buffer.byteLength(body ?? '') : Buffer.from(bodyBase64, 'base64').length;
  return bytes > HTTP_BODY_MAX ? 'with a body of more than 1 MiB' : (fault ?? null);
}

/**
 * @param {ReadRequest[]} requests @param {string[]} hosts of the target; none: the first origin of the file
 * @returns {Listed}
 */
function listOf(requests, hosts) {
  const known = requests.map((request) => ({ request, parts: partsOf(request.url) }));
  const origin = known.find(({ parts }) => parts?.origin)?.parts?.origin ?? null;
  /** @type {Map<string, number>} */
  const left = new Map();
  /** @type {Map<string, Entry>} */
  const entries = new Map();
  for (const { request, parts } of known) {
    const isOther =
      parts !== null &&
      parts.origin !== null &&
      (hosts.length > 0 ? !hosts.includes(plainHost(parts.authority)) : parts.origin !== origin);
    const fault = isOther ? 'of other origins' : faultOf(request, parts?.path);
    if (fault !== null || parts === null) {
      left.set(String(fault), (left.get(String(fault)) ?? 0) + 1);
      continue;
    }
    const { method, headers, body, bodyBase64 } = request;
    const entry = {
      ...{ method, path: parts.path, headers: headersOf(headers) },
      ...(body !== undefined && { body }),
      ...(bodyBase64 !== undefined && { bodyBase64 }),
    };
    const key = JSON.stringify(entry);
    const before = entries.get(key);
    entries.set(key, { ...entry, weight: (before?.weight ?? 0) + 1 });
  }
  const byWeight = [...entries.values()].sort((a, b) => Number(b.weight) - Number(a.weight));
  const beyond = byWeight.slice(MAX_REQUESTS).reduce((sum, { weight }) => sum + Number(weight), 0);
  if (beyond > 0) left.set(`beyond the ${MAX_REQUESTS} most frequent`, beyond);
  const leftOut = [...left].map(([reason, n]) => ({ reason, count: n }));
  const taken = requests.length - leftOut.reduce((sum, { count: n }) => sum + n, 0);
  return { requests: named(byWeight.slice(0, MAX_REQUESTS)), origin, taken, leftOut };
}

/** @param {Entry[]} entries @returns {Entry[]} with unique names */
function named(entries) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return entries.map((entry) => {
    const name = `${entry.method} ${entry.path}`.slice(0, MAX_NAME_LENGTH);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return { ...entry, name: times === 1 ? name : `${name} #${times}` };
  });
}

/**
 * @param {string} content of the file
 * @param {{folder: string, hosts: string[]}} place folder: of the file; hosts: of the target, with their ports
 * @returns {Listed} the requests, of JSON as written
 * @throws {ListError}
 */
export function readRequestList(content, { folder, hosts }) {
  const plain = hosts.map(plainHost);
  const text = content.replace(/^\ufeff/, ''); // a byte order mark
  const isJson = /^\s*[[{]/.test(text);
  if (/^\s*\[/.test(text) && isTooDeep(text)) {
    throw new ListError('too-deep', `has lists and objects that are nested more than ${MAX_DEPTH} levels deep`);
  }
  let json;
  try {
    json = isJson ? JSON.parse(text) : undefined;
  } catch {
    throw new ListError('not-json', `is not JSON: ${faultText(text)}`);
  }
  const entries = isObject(json) && isObject(json.log) ? json.log.entries : undefined;
  const isHar = Array.isArray(entries);
  if (Array.isArray(json)) return { requests: json, origin: null, taken: json.length, leftOut: [] };
  if (isJson && !isHar) throw new ListError('no-list', 'is neither a list of requests nor a HAR file (log.entries)');
  const listed = listOf(isHar ? entriesOf(entries) : targetsOf(text, folder), plain);
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
