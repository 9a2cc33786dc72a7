// Messages of NATS, made once for all transfers of a leg. The options are stored with the run, so they only hold the
// path of the file with a password or token; the file is read here.
// Each connection subscribes to a subject that ends with 16 random digits, which the engine draws. It receives there
// what it publishes, or the replies to its requests.

import { readFileSync } from 'node:fs';
import { EnvironmentError } from '../errors.js';
import { HIDDEN } from '../words/secrets.js';
import { keepUnseen } from './kept-secrets.js';

/**
 * @import { WrittenScenario } from '../../config/types.js'
 * @import { Denied, LegFacts, OptionMistake, Prepared, Protocol } from './index.js'
 */

/** @typedef {WrittenScenario['nats']} NatsOptions */

/** Options that name a file with a secret. */
export const NATS_SECRETS = /** @type {const} */ (['login', 'token']);

const CONNECT = {
  verbose: false,
  pedantic: false,
  tls_required: false,
  name: 'broadside',
  lang: 'c',
  version: '1',
  protocol: 1,
  headers: true,
  no_responders: true,
};
const MAX_VARIANTS = 16;
/** Maximum size of all variants of the payload together; a larger payload has one variant. */
const VARIANTS_BYTES = 1024 * 1024;

/**
 * @param {Uint8Array} payload
 * @returns {Buffer[]} length, payload and line end; payloads are rotated, so that they differ
 */
function variantsOf(payload) {
  const { length } = payload;
  const count = Math.max(1, Math.min(MAX_VARIANTS, length, Math.floor(VARIANTS_BYTES / length)));
  return Array.from({ length: count }, (_, i) => {
    const at = Math.floor((i * length) / count);
    return Buffer.concat([
      Buffer.from(` ${length}\r\n`),
      payload.subarray(at),
      payload.subarray(0, at),
      Buffer.from('\r\n'),
    ]);
  });
}

/** @param {NatsOptions} options @returns {OptionMistake[]} */
function natsMistakes({ login, token }) {
  return login !== undefined && token !== undefined
    ? [
        [
          'token',
          'login-and-token',
          { token },
          `${token}, but nats.login also gives credentials; leave one of them out`,
        ],
      ]
    : [];
}

/**
 * @param {'login' | 'token'} key
 * @param {string} text content of its file
 * @returns {Record<string, string> | null} the fields of CONNECT; null if the text is not valid
 */
export function natsSecret(key, text) {
  const line = text.trim();
  if (line === '' || /[\r\n]/.test(line)) return null;
  if (key === 'token') return { auth_token: line };
  const colon = line.indexOf(':');
  return colon < 1 ? null : { user: line.slice(0, colon), pass: line.slice(colon + 1) };
}

/** @param {string} said what the server sent, from the beginning of an error @returns {Denied | null} */
function deniedByNats(said) {
  if (!/^-ERR '(authorization violation|user authentication|authentication)/i.test(said)) return null;
  const remedy =
    'The server asks for a login, or does not accept the one given: give nats.login (a file with USER:PASSWORD) or ' +
    'nats.token (a file with a token)';
  return { key: 'nats.login', remedy };
}

/** @param {NatsOptions} options */
const secretKeyOf = (options) => NATS_SECRETS.find((key) => options[key] !== undefined);

/**
 * @param {NatsOptions} options
 * @returns {string | null} path of the file with user and password, or with a token; null without one
 */
function natsSecretFile(options) {
  const key = secretKeyOf(options);
  return key === undefined ? null : /** @type {string} */ (options[key]);
}

/**
 * @param {NatsOptions} options
 * @returns {Record<string, string>} the fields of CONNECT with user and password, or with a token; empty without a
 *   file. From now on, no output shows them.
 */
function natsCredentials(options) {
  const key = secretKeyOf(options);
  if (key === undefined) return {};
  const file = /** @type {string} */ (options[key]);
  const secret = natsSecret(key, readFileSync(file, 'utf8'));
  if (secret === null) {
    throw new EnvironmentError(`nats.${key}: ${file} no longer contains a valid ${key}: expected one line`, {
      code: 'ELOGIN',
    });
  }
  for (const field of /** @type {const} */ (['pass', 'auth_token'])) {
    const value = secret[field];
    if (value === undefined) continue;
    keepUnseen(`"${field}":${JSON.stringify(value)}`, `"${field}":"${HIDDEN}"`);
    keepUnseen(value, HIDDEN);
  }
  return secret;
}

/**
 * @param {NatsOptions} options
 * @param {LegFacts} leg
 * @returns {Prepared}
 */
function prepareNats(options, { payload }) {
  const { mode, subject } = options;
  const inbox = mode === 'publish' ? `${subject}.` : '_INBOX.broadside.';
  const helloHead = Buffer.from(
    `CONNECT ${JSON.stringify({ ...CONNECT, ...natsCredentials(options) })}\r\nSUB ${inbox}`,
  );
  const helloTail = Buffer.from(' 1\r\nPING\r\n');
  const head = Buffer.from(mode === 'publish' ? `PUB ${inbox}` : `PUB ${subject} ${inbox}`);
  const variants = variantsOf(payload);
  return {
    bytes: Buffer.concat([helloHead, helloTail, head, ...variants]),
    parameters: {
      helloHeadBytes: helloHead.length,
      helloTailBytes: helloTail.length,
      requestHeadBytes: head.length,
      subjectBytes: Buffer.byteLength(inbox),
      variantBytes: variants[0].length,
      anyReply: mode === 'request',
    },
  };
}

/** @type {Protocol<NatsOptions>} */
export const nats = {
  schema: {
    description: 'The messages of protocol nats',
    properties: {
      mode: {
        type: 'string',
        enum: ['publish', 'request'],
        default: 'publish',
        description:
          'Whether each connection receives the messages it publishes itself, or sends requests to a service that is already running',
      },
      subject: {
        type: 'string',
        pattern: '^[^\\s.*>]+(\\.[^\\s.*>]+)*$',
        maxLength: 200,
        default: 'broadside',
        description:
          "Subject: the prefix of each connection's own subject (publish), or the subject of the service (request)",
        'x-expects': 'a subject without wildcards, such as orders.new',
      },
      login: {
        type: 'string',
        minLength: 1,
        description:
          'File with USER:PASSWORD for the server; in a scenario, a path relative to its folder. Only the path is stored with the run',
      },
      token: { type: 'string', minLength: 1, description: 'File with an authentication token, instead of login' },
    },
  },
  schemes: { nats: { port: 4222 } },
  login: 'give a file with USER:PASSWORD in nats.login',
  probe: { mode: 'publish', subject: 'broadside' },
  kinds: true,
  mistakes: natsMistakes,
  prepare: prepareNats,
  file: natsSecretFile,
  denied: deniedByNats,
};
