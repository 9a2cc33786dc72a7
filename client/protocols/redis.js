// Commands of redis (RESP2), made once for all transfers of a leg, and the values that are set before it. Pure.
// A key is a prefix and twelve digits, which the engine draws. Each command has its own prefix, so that no key holds
// another type.

import { count } from '../results/format.js';

/**
 * @typedef {object} RedisOptions
 * @property {'PING' | 'GET' | 'SET' | 'INCR' | 'LPUSH'} command
 * @property {number} keys how many there are
 * @property {boolean} prefill whether GET finds them all
 */

/** @type {Record<string, {prefix?: string, sends?: boolean, returns?: boolean, type: string}>} */
const COMMANDS = {
  PING: { type: '+' },
  GET: { prefix: 'value:', returns: true, type: '$' },
  SET: { prefix: 'value:', sends: true, type: '+' },
  INCR: { prefix: 'counter:', type: ':' },
  LPUSH: { prefix: 'list:', sends: true, type: ':' },
};
const KEY_DIGITS = 12;
const MAX_PREFILLED = 10_000_000;

/** @param {RedisOptions} options @returns {boolean} whether a value goes there or back */
export const hasValue = ({ command }) => Boolean(COMMANDS[command].sends || COMMANDS[command].returns);

/** @param {RedisOptions} options @returns {import('./index.js').OptionMistake[]} */
export function redisMistakes({ command, keys, prefill }) {
  return command === 'GET' && prefill && keys > MAX_PREFILLED
    ? [
        [
          'keys',
          'too-many-keys',
          { keys, max: MAX_PREFILLED },
          `${keys} are too many to set before each leg, at most ${MAX_PREFILLED}; give fewer, or no prefill`,
        ],
      ]
    : [];
}

/** @param {string} command @returns {string} up to the key's number, or all of it */
function head(command) {
  const { prefix, sends } = COMMANDS[command];
  const name = `$${command.length}\r\n${command}\r\n`;
  if (prefix === undefined) return `*1\r\n${name}`;
  return `*${sends ? 3 : 2}\r\n${name}$${prefix.length + KEY_DIGITS}\r\n${prefix}`;
}

/** @param {Uint8Array} payload @returns {Buffer} a bulk string */
const bulk = (payload) => Buffer.concat([Buffer.from(`$${payload.length}\r\n`), payload, Buffer.from('\r\n')]);

/**
 * @param {RedisOptions} options
 * @param {import('./index.js').LegFacts} leg
 * @returns {import('./index.js').Prepared}
 */
export function prepareRedis({ command, keys }, { payload }) {
  const { prefix, sends = false, returns = false, type } = COMMANDS[command];
  const words = Buffer.from(head(command));
  const bytes = sends || returns ? Buffer.concat([words, bulk(payload)]) : words;
  return {
    bytes,
    parameters: {
      headBytes: words.length,
      keys: prefix === undefined ? 0 : keys,
      replyType: type.charCodeAt(0),
      sendsValue: sends,
      returnsValue: returns,
    },
  };
}

/**
 * @param {RedisOptions} options
 * @param {Uint8Array} payload
 * @returns {import('./index.js').Filling | null} what must have been done before the leg; null: nothing
 */
export function fillRedis({ command, keys, prefill }, payload) {
  if (command !== 'GET' || !prefill) return null;
  const value = bulk(payload);
  return {
    count: keys,
    answer: '+OK\r\n',
    request: (i) => Buffer.concat([Buffer.from(`${head('SET')}${String(i).padStart(KEY_DIGITS, '0')}\r\n`), value]),
  };
}

/** @param {RedisOptions} options @returns {string | null} what it writes into a server and leaves there */
export function leftInRedis({ command, keys, prefill }) {
  const { prefix } = COMMANDS[command];
  const all = `${count(keys)} ${keys === 1 ? 'key' : 'keys'} ${prefix}...`;
  switch (command) {
    case 'GET':
      return prefill ? `sets ${all} before each leg` : null;
    case 'SET':
      return `sets up to ${all}`;
    case 'INCR':
      return `increments up to ${all}`;
    case 'LPUSH':
      return `pushes onto up to ${all}`;
    default:
      return null;
  }
}
