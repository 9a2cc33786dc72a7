// The files that keys of a scenario name: of a login, a request, a payload, a list of requests; tls.js reads the
// certificates. They are read when the scenario is loaded, so that an error is reported before anything is started.

import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../errors.js';
import { isObject } from '../../measure/objects.js';
import { bodyFileOf, HTTP_BODY_MAX } from '../../protocols/http.js';
import { NATS_SECRETS, natsSecret } from '../../protocols/nats.js';
import { MAX_REQUEST_BYTES } from '../../protocols/raw.js';
import { count } from '../../words/format.js';
import { HIDDEN } from '../../words/secrets.js';
import { writeSize } from '../../words/units.js';
import { mistake, mistakesError } from '../mistakes.js';
import { checksum, MAX_PAYLOAD_BYTES } from './payload.js';
import { ListError, readRequestList } from './request-list.js';

/**
 * @import { Raw } from '../merge.js'
 * @import { ProtocolOptions } from '../../protocols/index.js'
 * @import { Flags } from '../flags.js'
 * @import { Where } from '../mistakes.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Listed, Taken } from './request-list.js'
 */

/** The code of errors about the file of a login. */
const LOGIN_CODE = 'ELOGIN';

/**
 * @typedef {object} NamedFile
 * @property {string} file its path
 * @property {string} key that names it, such as tls.ca
 * @property {string} where the name of the key in messages
 * @property {string} code of the errors
 */

/**
 * @param {NamedFile} named
 * @param {string} problem for programs
 * @param {string} why for people, after the file's name
 * @param {unknown} [cause]
 * @returns {UsageError}
 */
export function fileError({ file, key, where, code }, problem, why, cause) {
  const said = code === LOGIN_CODE && problem === 'missing' ? HIDDEN : file; // it may be the secret itself
  return new UsageError(`${where}: ${said} ${why}`, { code, data: { key, value: said, problem }, cause });
}

/**
 * @param {NamedFile} named
 * @param {{maxBytes: number, tooLarge: (bytes: number) => string}} limit tooLarge: the end of the message
 * @returns {Buffer}
 * @throws {UsageError} also for a pipe, which might never end
 */
