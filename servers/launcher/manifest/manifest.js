// Reads manifests and validates them against config/schema/server.json. An invalid manifest is read as far as possible,
// so that its server can be listed with the problem.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { validatorOf } from '../../../config/validators.js';
import { manifestProblems } from './manifest-errors.js';

/**
 * @import { ValidateFunction } from 'ajv'
 * @import { Problem } from '../errors.js'
 * @import { Requirement } from './requirements.js'
 */

/** @typedef {1 | 'unbounded' | {option: 'threads' | 'processes', default: number}} Concurrent */
/** @typedef {'ipv4' | 'ipv6' | 'unix'} Family */
/** @typedef {'tcp' | 'sctp' | 'sctp-seqpacket' | 'udp'} Transport */

/**
 * @typedef {object} Manifest see config/schema/server.json
 * @property {string} name
 * @property {string} language
 * @property {string} model
 * @property {string} description
 * @property {string[]} protocols
 * @property {Requirement[]} [requires]
 * @property {{command: string[], output: string, sources: string[]}} [build]
 * @property {string[]} run
 * @property {Record<string, string[]>} [options]
 * @property {Family[]} [listens] default: IPv4
 * @property {Transport[]} [transports] default: TCP
 * @property {string[]} [udp] arguments added to run so that the server also listens on UDP, on the same port as on TCP
 * @property {{authority: string}} [tls] absent: the server does not speak TLS
 * @property {'line' | 'connection'} ready
 * @property {Concurrent | null} concurrent null: unknown, because the server was contributed without a manifest
 * @property {'backlog' | 'closed' | null} surplus null: unknown, for the same reason
 * @property {'threads' | 'processes' | 'none'} scales
 */

/** @type {ValidateFunction | undefined} */
let validate;

/**
 * @param {string} path of a manifest
 * @returns {{manifest: Manifest, problem: Problem | null}} problem: code `invalid-manifest`; `data.errors` lists all
 *   errors
 */
export function readManifest(path) {
  /** @type {any} */
  let manifest = {};
  /** @type {Problem[]} */
  let errors;
  try {
    if (!statSync(path).isFile()) throw new Error('not a regular file'); // reading a FIFO would block
    manifest = JSON.parse(readFileSync(path, 'utf8'));
    errors = validationErrors(manifest, basename(path, '.json'));
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    errors = [{ code: error instanceof SyntaxError ? 'json' : 'unreadable', data: {}, text: message }];
  }
  if (errors.length === 0) return { manifest, problem: null };
  const text = `invalid manifest: ${errors.map((error) => error.text).join('; ')}`;
  return { manifest: placeholder(path, manifest), problem: { code: 'invalid-manifest', data: { path, errors }, text } };
}

/** @param {any} manifest @param {string} expectedName @returns {Problem[]} */
function validationErrors(manifest, expectedName) {
  validate ??= validatorOf('manifest');
  const errors = validate(manifest) ? [] : manifestProblems(validate.errors ?? []);
  if (typeof manifest?.name === 'string' && manifest.name !== expectedName) {
    const text = `the name is "${manifest.name}", but the file is called ${expectedName}.json`;
    errors.push({ code: 'name', data: { name: manifest.name, expected: expectedName }, text });
  }
  return errors;
}

/**
 * @param {string} path
 * @param {any} content of the file, as far as it could be read
 * @returns {Manifest} shown in the list for an invalid manifest; the language defaults to the folder's name
 */
function placeholder(path, content) {
  const stringOr = (/** @type {unknown} */ value, /** @type {string} */ fallback) =>
    typeof value === 'string' && value !== '' ? value : fallback;
  return {
    name: basename(path, '.json'),
    language: stringOr(content?.language, basename(dirname(dirname(path)))),
    model: stringOr(content?.model, '?'),
    description: '',
    protocols: [],
    run: [],
    ready: 'line',
    concurrent: null,
    surplus: null,
    scales: 'none',
  };
}
