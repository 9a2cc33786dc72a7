// The file that protocol raw sends, or that is the body of a request of http. It is read once, when the scenario is loaded, so that
// the workers, the exchange before a leg and the run's record have the same bytes.

import path from 'node:path';
import { bodyFileOf, HTTP_BODY_MOST } from '../../protocols/http.js';
import { MAX_REQUEST_BYTES } from '../../protocols/raw.js';
import { count } from '../../words/format.js';
import { writeSize } from '../../words/units.js';
import { fileError, readNamedFile } from './named-file.js';

/** @type {Record<string, {key: string, fileOf: (options: any) => string | undefined, most: number, what: string, mayBeEmpty: boolean}>} */
const FILES = {
  raw: {
    ...{ key: 'raw.file', fileOf: ({ file }) => file, most: MAX_REQUEST_BYTES },
    ...{ what: 'what raw sends has at most', mayBeEmpty: false },
  },
  http: {
    ...{ key: 'http.body', fileOf: bodyFileOf, most: HTTP_BODY_MOST },
    ...{ what: 'give it in payload instead, "file:PATH": http.body has at most', mayBeEmpty: true },
  },
};

/**
 * @param {import('../scenario.js').Scenario} scenario
 * @param {import('../mistakes.js').Where} where
 * @param {(key: string) => string} folderOf that the path of a key is relative to
 * @returns {import('../scenario.js').Scenario} with the file's bytes, if it names one
 * @throws {import('../../errors.js').UsageError}
 */
export function withRequestFile(scenario, where, folderOf) {
  const { protocol, protocolOptions } = scenario;
  if (!Object.hasOwn(FILES, protocol)) return scenario;
  const { key } = FILES[protocol];
  const content = contentOf(protocol, protocolOptions, { key, where, folderOf });
  const requests = protocolOptions.requests?.map((/** @type {any} */ request, /** @type {number} */ i) => ({
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
 * @param {string} protocol @param {any} options of it, or of a request
 * @param {{key: string, where: import('../mistakes.js').Where, folderOf: (key: string) => string}} place
 * @returns {{content: string} | null} the bytes of the file that they name, in base64; null: they name none
 */
function contentOf(protocol, options, { key, where, folderOf }) {
  const { fileOf, most, what, mayBeEmpty } = FILES[protocol];
  const given = fileOf(options);
  if (given === undefined) return null;
  const named = { file: path.resolve(folderOf(key), given), key, where: where(key), code: 'EREQUESTFILE' };
  const bytes = readNamedFile(named, {
    maxBytes: most,
    tooLarge: (size) => `has ${count(size)} bytes; ${what} ${writeSize(most)}`,
  });
  if (bytes.length === 0 && !mayBeEmpty) throw fileError(named, 'empty', 'is empty; there is nothing to send');
  return { content: bytes.toString('base64') };
}
