// Key http.requestsFrom: a file with a list of requests. It is read before the scenario is checked, so that its requests are checked, and
// its secrets kept, as those of http.requests are.

import path from 'node:path';
import { isObject } from '../../measure/objects.js';
import { mistake, mistakesError } from '../mistakes.js';
import { fileError, readNamedFile } from './named-file.js';
import { ListError, readRequestList } from './request-list.js';

const KEY = 'http.requestsFrom';
const MOST_BYTES = 256 * 1024 ** 2;
const AUTHORITY = /^(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?)?([^/?#]*)/i;

/**
 * @param {unknown} content of a scenario file
 * @param {import('../flags.js').Flags} flags
 * @param {{where: import('../mistakes.js').Where, folderOf: (key: string) => string}} place
 * @returns {{content: any, taken: import('./request-list.js').Taken[]}} with the requests of the file, if one is named; taken: of which
 *   file
 * @throws {import('../../errors.js').UsageError}
 */
export function withRequestsFrom(content, flags, { where, folderOf }) {
  /** @type {import('./request-list.js').Taken[]} */
  const taken = [];
  /** @param {any} part of a scenario @param {unknown} over that replaces its file @param {Record<string, any>} whole */
  const read = (part, over, whole) => {
    const http = isObject(part?.http) ? part.http : {};
    const given = over ?? http.requestsFrom;
    if (typeof given !== 'string') return part;
    if (over === undefined && http.requests !== undefined) {
      const why = `"${given}", but http.requests lists them; leave one of them out`;
      throw mistakesError([mistake(where, 'set-by-requests', KEY, { key: KEY }, why)]);
    }
    const named = { file: path.resolve(folderOf(KEY), given), key: KEY, where: where(KEY), code: 'EREQUESTFILE' };
    const text = readNamedFile(named, { maxBytes: MOST_BYTES, tooLarge: () => 'has more than 256 MiB' }).toString();
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
  const all = isObject(base) ? read(base, flags[KEY], base) : base;
  const tests = Array.isArray(all.tests)
    ? { tests: all.tests.map((/** @type {unknown} */ one) => read(one, undefined, all)) }
    : {};
  return { content: taken.length === 0 ? content : { ...all, ...tests }, taken };
}

/** @param {Record<string, any>} content @param {import('../flags.js').Flags} flags @returns {string[]} of the target, and of the Host header */
function hostsOf(content, flags) {
  const targets = [flags.target ?? content.target ?? []].flat();
  const host = flags['http.host'] ?? content.http?.host ?? [];
  return [...targets.map((one) => AUTHORITY.exec(String(one))?.[1] ?? ''), host]
    .flat()
    .filter((one) => one !== '')
    .map(String);
}

/**
 * @param {import('./named-file.js').NamedFile} named @param {string} text @param {string[]} hosts
 * @returns {import('./request-list.js').Listed}
 */
function listedIn(named, text, hosts) {
  try {
    return readRequestList(text, { folder: path.dirname(named.file), hosts });
  } catch (error) {
    if (error instanceof ListError) throw fileError(named, error.problem, error.message, error);
    throw error;
  }
}