export function readNamedFile(named, { maxBytes, tooLarge }) {
  try {
    const stats = statSync(named.file);
    if (!stats.isFile()) throw fileError(named, 'not-a-file', 'is not a regular file');
    if (stats.size > maxBytes) throw fileError(named, 'too-large', tooLarge(stats.size));
    return readFileSync(named.file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw code === 'ENOENT'
      ? fileError(named, 'missing', 'does not exist', error)
      : fileError(named, 'unreadable', `cannot be read (${code})`, error);
  }
}

const LOGIN_MAX_BYTES = 4096;
const LOGIN_FORMS = { login: 'USER:PASSWORD', token: 'a token' };

/**
 * Finds the file with the credentials of protocol nats, and checks its content. The resolved scenario has its path,
 * never its content, because it is kept with the run.
 * @param {Scenario} scenario
 * @param {(path: string) => string} where
 * @param {(path: string) => string} folderOf what a file's path is relative to
 * @returns {Scenario} with its absolute path
 * @throws {UsageError}
 */
export function withLoginFile(scenario, where, folderOf) {
  const { protocol, protocolOptions } = scenario;
  const key = protocol === 'nats' && NATS_SECRETS.find((name) => protocolOptions[name] !== undefined);
  if (!key) return scenario;
  const file = path.resolve(folderOf(`nats.${key}`), /** @type {string} */ (protocolOptions[key]));
  const named = { file, key: `nats.${key}`, where: where(`nats.${key}`), code: LOGIN_CODE };
  const tooLarge = () => `is too large; it has one line, ${LOGIN_FORMS[key]}`;
  const text = readNamedFile(named, { maxBytes: LOGIN_MAX_BYTES, tooLarge }).toString('utf8');
  if (natsSecret(key, text) === null) throw fileError(named, 'content', `does not hold one line, ${LOGIN_FORMS[key]}`);
  return { ...scenario, protocolOptions: { ...protocolOptions, [key]: file } };
}

/** @typedef {Pick<ProtocolOptions, 'file' | 'body'>} FileOptions */

/**
 * The files of requests, by protocol: what raw sends, and the body of a request of http.
 * @type {Record<string, {key: string, fileOf: (options: FileOptions) => string | undefined, maxBytes: number, what:
 *   string, mayBeEmpty: boolean}>}
 */
const REQUEST_FILES = {
  raw: {
    ...{ key: 'raw.file', fileOf: ({ file }) => file, maxBytes: MAX_REQUEST_BYTES },
    ...{ what: 'what raw sends has at most', mayBeEmpty: false },
  },
  http: {
    ...{ key: 'http.body', fileOf: bodyFileOf, maxBytes: HTTP_BODY_MAX },
    ...{ what: 'give it in payload instead, "file:PATH": http.body has at most', mayBeEmpty: true },
  },
};

/**
 * The file is read once, so that the workers, the exchange before a leg and the run's record have the same bytes.
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {(key: string) => string} folderOf that the path of a key is relative to
 * @returns {Scenario} with the file's bytes, if it names one
 * @throws {UsageError}
 */
export function withRequestFile(scenario, where, folderOf) {
  const { protocol, protocolOptions } = scenario;
  if (!Object.hasOwn(REQUEST_FILES, protocol)) return scenario;
  const { key } = REQUEST_FILES[protocol];
  const content = contentOf(protocol, protocolOptions, { key, where, folderOf });
  const requests = protocolOptions.requests?.map((request, i) => ({
    ...request,
    ...contentOf(protocol, request, { key: `http.requests[${i}].body`, where, folderOf }),
  }));
  const bytes = content && Buffer.from(content.content, 'base64').length;
  return {
    ...{ ...scenario, protocolOptions: { ...protocolOptions, ...content, ...(requests && { requests }) } },
    ...(bytes !== null && { payloadBytes: bytes }),
  };
}

/**
 * @param {string} protocol @param {FileOptions} options of it, or of a request
 * @param {{key: string, where: Where, folderOf: (key: string) => string}} place
 * @returns {{content: string} | null} the bytes of the file that they name, in base64; null: they name none
 */
function contentOf(protocol, options, { key, where, folderOf }) {
  const { fileOf, maxBytes, what, mayBeEmpty } = REQUEST_FILES[protocol];
  const given = fileOf(options);
  if (given === undefined) return null;
  const named = { file: path.resolve(folderOf(key), given), key, where: where(key), code: 'EREQUESTFILE' };
  const bytes = readNamedFile(named, {
    maxBytes,
    tooLarge: (size) => `has ${count(size)} bytes; ${what} ${writeSize(maxBytes)}`,
  });
  if (bytes.length === 0 && !mayBeEmpty) throw fileError(named, 'empty', 'is empty; there is nothing to send');
  return { content: bytes.toString('base64') };
}

/**
 * The file is read to know its size and checksum; every worker reads it again, and stops if it has changed.
 * @param {Scenario} scenario
 * @param {Where} where
 * @param {(key: string) => string} folderOf that the path of a key is relative to
 * @returns {Scenario} with the file's absolute path, size and checksum, if it names one
 * @throws {UsageError}
 */
export function withPayloadFile(scenario, where, folderOf) {
  const { payloadFile } = scenario;
  if (payloadFile === null) return scenario;
  const file = path.resolve(folderOf('payload'), payloadFile.path);
  const named = { file, key: 'payload', where: where('payload'), code: 'EPAYLOADFILE' };
  const bytes = readNamedFile(named, {
    maxBytes: MAX_PAYLOAD_BYTES,
    tooLarge: (size) => `has ${count(size)} bytes; a payload has at most ${writeSize(MAX_PAYLOAD_BYTES)}`,
  });
  if (bytes.length === 0) throw fileError(named, 'empty', 'is empty; there is nothing to send');
  return { ...scenario, payloadBytes: bytes.length, payloadFile: { path: file, sha256: checksum(bytes) } };
}

const REQUESTS_FROM = 'http.requestsFrom';
const LIST_MAX_BYTES = 256 * 1024 ** 2;
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?)?([^/?#]*)/i;

/**
 * The list is read before the scenario is checked, so that its requests are checked, and its secrets kept, as those of
 * http.requests are.
 * @param {unknown} content of a scenario file
 * @param {Flags} flags
 * @param {{where: Where, folderOf: (key: string) => string}} place
 * @returns {{content: unknown, taken: Taken[]}} with the requests of the file, if one is named; taken: the files
 * @throws {UsageError}
 */
export function withRequestsFrom(content, flags, { where, folderOf }) {
  /** @type {Taken[]} */
  const taken = [];
  /** @param {Raw} part of a scenario @param {unknown} over that replaces its file @param {Raw} whole */
  const read = (part, over, whole) => {
    const http = isObject(part?.http) ? part.http : {};
    const given = over ?? http.requestsFrom;
    if (typeof given !== 'string') return part;
    if (over === undefined && http.requests !== undefined) {
      const why = `"${given}", but http.requests lists them; leave one of them out`;
      throw mistakesError([mistake(where, 'set-by-requests', REQUESTS_FROM, { key: REQUESTS_FROM }, why)]);
    }
    const named = {
      file: path.resolve(folderOf(REQUESTS_FROM), given),
      key: REQUESTS_FROM,
      where: where(REQUESTS_FROM),
      code: 'EREQUESTFILE',
    };
    const text = readNamedFile(named, { maxBytes: LIST_MAX_BYTES, tooLarge: () => 'has more than 256 MiB' }).toString();
    const { requests, origin, ...counts } = listedIn(named, text, hostsOf(whole, flags));
    taken.push({ file: given, ...counts });
    const hasServer = ['target', 'command', 'servers'].some(
      (key) => whole[key] !== undefined || flags[key] !== undefined,
    );
    return {
      ...part,
      ...(hasServer || origin === null || part !== whole ? {} : { target: origin }),
      http: { ...http, requests },
    };
  };
  const base = content ?? {};
  const expanded = Object(isObject(base) ? read(base, flags[REQUESTS_FROM], base) : base);
  const tests = Array.isArray(expanded.tests)
    ? { tests: expanded.tests.map((/** @type {Raw} */ test) => read(test, undefined, expanded)) }
    : {};
  return { content: taken.length === 0 ? content : { ...expanded, ...tests }, taken };
}

/**
 * @param {Raw} content
 * @param {Flags} flags
 * @returns {string[]} the hosts of the targets, and the Host header
 */
function hostsOf(content, flags) {
  const targets = [flags.target ?? content.target ?? []].flat();
  const host = flags['http.host'] ?? content.http?.host ?? [];
  return [...targets.map((target) => AUTHORITY.exec(String(target))?.[1] ?? ''), host]
    .flat()
    .filter((host) => host !== '')
    .map(String);
}

/**
 * @param {NamedFile} named @param {string} text @param {string[]} hosts
 * @returns {Listed}
 */
function listedIn(named, text, hosts) {
  try {
    return readRequestList(text, { folder: path.dirname(named.file), hosts });
  } catch (error) {
    if (error instanceof ListError) throw fileError(named, error.problem, error.message, error);
    throw error;
  }
}
